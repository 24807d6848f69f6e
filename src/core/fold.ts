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

export function openActivity(run: RunState, at: number): void {
  if (run.open === 0) run.openSince = at
  run.open++
}

export function closeActivity(run: RunState, at: number): void {
  run.open--
  if (run.open === 0) run.activeMs += at - run.openSince
}

export function activeRun(live: Live, what: string): RunState {
  assert(live.run !== undefined, `${what} belongs to a run`)
  return live.run
}
