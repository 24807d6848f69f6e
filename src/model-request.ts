import type { MachineConfig } from './core/config.ts'
import { isToldSchema } from './core/decide-output.ts'
import { type Message, textMessage } from './core/message.ts'
import type { Model, ModelRequest, ModelSettings } from './core/model.ts'
import { isProviderTool, type Offered } from './core/offered-tools.ts'
import type { OpenModelCall, SessionState } from './core/state.ts'
import { Transcript } from './core/transcript.ts'
import { wrapUpRequest } from './core/wording.ts'
import type { Policies, ToolChoice } from './options.ts'
import { type OutputSchema, schemaInstructions } from './output/schema.ts'

/** What of a run's options is for its requests. */
export interface RequestParts {
  readonly model: Model
  readonly tools: readonly Offered[]
  readonly toolChoice: ToolChoice | undefined
  readonly settings: ModelSettings | undefined
  readonly policies: Policies | undefined
  readonly output: OutputSchema | undefined
}

/** One object for all requests: adapters know by it that nothing has changed. */
const noSettings: ModelSettings = {}

/** The request of an open call: a view on the state's own turns; nothing is copied. */
export function requestOf(parts: RequestParts, config: MachineConfig, state: SessionState, open: OpenModelCall): ModelRequest {
  const request = plainRequest(parts, config, state, open)
  return parts.output === undefined || !isToldSchema(config, open.purpose) ? request : withSchema(request, parts.model, parts.output)
}

function plainRequest(parts: RequestParts, config: MachineConfig, state: SessionState, open: OpenModelCall): ModelRequest {
  const { purpose } = open
  const instructions = state.live.setup?.instructions ?? ''
  const messages = Transcript.of(state, open.through)
  const settings = parts.settings ?? noSettings
  const tools = describedTools(parts.tools, open)
  if (purpose === 'main') return { instructions, messages, tools, toolChoice: toolChoiceOf(parts, state), settings, purpose }
  // The tools stay, so that what was sent before is the same up to its end and a provider's cache holds; and some refuse calls of the past
  // when no tool is declared.
  const asked =
    purpose === 'wrap-up' ? followedBy(messages, textMessage('user', wrapUpRequest(open.reason ?? 'stopped', config))) : messages
  return { instructions, messages: asked, tools, toolChoice: 'none', settings, purpose }
}

/** A model that takes no schema is told of it in words. */
function withSchema(request: ModelRequest, model: Model, schema: OutputSchema): ModelRequest {
  if (model.capabilities.structuredOutput === 'native') return { ...request, outputSchema: schema.wire }
  const { instructions } = request
  const words = schemaInstructions(schema)
  return { ...request, instructions: instructions === '' ? words : `${instructions}\n\n${words}` }
}

function followedBy(messages: Iterable<Message>, last: Message): Iterable<Message> {
  return {
    *[Symbol.iterator]() {
      yield* messages
      yield last
    },
  }
}

/** A forced choice holds for the first iteration only, else the model could never answer (B173). */
function toolChoiceOf(parts: RequestParts, { live }: SessionState): ToolChoice {
  const choice = parts.toolChoice ?? 'auto'
  const forced = choice !== 'auto' && choice !== 'none'
  // It may have been chosen for the run in another process, which had it.
  if (typeof choice === 'object' && !parts.tools.some((tool) => !isProviderTool(tool) && tool.name === choice.tool)) return 'auto'
  const first = (live.run?.iteration ?? 1) <= 1
  return forced && !first && parts.policies?.toolChoiceEvery !== true ? 'auto' : choice
}

function describedTools(tools: readonly Offered[], open: OpenModelCall): readonly Offered[] {
  const texts = open.extra?.['descriptions']
  if (typeof texts !== 'object' || texts === null) return tools
  return tools.map((tool) => {
    if (isProviderTool(tool)) return tool
    const text: unknown = Reflect.get(texts, tool.name)
    return typeof text === 'string' ? { ...tool, description: text } : tool
  })
}
