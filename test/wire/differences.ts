import type { Json } from '../../src/core/json.ts'
import type { Message, Part, ToolCallPart } from '../../src/core/message.ts'
import { textOf } from '../../src/core/message.ts'
import type { Usage } from '../../src/core/usage.ts'
import type { Outcome } from './outcome.ts'
import { type Answer, argumentsOf, type Placed, type ReadError, type Reading, type ReadUsage } from './readings/reading.ts'

/** Where ours is not as recorded. `what` is a closed list, so that allowances can name it. */
export interface Difference {
  readonly what: What
  readonly recorded: unknown
  readonly ours: unknown
}

export type What =
  | 'outcome'
  | 'error'
  | 'text'
  | 'order'
  | 'reasoning'
  | 'calls'
  | 'native-calls'
  | 'server-calls'
  | 'opaque'
  | 'media'
  | 'finish'
  | 'raw-finish'
  | 'usage'

/** Where the adapter's outcome says something else than the plain reading. */
export function answerDifferences(outcome: Outcome, reading: Reading): Difference[] {
  if (reading.error !== undefined) return errorDifferences(outcome, reading.error)
  if (outcome.error !== undefined)
    return reading.either?.includes(outcome.error.code) === true ? [] : [{ what: 'outcome', recorded: 'an answer', ours: outcome.error }]
  const { message, finish } = outcome
  const { answer } = reading
  const found: Difference[] = []
  const compare = (what: What, recorded: unknown, ours: unknown) => {
    if (!same(recorded, ours)) found.push({ what, recorded, ours })
  }
  compare('text', answer.text, textOf(message))
  if (answer.order !== undefined) compare('order', orderIn(answer.order), orderOf(message))
  compareReasoning(found, answer, message)
  compareCalls(compare, answer, message)
  compare(
    'media',
    answer.media.map(({ data }) => data),
    mediaIn(message),
  )
  compareOpaque(found, answer, message)
  // Calls decide, not the reason (C9): where there are some, an adapter may read `stop` as `tool-calls`.
  const isCalling = answer.calls.length > 0 && answer.finish === 'stop' && finish.finishReason === 'tool-calls'
  if (!isCalling) compare('finish', answer.finish, finish.finishReason)
  if (!answer.rawFinish.includes(finish.rawFinishReason ?? '') && answer.rawFinish.length > 0)
    found.push({ what: 'raw-finish', recorded: answer.rawFinish, ours: finish.rawFinishReason })
  const { costUsd: _, ...usage } = finish.usage
  compare('usage', usageOf(answer.usage), usage)
  return found
}

function errorDifferences(outcome: Outcome, { code, used, limit, retryAfterMs }: ReadError): Difference[] {
  const { error } = outcome
  if (error === undefined) return [{ what: 'outcome', recorded: code, ours: 'an answer' }]
  const told = [used === undefined ? [] : [`${used} tokens`], limit === undefined ? [] : [`limit ${limit} tokens`]].flat()
  const isSame =
    error.code === code &&
    told.every((words) => error.message.includes(words)) &&
    (retryAfterMs === undefined || error.retryAfterMs === retryAfterMs)
  return isSame ? [] : [{ what: 'error', recorded: { code, told, retryAfterMs }, ours: error }]
}

/** What follows what, of texts and of calls that run here. */
function orderIn(order: readonly Placed[]): string[] {
  const said = order.filter((one) => one.type === 'call' || (one.type === 'text' && one.text.trim() !== ''))
  return said.map(({ type }) => type).filter((type, place, all) => type !== all[place - 1])
}

function orderOf({ parts }: Message): string[] {
  return orderIn(
    parts.flatMap((part): Placed[] => {
      if (part.type === 'text') return [{ type: 'text', text: part.text }]
      return part.type === 'tool-call' && part.providerExecuted !== true ? [{ type: 'call' }] : []
    }),
  )
}

/** Pieces of reasoning may be joined by nothing or by line breaks; which, no API says. */
function compareReasoning(found: Difference[], { reasoning }: Answer, message: Message): void {
  const recorded = reasoning.filter((piece) => piece !== '')
  const ours = message.parts.flatMap((part) => (part.type === 'reasoning' && part.text !== '' ? [part.text] : []))
  const ways = (pieces: readonly string[]) => ['', '\n', '\n\n'].map((joint) => pieces.join(joint))
  if (!ways(recorded).some((text) => ways(ours).includes(text))) found.push({ what: 'reasoning', recorded, ours })
}

function compareCalls(
  compare: (what: What, recorded: unknown, ours: unknown) => void,
  { calls, serverCalls }: Answer,
  message: Message,
): void {
  const all = message.parts.filter((part): part is ToolCallPart => part.type === 'tool-call')
  const ours = all.filter(({ providerExecuted }) => providerExecuted !== true)
  const isNative = (place: number) => calls[place]?.native !== undefined
  compare(
    'calls',
    calls.filter(({ native }) => native === undefined).map(({ name, id, input }) => [name, id, input]),
    ours.flatMap((call, place) => (isNative(place) ? [] : [[call.toolName, call.providerCallId, inputOf(call)]])),
  )
  compare(
    'native-calls',
    calls.filter(({ native }) => native !== undefined).map(({ id, input }) => [id, stringsIn(input)]),
    ours.flatMap((call, place) => {
      const wanted = stringsIn(calls[place]?.input)
      return isNative(place) ? [[call.providerCallId, wanted.filter((text) => stringsIn(call).includes(text))]] : []
    }),
  )
  const executed = all.filter(({ providerExecuted }) => providerExecuted === true).map(({ toolName }) => plainName(toolName))
  compare('server-calls', toldOf(serverCalls, executed, message), executed)
}

/** Those that must be calls of ours: others may be kept as what they are, all of it, beside the parts that show something. */
function toldOf(serverCalls: Answer['serverCalls'], executed: readonly string[], { parts }: Message): string[] {
  const kept = new Set(parts.flatMap((part) => stringsIn(part.providerData)))
  const left = [...executed]
  return serverCalls.flatMap(({ name, item }) => {
    // By its own name, or by its kind.
    const names = [plainName(name), plainName(String(item.type ?? name))]
    const at = left.findIndex((one) => names.includes(one))
    const [found] = at < 0 ? [] : left.splice(at, 1)
    if (found === undefined && stringsIn(item).every((text) => kept.has(text))) return []
    return [found ?? plainName(name)]
  })
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/_call$/, '')
}

function inputOf({ input, rawInput }: ToolCallPart): unknown {
  return rawInput === undefined ? input : argumentsOf(rawInput)
}

function mediaIn({ parts }: Message): string[] {
  const shown = parts.flatMap((part): readonly Part[] => (part.type === 'tool-call' && Array.isArray(part.content) ? part.content : [part]))
  return shown.flatMap((part) => (part.type === 'image' || part.type === 'file' ? [(part.data ?? '').replace(/^data:[^,]*,/, '')] : []))
}

/** Each value stands on some part; those of one kind in the order in which they came. Besides, an adapter may keep what it likes. */
function compareOpaque(found: Difference[], { opaque }: Answer, { parts }: Message): void {
  const kept = parts.flatMap((part) => [...stringsIn(part.providerData), ...(part.type === 'tool-call' ? [part.providerCallId ?? ''] : [])])
  const places = new Map<string, number>()
  const lost = opaque.filter(({ kind, value }) => {
    const place = kept.indexOf(value, places.get(kind) ?? 0)
    if (place >= 0) places.set(kind, place)
    return place < 0
  })
  if (lost.length > 0) found.push({ what: 'opaque', recorded: lost, ours: kept })
}

/** Every text in a value, in order. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

function usageOf({ input, cached, cacheWrite, longCacheWrite, output, reasoning }: ReadUsage): Usage {
  return {
    inputTokens: input ?? 0,
    cachedInputTokens: cached ?? 0,
    cacheWriteTokens: cacheWrite ?? 0,
    ...(longCacheWrite === undefined ? {} : { longCacheWriteTokens: longCacheWrite }),
    outputTokens: output ?? 0,
    reasoningTokens: reasoning ?? 0,
    complete: input !== undefined && output !== undefined,
  }
}

/** As JSON, whatever the order of keys. */
export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

/** With its keys in order. */
function sorted(value: unknown): Json | undefined {
  if (Array.isArray(value)) return value.map((one) => sorted(one) ?? null)
  if (typeof value !== 'object' || value === null) return value as Json | undefined
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sorted(one) ?? null]))
}
