import { RondoError } from '../../core/error.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { ModelRequest, ModelSettings } from '../../core/model.ts'
import { wellFormed } from '../../core/text.ts'
import type { ProviderTool, Tool } from '../../core/tool.ts'
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

/** What a frame is made of. Two requests of which these are the same have the same frame. */
type Parts = Pick<ModelRequest, 'instructions' | 'tools' | 'toolChoice' | 'outputSchema' | 'settings'>

const encoder = new TextEncoder()

/** Frames of one model: the last one is kept, for nearly all requests of a run have the same. */
export class Frames {
  readonly #model: string
  readonly #stream: boolean
  readonly #dialect: Dialect
  readonly #strictTools: boolean
  #last: { readonly parts: Parts; readonly frame: RequestFrame } | undefined

  constructor(model: string, dialect: Dialect, { stream, strictTools }: { readonly stream: boolean; readonly strictTools: boolean }) {
    this.#model = model
    this.#stream = stream
    this.#dialect = dialect
    this.#strictTools = strictTools
  }

  frame(request: ModelRequest): RequestFrame {
    const last = this.#last
    if (last !== undefined && sameParts(last.parts, request)) return last.frame
    const { instructions, tools, toolChoice, settings } = request
    const parts = {
      instructions,
      tools,
      toolChoice,
      settings,
      ...(request.outputSchema === undefined ? {} : { outputSchema: request.outputSchema }),
    }
    const frame = this.#make(parts)
    this.#last = { parts, frame }
    return frame
  }

  #make(parts: Parts): RequestFrame {
    const { instructions } = parts
    const first = instructions === '' ? '' : `{"role":"system","content":${JSON.stringify(wellFormed(instructions))}}`
    const rest = JSON.stringify(this.#fields(parts)).slice(1)
    return {
      head: encoder.encode(`{"model":${JSON.stringify(this.#model)},"messages":[${first}`),
      headHasMessage: first !== '',
      tail: encoder.encode(rest === '}' ? ']}' : `],${rest}`),
    }
  }

  #fields(parts: Parts): JsonObject {
    const { maxTokensField, maxTools, provider, schemas } = this.#dialect
    const { settings, outputSchema } = parts
    checkToolCount(parts.tools, maxTools, provider)
    const tools = parts.tools.map((tool) => toolJson(tool, this.#dialect, this.#strictTools ? schemas.strictTools : schemas.tools))
    return {
      ...(this.#stream ? { stream: true, stream_options: { include_usage: true, ...this.#dialect.streamOptions } } : {}),
      ...(tools.length === 0 ? {} : { tools, ...choiceJson(parts.toolChoice) }),
      ...optional(maxTokensField, settings.maxOutputTokens),
      ...optional('temperature', settings.temperature),
      ...optional('top_p', settings.topP),
      ...optional('seed', settings.seed),
      ...optional('stop', settings.stop === undefined ? undefined : [...settings.stop]),
      ...optional('reasoning_effort', settings.reasoning),
      ...(outputSchema === undefined ? {} : { response_format: outputJson(outputSchema, schemas.output) }),
      ...providerFields(settings, provider),
    }
  }
}

function sameParts(a: Parts, b: Parts): boolean {
  return (
    a.instructions === b.instructions &&
    a.tools === b.tools &&
    a.toolChoice === b.toolChoice &&
    a.outputSchema === b.outputSchema &&
    a.settings === b.settings
  )
}

function optional(name: string, value: Json | undefined): JsonObject {
  return value === undefined ? {} : { [name]: value }
}

function toolJson(tool: Tool | ProviderTool, { provider }: Dialect, profile: SchemaProfile): Json {
  if ('providerTool' in tool) {
    if (tool.provider === provider) return tool.providerTool
    throw new RondoError(
      'ConfigInvalid',
      `A tool of the provider '${tool.provider}' can't be run by '${provider}'. Leave it out, or use a model of its provider.`,
    )
  }
  const { name, description, inputJsonSchema } = tool
  const { schema, strict } = convertSchema(inputJsonSchema, profile)
  const fields = { name, description: wellFormed(description), parameters: schema }
  return { type: 'function', function: strict ? { ...fields, strict } : fields }
}

function choiceJson(choice: ModelRequest['toolChoice']): JsonObject {
  if (choice === 'auto') return {}
  return { tool_choice: typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.tool } } }
}

function outputJson(outputSchema: Json, profile: SchemaProfile): Json {
  const { schema, strict } = convertSchema(outputSchema, profile)
  return { type: 'json_schema', json_schema: strict ? { name: 'output', strict, schema } : { name: 'output', schema } }
}

/** What the user says to this provider goes over everything but what the transport depends on. */
function providerFields({ providerOptions }: ModelSettings, provider: string): JsonObject {
  const fields = providerOptions?.[provider]
  if (!isJsonObject(fields)) return {}
  const { messages: _messages, model: _model, stream: _stream, ...rest } = fields
  return rest
}
