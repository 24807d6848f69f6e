import { applyTo } from '../core/apply.ts'
import { bodyFor, findCall } from '../core/background.ts'
import type { DriverFacts } from '../core/config.ts'
import { decide } from '../core/decide.ts'
import { endWithBehind } from '../core/decide-stop.ts'
import type { Entry, EntryBody } from '../core/entry.ts'
import { assert } from '../core/error.ts'
import type { CoreEvent } from '../core/event.ts'
import type { Naming } from '../core/outcome.ts'
import { added, type Plan } from '../core/plan.ts'
import { type Before, glimpse, project } from '../core/project.ts'
import { branch, type EndedRun, type SessionState, type WaitingRun } from '../core/state.ts'
import { acceptInputs } from './accept-inputs.ts'
import { type Activation, driverFacts, type InputAnswer, type LocalInput, shownOf } from './activation.ts'
import { toEntry } from './append.ts'
import { type Fact, isProposal, stillApplies } from './facts.ts'
import { isWanted, type Wants, wantsMore } from './hub.ts'
import { isInTurn, runInTurn } from './in-turn.ts'
import type { RunPorts } from './ports.ts'

/** What one turn of the pump is about to write, and what follows from it. Thrown away when the write loses a race. */
export interface Staged {
  entries: Entry[]
  readonly draft: SessionState
  readonly events: CoreEvent[]
  /** What was wanted when this was staged: other events were not built. */
  readonly wants: Wants
  /** Runs that end with these entries. Their results are made when they are told: they cost the length of the run. */
  readonly ends: EndedRun[]
  readonly accepted: LocalInput[]
  readonly refused: { readonly input: LocalInput; readonly answer: InputAnswer }[]
  /** When the plan was made, by both clocks. */
  readonly wall: number
  readonly monotonic: number
  plan: Plan
}

/** More facts than this from one turn means that `decide` goes in circles. */
const maxEntries = 100_000

/**
 * Steps 1 and 2 of the pump: the mailbox is drained and staged, then `decide` is asked until nothing more follows. Writes nothing and
 * changes only what it returns (and `a.facts`, which keeps every fact until it is written).
 */
export function stageTurn(a: Activation): Staged {
  const { clock } = a.world
  const now = clock.wall()
  const staged: Staged = {
    entries: [],
    draft: branch(a.state),
    events: [],
    wants: a.hub.wants,
    ends: [],
    accepted: [],
    refused: [],
    wall: now,
    monotonic: clock.monotonic(),
    plan: { append: [], want: [] },
  }
  drain(a)
  // Facts of a turn that lost its race, and its claim with it: the claim comes first.
  if (a.facts.length > 0) stageClaim(a, staged, now)
  const proposals = stageFacts(a, staged, now)
  stageInputs(a, staged, now)
  let known: { readonly ports: RunPorts; readonly waiting: readonly WaitingRun[]; readonly driver: DriverFacts } | undefined
  for (;;) {
    assert(staged.entries.length < maxEntries, 'a turn of the pump comes to an end')
    const ports = a.portsOf(staged.draft)
    const { waiting } = staged.draft.live
    if (known?.ports !== ports || known.waiting !== waiting) known = { ports, waiting, driver: driverFacts(a, ports, staged.draft) }
    staged.plan = decide(staged.draft, ports.config, now, known.driver)
    if (staged.plan.append.length > 0) {
      for (const body of staged.plan.append) stageOwn(a, staged, body, now)
      continue
    }
    const proposal = proposals.shift()
    if (proposal !== undefined) {
      const body = bodyOf(proposal.fact, staged.draft)
      if (body !== undefined && staged.plan.want.some((activity) => activity.key === proposal.key)) stageProposal(a, staged, body, now)
      continue
    }
    if (!stageInTurn(a, staged, now)) return staged
  }
}

function stageClaim(a: Activation, staged: Staged, now: number): void {
  const { run, epoch } = staged.draft.live
  if (run !== undefined && epoch >= a.epoch) return
  const ports = a.portsOf(staged.draft)
  for (const body of decide(staged.draft, ports.config, now, driverFacts(a, ports, staged.draft)).append)
    if (body.kind === 'run.claimed') stageEntry(a, staged, body, now)
}

/** An activity may propose the end of its run, while calls go on in the background. */
function stageProposal(a: Activation, staged: Staged, body: EntryBody, now: number): void {
  if (body.kind !== 'run.finished') return stageEntry(a, staged, body, now)
  const { config } = a.portsOf(staged.draft)
  for (const each of endWithBehind(staged.draft.live, config, body)) stageOwn(a, staged, each, now)
}

/** What the machine says. */
function stageOwn(a: Activation, staged: Staged, body: EntryBody, now: number): void {
  stageEntry(a, staged, withShownText(a, staged.draft, withDuration(a, staged.draft, body)), now)
}

/** What the machine ends itself did not say how long it took. */
function withDuration(a: Activation, { live }: SessionState, body: EntryBody): EntryBody {
  if (body.kind === 'model.failed' && live.model !== undefined && live.model.epoch === live.epoch)
    return { ...body, data: { ...body.data, durationMs: Math.round(a.ages.of(live.model.seq, live.model.at)) } }
  if (body.kind !== 'call.settled' && (body.kind !== 'message' || body.data.result === undefined)) return body
  const call = findCall(live, body.data.callId ?? '')
  if (call?.status !== 'running' || call.epoch !== live.epoch) return body
  const durationMs = Math.round(a.ages.of(call.startedSeq, call.startedAt))
  if (body.kind === 'call.settled') return body.data.background === true ? body : { ...body, data: { ...body.data, durationMs } }
  return body.data.result === undefined ? body : { ...body, data: { ...body.data, result: { ...body.data.result, durationMs } } }
}

/** When grace ends, the text that was shown is kept with the failure (machine 5). */
function withShownText(a: Activation, state: SessionState, body: EntryBody): EntryBody {
  if (body.kind !== 'model.failed' || body.data.retryAt !== undefined) return body
  const shown = shownOf(a, state)?.text() ?? ''
  return shown === '' ? body : { ...body, data: { ...body.data, partial: shown } }
}

function drain(a: Activation): void {
  for (const { key, facts } of a.outcomes) {
    if (a.running.get(key)?.signal.aborted === false) a.waiting.delete(key)
    a.running.delete(key)
    for (const fact of facts) a.facts = added(a.facts, { key, fact })
  }
  if (a.outcomes.length > 0) a.outcomes = []
}

interface Proposal {
  readonly key: string
  readonly fact: Fact
}

/** Facts that fit are staged; late ones leave a note; proposals wait until `decide` has spoken. */
function stageFacts(a: Activation, staged: Staged, now: number): Proposal[] {
  let proposals: Proposal[] = []
  for (const { key, fact } of a.facts) {
    const body = bodyOf(fact, staged.draft)
    if (body === undefined) continue
    if (isProposal(key, body)) proposals = added(proposals, { key, fact })
    else stageFact(a, staged, body, now)
  }
  return proposals
}

function bodyOf(fact: Fact, state: SessionState): EntryBody | undefined {
  return typeof fact === 'function' ? fact(state) : fact
}

function stageFact(a: Activation, staged: Staged, body: EntryBody, now: number): void {
  if (stillApplies(staged.draft, body)) return stageEntry(a, staged, body, now)
  const late = lateNote(staged.draft, body)
  if (late !== undefined) stageEntry(a, staged, late, now)
}

/** A late outcome is recorded as late while its run is driven and unfinished; it never enters the context (machine 4). */
function lateNote({ live }: SessionState, body: EntryBody): EntryBody | undefined {
  if (live.run === undefined || body.kind !== 'call.settled' || body.data.by !== 'tool') return undefined
  const { callId, attempt, settlement } = body.data
  return { kind: 'custom', data: { type: 'late-outcome', data: { callId, attempt: attempt ?? 1, outcome: settlement.outcome } } }
}

function stageInputs(a: Activation, staged: Staged, now: number): void {
  for (const input of a.inputs) {
    const taken = acceptInputs(staged.draft, input.bodies, a.portsOf(staged.draft).onPending, now)
    if ('why' in taken) {
      staged.refused.push({ input, answer: { ok: false, refusal: taken } })
      continue
    }
    for (const body of taken) stageEntry(a, staged, body, now)
    if (taken.length > 0) staged.accepted.push(input)
    else input.settle({ ok: true })
  }
  if (a.inputs.length > 0) a.inputs = []
}

/** Verdicts, setups and looks at an answer that need no waiting belong to the same turn, so that a plain step stays two appends. */
function stageInTurn(a: Activation, staged: Staged, now: number): boolean {
  for (const activity of staged.plan.want) {
    if (!isInTurn(activity) || a.running.has(activity.key)) continue
    const facts = runInTurn(a, activity, staged.draft)
    if (facts === undefined) continue
    for (const fact of facts) {
      const body = bodyOf(fact, staged.draft)
      if (body === undefined) continue
      // A verdict is kept if this turn loses its race: hooks are not asked twice. A proposal is made anew.
      if (isProposal(activity.key, body)) stageProposal(a, staged, body, now)
      else {
        a.facts = added(a.facts, { key: activity.key, fact })
        stageEntry(a, staged, body, now)
      }
    }
    return facts.length > 0
  }
  return false
}

function stageEntry(a: Activation, staged: Staged, said: EntryBody, now: number): void {
  const { live } = staged.draft
  const body = bodyFor(live, said)
  // An input may come before its run is claimed.
  const runId = body.runId ?? live.run?.id ?? live.waiting[0]?.runId
  const entry = toEntry(body, {
    id: body.id ?? a.world.id('e'),
    seq: live.seq + 1,
    at: Math.max(now + a.skewMs, live.at),
    epoch: a.epoch,
    runId,
  })
  fold(a, staged, entry)
}

function fold(a: Activation, staged: Staged, entry: Entry): void {
  const before: Before | undefined = isWanted(staged.wants, entry.kind) ? glimpse(staged.draft, entry) : undefined
  applyTo(staged.draft, entry)
  staged.entries = added(staged.entries, entry)
  const { ended } = staged.draft.live
  if (entry.kind === 'run.finished' && ended !== undefined) staged.ends.push(ended)
  if (before === undefined) return
  const brief = staged.wants === 'text'
  for (const event of project(before, entry, staged.draft, namingOf(a, staged.draft), !a.detached, brief)) staged.events.push(event)
}

export function namingOf(a: Activation, state: SessionState): Naming {
  return { sessionId: a.sessionId, isDynamic: a.portsOf(state).isDynamic }
}

/**
 * The store's clock has the last word on `at`: fold once more with what it said, so that the state is the fold of the journal. Once more
 * too for somebody who came to look while the append was under way.
 */
export function restamp(a: Activation, staged: Staged, at: number): Staged {
  const { wants } = a.hub
  if (!wantsMore(wants, staged.wants) && staged.entries.every((entry) => entry.at === at)) return staged
  const again: Staged = { ...staged, wants, entries: [], draft: branch(a.state), events: [], ends: [] }
  for (const entry of staged.entries) fold(a, again, { ...entry, at })
  return again
}
