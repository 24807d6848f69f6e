import { type Model, RondoError, type Run, type RunStatus, type Schema, type Store } from '../index.ts'
import { type AnswerFlags, type Answers, answersFor, type Given, isEmpty, readAnswers } from './answers.ts'
import { keptIn, sandboxBeginsAnew } from './beginning.ts'
import { agentName, commandAgent, folderOfSession, lookingAgent, modelOf } from './command-agent.ts'
import { type ConfigFlags, configured } from './config/configured.ts'
import { followRun } from './follow-run.ts'
import { limitsOf } from './limit-flags.ts'
import { journaledSchema } from './output-schema.ts'
import { reportAs, saysLittle } from './reporter.ts'
import { type SessionFacts, sessionFacts } from './session-facts.ts'
import { closed, noSession, openToGoOn, unfinished, untilFree } from './sessions.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { oneLine, plain, shellWord, styled } from './text.ts'
import { toolNames, toolsFor } from './toolset.ts'

export interface ResumeFlags extends ConfigFlags, AnswerFlags {
  readonly json?: boolean
  readonly verbose?: boolean
  /** Default: the folder in which the session began. */
  readonly cwd?: string
}

/**
 * Goes on with a session whose run has not ended, or has met a limit, and hands in answers to its calls; resolves with the exit code. Throws
 * `CannotRun` for what can't be done; then nothing was recorded. `model` stands in for the one that would be chosen.
 */
export async function resumeCommand(sessionId: string, asked: ResumeFlags, world: Terminal, model?: Model): Promise<number> {
  const answers = readAnswers(asked, world)
  const store = await openToGoOn(sessionId, world)
  try {
    const look = () => looked(sessionId, store, { ...answers, yes: asked.yes === true }, world)
    // What whoever had the session has written meanwhile counts.
    const seen = await look()
    const { facts, given, next } = (await freed(sessionId, store, asked, world)) ? await look() : seen
    const folder = folderOfSession(sessionId, facts, asked, world)
    const { flags, terminal } = configured(keptIn(asked, facts), folder, world)
    const chosen = await modelOf(flags, terminal, model)
    const toolset = toolsFor(folder, flags, terminal)
    const agent = commandAgent({ model: chosen.model, folder, store, tools: toolset.tools, instructions: flags.instructions })
    if (!saysLittle(reportAs(flags), terminal))
      for (const note of notes(sessionId, facts, folder, next, terminal)) terminal.stderr.write(`${note}\n`)
    // A run that goes on keeps the limits that it has, whatever files say.
    const options = { limits: limitsOf(next === 'run' ? asked : flags), parkAfterMs: 0 }
    // The answer must fit what it had to fit before.
    const schema = journaledSchema(facts.output)
    const output = schema === undefined ? {} : { output: schema }
    const start = (signal: AbortSignal): Run =>
      next === 'run'
        ? agent.resume<Schema | undefined>(sessionId, { ...options, ...output, ...given, signal })
        : agent.stream<Schema | undefined>(goOn, { ...options, ...output, session: sessionId, signal })
    const reported = { as: reportAs(flags), line: chosen.line, kept: true, asData: schema !== undefined }
    return await followRun({ agent, start, toolset }, reported, terminal).catch(async (error: unknown) => {
      // Somebody else was quicker: what has become of the calls says it better than the library, which speaks to programs.
      if (error instanceof CannotRun && RondoError.is(error.cause) && error.cause.code === 'RunInvalidState') await look()
      throw error
    })
  } catch (error) {
    throw RondoError.is(error) ? new CannotRun(error.message) : error
  } finally {
    await closed(store, world)
  }
}

/** What the model is told by a run that follows one that met a limit. */
const goOn = 'Go on.'

/** Resolves once nobody else drives the session; true when that took a wait. */
async function freed(sessionId: string, store: Store, { json }: ResumeFlags, terminal: Terminal): Promise<boolean> {
  let waited = false
  // Nothing is under way here yet that would have to end well.
  const stop = terminal.onInterruption(() => terminal.exit(130))
  try {
    await untilFree(sessionId, store, terminal, () => {
      waited = true
      if (json === true) return
      terminal.stderr.write(`Another process has session ${oneLine(sessionId)}. If it was killed, that ends within 15 seconds …\n`)
    })
    return waited
  } finally {
    stop()
  }
}

interface Looked {
  readonly facts: SessionFacts
  readonly given: Given
  /** What goes on: the unfinished run, or a new one after a limit. */
  readonly next: 'run' | 'limit'
}

/** Whether there is something to go on with, for this command, and whether the answers fit what waits. */
async function looked(sessionId: string, store: Store, wanted: Answers & { readonly yes: boolean }, terminal: Terminal): Promise<Looked> {
  const facts = await sessionFacts(store, sessionId)
  if (facts === undefined) throw await noSession(sessionId, store, terminal)
  const session = lookingAgent(store).session(sessionId)
  const pending = await session.pending()
  // --yes lets what waits run, too.
  const all = wanted.yes && isEmpty(wanted) && pending.some(({ kind }) => kind === 'approval')
  const answers = all ? { ...wanted, approve: ['all'] } : wanted
  const given = answersFor(answers, { sessionId, pending, facts })
  const status = await session.status()
  if (unfinished.has(status)) {
    refuseLackingTools(sessionId, facts)
    return { facts, given, next: 'run' }
  }
  if (status === 'incomplete' && isEmpty(answers)) return { facts, given, next: 'limit' }
  throw new CannotRun(`${nothingToDo(sessionId, status, facts)} Give it a task: rondo run --session ${shellWord(sessionId)} "…"`)
}

function nothingToDo(sessionId: string, status: RunStatus, { end }: SessionFacts): string {
  const name = `Session ${oneLine(sessionId)}`
  if (end === undefined) return `${name} has no run yet.`
  return `${name} has nothing to resume: its last run ${ends[status] ?? `ended as ${status}`}${end.reason === status ? '' : ` (${end.reason})`}.`
}

const ends: { readonly [status in RunStatus]?: string } = { completed: 'completed', failed: 'failed', aborted: 'was aborted' }

/** The library knows what a run was given for itself. Tools of another program's agent show in the calls that its run has made. */
function refuseLackingTools(sessionId: string, { openRuns, calls }: SessionFacts): void {
  const tools = toolNames()
  const used = [...calls.values()].filter(({ runId, prepared }) => prepared === true && openRuns.has(runId)).map(({ toolName }) => toolName)
  const lacking = [...new Set(used)].filter((name) => !tools.has(name)).map(oneLine)
  if (lacking.length === 0) return
  throw new CannotRun(
    `The run of session ${oneLine(sessionId)} works with ${lacking.length === 1 ? 'a tool' : 'tools'} that this command lacks: ${lacking.join(', ')}. Only the program that has ${lacking.length === 1 ? 'it' : 'them'} can go on with it, by agent.resume(). Nothing was recorded.`,
  )
}

function notes(
  sessionId: string,
  { openRuns, end, sandbox }: SessionFacts,
  folder: string,
  next: Looked['next'],
  terminal: Terminal,
): readonly string[] {
  const lines: string[] = []
  if (folder !== terminal.cwd) lines.push(styled(`The agent works in ${plain(folder)}.`, 'dim', terminal.stderr))
  if (next === 'limit')
    lines.push(`The last run of session ${oneLine(sessionId)} met a limit (${end?.reason ?? 'unknown'}): a new one goes on.`)
  if (sandbox === true) lines.push(sandboxBeginsAnew)
  for (const agent of new Set(openRuns.values()))
    if (agent !== agentName)
      lines.push(`The run was begun by the agent ${oneLine(agent)}: it goes on with this command's tools and without its instructions.`)
  return lines
}
