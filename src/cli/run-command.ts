import type { Model, Run, Store } from '../index.ts'
import { beginning, beginningOf, keptIn, sandboxBeginsAnew } from './beginning.ts'
import { commandAgent, folderOf, lookingAgent, modelOf } from './command-agent.ts'
import { type ConfigFlags, configured } from './config/configured.ts'
import { followRun } from './follow-run.ts'
import { limitsOf } from './limit-flags.ts'
import { readOutputSchema } from './output-schema.ts'
import { reportAs, saysLittle } from './reporter.ts'
import { resumeCommand } from './resume-command.ts'
import { checkSessionId, closed, sayUnkept, unfinished } from './sessions.ts'
import { openStore } from './store.ts'
import { taskInput } from './task-input.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { sessionWord } from './text.ts'
import { toolsFor } from './toolset.ts'

export interface RunFlags extends ConfigFlags {
  readonly json?: boolean
  /** A log with a tag on each line. */
  readonly verbose?: boolean
  /** Continues this session, or creates it. */
  readonly session?: string
  /** Does what `rondo resume` does. */
  readonly resume?: boolean
  readonly cwd?: string
  /** Files that go with the task; `-` is standard input. */
  readonly file?: readonly string[]
  /** A file with the JSON Schema that the answer must fit. */
  readonly outputSchema?: string
}

/** Of `rondo/offline`, which plans over words and answers in words. */
const offlineProvider = 'rondo'

/**
 * Runs a task to its end and resolves with the exit code. Throws `CannotRun` for what could not begin. `model` stands in for the
 * one that would be chosen.
 */
export async function runCommand(words: readonly string[], asked: RunFlags, world: Terminal, model?: Model): Promise<number> {
  if (asked.session !== undefined) checkSessionId(asked.session)
  if (asked.resume === true) return resumeCommand(sessionToResume(words, asked), asked, world, model)
  const folder = folderOf(asked.cwd, world)
  const { flags: wanted, terminal } = configured(asked, folder, world)
  const output = wanted.outputSchema === undefined ? undefined : readOutputSchema(wanted.outputSchema, terminal)
  const input = await taskInput(words, wanted.file, terminal)
  const chosen = await modelOf(wanted, terminal, model)
  if (output !== undefined && chosen.model.provider === offlineProvider)
    throw new CannotRun('The offline model writes no JSON: --output-schema needs a language model, as --model openai:NAME or ollama:NAME.')
  const { store, unkept } = await openStore(terminal)
  try {
    if (unkept !== undefined) sayUnkept(unkept, wanted.session, terminal)
    const flags = wanted.session === undefined ? wanted : await forSession(wanted.session, wanted, store, terminal)
    const toolset = toolsFor(folder, flags, terminal)
    const agent = commandAgent({ model: chosen.model, folder, store, tools: toolset.tools, instructions: flags.instructions })
    const session = flags.session === undefined ? {} : { session: flags.session }
    const options = { ...session, limits: limitsOf(flags), metadata: beginning(folder, flags), parkAfterMs: 0 }
    const start = (signal: AbortSignal): Run => agent.stream(input, { ...options, ...(output === undefined ? {} : { output }), signal })
    const reported = { as: reportAs(flags), line: chosen.line, kept: unkept === undefined, asData: output !== undefined }
    return await followRun({ agent, start, toolset }, reported, terminal)
  } finally {
    await closed(store, terminal)
  }
}

function sessionToResume(words: readonly string[], { session }: RunFlags): string {
  if (session === undefined) throw new CannotRun('--resume needs the session whose run shall go on: rondo resume ID')
  if (words.length === 0) return session
  throw new CannotRun('--resume goes on with the task that the run has. Leave the words out, or leave --resume out.')
}

/** The flags for a run of this session; throws `CannotRun` for one that can't take a new run. */
async function forSession(session: string, flags: RunFlags, store: Store, { stderr, stdout }: Terminal): Promise<RunFlags> {
  const isSilent = saysLittle(reportAs(flags), { stdout })
  const begun = await beginningOf(session, store)
  if (begun === undefined) {
    if (!isSilent) stderr.write(`Session ${session} is new.\n`)
    return flags
  }
  const status = await lookingAgent(store).session(session).status()
  if (unfinished.has(status))
    throw new CannotRun(
      `Session ${session} has an unfinished run (${status}). If another rondo is at work on it, wait for that; else finish it first:\n  rondo resume ${sessionWord(session)}`,
    )
  if (begun.sandbox === true && !isSilent) stderr.write(`${sandboxBeginsAnew}\n`)
  return keptIn(flags, begun)
}
