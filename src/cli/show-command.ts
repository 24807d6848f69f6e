import { type Entry, type Pending, RondoError, type Store } from '../index.ts'
import { lookingAgent } from './read-agent.ts'
import { noSession, nothingKept } from './sessions.ts'
import { openToRead } from './store.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { jsonLine, oneLine, styled } from './text.ts'
import { Timeline } from './timeline.ts'

export interface ShowFlags {
  readonly json?: boolean
}

/** Prints a session; resolves with the exit code. Throws `CannotRun` for a session that is not there or can't be read. */
export async function showCommand(sessionId: string, { json }: ShowFlags, terminal: Terminal): Promise<number> {
  const store = await openToRead(terminal)
  if (store === undefined) throw nothingKept(sessionId, terminal)
  const stop = terminal.onInterruption((why) => terminal.exit(why === 'reader-gone' ? 0 : 130))
  try {
    if (!(await printSession(sessionId, store, terminal, json))) throw await noSession(sessionId, store, terminal)
    return 0
  } catch (error) {
    throw RondoError.is(error) ? new CannotRun(error.message) : error
  } finally {
    stop()
    await store.close()
  }
}

/** Prints what the session holds; false where there is none. */
export async function printSession(sessionId: string, store: Store, terminal: Terminal, json = false): Promise<boolean> {
  let any = false
  const print = json ? jsonPrinter(terminal) : timelinePrinter(sessionId, store, terminal)
  for await (const entry of store.load(sessionId)) {
    any = true
    print.entry(entry)
  }
  if (any) await print.end()
  return any
}

interface Printer {
  entry(entry: Entry): void
  end(): Promise<void>
}

function jsonPrinter({ stdout }: Terminal): Printer {
  return { entry: (entry) => stdout.write(jsonLine(entry)), end: async () => {} }
}

function timelinePrinter(sessionId: string, store: Store, terminal: Terminal): Printer {
  const { stdout } = terminal
  const timeline = new Timeline(sessionId, terminal)
  return {
    entry(entry) {
      if (entry.seq === 1) stdout.write(`${styled(`session ${oneLine(sessionId)}`, 'bold', stdout)} `)
      timeline.entry(entry)
    },
    end: async () => timeline.end(timeline.hasOpenCalls ? await pendingOf(sessionId, store) : []),
  }
}

/** A journal that tells no state is shown all the same. */
async function pendingOf(sessionId: string, store: Store): Promise<readonly Pending[]> {
  try {
    return await lookingAgent(store).session(sessionId).pending()
  } catch (error) {
    if (RondoError.is(error)) return []
    throw error
  }
}
