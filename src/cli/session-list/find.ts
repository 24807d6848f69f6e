import { resolve, sep } from 'node:path'
import { RondoError, type RunStatus, type SessionSummary, type Store } from '../../index.ts'
import { runStatuses } from '../sessions.ts'
import type { Terminal } from '../terminal.ts'
import { oneLine, styled } from '../text.ts'
import { type Beginning, beginningOf } from './beginning.ts'
import { since } from './since.ts'

/** What is said of a session's run: its status, or that its process is gone, or that the store knows none. */
export type ShownStatus = RunStatus | 'interrupted' | 'unknown'

export const shownStatuses: readonly string[] = [...runStatuses, 'interrupted', 'unknown']

export interface SessionFilters {
  readonly status?: readonly string[]
  readonly folder?: string
  /** The current folder. */
  readonly here?: boolean
  readonly waiting?: boolean
  readonly since?: string
  readonly search?: string
  readonly limit: number
}

export interface FoundSession extends SessionSummary {
  readonly shown: ShownStatus
  /** `undefined`: it can't be read. */
  readonly beginning: Beginning | undefined
}

/** Why a list may lack something, and what could not be read. */
export interface Gaps {
  more: boolean
  /** The heads that a filter looked at were not all. */
  headsCut: boolean
  /** The beginnings of sessions that a filter looked into were not all. */
  beginningsCut: boolean
  unread: number
}

/** Sessions whose heads a filter looks at, and whose beginnings. */
export const maxHeads = 10_000
export const maxBeginnings = 1_000

/**
 * The sessions that fit, newest first. Of what does not depend on a journal the store's heads tell; journals are looked into for `folder` and
 * `search`, and for what is said of those that are found, and then only at their beginning.
 */
export async function* findSessions(filters: SessionFilters, store: Store, terminal: Terminal, gaps: Gaps): AsyncGenerator<FoundSession> {
  const fits = beginningFilter(filters, terminal)
  const heads = await headsOf(filters, store, terminal, gaps)
  let found = 0
  let looked = 0
  for (const head of heads) {
    if (found === filters.limit) {
      gaps.more = true
      return
    }
    if (fits !== undefined && ++looked > maxBeginnings) {
      gaps.beginningsCut = true
      return
    }
    const beginning = await beginningOf(head.sessionId, store).catch((error: unknown) => sayUnread(head.sessionId, error, terminal, gaps))
    if (fits !== undefined && (beginning === undefined || !fits(head, beginning))) continue
    found++
    yield { ...head, beginning }
  }
}

type Head = Omit<FoundSession, 'beginning'>

async function headsOf(filters: SessionFilters, store: Store, terminal: Terminal, gaps: Gaps): Promise<readonly Head[]> {
  const { status, waiting, folder, here, search, limit } = filters
  const from = filters.since === undefined ? undefined : since(filters.since, terminal.wall())
  const isFiltered = status !== undefined || from !== undefined || folder !== undefined || here === true || search !== undefined
  const most = (isFiltered ? maxHeads : limit) + 1
  const [summaries, lost] = await Promise.all([
    store.list(waiting === true ? { waitingOnHuman: true, limit: most } : { limit: most }),
    store.list({ ownerLost: true, limit: maxHeads }),
  ])
  gaps.headsCut = isFiltered && summaries.length > maxHeads
  const ownerless = new Set(lost.map(({ sessionId }) => sessionId))
  const heads = summaries
    .slice(0, isFiltered ? maxHeads : undefined)
    .map((summary): Head => ({ ...summary, shown: shownStatus(summary, ownerless) }))
  return heads.filter(
    ({ updatedAt, shown }) => (from === undefined || updatedAt >= from) && (status === undefined || status.includes(shown)),
  )
}

/** A run that waits for somebody needs no process. */
const driven: ReadonlySet<RunStatus> = new Set<RunStatus>(['preparing', 'model_running', 'tool_running'])

function shownStatus({ sessionId, head }: SessionSummary, ownerless: ReadonlySet<string>): ShownStatus {
  if (head === undefined) return 'unknown'
  return driven.has(head.status) && ownerless.has(sessionId) ? 'interrupted' : head.status
}

type BeginningFilter = (head: Head, beginning: Beginning) => boolean

/** `undefined` where no journal has to be looked into. */
function beginningFilter({ folder, here, search }: SessionFilters, { cwd }: Terminal): BeginningFilter | undefined {
  const place = folder !== undefined ? resolve(cwd, folder) : here === true ? cwd : undefined
  const words = (search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  if (place === undefined && words.length === 0) return undefined
  return ({ sessionId, head }, beginning) => {
    if (place !== undefined && !isWithin(beginning.folder, place)) return false
    const text = [sessionId, head?.title, beginning.folder, beginning.asked].join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  }
}

function isWithin(folder: string | undefined, place: string): boolean {
  return folder !== undefined && (folder === place || folder.startsWith(place.endsWith(sep) ? place : place + sep))
}

/** One session that can't be read must not hide the others. */
export function sayUnread(sessionId: string, error: unknown, { stderr }: Terminal, gaps: Gaps): undefined {
  if (!RondoError.is(error)) throw error
  gaps.unread++
  stderr.write(`${styled(`Session ${oneLine(sessionId)} can't be read: ${oneLine(error.message)}`, 'yellow', stderr)}\n`)
}
