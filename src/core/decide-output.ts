import type { DriverFacts, MachineConfig } from './config.ts'
import { limitMet } from './decide-call.ts'
import type { EntryBody } from './entry.ts'
import { errorData } from './error.ts'
import type { Json } from './json.ts'
import { limitReached, timeLeft } from './limits.ts'
import { textMessage } from './message.ts'
import type { Purpose } from './model.ts'
import type { PlanDraft } from './plan.ts'
import type { RunState, SessionState } from './state.ts'
import { fallbackText, outputRequest, outputText } from './wording.ts'

/** The purpose of the next call for the answer. */
export function answerPurpose(run: RunState, { output }: MachineConfig): 'main' | 'output' {
  return output !== undefined && (output.asked === 'at-once' || run.outputRequests > 0) ? 'output' : 'main'
}

/** Whether a call is told of the output schema. The wrap-up call is the output call (machine 5). */
export function isToldSchema({ output }: Pick<MachineConfig, 'output'>, purpose: Purpose): boolean {
  return output !== undefined && purpose !== 'compaction' && (purpose !== 'main' || output.asked === 'with-tools')
}

/** Whether what the model said last is to be the output: else that has to be asked for. */
export function isOutput(run: RunState, { output }: MachineConfig): boolean {
  return output === undefined || run.lastPurpose === 'output' || output.asked === 'with-tools'
}

/** S4-05: the work is done, and a message asks for its output. What goes on in the background comes first. */
export function askForOutput(
  state: SessionState,
  run: RunState,
  config: MachineConfig,
  now: number,
  driver: DriverFacts,
  plan: PlanDraft,
): void {
  if (state.live.background.length > 0) return
  const limit = limitReached(run, config, now, driver)
  if (limit !== undefined) limitMet(state, run, config, now, driver, plan, limit)
  else plan.follow(requestBody(state, undefined))
}

function requestBody({ live }: SessionState, problem: string | undefined): EntryBody {
  const message = textMessage('user', outputRequest(problem), `m${live.n}.output`)
  return { kind: 'message', data: { origin: 'output-request', message, hidden: true } }
}

/** Has the answer looked at. That is usually done at once; where it has to be waited for, that counts against the time limit. */
export function startComplete(
  state: SessionState,
  run: RunState,
  config: MachineConfig,
  now: number,
  driver: DriverFacts,
  plan: PlanDraft,
): void {
  const key = `complete:${state.live.n}`
  if (driver.holdStarts && driver.isRunning?.(key) !== true) return
  const waited = driver.waited?.(key) ?? 0
  const left = run.wrapText === undefined ? timeLeft(run, config, key, driver) : config.graceMs - waited
  if (waited > 0 && left <= 0) return completeOver(state, run, config, now, driver, plan)
  if (left > 0) plan.wake(now + left)
  plan.start({ kind: 'complete', key })
}

/** Nobody has said in time whether the answer fits. */
function completeOver(state: SessionState, run: RunState, config: MachineConfig, now: number, driver: DriverFacts, plan: PlanDraft): void {
  if (run.wrapText === undefined) limitMet(state, run, config, now, driver, plan, 'timeout')
  else plan.follow(wrapUpBody(run, config, undefined))
}

/** What is to be looked at: a text to be decoded, or the value of a done tool. `problem`: what makes it no output, whatever it says. */
export type Answer = { readonly text: string } | { readonly value: Json } | { readonly problem: string }

export function answerOf({ sealed, live }: SessionState, run: RunState): Answer {
  if (run.wrapText === undefined && run.doneOutput !== undefined) return { value: run.doneOutput }
  const last = sealed[live.sealedCount - 1]
  const mayCall = run.wrapText === undefined && run.lastPurpose === 'main'
  const called = last?.message.parts.some((part) => part.type === 'tool-call' && part.providerExecuted !== true)
  if (called === true && !mayCall) return { problem: outputText.stray }
  if (run.wrapText !== undefined) return { text: run.wrapText }
  return run.last === 'cut-text' ? { problem: outputText.cut } : { text: run.lastText }
}

/** What an answer has come to: the output, as JSON; or why it is none, a sentence for the model. */
export type Decoded = { readonly output: Json } | { readonly problem: string }

/** What follows from it: the end of the run, or a message that asks again (S4-08, S4-09, C24). */
export function decodedBody(state: SessionState, run: RunState, config: MachineConfig, decoded: Decoded): EntryBody {
  const text = run.lastText
  if ('problem' in decoded) {
    const { problem } = decoded
    if (mayAskAgain(run, config)) return requestBody(state, problem)
    return run.wrapText === undefined ? failedBody(run, config, problem) : wrapUpBody(run, config, undefined)
  }
  const { output } = decoded
  if (run.wrapText !== undefined) return wrapUpBody(run, config, output)
  if (run.doneOutput === undefined)
    return { kind: 'run.finished', runId: run.id, data: { status: 'completed', reason: 'completed', text, output } }
  const said = typeof run.doneOutput === 'string' ? run.doneOutput : text
  return { kind: 'run.finished', runId: run.id, data: { status: 'completed', reason: 'done_tool', text: said, output } }
}

function mayAskAgain(run: RunState, { output }: MachineConfig): boolean {
  if (run.wrapText !== undefined) return run.wrapAttempts < 2
  return output !== undefined && run.outputRequests < output.retries + (output.asked === 'after-tools' ? 1 : 0)
}

/** C25: with the text as it came, never with a value that stands for none. */
function failedBody(run: RunState, { output }: MachineConfig, problem: string): EntryBody {
  const tries = (output?.retries ?? 0) + 1
  const error = errorData(
    'OutputDecodingFailed',
    `No answer fits the output schema, after ${tries === 1 ? 'one try' : `${tries} tries`}. ${problem}`,
  )
  return { kind: 'run.finished', runId: run.id, data: { status: 'failed', reason: 'output_decoding_failed', text: run.lastText, error } }
}

/** The end by a limit. A wrap-up that is no output is none: a fixed text stands in. */
function wrapUpBody(run: RunState, config: MachineConfig, output: Json | undefined): EntryBody {
  const reason = run.limit ?? 'stopped'
  const data =
    output === undefined
      ? ({ status: 'incomplete', reason, text: fallbackText(reason, config) } as const)
      : ({ status: 'incomplete', reason, text: run.wrapText ?? '', output } as const)
  return { kind: 'run.finished', runId: run.id, data }
}
