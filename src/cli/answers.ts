import type { Decision, Pending } from '../index.ts'
import type { SessionFacts } from './session-facts.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { count, oneLine, sessionWord } from './text.ts'

/** Answers to calls that wait, as they stand on the command line. */
export interface AnswerFlags {
  /** Ids of calls, or `all` alone. */
  readonly approve?: readonly string[]
  readonly deny?: readonly string[]
  /** Of the denials. */
  readonly reason?: string
  /** Who decides. Default: the login name. */
  readonly by?: string
  /** `run` or `session`: for how long the approvals hold for calls like these. */
  readonly remember?: string
  /** Arguments in place of those of the one call that is approved, as JSON. */
  readonly input?: string
  /** `CALL=JSON`. */
  readonly result?: readonly string[]
}

/** The same, once they make sense by themselves. Which calls wait is not known yet. */
export interface Answers {
  readonly approve: readonly string[]
  readonly deny: readonly string[]
  readonly results: readonly Result[]
  readonly by?: string
  readonly reason?: string
  readonly input?: object
  readonly remember?: 'run' | 'session'
}

interface Result {
  readonly callId: string
  readonly output: unknown
}

const all = 'all'

/** Throws `CannotRun` for flags that contradict each other and for what is no JSON. */
export function readAnswers(flags: AnswerFlags, { user }: Pick<Terminal, 'user'>): Answers {
  const { approve = [], deny = [], reason, by, input, remember, result = [] } = flags
  const results = result.map(readResult)
  checkAll(approve, deny)
  checkTwice([...approve, ...deny, ...results.map(({ callId }) => callId)])
  if (reason !== undefined && deny.length === 0) throw new CannotRun('--reason says why a call is denied: it needs --deny.')
  if (by !== undefined && approve.length + deny.length === 0)
    throw new CannotRun('--by says who approves or denies: it needs --approve or --deny.')
  if (by?.trim() === '') throw new CannotRun('--by needs a name.')
  const decider = by ?? user
  return {
    approve,
    deny,
    results,
    ...(decider === '' ? {} : { by: decider }),
    ...(reason === undefined ? {} : { reason }),
    ...(input === undefined ? {} : { input: editedInput(input, approve) }),
    ...(remember === undefined ? {} : { remember: scopeOf(remember, approve) }),
  }
}

export function isEmpty({ approve, deny, results }: Answers): boolean {
  return approve.length + deny.length + results.length === 0
}

function checkAll(approve: readonly string[], deny: readonly string[]): void {
  if (approve.includes(all) && (approve.length > 1 || deny.length > 0))
    throw new CannotRun('--approve all answers every call. Leave the other --approve and --deny out, or name each call.')
  if (deny.includes(all) && (deny.length > 1 || approve.length > 0))
    throw new CannotRun('--deny all answers every call. Leave the other --deny and --approve out, or name each call.')
}

function checkTwice(callIds: readonly string[]): void {
  const twice = callIds.find((callId, index) => callIds.indexOf(callId) !== index)
  if (twice !== undefined) throw new CannotRun(`Call ${oneLine(twice)} is answered twice. Say one thing about each call.`)
}

function scopeOf(remember: string, approve: readonly string[]): 'run' | 'session' {
  if (approve.length === 0) throw new CannotRun('--remember lets calls like the approved ones run: it needs --approve.')
  if (remember === 'run' || remember === 'session') return remember
  throw new CannotRun(`--remember must be run or session: for how long calls like these need no approval, not ${oneLine(remember)}.`)
}

function editedInput(text: string, approve: readonly string[]): object {
  if (approve.length !== 1 || approve[0] === all)
    throw new CannotRun('--input gives one call other arguments: it needs exactly one --approve, with the id of that call.')
  const input = parsed(text, '--input')
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input
  throw new CannotRun(`--input must be a JSON object, the whole arguments of the call, as --input '{"path":"README.md"}'.`)
}

function readResult(text: string): Result {
  const at = text.indexOf('=')
  if (at < 1) throw new CannotRun(`--result must be CALL=JSON, as --result 'm1.0={"ok":true}', not ${oneLine(text)}.`)
  const callId = text.slice(0, at)
  return { callId, output: parsed(text.slice(at + 1), `The result of call ${oneLine(callId)}`) }
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? ` (${oneLine(error.message)})` : ''
    throw new CannotRun(`${what} is not JSON${why}. Put it in quotes for the shell; a text is JSON with its own: '"a text"'.`)
  }
}

export interface Given {
  readonly decisions: readonly Decision[]
  readonly results: readonly Result[]
}

/** What is known of the session that is answered. */
export interface Answered {
  readonly sessionId: string
  readonly pending: readonly Pending[]
  readonly facts: SessionFacts
}

/** The answers for the calls that wait; throws `CannotRun` for a call that does not wait for such an answer. */
export function answersFor({ approve, deny, results, by, reason, input, remember }: Answers, session: Answered): Given {
  const who = by === undefined ? {} : { by }
  const edited = { ...(input === undefined ? {} : { input }), ...(remember === undefined ? {} : { remember }) }
  const why = reason === undefined ? {} : { reason }
  for (const { callId } of results) checkWaits(callId, 'result', session)
  const decisions = [
    ...calls(approve, session).map((callId): Decision => ({ callId, decision: 'approve', ...who, ...edited })),
    ...calls(deny, session).map((callId): Decision => ({ callId, decision: 'deny', ...who, ...why })),
  ]
  return { decisions, results }
}

function calls(callIds: readonly string[], session: Answered): readonly string[] {
  if (callIds[0] !== all) {
    for (const callId of callIds) checkWaits(callId, 'approval', session)
    return callIds
  }
  const waiting = session.pending.filter(({ kind }) => kind === 'approval').map(({ callId }) => callId)
  if (waiting.length === 0)
    throw new CannotRun(`No call of session ${oneLine(session.sessionId)} waits for an approval.${whatWaits(session)}`)
  return waiting
}

function checkWaits(callId: string, kind: Pending['kind'], session: Answered): void {
  const call = session.pending.find((candidate) => candidate.callId === callId)
  if (call?.kind === kind) return
  const known = session.facts.calls.get(callId)
  const name = `Call ${oneLine(callId)}${known === undefined ? '' : ` (${oneLine(known.toolName)})`}`
  if (call?.kind === 'result') throw new CannotRun(`${name} waits for a result from outside: --result ${callId}=JSON`)
  if (call?.kind === 'approval') throw new CannotRun(`${name} waits for an approval: --approve ${callId} or --deny ${callId}`)
  throw new CannotRun(`${whyNot(callId, name, session)}${whatWaits(session)}`)
}

function whyNot(callId: string, name: string, { sessionId, facts }: Answered): string {
  const known = facts.calls.get(callId)
  if (known === undefined) return `Session ${oneLine(sessionId)} has no call ${oneLine(callId)}.`
  if (known.outcome !== undefined) return `${name} has settled already: ${known.outcome}.`
  if (known.decision !== undefined) return `${name} has been answered already: ${known.decision === 'allow' ? 'approved' : 'denied'}.`
  return `${name} does not wait for an answer.`
}

function whatWaits({ sessionId, pending }: Answered): string {
  if (pending.length === 0) return ` Nothing waits for an answer in this session; rondo show ${sessionWord(sessionId)} shows it.`
  const lines = pending.map(
    ({ callId, toolName, kind }) => `\n  ${kind === 'approval' ? '--approve' : '--result'} ${callId}  ${oneLine(toolName)}`,
  )
  return ` In this session ${count(pending.length, 'call waits', 'calls wait')}:${lines.join('')}`
}
