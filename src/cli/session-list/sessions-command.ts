import { RondoError, type Store } from '../../index.ts'
import { Breath } from '../breath.ts'
import { openToRead, sessionsFile } from '../store.ts'
import { CannotRun, type Terminal } from '../terminal.ts'
import { jsonLine, plain } from '../text.ts'
import { type Totals, totalsOf } from './beginning.ts'
import { type FoundSession, findSessions, type Gaps, maxBeginnings, maxHeads, type SessionFilters, sayUnread } from './find.ts'
import { sessionLines } from './session-lines.ts'

export interface SessionsFlags extends Omit<SessionFilters, 'limit'> {
  readonly limit?: number
  /** Reads the whole journal of each session that is listed. */
  readonly totals?: boolean
  readonly json?: boolean
}

const defaultLimit = 20
/** Sessions that are listed before signals are looked at. */
const breathSessions = 50

/** Lists sessions; resolves with the exit code, 2 when one could not be read. */
export async function sessionsCommand(flags: SessionsFlags, terminal: Terminal): Promise<number> {
  const store = await openToRead(terminal)
  if (store === undefined) {
    if (flags.json !== true) terminal.stdout.write(nothingYet(terminal))
    return 0
  }
  const stop = terminal.onInterruption((why) => terminal.exit(why === 'reader-gone' ? 0 : 130))
  try {
    return await list(flags, store, terminal)
  } catch (error) {
    throw RondoError.is(error) ? new CannotRun(error.message) : error
  } finally {
    stop()
    await store.close()
  }
}

async function list(flags: SessionsFlags, store: Store, terminal: Terminal): Promise<number> {
  const { limit = defaultLimit, totals: isTotalled = false, json = false } = flags
  const gaps: Gaps = { more: false, headsCut: false, beginningsCut: false, unread: 0 }
  const { stdout, stderr } = terminal
  const breath = new Breath(breathSessions)
  let found = 0
  for await (const session of findSessions({ ...flags, limit }, store, terminal, gaps)) {
    found++
    // What can't be read has been told.
    const totals = isTotalled && session.beginning !== undefined ? await totalled(session.sessionId, store, terminal, gaps) : undefined
    await breath.after(1)
    stdout.write(json ? jsonLine(jsonOf(session, totals)) : sessionLines(session, totals, terminal))
  }
  if (found === 0 && !json) stdout.write(await nothingFound(store, terminal))
  for (const remark of remarks(gaps, limit)) stderr.write(`${remark}\n`)
  return gaps.unread === 0 ? 0 : 2
}

function totalled(sessionId: string, store: Store, terminal: Terminal, gaps: Gaps): Promise<Totals | undefined> {
  return totalsOf(sessionId, store).catch((error: unknown) => sayUnread(sessionId, error, terminal, gaps))
}

function remarks({ more, headsCut, beginningsCut }: Gaps, limit: number): readonly string[] {
  const remark: string[] = []
  if (more) remark.push(`More sessions fit: --limit ${Math.min(limit * 5, maxHeads)} lists more of them.`)
  if (beginningsCut)
    remark.push(
      `Only the newest ${maxBeginnings.toLocaleString('en-US')} were looked into for --folder, --here and --search: narrow them with --since.`,
    )
  if (headsCut) remark.push(`Only the newest ${maxHeads.toLocaleString('en-US')} sessions were looked at.`)
  return remark
}

function jsonOf({ sessionId, seq, createdAt, updatedAt, head, shown, beginning }: FoundSession, totals: Totals | undefined): object {
  const { reason, pending = 0, title, agent } = head ?? {}
  return { sessionId, status: shown, reason, pending, agent, title, createdAt, updatedAt, entries: seq, ...beginning, ...totals }
}

function nothingYet(terminal: Terminal): string {
  return `No session has been kept yet in ${plain(sessionsFile(terminal))}. Begin one: rondo run "what is in this folder?"\n`
}

async function nothingFound(store: Store, terminal: Terminal): Promise<string> {
  const any = await store.list({ limit: 1 })
  return any.length === 0 ? nothingYet(terminal) : 'No session fits; rondo sessions without options lists the newest.\n'
}
