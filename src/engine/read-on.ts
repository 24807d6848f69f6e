import type { Entry } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import type { Live } from '../core/state.ts'

/** The store no longer holds what a state was folded from: the session was deleted, and perhaps begun anew under the same id. */
export class JournalReplaced extends RondoError {
  constructor(what: string) {
    super('SessionReadFailed', `${what}: it was deleted, or dropped by a store that is full. Nothing more is written to it.`, {
      retryable: false,
    })
  }
}

/**
 * Hands over the entries after those that a state was folded from. The last of these is read once more, to see that it still stands there:
 * one entry, however long the journal is. Throws `JournalReplaced` when it does not, and what the store throws as `SessionReadFailed`.
 */
export async function readOn(
  load: (afterSeq: number) => AsyncIterable<Entry>,
  sessionId: string,
  { seq, entryId }: Live,
  take: (entry: Entry) => void,
): Promise<void> {
  let sure = seq === 0
  try {
    for await (const entry of load(sure ? 0 : seq - 1)) {
      if (sure) take(entry)
      else if (entry.id !== entryId)
        throw new JournalReplaced(`The entry ${seq} of session '${sessionId}' is another one than was read before`)
      else sure = true
    }
  } catch (cause) {
    throw readFailure(sessionId, cause)
  }
  if (!sure) throw new JournalReplaced(`The journal of session '${sessionId}' ends before entry ${seq}, which was read before`)
}

/** What a store threw while it was read. */
export function readFailure(sessionId: string, cause: unknown): RondoError {
  return RondoError.is(cause) ? cause : new RondoError('SessionReadFailed', `Session '${sessionId}' could not be read.`, { cause })
}
