import type { Entry } from 'rondo'
import { checkEnds } from './check-ends.ts'
import { checkEvents } from './check-events.ts'
import { type Checking, canonical, type Violation } from './checking.ts'
import {
  argumentsAt,
  assistantLine,
  type CallLedger,
  conversations,
  isBlank,
  isOpen,
  type Ledger,
  ledgerOf,
  type Settled,
  settledIn,
  textOf,
} from './ledger.ts'
import type { Played } from './play.ts'
import { alwaysAsking, backgroundTools, externalTools, reconcilable, unsafeTools } from './sim-tools.ts'

/**
 * Every invariant, asserted on what a script left behind: the raw journal, the events that were seen, and what tools and models were
 * really asked. Nothing here folds with the engine's own code; a rule is named by its place in the checklist (S7.1-n) or its promise (Pn).
 */
export function check(played: Played): readonly Violation[] {
  const violations: Violation[] = []
  const checking: Checking = {
    played,
    ledger: ledgerOf(played.journal),
    timeOf: ({ id }) => played.written.get(id) ?? Number.NaN,
    violate: (rule, what) => violations.push({ rule, what }),
  }
  for (const trouble of played.troubles) checking.violate('no trouble', trouble)
  envelopes(checking)
  oneSettlement(checking)
  lives(checking)
  approvals(checking)
  unsafeAtMostOnce(checking)
  // A store that was given up in the middle knows only the beginning.
  if (!played.detached) {
    writeAhead(checking)
    neverAgain(checking)
    guarded(checking)
    gated(checking)
    epochs(checking)
    requests(checking)
    inputs(checking)
    cancels(checking)
    waits(checking)
    endsByItself(checking)
    checkEnds(checking)
  }
  checkEvents(checking)
  return violations
}

/** P7, machine 2: gapless, in order, ids unique. */
function envelopes({ played, violate }: Checking): void {
  const ids = new Set<string>()
  let at = 0
  for (const [index, entry] of played.journal.entries()) {
    if (entry.seq !== index + 1) violate('P7 entries are gapless', `entry ${index + 1} has seq ${entry.seq}`)
    if (entry.at < at) violate('P7 time does not go back', `entry ${entry.seq} is at ${entry.at} after ${at}`)
    if (ids.has(entry.id)) violate('P7 ids are unique', `entry ${entry.seq} has the id ${entry.id} of an earlier one`)
    if (entry.v !== 1) violate('P7 entries have a version', `entry ${entry.seq} has v ${entry.v}`)
    if (index === 0 && entry.kind !== 'session') violate('machine 2: the session comes first', entry.kind)
    ids.add(entry.id)
    at = entry.at
  }
}

/** S7.1-1: every call of a recorded response gets exactly one outcome, in every exit. */
function oneSettlement({ played, ledger, violate }: Checking): void {
  for (const call of ledger.calls.values()) {
    const expected = isOpen(call) ? 1 : 0
    const found = call.settled.length
    const behind = call.placeholders.length
    if (behind > (backgroundTools.has(call.part.toolName) ? 1 : 0))
      violate('S7.1-1 each call is left behind once, if it may be', `${call.callId}: ${behind} times`)
    if (found > expected || (found < expected && !played.detached))
      violate('S7.1-1 each call settles once', `${call.callId} settled ${found} times, not ${expected}`)
  }
  const unknown = ledger.entries.filter((entry) => {
    const callId = entry.kind === 'call.settled' ? entry.data.callId : settledIn(entry)?.data.callId
    return callId !== undefined && !ledger.calls.has(callId)
  })
  for (const entry of unknown) violate('S7.1-1 only announced calls settle', `entry ${entry.seq}`)
}

/** Machine 4: what may follow what in the life of a call. */
function lives({ ledger, violate }: Checking): void {
  for (const call of ledger.calls.values()) {
    let state = 'announced'
    let epoch = 0
    let attempt = 0
    for (const entry of lifeOf(call)) {
      const wrong = (what: string) =>
        violate('machine 4: the life of a call', `${call.callId}: ${what} while ${state} (entry ${entry.seq})`)
      if (state === 'settled') wrong(entry.kind)
      if (entry.kind === 'call.settled' && entry.data.background === true) {
        if (state !== 'running' && state !== 'outside') wrong('left behind')
        continue
      }
      switch (entry.kind) {
        case 'call.prepared':
          if (state !== 'announced') wrong('prepared')
          state = entry.data.approval === undefined ? 'ready' : 'awaiting'
          break
        case 'approval.decided':
          if (state !== 'awaiting') wrong('decided')
          state = entry.data.decision !== 'allow' ? 'refused' : entry.data.arguments === undefined ? 'ready' : 'announced'
          break
        case 'call.started': {
          const again = state === 'running' && (entry.epoch ?? 0) > epoch
          if (state !== 'ready' && !again) wrong('started')
          if (entry.data.attempt !== attempt + 1) wrong(`attempt ${entry.data.attempt} after ${attempt}`)
          if (externalTools.has(call.part.toolName)) wrong('started here, though a client runs it')
          if (entry.data.attempt > 3) wrong('a fourth attempt')
          attempt = entry.data.attempt
          epoch = entry.epoch ?? 0
          state = 'running'
          break
        }
        case 'call.deferred':
          if (state !== (['client', 'manual'].includes(entry.data.why) ? 'ready' : 'running')) wrong('deferred')
          if ((entry.data.why === 'client') !== externalTools.has(call.part.toolName)) wrong(`deferred as ${entry.data.why}`)
          if (entry.data.why === 'unresolved' && !unsafeTools.has(call.part.toolName)) wrong('handed to somebody, though it may run again')
          state = 'outside'
          break
        case 'call.settled':
          if (entry.data.by === 'client' && state !== 'outside') wrong('settled by a client')
          if (entry.data.by === 'tool' && state !== 'running') wrong('settled by the tool')
          if (entry.data.by === 'prepare' && state !== 'announced') wrong('settled by a verdict')
          state = 'settled'
          break
      }
    }
  }
}

function lifeOf(call: CallLedger): (Entry | Settled)[] {
  const { prepared, decided, started, deferred, settled, placeholders } = call
  return [...prepared, ...decided, ...started, ...deferred, ...settled, ...placeholders].sort((a, b) => a.seq - b.seq)
}

/** P5, S7.1-5: what needs an approval starts only after one that names the prepared entry, and with exactly those arguments. */
function approvals({ played, ledger, violate }: Checking): void {
  const rule = 'P5 no start without its approval'
  for (const call of ledger.calls.values()) {
    const needed = alwaysAsking.has(call.part.toolName) || call.prepared.some((entry) => entry.data.approval !== undefined)
    if (!needed) continue
    if (isRemembered(ledger, call)) continue
    for (const start of [...call.started, ...call.deferred.filter(({ data }) => data.why === 'client' || data.why === 'manual')]) {
      const allowed = call.decided.findLast((entry) => entry.seq < start.seq && entry.data.decision === 'allow')
      if (allowed === undefined) violate(rule, `${call.callId} began at entry ${start.seq}`)
      else if (start.kind === 'call.started' && start.data.attempt === 1 && start.data.approval !== allowed.id)
        violate(rule, `${call.callId} names ${start.data.approval}, and ${allowed.id} allowed it`)
      const edited = allowed?.data.arguments
      if (edited !== undefined && canonical(argumentsAt(call, start.seq)) !== canonical(edited))
        violate('P5 exactly the approved arguments', `${call.callId}: ${canonical(argumentsAt(call, start.seq))}`)
    }
  }
  if (played.detached) return
  for (const effect of played.effects) {
    const call = ledger.calls.get(effect.callId)
    if (call === undefined) {
      violate('P6 only announced calls run', effect.callId)
      continue
    }
    const start = call.started.find((entry) => entry.data.attempt === effect.attempt)
    const due = argumentsAt(call, start?.seq ?? Number.POSITIVE_INFINITY)
    if (canonical(JSON.parse(effect.input)) !== canonical(due))
      violate('P5 exactly the prepared arguments', `${effect.callId} got ${effect.input}, not ${canonical(due)}`)
    if (effect.key !== `S/${effect.callId}`) violate('machine 2: the idempotency key', effect.key)
  }
}

/** What lets a call pass unasked is a decision that was to be remembered, about a call of the same tool, and stood before. */
function isRemembered(ledger: Ledger, call: CallLedger): boolean {
  const last = call.prepared.at(-1)
  if (last?.data.approvedBy === undefined || last.data.arguments !== undefined) return false
  for (const other of ledger.calls.values())
    for (const { id, seq, runId, data } of other.decided)
      if (id === last.data.approvedBy && data.decision === 'allow' && seq < last.seq && other.part.toolName === call.part.toolName)
        return data.remember === 'session' || (data.remember === 'run' && runId === last.runId)
  return false
}

/** Rules that deny hold whatever a human has said; `perCall` looks at a call when those before it have settled. */
function gated({ played, ledger, violate }: Checking): void {
  const { approvals: ruled, approvalTiming } = played.script.agent.policies
  if (ruled !== undefined)
    for (const { callId, input } of played.effects) if (JSON.parse(input).tag === 2) violate('C26 a rule that denies', `${callId} ran`)
  if (approvalTiming !== 'perCall') return
  for (const call of ledger.calls.values())
    for (const before of ledger.calls.values())
      if (before.response === call.response && isOpen(before) && callIndexOf(before) < callIndexOf(call)) inTurn(before, call, violate)
}

/** A verdict that was taken in its turn, and whose append lost a race, may come first in the next one. */
function inTurn(before: CallLedger, call: CallLedger, violate: Checking['violate']): void {
  const settled = before.placeholders[0] ?? before.settled[0]
  const [prepared] = call.prepared
  const [begun] = [...call.started, ...call.deferred]
  const early = prepared !== undefined && (settled === undefined || (settled.seq > prepared.seq && settled.at !== prepared.at))
  const started = begun !== undefined && (settled === undefined || settled.seq > begun.seq)
  if (early || started) violate('C26 perCall', `${call.callId} before ${before.callId}`)
}

function callIndexOf({ callId }: CallLedger): number {
  return Number(callId.slice(callId.indexOf('.') + 1))
}

/** P4: an unsafe tool is begun at most once, by what it really did and by what was recorded. */
function unsafeAtMostOnce({ played, ledger, violate }: Checking): void {
  const begun = new Map<string, number>()
  // A run whose store was given up may be driven again from what that store has: a known gap of best-effort durability.
  for (const effect of played.detached ? [] : played.effects) {
    const key = unsafeTools.has(effect.tool) ? effect.callId : `${effect.callId} attempt ${effect.attempt}`
    begun.set(key, (begun.get(key) ?? 0) + 1)
  }
  for (const [key, times] of begun) if (times > 1) violate('P4 unsafe at most once', `${key} ran ${times} times`)
  for (const call of ledger.calls.values())
    if (unsafeTools.has(call.part.toolName) && !reconcilable.has(call.part.toolName) && call.started.length > 1)
      violate('P4 unsafe at most once', `${call.callId} is recorded as started ${call.started.length} times`)
}

/** Design 4: an activity begins only after the append that holds its entry. */
function writeAhead({ played, ledger, violate }: Checking): void {
  const rule = 'design 4: written before begun'
  for (const effect of played.effects) {
    const start = ledger.calls.get(effect.callId)?.started.find((entry) => entry.data.attempt === effect.attempt)
    if (start === undefined || start.seq > effect.length)
      violate(rule, `${effect.callId} attempt ${effect.attempt} ran at entry ${effect.length}`)
  }
  for (const { n, attempt, length } of played.asked) {
    const model = ledger.models.find(({ started }) => started.data.n === n && started.data.attempt === attempt)
    if (model === undefined || model.started.seq > length) violate(rule, `model call ${n}.${attempt} was made at entry ${length}`)
  }
}

/** P3: what has its outcome on record is not done again. */
function neverAgain({ played, ledger, violate }: Checking): void {
  for (const effect of played.effects) {
    const settled = ledger.calls.get(effect.callId)?.settled[0]
    if (settled !== undefined && settled.seq <= effect.length)
      violate('P3 a recorded outcome is never executed again', `${effect.callId} began when entry ${effect.length} stood`)
  }
  const asked = new Set<string>()
  for (const { n, attempt } of played.asked) {
    if (asked.has(`${n}.${attempt}`)) violate('P3 a model attempt is made once', `${n}.${attempt}`)
    asked.add(`${n}.${attempt}`)
  }
  for (const model of ledger.models) {
    const { n } = model.started.data
    if (model.responded.length + model.failed.length !== 1)
      violate(
        'P3 a model attempt ends once',
        `${n}.${model.started.data.attempt} ended ${model.responded.length + model.failed.length} times`,
      )
    const answered = ledger.models.find(
      (other) => other.started.data.n === n && other.responded.length > 0 && other.started.seq < model.started.seq,
    )
    if (answered !== undefined) violate('P3 a recorded response is never requested again', `model call ${n}`)
  }
}

/** Machine 4, guard: what may have had its effect does not start again unasked. */
function guarded({ played, ledger, violate }: Checking): void {
  const did = new Set(played.effects.map(({ callId }) => callId))
  const guard = new Map<string, string>()
  for (const written of ledger.entries) {
    const entry = written.kind === 'call.started' ? written : settledIn(written)
    if (entry === undefined) continue
    const call = ledger.calls.get(entry.data.callId)
    if (call === undefined || !unsafeTools.has(call.part.toolName)) continue
    const key = `${call.part.toolName} ${canonical(argumentsAt(call, entry.seq))}`
    if (entry.kind === 'call.started') {
      const allowed = call.decided.some((decision) => decision.data.decision === 'allow')
      // A tool that can find out what became of the one before may say that it never had its effect.
      const before = guard.get(key)
      const harmless = reconcilable.has(call.part.toolName) && before !== undefined && !did.has(before)
      if (before !== undefined && !allowed && !harmless && entry.data.attempt === 1)
        violate('machine 4: guard', `${call.callId} repeats ${before}: ${key}`)
    } else if (entry.data.by === 'reconcile' && call.started.length === 0 && entry.data.settlement.outcome === 'ok') guard.delete(key)
    else if (call.started.length > 0 && ['unknown', 'timeout', 'cancelled'].includes(entry.data.settlement.outcome))
      guard.set(key, call.callId)
  }
}

/** P2: one writer. After a newer epoch nothing is written under an older one, and a driver claims before it writes. */
function epochs({ played, ledger, violate }: Checking): void {
  if (played.staleWrites > 0) violate('P2 a stale writer fails', `the store took ${played.staleWrites} appends under an old epoch`)
  const drivers = new Set([
    'model.started',
    'model.responded',
    'model.failed',
    'call.prepared',
    'call.started',
    'call.deferred',
    'run.claimed',
  ])
  let epoch = 0
  const claims = new Set<string>()
  for (const entry of ledger.entries) {
    if (entry.epoch === undefined) {
      if (drivers.has(entry.kind)) violate('P2 a driver has an epoch', `entry ${entry.seq}`)
      continue
    }
    if (entry.epoch < epoch) violate('P2 a stale writer fails', `entry ${entry.seq} has epoch ${entry.epoch} after ${epoch}`)
    epoch = Math.max(epoch, entry.epoch)
    const key = `${entry.runId} ${entry.epoch}`
    if (entry.kind === 'run.claimed') {
      if (claims.has(key)) violate('P2 claimed once per activation', `entry ${entry.seq}`)
      claims.add(key)
    } else if (drivers.has(entry.kind) && !claims.has(key)) violate('P2 a run is claimed first', `entry ${entry.seq} (${entry.kind})`)
  }
}

/** P6, S7.1-2, P1: each request holds exactly the conversation so far, every call with its outcome. */
function requests({ played, ledger, violate }: Checking): void {
  const { told } = conversations(ledger)
  for (const asked of played.asked) {
    const started = ledger.models.find((model) => model.started.data.n === asked.n && model.started.data.attempt === asked.attempt)?.started
    if (started === undefined) continue
    const name = `model call ${asked.n}.${asked.attempt}`
    if (started.data.purpose !== asked.purpose) violate('P6 the purpose is the recorded one', name)
    const { output } = played.script.agent
    const isTold = output !== undefined && (asked.purpose !== 'main' || (output.schemaDuringTools && !output.toolless))
    if (asked.toldSchema !== isTold) violate('S4-04 S4-06 which calls are told of the schema', `${name}, ${asked.purpose}`)
    if (asked.purpose !== 'main' && asked.mayCall) violate('C24 no tool may be called where the output is asked for', name)
    const messages = asked.purpose === 'wrap-up' ? asked.messages.slice(0, -1) : asked.messages
    for (const message of asked.messages) shape(message, name, violate)
    const seen = messages.map((message) => assistantLine(message)).join('\n')
    const due = (told.get(started.seq) ?? []).map((line) => line.text).join('\n')
    if (seen !== due) violate('P1 P6 a request is the conversation so far', `${name} saw\n${seen}\nnot\n${due}`)
    if (asked.messages.at(-1)?.role === 'assistant' && endsOnAnswer(asked.messages.at(-1))) {
      const before = ledger.models.findLast(
        (model) => model.started.seq < started.seq && model.responded.some((one) => !isBlank(one.data.message)),
      )
      const continued = before?.responded.some(({ data }) => ['pause-turn', 'length'].includes(data.finish.unified)) ?? false
      if (!continued) violate('S7.1-2 no trailing answer', `${name} ends with an assistant message that has no calls`)
    }
  }
}

function endsOnAnswer(message: { readonly parts: readonly { readonly type: string }[] } | undefined): boolean {
  return message?.parts.every((part) => part.type !== 'tool-call') ?? false
}

function shape(message: Played['asked'][number]['messages'][number], name: string, violate: Checking['violate']): void {
  if (!['user', 'assistant', 'summary'].includes(message.role)) violate('S7.1-2 valid roles', `${name}: ${message.role}`)
  if (message.parts.length === 0) violate('S7.1-2 no blank message', name)
  for (const part of message.parts)
    if (part.type === 'tool-call' && !('settlement' in part))
      violate('P6 every earlier call has its outcome', `${name}: ${JSON.stringify(part)}`)
}

/** P1: an acknowledged input stands in the journal exactly once, a refused one not at all. */
function inputs({ played, ledger, violate }: Checking): void {
  const places = new Map<string, number>()
  for (const entry of ledger.entries) {
    const messages = entry.kind === 'message' ? [entry.data.message] : entry.kind === 'run.requested' ? entry.data.input : []
    for (const message of messages) places.set(textOf(message), (places.get(textOf(message)) ?? 0) + 1)
  }
  const expect = (text: string, ok: boolean | undefined, code: string) => {
    const found = places.get(text) ?? 0
    if (found > 1) violate('P1 an input is recorded once', `'${text}' stands ${found} times`)
    if (ok === true && found === 0) violate('P1 an acknowledged input is never lost', `'${text}'`)
    if (ok === false && found > 0 && (code === 'RunInvalidState' || code === 'SessionNotFound'))
      violate('P1 a refused input writes nothing', `'${text}' (${code})`)
  }
  for (const { act, ok, code } of played.deeds) if (act.kind === 'send') expect(act.text, ok, code)
  for (const { launch, ack } of played.launched) expect(launch.text, ack === undefined ? undefined : ack === 'ok', ack ?? '')
  for (const { act, ok, ackLength } of played.deeds) {
    if (act.kind !== 'send' || ok !== true) continue
    const seq = ledger.entries.find(
      (entry) => (entry.kind === 'message' || entry.kind === 'run.requested') && JSON.stringify(entry.data).includes(`"${act.text}"`),
    )?.seq
    if (seq !== undefined && seq > ackLength)
      violate('P1 acknowledged once it is written', `'${act.text}' at ${seq}, acknowledged at ${ackLength}`)
  }
}

/** P8: after a cancel is on record nothing starts, and it settles within the grace time. */
function cancels({ played, ledger, violate, timeOf }: Checking): void {
  const { policies } = played.script.agent
  const grace = Math.max(policies.graceMs, 50)
  const calm = played.script.store.faults === 0 && played.script.store.fatalAt === 0 && !played.script.second
  for (const run of ledger.runs.values()) {
    const cancel = run.controls.find((entry) => entry.data.action === 'cancel')
    if (cancel === undefined) continue
    for (const entry of run.entries)
      if (
        entry.seq > cancel.seq &&
        (entry.kind === 'call.started' ||
          entry.kind === 'model.started' ||
          entry.kind === 'call.prepared' ||
          entry.kind === 'call.deferred')
      ) {
        // A verdict or a suspension that was under way may still be noted; a start may not.
        if (entry.kind === 'call.prepared' || (entry.kind === 'call.deferred' && entry.data.why === 'suspended')) continue
        violate('P8 after a cancel nothing starts', `entry ${entry.seq} (${entry.kind}) follows the cancel at ${cancel.seq}`)
      }
    const end = run.finished[0]
    const slack = played.script.store.latency === 'ms' ? 200 : 0
    const took = end === undefined ? 0 : timeOf(end) - timeOf(cancel)
    if (calm && !(took <= grace + slack)) violate('P8 a cancel settles within grace', `run ${run.runId} took ${took} ms, grace is ${grace}`)
    if (end !== undefined && end.data.status !== 'aborted' && run.finished.length > 0 && end.seq > cancel.seq)
      violate('P8 a cancelled run is aborted', `run ${run.runId} ended as ${end.data.status}`)
  }
}

/** Decision 0009: a run with a time limit ends by itself, whatever never comes. */
function endsByItself({ played, ledger, violate }: Checking): void {
  const { agent, store, second, suspendAlways } = played.script
  const calm = store.faults === 0 && store.fatalAt === 0 && !second && !suspendAlways && agent.limits.timeSliceMs === undefined
  if (!calm || agent.limits.maxDurationMs === undefined) return
  for (const run of ledger.runs.values())
    for (const { data, seq } of run.controls) {
      // A server may have asked to wait for minutes, and that wait was not over.
      const last = run.entries.findLast((entry) => entry.seq < seq && (entry.kind === 'model.failed' || entry.kind === 'model.started'))
      const waits = last?.kind === 'model.failed' && (last.data.retryInMs ?? 0) > 10_000
      if (data.reason === 'it hangs' && !waits)
        violate('decision 0010: nothing is waited for for ever', `run ${run.runId} had to be ended at entry ${seq}`)
    }
}

/** What the tools that have one say of their time limit (ms). */
const timeLimits: ReadonlyMap<string, number> = new Map([
  ['find', 400],
  ['payt', 500],
  ['backpay', 500],
])

/** C31, C33, decision 0008: time limits of tools and waits for retries are what they are, whatever the clocks do. */
function waits({ played, ledger, violate, timeOf }: Checking): void {
  const { faults, fatalAt, latency } = played.script.store
  const slack = (latency === 'ms' ? 200 : 0) + Math.max(played.script.agent.policies.graceMs, 50)
  const calm = faults === 0 && fatalAt === 0 && !played.script.second
  for (const call of ledger.calls.values()) {
    const limit = timeLimits.get(call.part.toolName)
    const [start, settled] = [call.started.at(-1), call.settled[0]]
    if (limit === undefined || start === undefined || settled === undefined) continue
    const took = timeOf(settled) - timeOf(start)
    const timedOut = settled.data.settlement.outcome === 'timeout' && settled.data.by === 'machine' && call.deferred.length === 0
    if (timedOut && took < limit) violate('C31 a tool has its time', `${call.callId} timed out after ${took} ms of ${limit}`)
    if (calm && call.deferred.length === 0 && took > limit + slack)
      violate('C31 a tool has no more than its time', `${call.callId} took ${took} ms of ${limit}`)
  }
  for (const { started, failed } of ledger.models) {
    const { n, attempt } = started.data
    const wait = failed[0]?.data.retryInMs
    const next = ledger.models.find(({ started: again }) => again.data.n === n && again.data.attempt === attempt + 1)?.started
    if (failed[0] === undefined || wait === undefined || next === undefined || next.epoch !== failed[0].epoch) continue
    const waited = timeOf(next) - timeOf(failed[0])
    if (waited < wait) violate('C33 a retry waits', `model call ${n}.${attempt + 1} came after ${waited} ms of ${wait}`)
  }
}
