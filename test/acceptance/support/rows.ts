import type { Usage } from 'rondo'

/** When every virtual world begins (ms since 1970). */
export const start = Date.UTC(2026, 0, 1)

/** What so many scripted model calls use. */
export function usage(calls: number): Usage {
  return { inputTokens: 10 * calls, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 5 * calls, reasoningTokens: 0, complete: true }
}

export type EventRow = object

/** An event of the run `r2` of session `s1`: the ids that a fresh virtual world gives. */
export function eventRow(cursor: string, ms: number, iteration: number, event: object, of?: number): EventRow {
  const envelope = { v: 1, cursor, at: start + ms, sessionId: 's1', runId: 'r2', iteration }
  return of === undefined ? { ...envelope, ...event } : { ...envelope, of, ...event }
}

/** An entry of the same run; one without an epoch is an input that met no driver. */
export function entryRow(seq: number, id: string, ms: number, kind: string, data: object, epoch?: number): object {
  const envelope = { v: 1, id, seq, at: start + ms }
  return epoch === undefined ? { ...envelope, runId: 'r2', kind, data } : { ...envelope, epoch, runId: 'r2', kind, data }
}
