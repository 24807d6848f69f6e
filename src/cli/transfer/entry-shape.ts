import type { Entry, EntryKind } from '../../index.ts'
import {
  type Check,
  either,
  fields,
  flag,
  isObject,
  list,
  name,
  number,
  object,
  oneOf,
  optional,
  present,
  text,
  whole,
  wrongField,
} from './shape.ts'

type Fields = { readonly [field: string]: Check }

/** The times that a `Date` has. */
const latest = 8_640_000_000_000_000
const journalVersion = 1

const envelope: Fields = {
  v: oneOf(journalVersion),
  id: name,
  seq: whole,
  at: (value) => number(value) && Number(value) <= latest,
  epoch: optional(whole),
  runId: optional(name),
  kind: name,
  data: object,
}

const error = fields({ code: text, message: text, category: text, retryable: flag })
const usage = fields({
  inputTokens: number,
  cachedInputTokens: number,
  cacheWriteTokens: number,
  longCacheWriteTokens: optional(number),
  outputTokens: number,
  reasoningTokens: number,
  costUsd: optional(number),
  complete: flag,
})
const failedOutcome = oneOf('error', 'denied', 'timeout', 'cancelled', 'skipped', 'truncated', 'invalid', 'unknown')
const partList: Check = (value) => list(part)(value)
const content = optional(either(text, partList))
const settlement = either(fields({ outcome: oneOf('ok'), output: present, content }), fields({ outcome: failedOutcome, error, content }))
const parts: { readonly [type: string]: Check } = {
  text: fields({ text }),
  reasoning: fields({ text }),
  source: fields({ url: text, title: optional(text) }),
  image: fields({ mediaType: text, data: optional(text), ref: optional(text), name: optional(text) }),
  file: fields({ mediaType: text, data: optional(text), ref: optional(text), name: optional(text) }),
  'tool-call': fields({ callId: name, toolName: text, input: present, settlement: optional(settlement), content }),
}
const part: Check = (value) => {
  const type = isObject(value) && typeof value['type'] === 'string' ? value['type'] : ''
  return Object.hasOwn(parts, type) && parts[type]?.(value) === true
}
const message = fields({ id: optional(text), role: oneOf('user', 'assistant', 'summary'), parts: partList })
const settled: Fields = {
  settlement,
  by: oneOf('machine', 'prepare', 'tool', 'reconcile', 'client'),
  durationMs: optional(number),
  attempt: optional(whole),
}
const model: Fields = { n: whole, attempt: whole, durationMs: optional(number) }
const call: Fields = { callId: name }
const approval = fields({ risk: optional(oneOf('low', 'medium', 'high')), reason: optional(text), expiresAt: optional(number) })
const finishReason = oneOf('stop', 'tool-calls', 'length', 'content-filter', 'refusal', 'pause-turn', 'error', 'other')
/** A word as reasons are: safe to show, also one that a later version has added. */
const word: Check = (value) => typeof value === 'string' && /^[a-z_-]{1,40}$/.test(value)
const finished: Fields = { status: oneOf('completed', 'incomplete', 'failed', 'aborted'), reason: word, text }

/** What each kind holds, as far as this program reads it without looking. */
const kinds: { readonly [kind in EntryKind]: Fields } = {
  session: { version: oneOf(1), metadata: optional(object), fork: optional(object), parent: optional(object) },
  'run.requested': {
    agent: fields({ name: text, version: optional(text) }),
    input: list(message),
    task: oneOf('run', 'compact'),
    inherits: optional(text),
    overrides: optional(object),
  },
  message: { origin: word, message, hidden: optional(flag), callId: optional(name), result: optional(fields(settled)) },
  control: { action: oneOf('pause', 'resume', 'cancel'), by: optional(text), reason: optional(text) },
  'approval.decided': {
    request: name,
    decision: oneOf('allow', 'deny', 'stop'),
    by: optional(text),
    reason: optional(text),
    remember: optional(word),
  },
  'run.claimed': { owner: text, cause: oneOf('start', 'resume', 'next'), engine: text, own: optional(object) },
  'model.started': { ...model, purpose: oneOf('main', 'output', 'wrap-up', 'compaction'), contextThrough: whole, setup: optional(object) },
  'model.responded': { ...model, message, finish: fields({ unified: finishReason, raw: optional(text) }), usage, model: optional(text) },
  'model.failed': { ...model, error, retryAt: optional(number), partial: optional(text), usage: optional(usage), cause: optional(word) },
  'call.prepared': {
    ...call,
    effect: oneOf('read', 'idempotent', 'unsafe'),
    executor: oneOf('local', 'external'),
    approval: optional(approval),
    approvedBy: optional(text),
  },
  'call.started': { ...call, attempt: whole, approval: optional(text) },
  'call.deferred': { ...call, why: word, correlationId: optional(text), expiresAt: optional(number) },
  'call.settled': { ...call, ...settled, background: optional(oneOf(true)) },
  'history.revised': { ok: flag, reason: word, throughTurn: whole, with: list(message) },
  'run.finished': finished,
  custom: { type: text },
}

/** Why a value is no entry that can be kept as it is; `undefined` when it is one. */
export function entryProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'is no entry'
  const { v, kind, data } = value
  if (typeof v === 'number' && v > journalVersion) return `is an entry of a newer version (v ${v}): update rondo`
  const wrong = wrongField(envelope, value)
  if (wrong !== undefined) return `is no entry: its ${wrong} is ${Object.hasOwn(value, wrong) ? 'wrong' : 'missing'}`
  const unknown = Object.keys(value).find((field) => !Object.hasOwn(envelope, field))
  if (unknown !== undefined) return `is no entry: it has a field ${JSON.stringify(unknown.slice(0, 40))}`
  if (!isKind(kind) || !isObject(data)) return `is an entry of a kind that is not known (${JSON.stringify(String(kind).slice(0, 40))})`
  const field = wrongField(kinds[kind], data)
  if (field !== undefined) return `is no entry of kind ${kind}: its ${field} is ${Object.hasOwn(data, field) ? 'wrong' : 'missing'}`
  if (kind !== 'run.finished' || data['status'] !== 'failed' || error(data['error'])) return undefined
  return 'is no entry of kind run.finished: its error is wrong'
}

export function isEntry(value: unknown): value is Entry {
  return entryProblem(value) === undefined
}

function isKind(kind: unknown): kind is EntryKind {
  return typeof kind === 'string' && Object.hasOwn(kinds, kind)
}
