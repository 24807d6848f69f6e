import { type Agent, type Model, RondoError, type RunStatus, type Tools } from '../index.ts'
import type { ModelFlags } from './choose-model.ts'
import { followRun } from './follow-run.ts'
import { folderOf, modelOf, readAgent } from './read-agent.ts'
import { reporterOf } from './reporter.ts'
import { resumeCommand } from './resume-command.ts'
import { cannotOpen, closed, unfinished } from './sessions.ts'
import { openStore } from './store.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { oneLine, plain, sessionWord, styled } from './text.ts'

export interface RunFlags extends ModelFlags {
  readonly json?: boolean
  /** Continues this session, or creates it. */
  readonly session?: string
  /** Does what `rondo resume` does. */
  readonly resume?: boolean
  readonly maxIterations?: number
  readonly cwd?: string
}

/** Bytes of a task that comes through standard input. */
const maxTaskBytes = 1_000_000

/**
 * Runs a task to its end and resolves with the exit code. Throws `CannotRun` for what could not begin. `model` stands in for the
 * one that would be chosen.
 */
export async function runCommand(words: readonly string[], flags: RunFlags, terminal: Terminal, model?: Model): Promise<number> {
  if (flags.session !== undefined) checkSessionId(flags.session)
  if (flags.resume === true) return resumeCommand(sessionToResume(words, flags), flags, terminal, model)
  const folder = folderOf(flags.cwd, terminal)
  const task = await taskOf(words, terminal)
  const chosen = await modelOf(flags, terminal, model)
  const { store, unkept } = await openStore(terminal)
  try {
    if (unkept !== undefined) sayUnkept(unkept, flags, terminal)
    const agent = readAgent(chosen.model, folder, store)
    await checkSession(agent, flags, terminal)
    const session = flags.session === undefined ? {} : { session: flags.session }
    const limits = flags.maxIterations === undefined ? {} : { limits: { maxIterations: flags.maxIterations } }
    const start = (signal: AbortSignal) => agent.stream(task, { ...session, ...limits, signal, metadata: { folder } })
    const reporter = reporterOf({ json: flags.json === true, line: chosen.line, kept: unkept === undefined }, terminal)
    return await followRun(start, reporter, terminal)
  } finally {
    await closed(store, terminal)
  }
}

async function taskOf(words: readonly string[], { stdin }: Terminal): Promise<string> {
  const fromStdin = words.length === 0 || (words.length === 1 && words[0] === '-')
  const task = (fromStdin ? (stdin.isTTY ? '' : await stdin.read(maxTaskBytes)) : words.join(' ')).trim()
  if (task === '') throw new CannotRun('There is no task. Say what to do: rondo run "find the largest files"')
  return task
}

function sessionToResume(words: readonly string[], { session }: RunFlags): string {
  if (session === undefined) throw new CannotRun('--resume needs the session whose run shall go on: rondo resume ID')
  if (words.length === 0) return session
  throw new CannotRun('--resume goes on with the task that the run has. Leave the words out, or leave --resume out.')
}

function checkSessionId(id: string): void {
  if (/^[\w.:-]{1,200}$/.test(id)) return
  throw new CannotRun(`The session id ${JSON.stringify(oneLine(id))} can't be used: up to 200 letters, digits and . _ : - are allowed.`)
}

function sayUnkept(why: string, flags: RunFlags, { stderr }: Terminal): void {
  if (flags.session !== undefined) throw cannotOpen(flags.session, why)
  stderr.write(`${styled(`This session is not kept. ${plain(why)}`, 'yellow', stderr)}\n`)
}

/** Whether the session of `--session` can take a new run. */
async function checkSession(agent: Agent<Tools>, { session, json }: RunFlags, { stderr }: Terminal): Promise<void> {
  if (session === undefined) return
  const status = await statusOf(agent, session)
  if (status === undefined) {
    if (json !== true) stderr.write(`Session ${session} is new.\n`)
    return
  }
  if (unfinished.has(status))
    throw new CannotRun(
      `Session ${session} has an unfinished run (${status}). If another rondo is at work on it, wait for that; else finish it first:\n  rondo resume ${sessionWord(session)}`,
    )
}

async function statusOf(agent: Agent<Tools>, session: string): Promise<RunStatus | undefined> {
  try {
    return await agent.session(session).status()
  } catch (error) {
    if (RondoError.is(error) && error.code === 'SessionNotFound') return undefined
    throw error
  }
}
