import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { ModelRequest } from '../../core/model.ts'
import { wellFormed } from '../../core/text.ts'
import type { Tool } from '../../core/tool.ts'
import { type FrameParts, Frames, hostedTool, optional, providerFields } from '../http/frames.ts'
import { convertSchema, openaiSchemas, openaiStrictSchemas } from '../schema/index.ts'
import { checkToolCount } from '../tool-names.ts'
import { runsHere } from './client-calls.ts'

/** What of a request is no item of its input. */
export interface RequestFrame {
  /** Opens the object and the list of items, each of which follows with a comma before it. */
  readonly head: Uint8Array
  /** Closes the list. What a session has of its own follows, then `rest`. */
  readonly rest: Uint8Array
  /** What the user says in the place of that. */
  readonly own: JsonObject
}

/** What all requests of a model have in common. */
export interface FrameOptions {
  readonly provider: string
  readonly model: string
  readonly stream: boolean
  readonly streamOptions: JsonObject | undefined
  readonly store: boolean
  /** Whether reasoning is asked for in a form that can be sent back. */
  readonly encrypted: boolean
  readonly reasoningSummary: string | undefined
  readonly strictTools: boolean
  /** More tools than this are an error before anything is sent. `undefined`: no limit is known. */
  readonly maxTools: number | undefined
}

const encoder = new TextEncoder()

/** The frames of one model's requests. */
export class ResponsesFrames {
  readonly #options: FrameOptions
  readonly #frames = new Frames((parts) => this.#make(parts))

  constructor(options: FrameOptions) {
    this.#options = options
  }

  of(request: ModelRequest): RequestFrame {
    return this.#frames.of(request)
  }

  #make(parts: FrameParts): RequestFrame {
    const { instructions, ...fields } = this.#fields(parts)
    const { previous_response_id: from, prompt_cache_key: cacheKey, ...rest } = fields
    const told = optional('instructions', instructions ?? (parts.instructions === '' ? undefined : wellFormed(parts.instructions)))
    const head = JSON.stringify({ model: this.#options.model, ...told })
    return {
      head: encoder.encode(`${head.slice(0, -1)},"input":[`),
      rest: encoder.encode(`,${JSON.stringify(rest).slice(1)}`),
      own: { ...optional('previous_response_id', from), ...optional('prompt_cache_key', cacheKey) },
    }
  }

  #fields(parts: FrameParts): JsonObject {
    const { tools, toolChoice, settings, outputSchema } = parts
    const { stream, streamOptions, store, encrypted, provider, reasoningSummary, maxTools } = this.#options
    const { tools: hosted, ...own } = providerFields(parts, provider, ['input', 'model', 'stream'])
    const effort = optional('effort', settings.reasoning)
    const format = outputSchema === undefined ? {} : { format: outputJson(outputSchema) }
    checkToolCount(tools, maxTools, provider)
    return {
      stream,
      ...(stream && streamOptions !== undefined ? { stream_options: streamOptions } : {}),
      store,
      ...toolFields(tools, Array.isArray(hosted) ? hosted : [], toolChoice, this.#options),
      ...optional('max_output_tokens', settings.maxOutputTokens),
      ...optional('temperature', settings.temperature),
      ...optional('top_p', settings.topP),
      ...optional('seed', settings.seed),
      ...optional('stop', settings.stop === undefined ? undefined : [...settings.stop]),
      ...own,
      ...merged('reasoning', { ...effort, ...optional('summary', reasoningSummary) }, own),
      ...merged('text', format, own),
      ...included(encrypted ? ['reasoning.encrypted_content'] : [], own['include']),
    }
  }
}

/** An object of which both have fields: what the user says goes over ours. */
function merged(name: string, ours: JsonObject, own: JsonObject): JsonObject {
  const theirs = own[name]
  if (theirs !== undefined && !isJsonObject(theirs)) return { [name]: theirs }
  const both = { ...ours, ...theirs }
  return Object.keys(both).length === 0 ? {} : { [name]: both }
}

function included(ours: readonly string[], own: Json | undefined): JsonObject {
  const include: readonly Json[] = [...new Set<Json>([...ours, ...(Array.isArray(own) ? own : [])])]
  return include.length === 0 ? {} : { include }
}

/** @param hosted More tools of the provider, as the user names them to it. */
function toolFields(
  tools: FrameParts['tools'],
  hosted: readonly Json[],
  choice: FrameParts['toolChoice'],
  { provider, strictTools }: FrameOptions,
): JsonObject {
  const theirs = [...tools.flatMap((tool) => ('providerTool' in tool ? [hostedTool(tool, provider)] : [])), ...hosted]
  // A tool of ours that runs the calls of one of the provider's is declared by that.
  const runners = new Map<string, JsonObject>()
  for (const tool of theirs) {
    const name = isJsonObject(tool) ? runsHere(tool) : undefined
    if (name !== undefined && isJsonObject(tool)) runners.set(name, tool)
  }
  const ours = tools.flatMap((tool) => ('providerTool' in tool || runners.has(tool.name) ? [] : [toolJson(tool, strictTools)]))
  const all = [...ours, ...theirs]
  return all.length === 0 ? {} : { tools: all, ...choiceJson(choice, runners) }
}

/** The API takes a tool that says nothing of it for a strict one, and its schema for what that is not. */
function toolJson({ name, description, inputJsonSchema }: Tool, isStrict: boolean): Json {
  const { schema, strict } = convertSchema(inputJsonSchema, isStrict ? openaiStrictSchemas : openaiSchemas)
  return { type: 'function', name, description: wellFormed(description), parameters: schema, strict }
}

function outputJson(outputSchema: Json): Json {
  const { schema, strict } = convertSchema(outputSchema, openaiStrictSchemas)
  return { type: 'json_schema', name: 'output', schema, strict }
}

function choiceJson(choice: ModelRequest['toolChoice'], runners: ReadonlyMap<string, JsonObject>): JsonObject {
  if (choice === 'auto') return {}
  if (typeof choice === 'string') return { tool_choice: choice }
  const runner = runners.get(choice.tool)
  if (runner === undefined) return { tool_choice: { type: 'function', name: choice.tool } }
  return { tool_choice: { type: runner['type'], ...optional('name', runner['name']) } }
}
