import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { ModelRequest, ModelSettings } from '../../core/model.ts'
import { wellFormed } from '../../core/text.ts'
import type { ProviderTool, Tool } from '../../core/tool.ts'
import { type FrameParts, Frames, hostedTool, optional, providerFields } from '../http/frames.ts'
import { convertSchema, type SchemaProfile } from '../schema/index.ts'
import { checkToolCount } from '../tool-names.ts'
import type { Dialect } from './dialect.ts'

/** What of a request is no message. */
export interface RequestFrame {
  /** Opens the object and its list of messages, with the instructions as the first one; the messages follow, each with a comma before it. */
  readonly head: Uint8Array
  /** Whether the head ends with a message, so that a comma may follow. */
  readonly headHasMessage: boolean
  /** Closes the list, then everything else. */
  readonly tail: Uint8Array
}

const encoder = new TextEncoder()

/** The frames of one model's requests. */
export class ChatFrames {
  readonly #model: string
  readonly #stream: boolean
  readonly #dialect: Dialect
  readonly #frames = new Frames((parts) => this.#make(parts))
  readonly #strictTools: boolean

  constructor(model: string, dialect: Dialect, { stream, strictTools }: { readonly stream: boolean; readonly strictTools: boolean }) {
    this.#model = model
    this.#stream = stream
    this.#dialect = dialect
    this.#strictTools = strictTools
  }

  of(request: ModelRequest): RequestFrame {
    return this.#frames.of(request)
  }

  #make(parts: FrameParts): RequestFrame {
    const { instructions } = parts
    const first = instructions === '' ? '' : `{"role":"system","content":${JSON.stringify(wellFormed(instructions))}}`
    const rest = JSON.stringify(this.#fields(parts)).slice(1)
    return {
      head: encoder.encode(`{"model":${JSON.stringify(this.#model)},"messages":[${first}`),
      headHasMessage: first !== '',
      tail: encoder.encode(rest === '}' ? ']}' : `],${rest}`),
    }
  }

  #fields(parts: FrameParts): JsonObject {
    const {
      maxTokensField = 'max_tokens',
      provider,
      reasoningAs = 'effort',
      seedField = 'seed',
      streamOptions,
      streamUsage = true,
      maxTools,
      schemas,
    } = this.#dialect
    const { settings, outputSchema } = parts
    checkToolCount(parts.tools, maxTools, provider)
    const customs = customNames(parts.tools)
    const tools = toolsOf(parts, this.#dialect)
      // A tool of ours that runs the calls of a custom one is declared by that.
      .filter((tool) => 'providerTool' in tool || !customs.has(tool.name))
      .map((tool) => toolJson(tool, this.#dialect, this.#strictTools ? schemas.strictTools : schemas.tools))
    return {
      ...(this.#stream ? { stream: true } : {}),
      ...(this.#stream && streamUsage ? { stream_options: { include_usage: true, ...streamOptions } } : {}),
      ...(tools.length === 0 ? {} : { tools, ...choiceJson(parts.toolChoice, this.#dialect, customs) }),
      ...optional(maxTokensField, settings.maxOutputTokens),
      ...optional('temperature', settings.temperature),
      ...optional('top_p', settings.topP),
      ...optional(seedField, settings.seed),
      ...optional('stop', settings.stop === undefined ? undefined : [...settings.stop]),
      ...(settings.reasoning === undefined ? {} : reasoningForms[reasoningAs](settings.reasoning)),
      ...(outputSchema === undefined ? {} : { response_format: outputJson(outputSchema, schemas.output) }),
      ...providerFields(parts, provider, ['messages', 'model', 'stream']),
    }
  }
}

function toolJson(tool: Tool | ProviderTool, { provider }: Dialect, profile: SchemaProfile): Json {
  if ('providerTool' in tool) return hostedTool(tool, provider)
  const { name, description, inputJsonSchema } = tool
  const { schema, strict } = convertSchema(inputJsonSchema, profile)
  const fields = { name, description: wellFormed(description), parameters: schema }
  return { type: 'function', function: strict ? { ...fields, strict } : fields }
}

type Effort = NonNullable<ModelSettings['reasoning']>

/** How much the model shall reason. Servers that only know whether it shall are told that. */
const reasoningForms: { readonly [form in NonNullable<Dialect['reasoningAs']>]: (effort: Effort) => JsonObject } = {
  effort: (effort) => ({ reasoning_effort: effort }),
  'none-or-high': (effort) => ({ reasoning_effort: effort === 'none' ? effort : 'high' }),
  object: (effort) => ({ reasoning: { effort } }),
  thinking: (effort) => ({ thinking: { type: effort === 'none' ? 'disabled' : 'enabled' } }),
  enable_thinking: (effort) => ({ enable_thinking: effort !== 'none' }),
  unsaid: () => ({}),
}

/** Where a choice can't name the tool that is chosen, it is the only one. */
function toolsOf({ tools, toolChoice }: FrameParts, { namesChoice = true, noneAs }: Dialect): FrameParts['tools'] {
  if (toolChoice === 'none' && noneAs === 'no-tools') return []
  if (namesChoice || typeof toolChoice === 'string') return tools
  return tools.filter((tool) => ('providerTool' in tool ? customName(tool) : tool.name) === toolChoice.tool)
}

function customNames(tools: FrameParts['tools']): ReadonlySet<string> {
  return new Set(tools.flatMap((tool) => ('providerTool' in tool ? (customName(tool) ?? []) : [])))
}

/** Of a tool that is given a text: `{ type: 'custom', custom: { name } }`. */
function customName({ providerTool }: ProviderTool): string | undefined {
  const custom = isJsonObject(providerTool) ? providerTool['custom'] : undefined
  return isJsonObject(custom) && typeof custom['name'] === 'string' ? custom['name'] : undefined
}

function choiceJson(
  choice: ModelRequest['toolChoice'],
  { requiredChoice = 'required', namesChoice = true }: Dialect,
  customs: ReadonlySet<string>,
): JsonObject {
  if (choice === 'auto') return {}
  if (choice === 'required' || (typeof choice === 'object' && !namesChoice)) return { tool_choice: requiredChoice }
  if (typeof choice === 'string') return { tool_choice: choice }
  const named = { name: choice.tool }
  return { tool_choice: customs.has(choice.tool) ? { type: 'custom', custom: named } : { type: 'function', function: named } }
}

function outputJson(outputSchema: Json, profile: SchemaProfile): Json {
  const { schema, strict } = convertSchema(outputSchema, profile)
  return { type: 'json_schema', json_schema: strict ? { name: 'output', strict, schema } : { name: 'output', schema } }
}
