import { isExpired, type Refusal } from './core/accept.ts'
import type { CallState } from './core/call-state.ts'
import type { EntryBody } from './core/entry.ts'
import { RondoError } from './core/error.ts'
import { guardsOf } from './core/guard.ts'
import { isJsonObject, type Json } from './core/json.ts'
import type { Message } from './core/message.ts'
import type { SessionState } from './core/state.ts'
import { storableCopy } from './core/storable.ts'
import type { Input as DriverInput } from './engine/activation.ts'
import type { RunPorts } from './engine/ports.ts'
import type { StandIn } from './engine/run-parts.ts'
import type { SessionDriver } from './engine/session-driver.ts'
import { toMessages } from './input.ts'
import type { Input } from './options.ts'
import type { Decision } from './types.ts'

/**
 * What can be said to a run or a session from outside. Each promise resolves once it is recorded. A run that has parked then goes on here,
 * with the options that it was given if this process still has them, else with the agent's; a run that was given options of its own (a
 * context, `extraTools`, …; not limits or policies, which the journal keeps) that this process lacks stays parked until
 * `agent.resume(sessionId, { context, extraTools })` brings them.
 */
export interface Control {
  /**
   * Says something to the agent: before its next model call, or as the start of the next run. Accepted is never lost. A run that it starts
   * has the options of the handle's run; through a session, those of the agent.
   */
  send(input: Input): Promise<void>
  /** Cancels the active run, wherever its own options are. Cancelling one that has ended does nothing. */
  abort(reason?: string): Promise<void>
  /** Nothing new begins until `resume()`; what runs is awaited. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Answers requests for approval: all of them, or, when one is refused (`RunInvalidState`), none. */
  decide(...decisions: Decision[]): Promise<void>
  /** Gives the result of a call that is run outside: a value, `done()` or `content()`, as `execute` would return it. */
  submitToolResult(callId: string, output: unknown): Promise<void>
}

/** The agent that speaks. */
export interface Voice {
  readonly standIn: StandIn
  /** The request for a run that a message starts, and what it is driven with; `inherits` is the run whose end the message met. */
  begin(run: { readonly runId: string; readonly id: string; readonly input: readonly Message[]; readonly inherits: string | undefined }): {
    readonly request: DriverInput
    readonly ports: RunPorts
  }
}

/** Where inputs of a run (or of whatever run a session has) go. `runId` absent: the session's active run. */
export interface Target {
  readonly driver: SessionDriver
  readonly runId: string | undefined
  readonly voice: Voice
  /** Only records; whoever asks wakes the driver when all is said. */
  readonly quiet?: boolean
}

/** Keeps the driver from the first word to the last: one that was given up in between would drive beside the session's next one. */
async function holding<X>({ driver }: Target, work: () => Promise<X>): Promise<X> {
  const letGo = driver.hold()
  try {
    return await work()
  } finally {
    letGo()
  }
}

export function send(target: Target, input: Input): Promise<void> {
  return holding(target, () => sendMessage(target, input))
}

async function sendMessage(target: Target, input: Input): Promise<void> {
  const { driver } = target
  const id = driver.world.id('e')
  const messages = await toMessages((bytes) => driver.keep(bytes), input, id)
  const next = driver.world.id('r')
  let starts = false
  const make = (state: SessionState) => {
    starts = state.live.waiting.length === 0
    if (!starts) return messageEntries(state, messages, (index) => (index === 0 ? id : `${id}.${index}`))
    // A message that meets the end of a run starts the next one.
    const { request, ports } = target.voice.begin({ runId: next, id, input: messages, inherits: target.runId })
    driver.register(next, ports)
    return [request]
  }
  try {
    let refusal = await write(target, make)
    // The run ended between the look and the write.
    while (refusal?.why === 'no_run') refusal = await write(target, make)
    if (refusal !== undefined) throw refused(refusal)
  } catch (error) {
    starts = false
    throw error
  } finally {
    if (!starts) driver.forget(next)
  }
}

export function messageEntries(
  { live }: SessionState,
  messages: readonly Message[],
  idOf: (index: number) => string,
): readonly DriverInput[] {
  const origin = live.turn === undefined && live.model === undefined ? 'follow-up' : 'steer'
  return messages.map((message, index): DriverInput => ({ kind: 'message', id: idOf(index), data: { origin, message } }))
}

export async function abort(target: Target, reason: string | undefined): Promise<void> {
  const data = reason === undefined ? ({ action: 'cancel' } as const) : ({ action: 'cancel', reason } as const)
  const refusal = await control(target, data)
  // It has ended, or is ending: what was asked for is the case.
  if (refusal !== undefined && refusal.why !== 'late' && refusal.why !== 'twice') throw refused(refusal)
}

export async function pause(target: Target): Promise<void> {
  const refusal = await control(target, { action: 'pause' })
  if (refusal !== undefined && refusal.why !== 'twice') throw refused(refusal)
}

export async function resumeRun(target: Target): Promise<void> {
  const refusal = await control(target, { action: 'resume' })
  if (refusal !== undefined && refusal.why !== 'twice') throw refused(refusal)
}

type ControlData = Extract<EntryBody, { kind: 'control' }>['data']

function control(target: Target, data: ControlData): Promise<Refusal | undefined> {
  const id = target.driver.world.id('e')
  return write(target, (state) => {
    const runId = target.runId ?? activeRun(state)
    return runId === undefined ? { why: 'late', message: 'The session has no active run.' } : [controlInput(id, runId, data)]
  })
}

function controlInput(id: string, runId: string, data: ControlData): DriverInput {
  return { kind: 'control', id, runId, data }
}

function activeRun({ live }: Pick<SessionState, 'live'>): string | undefined {
  return live.run?.id ?? live.waiting[0]?.runId
}

/** What somebody says to what waits. */
export interface Answers {
  decisions?: readonly Decision[]
  results?: readonly { callId: string; output: unknown }[]
}

export function decide(target: Target, decisions: readonly Decision[]): Promise<void> {
  return answer(target, { decisions })
}

export function submitToolResult(target: Target, callId: string, output: unknown): Promise<void> {
  return answer(target, { results: [{ callId, output }] })
}

/** Hands in answers in one go, and lifts a pause if asked to: when one of them is refused, nothing is recorded. */
export function answer(target: Target, given: Answers, lift = false): Promise<void> {
  return holding(target, () => answerAll(target, given, lift))
}

async function answerAll(target: Target, { decisions = [], results = [] }: Answers, lift: boolean): Promise<void> {
  const { driver } = target
  const { clock } = driver.world
  for (const decision of decisions) checkDecision(decision)
  const decided = decisions.map((decision) => ({ decision, id: driver.world.id('e') }))
  const named = new Set(decisions.map(({ callId }) => callId))
  const settled: DriverInput[] = []
  for (const { callId, output } of results) {
    const outcome = await driver.outsideResult(callId, output)
    settled.push({ kind: 'call.settled', id: driver.world.id('e'), data: { callId, ...outcome, by: 'client' } })
  }
  let resume: string | undefined
  const refusal = await write(target, (state) => {
    const inputs: DriverInput[] = []
    const isFree = (call: CallState) => !named.has(call.part.callId) && !isExpired(call, clock.wall())
    for (const { decision, id } of decided) {
      const made = decisionInput(state, id, decision, isFree)
      if ('why' in made) return made
      inputs.push(...made)
    }
    const paused = lift ? pausedRun(state) : undefined
    if (paused === undefined) return [...inputs, ...settled]
    resume ??= driver.world.id('e')
    return [...inputs, ...settled, controlInput(resume, paused, { action: 'resume' })]
  })
  if (refusal !== undefined) throw refused(refusal)
}

/** The run whose pause can be lifted: one that is being cancelled ends, paused or not. */
function pausedRun({ live }: SessionState): string | undefined {
  const run = live.run ?? live.waiting[0]
  return run?.paused === true && run.cancelledAt === undefined ? activeRun({ live }) : undefined
}

/** A word we don't know must not be taken for a yes. */
function checkDecision(decision: Decision): void {
  if (decision.decision !== 'approve' && decision.decision !== 'deny')
    throw new RondoError('ConfigInvalid', `The decision of call '${String(Reflect.get(decision, 'callId'))}' must be 'approve' or 'deny'.`)
  if (decision.decision === 'approve' && ![undefined, 'run', 'session'].includes(decision.remember))
    throw new RondoError('ConfigInvalid', `'remember' of the decision of call '${decision.callId}' must be 'run' or 'session'.`)
}

/** `isFree`: whether a remembered yes may decide another call too; not one that has a word of its own, or whose time is over. */
function decisionInput(
  { live }: SessionState,
  id: string,
  decision: Decision,
  isFree: (call: CallState) => boolean,
): readonly DriverInput[] | Refusal {
  const call = live.turn?.calls.find((candidate) => candidate.part.callId === decision.callId)
  const request = call?.preparedId
  if (request === undefined)
    return {
      why: 'wrong_request',
      message: `No open call '${decision.callId}' waits for a decision in this session. Read session.pending().`,
    }
  const by = decision.by === undefined ? {} : { by: decision.by }
  if (decision.decision === 'deny') {
    const reason = decision.reason === undefined ? {} : { reason: decision.reason }
    const verdict = decision.stopTurn === true ? 'stop' : 'deny'
    return [{ kind: 'approval.decided', id, data: { request, decision: verdict, ...by, ...reason } }]
  }
  const edited = decision.input === undefined ? {} : { arguments: editedInput(decision.input) }
  const { remember } = decision
  if (remember === undefined) return [{ kind: 'approval.decided', id, data: { request, decision: 'allow', ...by, ...edited } }]
  if (call?.ask?.rememberAs === false)
    return { why: 'wrong_request', message: `Call ${decision.callId} is asked about each time: decide without 'remember'.` }
  // Calls like it that wait already are covered too; each is named by a decision of its own.
  // Not one that the same call before guards: a yes to another is none to that (decision 0016).
  const alike = live.turn?.calls.filter((other) => isFree(other) && isCovered(call, other) && guardsOf(live, other).length === 0) ?? []
  const others = alike.map(
    (other, index): DriverInput => ({
      kind: 'approval.decided',
      id: `${id}.${index + 1}`,
      data: { request: other.preparedId ?? '', decision: 'allow', ...by },
    }),
  )
  return [{ kind: 'approval.decided', id, data: { request, decision: 'allow', ...by, ...edited, remember } }, ...others]
}

/** Whether a yes to one call, when it is to be remembered, covers another one that waits for an answer. */
function isCovered(call: CallState | undefined, other: CallState): boolean {
  if (other.status !== 'awaiting' || other.decision !== undefined) return false
  return other.part.toolName === call?.part.toolName && other.ask?.rememberAs === call.ask?.rememberAs
}

function editedInput(input: unknown): Json {
  const { json, changed } = storableCopy(input)
  if (!isJsonObject(json) || changed.length > 0)
    throw new RondoError('ToolInvalidArgs', 'The edited arguments of a decision must be a plain JSON object.')
  return json
}

function write(target: Target, make: (state: SessionState) => readonly DriverInput[] | Refusal): Promise<Refusal | undefined> {
  const { driver } = target
  return holding(target, async () => {
    driver.offer(target.voice.standIn)
    const refusal = await driver.input((state) => {
      if (state.live.seq === 0) throw unknownSession(driver.sessionId)
      const made = make(state)
      if (!('why' in made)) driver.attend(state)
      return made
    })
    if (refusal === undefined && target.quiet !== true) driver.wake()
    return refusal
  })
}

export function unknownSession(sessionId: string): RondoError {
  return new RondoError(
    'SessionNotFound',
    `There is no session '${sessionId}' in this store. Check the id, or start it with agent.run(input, { session: id }).`,
  )
}

export function refused(refusal: Refusal): RondoError {
  const code = refusal.why === 'read_only' ? 'SessionMigrationFailed' : refusal.why === 'withdrawn' ? 'RunAborted' : 'RunInvalidState'
  return new RondoError(code, refusal.message)
}
