import { join } from 'node:path'
import { type Entry, type EntryData, type EntryKind, type Head, type NewEntry, noUsage } from '../../src/index.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { newFolder } from './folders.ts'

type Bare = { [K in EntryKind]: readonly [K, EntryData[K]] }[EntryKind]

export const noon = new Date(2026, 10, 28, 12, 0, 0).getTime()

/** Keeps a session, its entries a second apart but for every third, and returns the folder for RONDO_HOME. */
export async function keptSession(
  entries: readonly Bare[],
  { session = 'notes', home = newFolder(), head }: Keeping = {},
): Promise<string> {
  let at = noon
  const store = sqlite(join(home, 'sessions.db'), { clock: () => at })
  for (const [index, [kind, data]] of entries.entries()) {
    const run = kind === 'session' ? {} : { runId: 'r1' }
    const epoch = index % 2 === 0 ? {} : { epoch: 1 }
    const entry = { v: 1, id: `e${index + 1}`, seq: index + 1, ...epoch, ...run, kind, data } as unknown as NewEntry
    const isLast = index === entries.length - 1
    await store.append(session, [entry], { expectedSeq: index, ...(isLast && head !== undefined ? { head } : {}) })
    if (index % 3 !== 2) at += 1000
  }
  await store.close()
  return home
}

interface Keeping {
  readonly session?: string
  readonly home?: string
  readonly head?: Head
}

export async function blobIn(home: string, bytes: Uint8Array): Promise<string> {
  const store = sqlite(join(home, 'sessions.db'))
  const ref = await store.blobs.put(bytes)
  await store.close()
  return ref
}

export async function entriesIn(home: string, session = 'notes'): Promise<readonly Entry[]> {
  const store = sqlite(join(home, 'sessions.db'))
  const entries: Entry[] = []
  for await (const entry of store.load(session)) entries.push(entry)
  await store.close()
  return entries
}

const error = { code: 'ToolExecutionError', category: 'tool', message: 'no', retryable: false } as const
const usage = { ...noUsage, inputTokens: 10, outputTokens: 5, costUsd: 0.1 + 0.2 }

/** One entry of each kind, with what is hard to keep: blobs, odd keys, characters that no terminal is sent. */
export function everyKind(refs: { readonly picture: string; readonly shown: string }): readonly Bare[] {
  const odd: NonNullable<EntryData['session']['metadata']> = JSON.parse(
    '{"__proto__":{"a":1},"2":1,"1":[null,-1e-7],"folder":"/tmp","half":"\\ud800 \\u001b \\u2028 é 🎉"}',
  )
  const user = {
    role: 'user',
    parts: [
      { type: 'text', text: 'what is this?' },
      { type: 'image', mediaType: 'image/png', ref: refs.picture },
      { type: 'file', mediaType: 'text/plain', data: 'aGk=' },
    ],
  } as const
  const call = { type: 'tool-call', callId: 'm1.0', toolName: 'read_file', input: { path: 'a' } } as const
  return [
    ['session', { version: 1, metadata: odd }],
    ['run.requested', { agent: { name: 'rondo' }, input: [user], task: 'run' }],
    ['run.claimed', { owner: 'o', cause: 'start', engine: '0.1.0' }],
    ['model.started', { n: 1, attempt: 1, purpose: 'main', contextThrough: 2, setup: { model: 'm' } }],
    ['model.failed', { n: 1, attempt: 1, error: { ...error, code: 'ModelServerError', category: 'model' }, retryAt: noon, retryInMs: 1 }],
    ['model.started', { n: 1, attempt: 2, purpose: 'main', contextThrough: 2 }],
    [
      'model.responded',
      { n: 1, attempt: 2, message: { id: 'm1', role: 'assistant', parts: [call] }, finish: { unified: 'tool-calls' }, usage },
    ],
    ['call.prepared', { callId: 'm1.0', effect: 'read', executor: 'local', approval: { risk: 'high' } }],
    ['approval.decided', { request: 'e8', decision: 'allow', by: 'ann' }],
    ['call.started', { callId: 'm1.0', attempt: 1 }],
    ['call.deferred', { callId: 'm1.0', why: 'suspended', correlationId: 'c' }],
    [
      'call.settled',
      {
        callId: 'm1.0',
        settlement: {
          outcome: 'ok',
          output: { deep: [[1.5]] },
          content: [
            { type: 'image', mediaType: 'image/png', ref: refs.shown },
            { type: 'image', mediaType: 'image/png', ref: refs.picture },
          ],
        },
        by: 'client',
      },
    ],
    ['control', { action: 'pause', by: 'ann' }],
    ['message', { origin: 'steer', message: { role: 'user', parts: [{ type: 'text', text: 'go' }] } }],
    ['history.revised', { ok: true, reason: 'replace', throughTurn: 1, with: [] }],
    ['custom', { type: 'note', data: { n: 1 } }],
    ['run.finished', { status: 'failed', reason: 'tool_failure', error, text: '' }],
  ]
}
