import { type Entry, type Pending, RondoError, type Store } from '../../index.ts'
import { Breath } from '../breath.ts'
import { lookingAgent } from '../command-agent.ts'
import { noSession, nothingKept } from '../sessions.ts'
import { openToRead, sessionsFile } from '../store.ts'
import { CannotRun, type Terminal } from '../terminal.ts'
import { jsonLine, oneLine, plain } from '../text.ts'
import { Timeline } from './timeline.ts'

export interface ShowFlags {
  readonly json?: boolean
  /** Only what belongs to this run. */
  readonly run?: string
  /** Arguments and results as a whole. */
  readonly verbose?: boolean
}

/**
 * Prints a session, without an id the newest one; resolves with the exit code. Throws `CannotRun` for a session or a run that is not there,
 * and for a session that can't be read.
 */
export async function showCommand(sessionId: string | undefined, flags: ShowFlags, terminal: Terminal): Promise<number> {
  const store = await openToRead(terminal)
  if (store === undefined) throw sessionId === undefined ? nothingToShow(terminal) : nothingKept(sessionId, terminal)
  const stop = terminal.onInterruption((why) => terminal.exit(why === 'reader-gone' ? 0 : 130))
  try {
    await showSession(sessionId ?? (await newest(store, terminal)), flags, store, terminal)
    return 0
  } catch (error) {
    throw RondoError.is(error) ? new CannotRun(error.message) : error
  } finally {
    stop()
    await store.close()
  }
}

async function newest(store: Store, terminal: Terminal): Promise<string> {
  const [summary] = await store.list({ limit: 1 })
  if (summary === undefined) throw nothingToShow(terminal)
  return summary.sessionId
}

function nothingToShow(terminal: Terminal): CannotRun {
  return new CannotRun(`No session has been kept yet in ${plain(sessionsFile(terminal))}. Begin one: rondo run "what is in this folder?"`)
}

/** Entries that are printed before signals are looked at. */
const breathEntries = 200
/** Runs that a message about a missing one names. */
const runsNamed = 10

/** Prints a session; throws `CannotRun` for one that is not there, and for a run that it has not. */
export async function showSession(sessionId: string, flags: ShowFlags, store: Store, terminal: Terminal): Promise<void> {
  const { run } = flags
  const print = flags.json === true ? jsonPrinter(terminal) : timelinePrinter(sessionId, flags, store, terminal)
  const runs: string[] = []
  const breath = new Breath(breathEntries)
  let entries = 0
  let isThere = run === undefined
  for await (const entry of store.load(sessionId)) {
    entries++
    if (entry.kind === 'run.requested') runs.push(entry.runId ?? '')
    if (run !== undefined && entry.runId === run) isThere = true
    if (run === undefined || entry.runId === run || entry.kind === 'session') print.entry(entry)
    await breath.after(1)
  }
  if (entries === 0) throw await noSession(sessionId, store, terminal)
  if (!isThere) throw noRun(run ?? '', sessionId, runs)
  await print.end()
}

function noRun(run: string, sessionId: string, runs: readonly string[]): CannotRun {
  const named = runs.slice(-runsNamed).map((each) => `\n  ${oneLine(each)}`)
  const which = runs.length > runsNamed ? `The last ${runsNamed} of its ${runs.length.toLocaleString('en-US')} runs:` : 'Its runs:'
  return new CannotRun(`Session ${oneLine(sessionId)} has no run ${oneLine(run)}. ${which}${named.join('') || ' none'}`)
}

interface Printer {
  entry(entry: Entry): void
  end(): Promise<void>
}

function jsonPrinter({ stdout }: Terminal): Printer {
  return { entry: (entry) => stdout.write(jsonLine(entry)), end: async () => {} }
}

function timelinePrinter(sessionId: string, { run, verbose = false }: ShowFlags, store: Store, terminal: Terminal): Printer {
  const timeline = new Timeline({ sessionId, verbose }, terminal)
  const isOf = (call: Pending) => timeline.isOpen(call.callId)
  return {
    entry: (entry) => timeline.entry(entry),
    end: async () => {
      const pending = timeline.hasOpenCalls ? await pendingOf(sessionId, store) : []
      timeline.end(run === undefined ? pending : pending.filter(isOf))
    },
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
