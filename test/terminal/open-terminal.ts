import { existsSync, mkdtempSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { type Emulator, emulator } from './emulator.ts'
import { charactersOf, type Key, pasted } from './keys.ts'
import { startInPty } from './pty.ts'
import { type Wanted, waitingFor } from './waiting.ts'

export interface TerminalOptions {
  /** Default 80. */
  readonly columns?: number
  /** Default 24. */
  readonly rows?: number
  /** Of the command. */
  readonly args?: readonly string[]
  /** A program and its arguments in place of Node and the command. */
  readonly command?: readonly [file: string, ...args: string[]]
  /** Over the variables that each terminal has; `undefined` takes one away. */
  readonly env?: { readonly [name: string]: string | undefined }
  /** Default: a new empty folder. */
  readonly cwd?: string
  /** The folder of HOME; sessions lie in it too. Default: a new one. Two terminals of one user share it. */
  readonly home?: string
}

export interface Exit {
  readonly code: number | undefined
  readonly signal: string | undefined
}

/** A command in a terminal window of its own. It is killed at the end of the test that opened it. */
export interface OpenTerminal extends Omit<Emulator, 'write' | 'resize'> {
  readonly home: string
  readonly cwd: string
  readonly pid: number
  /** Types characters as they are. */
  type(text: string): void
  press(...keys: readonly Key[]): void
  /** As a terminal pastes: in brackets where the program has asked for them. */
  paste(text: string): void
  /** Resizes the window: the program gets SIGWINCH. */
  resize(columns: number, rows: number): void
  /**
   * Resolves with the screen once it shows what is wanted, or has shown it above. Rejects with the screen in its message after
   * `withinMs` (default 15,000) or when the program ends without having shown it.
   */
  waitFor(wanted: Wanted, withinMs?: number): Promise<string>
  /** Resolves when the program has ended and all it wrote is on the screen. */
  exit(): Promise<Exit>
  /** Closes the window: the program gets SIGHUP, and its output goes nowhere. */
  closeWindow(): void
  /** All characters that the program wrote. */
  raw(): string
}

const root = fileURLToPath(new URL('../..', import.meta.url))
export const builtCommand = join(root, 'dist', 'cli', 'main.js')

/** Nothing of the machine but where programs lie: no key, no model server, English, UTC, a theme that nobody knows. */
function environment(home: string): { readonly [name: string]: string } {
  return {
    PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    HOME: home,
    RONDO_HOME: join(home, 'rondo'),
    TMPDIR: tmpdir(),
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    // Nobody listens on port 1.
    OLLAMA_HOST: '127.0.0.1:1',
  }
}

export async function openTerminal(options: TerminalOptions = {}): Promise<OpenTerminal> {
  const { columns = 80, rows = 24, args = [], cwd = emptyFolder(), home = emptyFolder() } = options
  if (options.command === undefined && !existsSync(builtCommand)) throw new Error(`${builtCommand} is missing: run npm run build first`)
  const [file, ...rest] = options.command ?? [process.execPath, builtCommand, ...args]
  const env = Object.fromEntries(Object.entries({ ...environment(home), ...options.env }).filter((pair) => pair[1] !== undefined))
  const pty = await startInPty(file, rest, { cols: columns, rows, cwd, env })
  const screen = emulator(columns, rows, (text) => pty.write(text))
  let raw = ''
  let shown: Promise<void> = Promise.resolve()
  let ended: Exit | undefined
  const waiting = waitingFor({
    screen: screen.screen,
    lines: screen.lines,
    get columns() {
      return screen.columns
    },
    get ended() {
      return ended === undefined ? undefined : String(ended.code ?? ended.signal)
    },
  })
  pty.onData((text) => {
    raw += text
    shown = screen.write(text).then(waiting.changed)
  })
  const end = new Promise<Exit>((resolve) =>
    pty.onExit(({ exitCode, signal }) => {
      void shown.then(() => {
        ended = signal ? { code: undefined, signal: signalName(signal) } : { code: exitCode, signal: undefined }
        waiting.changed()
        resolve(ended)
      })
    }),
  )
  onTestFinished(async () => {
    if (ended === undefined) killGroup(pty.pid)
    await end
  })

  return {
    home,
    cwd,
    pid: pty.pid,
    get columns() {
      return screen.columns
    },
    get rows() {
      return screen.rows
    },
    type: (text) => pty.write(text),
    press: (...keys) => {
      for (const key of keys) pty.write(charactersOf(key, screen.state().modes))
    },
    paste: (text) => pty.write(pasted(text, screen.state().modes)),
    resize(newColumns, newRows) {
      screen.resize(newColumns, newRows)
      pty.resize(newColumns, newRows)
    },
    waitFor: (wanted, withinMs = 15_000) => waiting.waitFor(wanted, withinMs),
    exit: () => end,
    closeWindow: () => pty.closeWindow(),
    raw: () => raw,
    screen: () => screen.screen(),
    scrollback: () => screen.scrollback(),
    lines: () => screen.lines(),
    styledScreen: () => screen.styledScreen(),
    state: () => screen.state(),
    cursor: () => screen.cursor(),
  }
}

/** The process leads a group of its own, in which the processes are that it started. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? String(number)
}

function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'rondo-terminal-'))
}
