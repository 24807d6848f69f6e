import { type Entry, RondoError, type Store } from '../index.ts'
import { openToRead, sessionsFile } from './store.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { dateAndTime, jsonLine, oneLine, plain, styled } from './text.ts'
import { Timeline } from './timeline.ts'

export interface ShowFlags {
  readonly json?: boolean
}

/** Prints a session; resolves with the exit code. Throws `CannotRun` for a session that is not there or can't be read. */
export async function showCommand(sessionId: string, { json }: ShowFlags, terminal: Terminal): Promise<number> {
  const store = await openToRead(terminal)
  if (store === undefined) throw new CannotRun(`${noSession(sessionId)} No session has been kept yet in ${plain(sessionsFile(terminal))}.`)
  const stop = terminal.onInterruption((why) => terminal.exit(why === 'reader-gone' ? 0 : 130))
  try {
    let entries = 0
    const print = json === true ? jsonPrinter(terminal) : timelinePrinter(sessionId, terminal)
    for await (const entry of store.load(sessionId)) {
      entries++
      print.entry(entry)
    }
    if (entries === 0) throw new CannotRun(`${noSession(sessionId)} ${await newest(store, terminal)}`)
    print.end()
    return 0
  } catch (error) {
    throw RondoError.is(error) ? new CannotRun(error.message) : error
  } finally {
    stop()
    await store.close()
  }
}

interface Printer {
  entry(entry: Entry): void
  end(): void
}

function jsonPrinter({ stdout }: Terminal): Printer {
  return { entry: (entry) => stdout.write(jsonLine(entry)), end: () => {} }
}

function timelinePrinter(sessionId: string, { stdout }: Terminal): Printer {
  const timeline = new Timeline(stdout)
  return {
    entry(entry) {
      if (entry.seq === 1) stdout.write(`${styled(`session ${oneLine(sessionId)}`, 'bold', stdout)} `)
      timeline.entry(entry)
    },
    end: () => timeline.end(),
  }
}

function noSession(sessionId: string): string {
  return `There is no session ${oneLine(sessionId)}.`
}

const newestShown = 5

/** Where sessions lie, and the ones that may have been meant. */
async function newest(store: Store, terminal: Terminal): Promise<string> {
  const sessions = await store.list({ limit: newestShown })
  const lines = sessions.map(({ sessionId, updatedAt }) => `\n  ${oneLine(sessionId)}  ${dateAndTime(updatedAt)}`)
  return `The newest in ${plain(sessionsFile(terminal))}:${lines.join('') || ' none'}`
}
