import { RondoError, type SessionSummary, type Store } from '../index.ts'
import { confirm } from './confirm.ts'
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

/**
 * Deletes a session, on a terminal once somebody has said so; resolves with the exit code. Throws `CannotRun` where nobody can be asked and there is no `--yes`,
 * and for a session that is not there, that a process works on, or that has changed since the question.
 */
export async function deleteCommand(sessionId: string, { yes, json }: DeleteFlags, terminal: Terminal): Promise<number> {
  const store = await openToGoOn(sessionId, terminal)
  try {
    const summary = await findSession(sessionId, store)
    if (summary === undefined) throw await noSession(sessionId, store, terminal)
    if (yes !== true) {
      const answer = json === true ? undefined : await confirm(question(summary), terminal)
      if (answer === undefined) throw unasked(summary)
      if (answer !== 'yes') return left(sessionId, answer, terminal)
    }
    const epoch = await take(sessionId, store)
    if (yes !== true) await checkUnchanged(summary, epoch, store)
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

function named({ sessionId, seq, updatedAt, head }: SessionSummary): string {
  return `${oneLine(sessionId)} (${count(seq, 'entry', 'entries')}, ${head?.status ?? 'unknown'}, changed ${dateAndTime(updatedAt)})`
}

function question(summary: SessionSummary): string {
  return `Delete session ${named(summary)}? Nothing brings it back.`
}

function left(sessionId: string, answer: 'no' | 'interrupted', { stderr }: Terminal): number {
  stderr.write(`Session ${oneLine(sessionId)} is there still.\n`)
  return answer === 'no' ? 2 : 130
}

function unasked(summary: SessionSummary): CannotRun {
  const word = sessionWord(summary.sessionId)
  return new CannotRun(
    `Session ${named(summary)} is there still: nothing brings it back once it is deleted. To keep a copy and delete it:\n  rondo export ${word} FILE\n  rondo delete --yes ${word}`,
  )
}

/** Nobody drives it from here on; whoever does now would go on with what is gone. */
async function take(sessionId: string, store: Store): Promise<number> {
  const lease = await store.acquire(sessionId, { owner: `deletes-${crypto.randomUUID()}`, ttlMs: leaseMs })
  if (lease !== undefined) return lease.epoch
  throw new CannotRun(
    `Another process is at work on session ${oneLine(sessionId)}: nothing was deleted. Wait for its end, or end it; if it was killed, try again in 15 seconds.`,
  )
}

/** Somebody has agreed to lose what was there then. */
async function checkUnchanged({ sessionId, seq }: SessionSummary, epoch: number, store: Store): Promise<void> {
  const now = await findSession(sessionId, store)
  if (now?.seq === seq) return
  // Without a head: nothing has changed, and whoever comes next decides.
  await store.release(sessionId, { epoch, expectedSeq: 0 })
  throw new CannotRun(`Session ${oneLine(sessionId)} has changed since the question: nothing was deleted. Look at it, and try again.`)
}
