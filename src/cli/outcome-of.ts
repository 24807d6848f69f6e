import type { Entry, EntryOf } from '../index.ts'

export type CallOutcome = Pick<EntryOf<'call.settled'>['data'], 'callId' | 'settlement' | 'by' | 'durationMs'>

/** What an entry says of the outcome of a call: that of one in the background stands in a message. */
export function outcomeOf(entry: Entry): CallOutcome | undefined {
  if (entry.kind === 'call.settled') return entry.data.background === true ? undefined : entry.data
  if (entry.kind !== 'message' || entry.data.callId === undefined || entry.data.result === undefined) return undefined
  return { callId: entry.data.callId, ...entry.data.result }
}
