import { describe } from 'vitest'

type Pty = typeof import('@lydell/node-pty')
type Options = Parameters<Pty['spawn']>[2]

export interface PtyProcess {
  readonly pid: number
  write(text: string): void
  resize(columns: number, rows: number): void
  onData(listener: (text: string) => void): void
  onExit(listener: (exit: { readonly exitCode: number; readonly signal?: number }) => void): void
  closeWindow(): void
}

/** Why there is no pseudo-terminal here; `undefined`: there is one. */
const missing = await loadPty().then(
  () => undefined,
  (error: unknown) => String(error).split('\n')[0],
)

// On Linux, where continuous integration runs, its absence is a failure of each test: `startInPty` throws there.
const isOptional = process.platform !== 'linux'
if (missing !== undefined && isOptional) console.log(`not checked: tests in a pseudo-terminal: ${missing}`)

/** `describe` for tests that need a pseudo-terminal. Skipped, with a line that says so, where none can be had and it is not Linux. */
export const describeInTerminal = describe.skipIf(missing !== undefined && isOptional)

async function loadPty(): Promise<Pty> {
  const loaded = await import('@lydell/node-pty')
  return loaded
}

/** Starts a program with a pseudo-terminal as its standard input, output and error. */
export async function startInPty(file: string, args: string[], options: Options): Promise<PtyProcess> {
  const { spawn } = await loadPty()
  const started = spawn(file, args, options)
  return {
    pid: started.pid,
    // A program that has ended reads nothing any more.
    write: (text) => started.write(text),
    resize: (columns, rows) => started.resize(columns, rows),
    onData: (listener) => void started.onData(listener),
    onExit: (listener) => void started.onExit(listener),
    closeWindow() {
      if ('destroy' in started && typeof started.destroy === 'function') started.destroy()
    },
  }
}
