import type { Json, JsonObject } from '../../core/json.ts'
import { canonicalJson, isJsonObject } from '../../core/json.ts'
import type { FailedOutcome, ToolCallPart } from '../../core/message.ts'
import { outputOf } from './results.ts'
import type { Capability, ToolSpec, Wish } from './tools.ts'
import { answersWish, capabilities, matchTool } from './tools.ts'

/** What a wish has come to. `problem` is a sentence for the user with the way on. */
export type Finding =
  | { readonly state: 'ready'; readonly output: Json | undefined; readonly toolName: string }
  | { readonly state: 'waiting' }
  | { readonly state: 'problem'; readonly problem: string; readonly why: 'failed' | 'no-tool' | 'stopped' }

export interface WantedCall {
  readonly toolName: string
  readonly input: JsonObject
}

/**
 * Where a plan gets what it needs. A plan runs from its top for every model call: what the transcript has is there, what it lacks
 * becomes a call. So the transcript is the only state, an identical call is never made twice, and calls that don't depend on each
 * other are made together.
 */
export interface Desk {
  ask(capability: Capability, wish: Wish): Finding
  /** Whether a tool can take all of such a wish. */
  can(capability: Capability, wish: Wish): boolean
}

export interface DeskOptions {
  readonly tools: readonly ToolSpec[]
  readonly calls: readonly ToolCallPart[]
  /** No more calls: the run was stopped and the answer is due. */
  readonly stopped: boolean
}

/** In one response, and for one task: a plan that wants more says what it left out. */
const maxCallsTogether = 32
const maxCallsForTask = 200

export function openDesk(options: DeskOptions): { readonly desk: Desk; readonly wanted: ReadonlyMap<string, WantedCall> } {
  const { tools, calls, stopped } = options
  const made = new Map(calls.map((call) => [keyOf(call.toolName, call.input), call]))
  const wanted = new Map<string, WantedCall>()
  const ask = (capability: Capability, wish: Wish): Finding => {
    if (stopped) return remembered(calls, capability, wish)
    const call = matchTool(tools, capability, wish)
    if (call === undefined) return withoutTool(capability)
    const key = keyOf(call.toolName, call.input)
    const done = made.get(key)
    if (done !== undefined) return settled(done)
    if (made.size + wanted.size >= maxCallsForTask && !wanted.has(key)) return { state: 'problem', problem: tooManyCalls, why: 'stopped' }
    if (wanted.size < maxCallsTogether) wanted.set(key, call)
    return { state: 'waiting' }
  }
  return { desk: { ask, can: (capability, wish) => matchTool(tools, capability, wish)?.whole === true }, wanted }
}

function keyOf(toolName: string, input: Json): string {
  return `${toolName} ${canonicalJson(input)}`
}

/** A wrap-up request has no tools, so no schemas: the calls that were made must be told by their arguments. */
function remembered(calls: readonly ToolCallPart[], capability: Capability, wish: Wish): Finding {
  const call = calls.find((one) => answersWish(one, capability, wish))
  return call === undefined ? stoppedBefore(capability) : settled(call)
}

function settled(call: ToolCallPart): Finding {
  const { toolName, settlement } = call
  if (settlement?.outcome === 'ok') return { state: 'ready', output: outputOf(call), toolName }
  const about = isJsonObject(call.input) && typeof call.input['path'] === 'string' ? ` for '${call.input['path']}'` : ''
  if (settlement === undefined) return failed(`${toolName}${about} has no result. Ask again to have it tried again.`)
  const message = settlement.error.message.trim().replace(/[.\s]+$/, '')
  return failed(`${toolName}${about} did not succeed (${settlement.outcome}): ${message}. ${wayOn[settlement.outcome]}`)
}

const wayOn: { readonly [O in FailedOutcome]: string } = {
  error: 'Check the name: "list the files" shows what is there.',
  invalid: 'The tool does not take what I can tell it.',
  denied: 'Ask again and approve the call, or ask for something else.',
  timeout: 'Ask again, or for a smaller part.',
  cancelled: 'Ask again to have it tried again.',
  skipped: 'Ask again to have it tried again.',
  truncated: 'Ask again to have it tried again.',
  unknown: 'Its effect is not known: check before you ask again.',
}

function failed(problem: string): Finding {
  return { state: 'problem', problem, why: 'failed' }
}

function withoutTool(capability: Capability): Finding {
  const { usual, does } = capabilities[capability]
  const problem = `I would need a tool that ${does}, such as ${usual}, and was given none. Give the agent that tool and ask again.`
  return { state: 'problem', problem, why: 'no-tool' }
}

const tooManyCalls = `This needs more than ${maxCallsForTask} calls, my limit for one task. Ask for a smaller part.`

function stoppedBefore(capability: Capability): Finding {
  const { usual, does } = capabilities[capability]
  return { state: 'problem', problem: `I was stopped before I could use a tool that ${does} (${usual}).`, why: 'stopped' }
}
