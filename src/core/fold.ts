import type { Entry } from './entry.ts'
import { assert } from './error.ts'
import type { Live, RunState, SessionState, Turn } from './state.ts'

/** The queue is ordered by seq: an input joins it when its run is claimed, which may be after later messages. */
export function enqueue(live: Live, ...turns: readonly Turn[]): void {
  const first = turns[0]
  const last = live.queue[live.queue.length - 1]
  const queue = [...live.queue, ...turns]
  const inOrder = first === undefined || last === undefined || last.seq <= first.seq
  live.queue = inOrder ? queue : queue.sort((a, b) => a.seq - b.seq)
}

export function seal(state: SessionState, turn: Turn): void {
  const { sealed, live } = state
  sealed.length = live.sealedCount
  Object.freeze(turn.message)
  sealed.push(Object.freeze(turn))
  live.sealedCount++
}

/** Queued messages that a response has seen become turns before it. */
export function consume(state: SessionState, through: number): void {
  const { live } = state
  if (live.queue.length === 0) return
  const rest: Turn[] = []
  for (const turn of live.queue) {
    if (turn.seq <= through) seal(state, turn)
    else rest.push(turn)
  }
  live.queue = rest
}

export function openActivity(run: RunState, entry: Entry): void {
  if (run.open === 0) openInterval(run, entry)
  run.open++
}

/** Working time counts from here. */
export function openInterval(run: RunState, { at, seq }: Entry): void {
  run.openSince = at
  run.openSeq = seq
  run.measuredMs = 0
  run.longestMs = 0
}

/** What writing things down may add to what ran in an interval by its own count (ms). */
const writingMs = 1_000

/**
 * An interval is as long as the journal's times say; but no longer than what ran in it took by its own count, and the writing, and no shorter
 * than the longest of it: the clock that stamps the journal may have jumped meanwhile.
 */
export function closeActivity(run: RunState, at: number, durationMs: number | undefined): void {
  run.open--
  run.measuredMs += durationMs ?? Number.POSITIVE_INFINITY
  if (durationMs !== undefined && durationMs > run.longestMs) run.longestMs = durationMs
  if (run.open === 0) run.activeMs += Math.max(run.longestMs, Math.min(at - run.openSince, run.measuredMs + writingMs))
}

export function activeRun(live: Live, what: string): RunState {
  assert(live.run !== undefined, 'what is driven belongs to a run', what)
  return live.run
}
