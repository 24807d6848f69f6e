import { deepStrictEqual, rejects } from 'node:assert/strict'
import type { Entry, NewEntry } from '../../core/entry.ts'
import { type ErrorCode, RondoError } from '../../core/error.ts'
import type { Json } from '../../core/json.ts'
import type { Head, Store } from '../../core/store.ts'

/** What a case works with: a new, empty store and the clock that this store reads. */
export interface Bench {
  readonly store: Store
  readonly clock: { now: number }
  /** The same data in a new store object, after `close`. */
  reopen(): Promise<Store>
}

/** The rule as a title, and what checks it. */
export type Cases = { readonly [rule: string]: (bench: Bench) => Promise<void> }

export const start = 1_700_000_000_000

export function entry(seq: number, value: Json = seq, id = `e${seq}`): NewEntry {
  return { v: 1, id, seq, kind: 'custom', data: { type: 'conformance', data: value } }
}

/** `count` entries after `afterSeq`. */
export function entries(afterSeq: number, count: number, prefix = 'e'): readonly NewEntry[] {
  return Array.from({ length: count }, (_, i) => entry(afterSeq + i + 1, i, `${prefix}${afterSeq + i + 1}`))
}

export function head(status: Head['status'], more: Omit<Head, 'status' | 'pending'> & { readonly pending?: number } = {}): Head {
  return { pending: 0, ...more, status }
}

export async function loaded(store: Store, sessionId: string, afterSeq?: number): Promise<readonly Entry[]> {
  const found: Entry[] = []
  for await (const one of store.load(sessionId, afterSeq)) found.push(one)
  return found
}

/** The session's ids, to compare whole journals at a glance. */
export async function ids(store: Store, sessionId: string, afterSeq?: number): Promise<readonly string[]> {
  return (await loaded(store, sessionId, afterSeq)).map(({ id }) => id)
}

export async function listed(store: Store, query?: Parameters<Store['list']>[0]): Promise<string[]> {
  return (await store.list(query)).map(({ sessionId }) => sessionId)
}

export function same(actual: unknown, expected: unknown, what: string): void {
  deepStrictEqual(actual, expected, `${what}: ${brief(actual)} instead of ${brief(expected)}`)
}

export async function fails(code: ErrorCode, promise: Promise<unknown>): Promise<void> {
  await rejects(promise, (error) => {
    same(RondoError.is(error) ? error.code : String(error), code, 'the error')
    return true
  })
}

/** Waits for something that the store does by itself; gives up after 5 s. */
export async function eventually(what: string, isSo: () => boolean): Promise<void> {
  const end = performance.now() + 5000
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`${what} did not happen within 5 s`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
