import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { RondoError } from '../../core/error.ts'
import { endGroup, signalGroup } from './group.ts'
import type { ShellExit, ShellJob, ShellRuntime } from './runtime.ts'

/** How long what a shell leaves behind may take to end by itself, and what is in its pipes to arrive, in ms. */
const settleMs = 100

/**
 * Runs commands as processes of this machine: a group of their own (and a session: no terminal can be asked), nothing to read, both outputs
 * in one. When the shell has ended, so does what is left of its group. What has left the group (`setsid`) lives on; its output is not waited for.
 */
export function processes(shell: string): ShellRuntime {
  return { run: (job) => run(shell, job) }
}

async function run(shell: string, job: ShellJob): Promise<ShellExit> {
  job.signal.throwIfAborted()
  if (!isFolder(job.cwd)) throw new RondoError('ToolExecutionError', 'Not run: the folder in which commands run is not there any more.')
  const child = spawn(shell, ['-c', '--', job.command], { cwd: job.cwd, env: job.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const closed = once(child, 'close').catch(() => undefined)
  const exited = new Promise<ShellExit>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (exitCode, signal) => resolve({ exitCode, ...(signal === null ? {} : { signal }) }))
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', job.onOutput)
    stream.on('error', () => undefined)
  }
  const { pid } = child
  if (pid === undefined) return exited
  groups.add(pid)
  if (groups.size === 1) process.on('exit', endAll)
  let ending: Promise<void> | undefined
  const end = () => {
    ending ??= endGroup(pid, job.graceMs)
    return ending
  }
  job.signal.addEventListener('abort', end, { once: true })
  try {
    const exit = await exited
    await within(closed, settleMs)
    await end()
    await within(closed, settleMs)
    return exit
  } finally {
    job.signal.removeEventListener('abort', end)
    child.stdout.destroy()
    child.stderr.destroy()
    groups.delete(pid)
    if (groups.size === 0) process.off('exit', endAll)
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** What runs when this process ends. */
const groups = new Set<number>()

function endAll(): void {
  for (const group of groups) signalGroup(group, 'SIGKILL')
}

async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  const timer = new AbortController()
  const late = delay(ms, undefined, { signal: timer.signal }).catch(() => undefined)
  await Promise.race([promise, late])
  timer.abort()
}
