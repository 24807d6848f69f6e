import { createRequire } from 'node:module'
import type { Interruption, Output, Terminal } from '../../src/cli/terminal.ts'

/** A terminal that keeps what is written and lets a test be the system and the clock. */
export interface FakeTerminal extends Terminal {
  /** All that was written, in order, each piece with its stream: `out` or `err`. */
  readonly written: readonly (readonly ['out' | 'err', string])[]
  readonly out: string
  readonly err: string
  /** Both streams as one screen shows them. */
  readonly screen: string
  readonly exits: readonly number[]
  /** Moves the clock and calls what is due. */
  pass(ms: number): void
  interrupt(why: Interruption): void
}

export interface FakeOptions {
  readonly outIsTTY?: boolean
  readonly errIsTTY?: boolean
  readonly color?: boolean
  readonly columns?: number
  readonly env?: Terminal['env']
  readonly cwd?: string
  readonly user?: string
  readonly program?: string
  /** What stands on stdin; absent: a keyboard. */
  readonly input?: string
  /** Sees each piece as it is written. */
  onWrite?(text: string, terminal: FakeTerminal): void
}

const anHourPastNoon = new Date(2026, 10, 28, 13, 0, 0).getTime()

export function fakeTerminal(options: FakeOptions = {}): FakeTerminal {
  const { outIsTTY = false, errIsTTY = false, color = false, columns, env = {}, cwd = '/work', user = 'ann', program = '', input } = options
  const written: ['out' | 'err', string][] = []
  const exits: number[] = []
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>()
  const listeners = new Set<(why: Interruption) => void>()
  let now = 0
  const output = (stream: 'out' | 'err', isTTY: boolean): Output => ({
    isTTY,
    color,
    columns,
    write(text) {
      written.push([stream, text])
      options.onWrite?.(text, terminal)
    },
  })
  const textOf = (stream?: 'out' | 'err') =>
    written
      .filter(([name]) => stream === undefined || name === stream)
      .map(([, text]) => text)
      .join('')
  const terminal: FakeTerminal = {
    stdin: { isTTY: input === undefined, read: () => Promise.resolve(input ?? '') },
    stdout: output('out', outIsTTY),
    stderr: output('err', errIsTTY),
    env,
    program,
    cwd,
    home: '/home/ann',
    platform: 'linux',
    user,
    wall: () => anHourPastNoon + now,
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    wait(ms) {
      terminal.pass(ms)
      return Promise.resolve()
    },
    onInterruption(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    exit: (code) => exits.push(code),
    written,
    exits,
    get out() {
      return textOf('out')
    },
    get err() {
      return textOf('err')
    },
    get screen() {
      return textOf()
    },
    pass(ms) {
      now += ms
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        timers.delete(timer)
        timer.callback()
      }
    },
    interrupt(why) {
      for (const listener of [...listeners]) listener(why)
    },
  }
  return terminal
}

/** Output with what differs from run to run replaced: ids, times, dates. Columns stay. */
export function settled(text: string): string {
  return text
    .replace(/\b([sr])_[0-9a-z]{21,}\b/g, '$1_ID')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'DATE TIME')
    .replace(/ *\b\d+ ms$/gm, ' TIME')
}

export function hasNodeSqlite(): boolean {
  try {
    createRequire(import.meta.url)('node:sqlite')
    return true
  } catch {
    return false
  }
}
