import { homedir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'
import { type Keyboard, processKeyboard } from './screen/keys.ts'
import { plain } from './text.ts'

/** Where a command writes. Text that others wrote goes through `plain` before it comes here. */
export interface Output {
  readonly isTTY: boolean
  readonly color: boolean
  /** Columns of the screen; absent where it is no screen. */
  readonly columns: number | undefined
  /** Its rows; absent where it is no screen. */
  readonly rows?: number | undefined
  write(text: string): void
}

/** Why a command is asked to end early: a signal, or nobody reads its output any more, or there is no room for it. */
export type Interruption = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'reader-gone' | 'unwritable'

/** All that a command knows of the world around it, so that a test can be that world. */
export interface Terminal {
  readonly stdin: { readonly isTTY: boolean; read(maxBytes: number): Promise<string> }
  /** Absent unless all of stdin, stdout and stderr are one terminal that can move its cursor. */
  readonly keyboard?: Keyboard | undefined
  /** Calls back when the screen has another size, until the returned function is called. */
  onResize?(listener: () => void): () => void
  readonly stdout: Output
  readonly stderr: Output
  readonly env: { readonly [name: string]: string | undefined }
  /** The file that Node runs as this command, so that the command can call itself. */
  readonly program: string
  readonly cwd: string
  /** An absolute path; empty where the system knows none. */
  readonly home: string
  readonly platform: string
  /** The login name of whoever calls; empty where the system knows none. */
  readonly user: string
  /** ms since 1970, for people: it may jump. */
  wall(): number
  /** ms of a clock that only goes forward. */
  now(): number
  /** Calls back once after `ms`; the returned function cancels that. It does not keep the process alive. */
  after(ms: number, callback: () => void): () => void
  /** Resolves after `ms`, and keeps the process alive for that. */
  wait(ms: number): Promise<void>
  /** Takes interruptions from the system until the returned function is called. */
  onInterruption(listener: (why: Interruption) => void): () => void
  /** Ends the process at once. */
  exit(code: number): void
}

/** A command can't do what was asked: the message says why and what to do, and is all that is shown. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun'
}

export interface ProcessTerminal extends Terminal {
  /** Resolves when what was written has left the process; false: some of it could not, and that somebody stopped reading is not the reason. */
  flushed(): Promise<boolean>
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The terminal that this process stands in. */
export function processTerminal(): ProcessTerminal {
  const listeners = new Set<(why: Interruption) => void>()
  let isLost = false
  const tell = (why: Interruption) => {
    if (why === 'unwritable') isLost = true
    for (const listener of [...listeners]) listener(why)
  }
  const streams = [process.stdout, process.stderr]
  const [stdout, stderr] = [outputOf(process.stdout, tell), outputOf(process.stderr, tell)]
  const onSignal = (signal: NodeJS.Signals) => tell(signal as Interruption)
  return {
    stdin: { isTTY: process.stdin.isTTY === true, read: readStdin },
    keyboard: canMoveCursor(stdout, stderr) ? processKeyboard(process.stdin, (text) => stdout.write(text)) : undefined,
    onResize(listener) {
      process.stdout.on('resize', listener)
      return () => process.stdout.off('resize', listener)
    },
    stdout,
    stderr,
    env: process.env,
    program: process.argv[1] ?? '',
    cwd: process.cwd(),
    home: homeFolder(),
    platform: process.platform,
    user: loginName(),
    wall: () => Date.now(),
    now: () => performance.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, ms).unref()
      return () => clearTimeout(timer)
    },
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onInterruption(listener) {
      // Only while somebody listens: elsewhere a signal ends the process as it always does.
      if (listeners.size === 0) for (const signal of signals) process.on(signal, onSignal)
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) for (const signal of signals) process.off(signal, onSignal)
      }
    },
    exit: (code) => process.exit(code),
    flushed: async () => {
      for (const stream of streams) if (stream.writable) await new Promise((resolve) => stream.write('', resolve))
      // A stream tells its error after the callback of the write.
      await new Promise((resolve) => setImmediate(resolve))
      return !isLost
    },
  }
}

const readerGone: ReadonlySet<string> = new Set(['EPIPE', 'EIO', 'ECONNRESET'])

function outputOf(stream: NodeJS.WriteStream, tell: (why: Interruption) => void): Output {
  let gone = false
  // EPIPE: `| head` has read enough. EIO: the terminal window is closed. Anything else (a full disk) is told, where that still can be read.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (gone) return
    gone = true
    const isAway = readerGone.has(error.code ?? '')
    if (!isAway && stream !== process.stderr) process.stderr.write(`rondo: The output can't be written: ${plain(error.message)}\n`)
    // It may be known by a write before the signal comes.
    const why = error.code === 'EIO' && stream.isTTY === true ? 'SIGHUP' : 'reader-gone'
    tell(isAway ? why : 'unwritable')
  })
  return {
    isTTY: stream.isTTY === true,
    color: hasColor(process.env, stream.isTTY === true),
    get columns() {
      return stream.columns
    },
    get rows() {
      return stream.rows
    },
    write(text) {
      if (!gone) stream.write(text)
    },
  }
}

function canMoveCursor(stdout: Output, stderr: Output): boolean {
  return stdout.isTTY && stderr.isTTY && process.env['TERM'] !== 'dumb'
}

/** FORCE_COLOR goes before NO_COLOR, as in Node; see https://no-color.org and https://force-color.org. */
export function hasColor(env: Terminal['env'], isTTY: boolean): boolean {
  const force = env['FORCE_COLOR']
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false'
  if ((env['NO_COLOR'] ?? '') !== '') return false
  return isTTY && env['TERM'] !== 'dumb'
}

/** Empty for a user id without an account, as containers have them. */
function loginName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}

/** Empty where neither HOME nor the account says one: a path that is not absolute would be another place in each folder. */
function homeFolder(): string {
  return [homedir, () => userInfo().homedir].map(pathOf).find(isAbsolute) ?? ''
}

/** Empty for a user id without an account. */
function pathOf(ask: () => string): string {
  try {
    return ask()
  } catch {
    return ''
  }
}

async function readStdin(maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes)
      throw new CannotRun(`The task on standard input is longer than ${maxBytes} bytes. Put it into a file and name that.`)
  }
  return Buffer.concat(chunks).toString('utf8')
}
