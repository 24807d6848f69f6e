import { accessSync, constants, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Agent, type Model, RondoError, type Run, type RunEvent, type RunStatus, type Store, type Tools } from '../index.ts'
import { readTools } from '../tools/index.ts'
import { type ChosenModel, chooseModel, type ModelFlags } from './choose-model.ts'
import { followRun, type Reporter } from './follow-run.ts'
import { RunView } from './run-view.ts'
import { openStore } from './store.ts'
import { commandName, summaryLines, summaryOf } from './summary.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { jsonLine, oneLine, plain, shellWord, styled } from './text.ts'

export interface RunFlags extends ModelFlags {
  readonly json?: boolean
  /** Continues this session, or creates it. */
  readonly session?: string
  /** Goes on with the session's unfinished run. */
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
  const folder = folderOf(flags, terminal)
  const task = flags.resume === true ? noTask(words) : await taskOf(words, terminal)
  const chosen: ChosenModel =
    model === undefined ? await chooseModel(flags, terminal) : { model, line: `Model: ${model.provider}:${model.id}` }
  const tools: Tools = readTools({ root: folder })
  const { store, unkept } = await openStore(terminal)
  try {
    if (unkept !== undefined) sayUnkept(unkept, flags, terminal)
    const agent = new Agent({ name: 'rondo', model: chosen.model, tools, store })
    await checkSession(agent, flags, terminal)
    const start = (signal: AbortSignal): Run => {
      const limits = flags.maxIterations === undefined ? {} : { limits: { maxIterations: flags.maxIterations } }
      if (task === undefined) return agent.resume(flags.session ?? '', { ...limits, signal })
      const session = flags.session === undefined ? {} : { session: flags.session }
      return agent.stream(task, { ...session, ...limits, signal, metadata: { folder } })
    }
    const reporter = flags.json === true ? jsonReporter(terminal) : screenReporter(terminal, chosen.line, unkept === undefined)
    return await followRun(start, reporter, terminal)
  } finally {
    await closed(store, terminal)
  }
}

function folderOf({ cwd }: RunFlags, terminal: Terminal): string {
  const folder = resolve(terminal.cwd, cwd ?? '.')
  const kind = kindOf(folder)
  if (kind === 'folder') return folder
  const name = plain(folder)
  if (kind === 'missing') throw new CannotRun(`There is no folder ${name} (--cwd).`)
  if (kind === 'other') throw new CannotRun(`${name} is a file (--cwd). Name the folder that the agent shall read.`)
  throw new CannotRun(`${name} can't be read: there is no permission (--cwd).`)
}

function kindOf(path: string): 'folder' | 'other' | 'missing' | 'unreadable' {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return 'missing'
    if (!found.isDirectory()) return 'other'
    accessSync(path, constants.R_OK | constants.X_OK)
    return 'folder'
  } catch {
    return 'unreadable'
  }
}

async function taskOf(words: readonly string[], { stdin }: Terminal): Promise<string> {
  const fromStdin = words.length === 0 || (words.length === 1 && words[0] === '-')
  const task = (fromStdin ? (stdin.isTTY ? '' : await stdin.read(maxTaskBytes)) : words.join(' ')).trim()
  if (task === '') throw new CannotRun('There is no task. Say what to do: rondo run "find the largest files"')
  return task
}

function noTask(words: readonly string[]): undefined {
  if (words.length === 0) return undefined
  throw new CannotRun('--resume goes on with the task that the run has. Leave the words out, or leave --resume out.')
}

function checkSessionId(id: string): void {
  if (/^[\w.:-]{1,200}$/.test(id)) return
  throw new CannotRun(`The session id ${JSON.stringify(oneLine(id))} can't be used: up to 200 letters, digits and . _ : - are allowed.`)
}

function sayUnkept(why: string, flags: RunFlags, { stderr }: Terminal): void {
  if (flags.session !== undefined) throw new CannotRun(`Session ${flags.session} can't be opened: ${plain(why)}`)
  stderr.write(`${styled(`This session is not kept. ${plain(why)}`, 'yellow', stderr)}\n`)
}

const unfinished: ReadonlySet<RunStatus> = new Set<RunStatus>([
  'preparing',
  'model_running',
  'tool_running',
  'awaiting_human',
  'awaiting_tool_results',
  'paused',
])

/** Whether the session of `--session` can take a new run, or has one to resume. */
async function checkSession(agent: Agent<Tools>, { session, resume, json }: RunFlags, { stderr }: Terminal): Promise<void> {
  if (session === undefined) {
    if (resume === true) throw new CannotRun('--resume needs the session whose run shall go on: rondo run --session ID --resume')
    return
  }
  const status = await statusOf(agent, session)
  if (status === undefined) {
    if (resume === true) throw new CannotRun(`There is no session ${session}, so there is nothing to resume.`)
    if (json !== true) stderr.write(`Session ${session} is new.\n`)
    return
  }
  if (resume === true && !unfinished.has(status))
    throw new CannotRun(`Session ${session} has no unfinished run. Give it a new task: rondo run --session ${session} "…"`)
  if (resume !== true && unfinished.has(status))
    throw new CannotRun(
      `Session ${session} has an unfinished run (${status}). If another rondo is at work on it, wait for that; else finish it first:\n  rondo run --session ${session} --resume`,
    )
  if (resume === true && json !== true)
    stderr.write(`Resuming session ${session}; one that a process has left open is free after 15 seconds at most.\n`)
}

async function statusOf(agent: Agent<Tools>, session: string): Promise<RunStatus | undefined> {
  try {
    return await agent.session(session).status()
  } catch (error) {
    if (RondoError.is(error) && error.code === 'SessionNotFound') return undefined
    throw error
  }
}

function jsonReporter({ stdout, stderr }: Terminal): Reporter {
  return {
    begin: () => {},
    event: (event: RunEvent) => stdout.write(jsonLine(event)),
    aborting: () => stderr.write('aborting …\n'),
    end: () => {},
  }
}

function screenReporter(terminal: Terminal, model: string, kept: boolean): Reporter {
  const { stderr } = terminal
  const view = new RunView(terminal)
  const started = terminal.now()
  return {
    begin: () => stderr.write(`${styled(oneLine(model), 'dim', stderr)}\n\n`),
    event: (event) => view.event(event),
    aborting: () => view.note('aborting …'),
    end(result) {
      view.finish(result)
      stderr.write(`\n${summaryLines(summaryOf(result, terminal.now() - started), stderr)}`)
      if (!kept) return
      const command = commandName(terminal)
      const isOpen = result.status === 'parked' || (result.status === 'failed' && result.resumable)
      if (isOpen) stderr.write(`The run is not over. To go on: ${command} run --session ${shellWord(result.sessionId)} --resume\n`)
      const show = `${command} show ${shellWord(result.sessionId)}`
      stderr.write(`${styled(`session ${result.sessionId} · ${show}`, 'dim', stderr)}\n`)
    },
  }
}

/** What was to be said has been said; a store that can't close must not hide it. */
async function closed(store: Store, { stderr }: Terminal): Promise<void> {
  try {
    await store.close()
  } catch (error) {
    stderr.write(`The session file could not be closed: ${plain(error instanceof Error ? error.message : String(error))}\n`)
  }
}
