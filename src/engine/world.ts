import type { Clock, World } from './ports.ts'

/** Timers take at most this; a longer one would fire at once. */
const maxTimerMs = 2 ** 31 - 1

/** Taken once: who replaces the timers of a process for a test does not mean this one. Where there is none, the shortest timer has to do. */
const later = globalThis.setImmediate ?? globalThis.setTimeout

function nextTurn(callback: () => void): void {
  later(callback)
}

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  timer(ms, callback) {
    const handle = setTimeout(callback, Math.min(maxTimerMs, Math.max(0, Math.ceil(ms))))
    return () => clearTimeout(handle)
  },
  nextTurn,
}

/** The world as it is. Ids are unique by 80 random bits a process and a counter; they need not sort. */
export function systemWorld(): World {
  const unique = randomText(10)
  // One concatenation an id: every entry has one, for as long as its session is in memory.
  const prefixes = { e: `e_${unique}`, s: `s_${unique}`, r: `r_${unique}` }
  let count = 0
  return { clock: systemClock, id: (kind) => prefixes[kind] + count++, random: () => Math.random() }
}

function randomText(bytes: number): string {
  let text = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(bytes))) text += byte.toString(16).padStart(2, '0')
  return text
}

let shared: World | undefined

/** The world of agents that were given none. */
export function defaultWorld(): World {
  shared ??= systemWorld()
  return shared
}

/** For tests: what agents without a world of their own live in from now on. */
export function replaceDefaultWorld(world: World | undefined): void {
  shared = world
}
