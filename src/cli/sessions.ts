import { existsSync } from 'node:fs'
import type { RunStatus, Store } from '../index.ts'
import { openStore, placeless, sessionsFile } from './store.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { dateAndTime, oneLine, plain, styled } from './text.ts'

/** Statuses of a session with a run that has not ended. */
export const unfinished: ReadonlySet<RunStatus> = new Set<RunStatus>([
  'preparing',
  'model_running',
  'tool_running',
  'awaiting_human',
  'awaiting_tool_results',
  'paused',
])

const statuses: { readonly [status in RunStatus]: true } = {
  idle: true,
  preparing: true,
  model_running: true,
  tool_running: true,
  awaiting_human: true,
  awaiting_tool_results: true,
  paused: true,
  completed: true,
  incomplete: true,
  failed: true,
  aborted: true,
}
export const runStatuses: readonly string[] = Object.keys(statuses)

/** There is no file of sessions yet. */
export function nothingKept(sessionId: string, terminal: Terminal): CannotRun {
  return new CannotRun(`There is no session ${oneLine(sessionId)}. No session has been kept yet in ${plain(sessionsFile(terminal))}.`)
}

const newestShown = 5

/** The session is not in the file: where that is, and the sessions that may have been meant. */
export async function noSession(sessionId: string, store: Store, terminal: Terminal): Promise<CannotRun> {
  const sessions = await store.list({ limit: newestShown })
  const lines = sessions.map(({ sessionId: id, updatedAt }) => `\n  ${oneLine(id)}  ${dateAndTime(updatedAt)}`)
  const newest = `The newest in ${plain(sessionsFile(terminal))}:${lines.join('') || ' none'}`
  return new CannotRun(`There is no session ${oneLine(sessionId)}. ${newest}`)
}

/** Opens the file to go on with a session in it; creates none. */
export async function openToGoOn(sessionId: string, terminal: Terminal): Promise<Store> {
  if (placeless(terminal) === undefined && !existsSync(sessionsFile(terminal))) throw nothingKept(sessionId, terminal)
  const { store, unkept } = await openStore(terminal)
  if (unkept === undefined) return store
  await store.close()
  throw cannotOpen(sessionId, unkept)
}

function cannotOpen(sessionId: string, why: string): CannotRun {
  return new CannotRun(`Session ${oneLine(sessionId)} can't be opened: ${plain(why)}`)
}

/** Says that a session will be gone with the process; throws `CannotRun` where one that is kept was `wanted`. */
export function sayUnkept(why: string, wanted: string | undefined, { stderr }: Pick<Terminal, 'stderr'>): void {
  if (wanted !== undefined) throw cannotOpen(wanted, why)
  stderr.write(`${styled(`This session is not kept. ${plain(why)}`, 'yellow', stderr)}\n`)
}

/** What was to be said has been said; a store that can't close must not hide it. */
export async function closed(store: Store, { stderr }: Terminal): Promise<void> {
  try {
    await store.close()
  } catch (error) {
    stderr.write(`The session file could not be closed: ${plain(error instanceof Error ? error.message : String(error))}\n`)
  }
}

/** A lease of a process that is gone runs out after 15 seconds; one that lives renews it before (machine 3). One second for the clocks. */
const leaseMs = 15_000
const patienceMs = leaseMs + 1_000
const lookEveryMs = 250

/**
 * Resolves once no process drives the session: at once, or when the lease of one that was killed has run out. Throws `CannotRun` when
 * somebody keeps it, and `onWait` is called before a wait.
 */
export async function untilFree(sessionId: string, store: Store, terminal: Terminal, onWait: () => void): Promise<void> {
  const owner = `looks-${crypto.randomUUID()}`
  const began = terminal.now()
  for (let looks = 0; ; looks++) {
    const lease = await store.acquire(sessionId, { owner, ttlMs: leaseMs })
    if (lease !== undefined) {
      // Without a head: nothing has changed, and whoever comes next decides.
      await store.release(sessionId, { epoch: lease.epoch, expectedSeq: 0 })
      return
    }
    if (terminal.now() - began >= patienceMs)
      throw new CannotRun(
        `Another process is at work on session ${oneLine(sessionId)}: nothing was recorded. Wait for its end, or end it, and try again.`,
      )
    if (looks === 0) onWait()
    await terminal.wait(lookEveryMs)
  }
}

/** Throws `CannotRun` for what can't be the id of a new session. */
export function checkSessionId(id: string): void {
  if (/^[\w.:-]{1,200}$/.test(id)) return
  throw new CannotRun(`The session id ${JSON.stringify(oneLine(id))} can't be used: up to 200 letters, digits and . _ : - are allowed.`)
}
