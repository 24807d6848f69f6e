import { createRequire } from 'node:module'
import { RondoError } from '../../core/error.ts'
import { errorCode, problem } from '../files/problem.ts'
import type { ShellExit, ShellJob, ShellRuntime } from '../shell/runtime.ts'
import { toldOf } from './errors.ts'
import type { Overlay } from './overlay.ts'
import { asRequest, asResult, type Result } from './requests.ts'
import { shellScript } from './script.ts'
import { ShellFiles, type ShellFilesLimits } from './shell-files.ts'

const peer = 'just-bash'
/** What a command may keep in its thread, files aside. */
const mostMemoryMb = 384
/** A database runs in memory that no limit of a thread holds for. */
const withoutCommands = ['sqlite3']

/** Limits of the shell that are no use to be set: what hits one is told which. */
const shellLimits = { maxOutputSize: 8_388_608, maxStringLength: 33_554_432, maxLiveBytes: 134_217_728, maxInputBytes: 134_217_728 }

/** The path of the optional peer. Throws `ConfigInvalid` if it is missing. */
export function findShell(resolve: (name: string) => string = createRequire(import.meta.url).resolve): string {
  try {
    return resolve(peer)
  } catch (cause) {
    throw new RondoError('ConfigInvalid', `sandboxTools() needs the package ${peer} for its shell: npm install ${peer}@3`, { cause })
  }
}

export interface InterpreterOptions {
  readonly library: string
  readonly overlay: Overlay
  readonly limits: ShellFilesLimits
  /** The variables that commands get besides a few that every shell has, and no others. */
  readonly env: Readonly<Record<string, string>>
  /** Default 384. */
  readonly memoryMb?: number
}

const basicEnv = { HOME: '/home/user', PATH: '/usr/bin:/bin', TERM: 'dumb', TMPDIR: '/tmp', USER: 'user', NO_COLOR: '1' }

/**
 * Runs command lines by an interpreter, each in a thread of its own that is ended with it: whatever it does, this thread goes on, and what does not
 * stop by itself is stopped from outside. The thread reaches files by asking this one. It starts no process and knows no network.
 */
export function interpreter(options: InterpreterOptions): ShellRuntime {
  return { run: (job) => run(options, job) }
}

async function run({ library, overlay, limits, env, memoryMb = mostMemoryMb }: InterpreterOptions, job: ShellJob): Promise<ShellExit> {
  job.signal.throwIfAborted()
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const workerData = {
    library,
    command: job.command,
    cwd: overlay.mount,
    env: { ...basicEnv, ...env },
    limits: shellLimits,
    withoutCommands,
  }
  const resourceLimits = { maxOldGenerationSizeMb: memoryMb }
  const worker = new Worker(shellScript, { eval: true, workerData, env: {}, execArgv: [], stdout: true, stderr: true, resourceLimits })
  const ended = new AbortController()
  const files = new ShellFiles(overlay, limits, ended.signal)
  const pending = new Set<Promise<unknown>>()
  const noted = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    worker.postMessage({ abort: true })
    timer = setTimeout(() => void worker.terminate(), job.graceMs)
  }
  try {
    const result = await new Promise<ShellExit>((resolve, reject) => {
      worker.on('message', (message: unknown) => {
        const work = receive(files, message, noted).then((answered) => {
          if ('id' in answered) return worker.postMessage(answered)
          job.onOutput(answered.output)
          job.onOutput(answered.errors)
          resolve(job.signal.aborted ? { exitCode: null, signal: 'SIGTERM' } : { exitCode: answered.exitCode })
        })
        const ending = work.catch(reject).finally(() => pending.delete(ending))
        pending.add(ending)
      })
      worker.once('error', (error) => {
        if (errorCode(error) !== 'ERR_WORKER_OUT_OF_MEMORY')
          return reject(problem(`The shell of the sandbox can't run. Is ${peer} of version 3.4.2, or a later 3, installed?`, error))
        job.onOutput(Buffer.from(`sandbox: ended, as it took more than ${memoryMb} MB of memory\n`))
        resolve({ exitCode: null, signal: 'SIGKILL' })
      })
      worker.once('exit', () => resolve({ exitCode: null, signal: 'SIGKILL' }))
      job.signal.addEventListener('abort', stop, { once: true })
    })
    for (const limit of noted) job.onOutput(Buffer.from(`sandbox: ${limit}\n`))
    return result
  } finally {
    job.signal.removeEventListener('abort', stop)
    clearTimeout(timer)
    ended.abort()
    await worker.terminate()
    await Promise.allSettled(pending)
  }
}

type Reply = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string; readonly code: string })

/** Does what the shell asks for. A limit that was hit is noted: programs don't always pass on why something failed. */
async function receive(files: ShellFiles, message: unknown, noted: Set<string>): Promise<Reply | Result> {
  const result = asResult(message)
  if (result !== undefined) return result
  const { id, work } = asRequest(message)
  try {
    return { id, value: await work(files) }
  } catch (error) {
    const told = toldOf(error)
    if (told.detail !== undefined) noted.add(told.detail)
    return { id, error: told.error, code: told.code }
  }
}
