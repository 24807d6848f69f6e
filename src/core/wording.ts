import type { CallState } from './call-state.ts'
import type { MachineConfig } from './config.ts'
import type { SettlementData } from './entry.ts'
import { type ErrorCode, type ErrorData, errorData, messageOf } from './error.ts'
import type { Json } from './json.ts'
import type { FailedOutcome } from './message.ts'
import type { LimitReason } from './reason.ts'

/** An outcome that the machine or the engine writes itself, worded for the model: what happened and what it can do. */
export function failedSettlement(
  config: Pick<MachineConfig, 'errorText'>,
  call: CallState,
  outcome: FailedOutcome,
  code: ErrorCode,
  text: string,
): SettlementData {
  const message = config.errorText(code, { toolName: call.part.toolName, input: call.input }, text)
  return { outcome, error: errorData(code, message, { retryable: false }) }
}

export const outcomeText = {
  truncated:
    'The response was cut off at the output limit before this call was complete, so it was not run. Send it again, with shorter arguments.',
  blocked: 'The response was blocked or refused, so this call was not run.',
  stray: 'Tools cannot be called in this answer; the call was not run.',
  afterEnd: 'Not run: an earlier call of the same message ended the turn.',
  afterFailure: 'Not run: a call in the background has failed, and the run ends with that.',
  userMessage: 'Not run: the user said something else instead of answering.',
  notAwaited: 'Cancelled: the user said something else before its result came.',
  expired: 'Not run: nobody approved the call in time.',
  noResult: 'No result came in time.',
  cancelled: 'Cancelled before it was complete.',
  notStarted: 'Cancelled before it began.',
  unknownEffect:
    'It is unknown whether this call took effect: it began, and its outcome was lost. Do not repeat it without checking; ask the user if you cannot check.',
  stillRunning: 'The call was stopped after its time limit.',
  timeoutUnsafe:
    'The call did not finish within its time limit and may still be running: it is unknown whether it took effect. Do not repeat it without checking.',
  guarded:
    'Not run: the same call was made before and it is unknown whether it took effect. Check first, or ask the user; it does not run again without an approval.',
  attempts: 'The process ended three times while this call ran; it is not tried again.',
  runEnded: 'Cancelled: the run ended before it was complete.',
  timeLimit: 'Cancelled: the time limit of the run was reached.',
} as const

/** What ends a run because a function of the user, without whose answer it can't go on, threw. `what` names the function. */
export function hookFailure(what: string, cause: unknown): ErrorData {
  return errorData('HookFailed', `${what} threw: ${messageOf(cause)}`)
}

export function deniedText(reason: string | undefined): string {
  return reason === undefined || reason === ''
    ? 'The user did not allow this call. Do not try it again unless they ask for it.'
    : `The user did not allow this call: ${reason}`
}

/** Of a denial that no human has said. */
export function notAllowedText(reason: string | undefined): string {
  return reason === undefined || reason === ''
    ? 'Not run: calls like this are not allowed here. Do not try it again.'
    : `Not run: calls like this are not allowed here: ${reason}`
}

const limitCodes: { readonly [reason in LimitReason]?: ErrorCode } = {
  max_iterations: 'RunMaxIterations',
  max_tool_rounds: 'RunMaxToolRounds',
  max_tool_calls: 'RunMaxToolCalls',
  max_tool_calls_per_tool: 'RunMaxToolCalls',
  timeout: 'RunTimeout',
  budget_exceeded: 'RunBudgetExceeded',
  no_progress: 'RunNoProgress',
  max_consecutive_errors: 'RunMaxConsecutiveErrors',
  content_blocked: 'ModelContentBlocked',
}

export function limitCode(reason: LimitReason): ErrorCode {
  return limitCodes[reason] ?? 'RunInvalidState'
}

/** A limit in words, with its number where it has one. */
export function limitText(reason: LimitReason, { limits }: Pick<MachineConfig, 'limits'>): string {
  switch (reason) {
    case 'max_iterations':
      return `the limit of ${limits.maxIterations} iterations (limits.maxIterations) was reached`
    case 'max_tool_rounds':
      return `the limit of ${limits.maxToolRounds} tool rounds (limits.maxToolRounds) was reached`
    case 'max_tool_calls':
      return `the limit of ${limits.maxToolCalls} tool calls (limits.maxToolCalls) was reached`
    case 'max_tool_calls_per_tool':
      return `the limit of ${limits.maxCallsPerTool} calls of one tool (limits.maxCallsPerTool) was reached`
    case 'timeout':
      return `the time limit of ${limits.maxDurationMs} ms (limits.maxDurationMs) was reached`
    case 'budget_exceeded':
      return `the budget was used up (limits.maxTokens ${limits.maxTokens}, limits.maxCostUsd ${limits.maxCostUsd})`
    case 'no_progress':
      return 'the same calls gave the same results again and again'
    case 'max_consecutive_errors':
      return `${limits.maxConsecutiveErrors} calls in a row failed (limits.maxConsecutiveErrors)`
    case 'duplicate_tool_call':
      return 'the same call was made too often'
    default:
      return `it ended with ${reason}`
  }
}

/** What a run answers when its wrap-up could not be had. */
export function fallbackText(reason: LimitReason, config: Pick<MachineConfig, 'limits'>): string {
  return `Stopped without a final answer: ${limitText(reason, config)}.`
}

/** The message that asks for the output; `problem`: why the answer before it could not be used, a sentence. */
export function outputRequest(problem: string | undefined): string {
  const form = 'as JSON that fits the output schema and nothing else, without calling tools'
  return problem === undefined ? `Now give the final answer ${form}.` : `${problem} Give the whole answer again, ${form}.`
}

/** Why an answer is no output, in a sentence for the model. */
export const outputText = {
  stray: 'The answer could not be used: it called tools, which cannot be called there.',
  cut: 'The answer could not be used: it was cut off at the output limit. It must be shorter.',
} as const

/** The last user message of a wrap-up request. It is part of the request only and never enters the history. */
export function wrapUpRequest(reason: LimitReason, config: Pick<MachineConfig, 'limits'>): string {
  return (
    `You must stop here, because ${limitText(reason, config)}. Answer now, without tools: say what was done and found, ` +
    'what is missing, and what should happen next.'
  )
}

/** What a model is told that can't be held to a schema by its API. */
export function schemaWords(schema: Json): string {
  return `Your final answer must be one JSON value that fits this JSON Schema, and nothing else: no explanation, no code fence.\n${JSON.stringify(schema)}`
}
