import { RondoError, type SessionSummary, type Store } from '../index.ts'
import { closed, noSession, openToGoOn } from './sessions.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { count, dateAndTime, jsonLine, oneLine, sessionWord } from './text.ts'
import { findSession } from './transfer/find-session.ts'

export interface DeleteFlags {
  readonly yes?: boolean
  readonly json?: boolean
}

/** As long as a delete may take (ms). */
const leaseMs = 15_000

/** Deletes a session; resolves with the exit code. Throws `CannotRun` without `--yes`, and for a session that is not there or that a process works on. */
export async function deleteCommand(sessionId: string, { yes, json }: DeleteFlags, terminal: Terminal): Promise<number> {
  const store = await openToGoOn(sessionId, terminal)
  try {
    const summary = await findSession(sessionId, store)
    if (summary === undefined) throw await noSession(sessionId, store, terminal)
    if (yes !== true) throw unasked(summary)
    await take(sessionId, store)
    await store.delete(sessionId)
    const { seq } = summary
    const said = `Session ${oneLine(sessionId)} is deleted (${count(seq, 'entry', 'entries')}).\n`
    terminal.stdout.write(json === true ? jsonLine({ sessionId, entries: seq }) : said)
    return 0
  } catch (error) {
    throw RondoError.is(error) ? new CannotRun(error.message) : error
  } finally {
    await closed(store, terminal)
  }
}

function unasked({ sessionId, seq, updatedAt, head }: SessionSummary): CannotRun {
  const word = sessionWord(sessionId)
  const what = `${count(seq, 'entry', 'entries')}, ${head?.status ?? 'unknown'}, changed ${dateAndTime(updatedAt)}`
  return new CannotRun(
    `Session ${oneLine(sessionId)} (${what}) is there still: nothing brings it back once it is deleted. To keep a copy and delete it:\n  rondo export ${word} FILE\n  rondo delete --yes ${word}`,
  )
}

/** Nobody drives it from here on; whoever does now would go on with what is gone. */
async function take(sessionId: string, store: Store): Promise<void> {
  const lease = await store.acquire(sessionId, { owner: `deletes-${crypto.randomUUID()}`, ttlMs: leaseMs })
  if (lease === undefined)
    throw new CannotRun(
      `Another process is at work on session ${oneLine(sessionId)}: nothing was deleted. Wait for its end, or end it; if it was killed, try again in 15 seconds.`,
    )
}
