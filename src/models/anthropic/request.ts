import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { wellFormed } from '../../core/text.ts'
import type { ProviderTool, Tool } from '../../core/tool.ts'
import { schemaWords } from '../../core/wording.ts'
import { type FrameParts, Frames, hostedTool, providerFields } from '../http/frames.ts'
import { anthropicSchemas, anthropicStrictSchemas, convertSchema } from '../schema/index.ts'
import { choiceFields, isThinking, outputLimit, samplingFields, type Target, thinkingFields } from './thinking.ts'

/** What of a request is no message. */
export interface RequestFrame {
  /** Opens the object and its list of messages. */
  readonly head: Uint8Array
  /** Closes the list, then everything else but the last bracket. */
  readonly tail: Uint8Array
  /** Put into the last block of the last message, where that is to be cached. */
  readonly mark: string
  /** Whether the model goes on with an answer that the conversation ends with. */
  readonly prefill: boolean
  readonly hasTools: boolean
  /** What the user says of where programs of the provider run: its id, or what is to be there. */
  readonly container: Json | undefined
}

export interface FrameOptions {
  /** What stands first in each body. */
  readonly fields: JsonObject
  readonly cache: true | { readonly ttl: '5m' | '1h' } | undefined
  /** Default true. */
  readonly parallelCalls: boolean | undefined
}

const encoder = new TextEncoder()

/** So many places of a request may be marked for the cache. */
const maxMarks = 4

/** The frames of one model's requests. */
export class MessagesFrames {
  readonly #target: Target
  readonly #options: FrameOptions
  readonly frames = new Frames((parts) => this.#make(parts))

  constructor(target: Target, options: FrameOptions) {
    this.#target = target
    this.#options = options
  }

  #make(parts: FrameParts): RequestFrame {
    const { container, ...fields } = this.#fields(parts)
    const first = JSON.stringify(this.#options.fields).slice(0, -1)
    const rest = JSON.stringify(fields).slice(1, -1)
    const cached = this.#mark
    return {
      head: encoder.encode(`${first}${first === '{' ? '' : ','}"messages":[`),
      tail: encoder.encode(`],${rest}`),
      mark: cached === undefined ? '' : `,"cache_control":${JSON.stringify(cached)}`,
      prefill: this.#target.family.prefill && !isThinking(fields['thinking']),
      hasTools: fields['tools'] !== undefined,
      container,
    }
  }

  get #mark(): JsonObject | undefined {
    const { cache } = this.#options
    if (cache === undefined) return undefined
    return cache === true ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: cache.ttl }
  }

  #fields(parts: FrameParts): JsonObject {
    const { instructions, settings, outputSchema, toolChoice } = parts
    const target = this.#target
    const theirs = providerFields(parts, target.provider, ['messages', 'model', 'stream', ...Object.keys(this.#options.fields)])
    const { thinking, effort } = thinkingFields(target, settings)
    const thinks = isThinking(theirs['thinking'] ?? thinking)
    const tools = this.#tools(parts.tools)
    const { format, words } = outputForm(outputSchema)
    const config = { ...(effort === undefined ? {} : { effort }), ...(format === undefined ? {} : { format }) }
    const text = wellFormed([instructions, ...words].filter((part) => part !== '').join('\n\n'))
    const isSystem = text.trim() !== ''
    return merged(
      {
        max_tokens: outputLimit(target, settings),
        ...(isSystem ? { system: [{ type: 'text', text, ...this.#cached(tools.marks < maxMarks - 1) }] } : {}),
        ...(tools.list.length === 0
          ? {}
          : { tools: tools.list, ...choiceFields(target, toolChoice, thinks, this.#options.parallelCalls !== false) }),
        ...(thinking === undefined ? {} : { thinking }),
        ...(Object.keys(config).length === 0 ? {} : { output_config: config }),
        ...samplingFields(target, settings, thinks),
        ...(target.stream ? { stream: true } : {}),
      },
      theirs,
    )
  }

  /** The last one is marked too: what is cached of the tools then outlives a change of the instructions. */
  #tools(tools: readonly (Tool | ProviderTool)[]): { readonly list: readonly JsonObject[]; readonly marks: number } {
    const list = tools.map((tool) => this.#tool(tool))
    const own = list.filter((tool) => tool['cache_control'] !== undefined).length
    const last = list.at(-1)
    if (last === undefined || this.#mark === undefined || last['cache_control'] !== undefined || own >= maxMarks - 2)
      return { list, marks: own }
    return { list: [...list.slice(0, -1), { ...last, ...this.#cached(true) }], marks: own + 1 }
  }

  #cached(mayMark: boolean): JsonObject {
    const mark = this.#mark
    return mark === undefined || !mayMark ? {} : { cache_control: mark }
  }

  #tool(tool: Tool | ProviderTool): JsonObject {
    if (!('providerTool' in tool)) {
      const { name, description, inputJsonSchema } = tool
      return { name, description: wellFormed(description), input_schema: convertSchema(inputJsonSchema, anthropicSchemas).schema }
    }
    // Anthropic's own, wherever its models are served.
    const hosted = hostedTool(tool, tool.provider === 'anthropic' ? tool.provider : this.#target.provider)
    return isJsonObject(hosted) ? hosted : {}
  }
}

interface OutputForm {
  readonly format?: JsonObject
  /** Behind the instructions. */
  readonly words: readonly string[]
}

/** The form that the API makes the model keep to. A schema that can't be brought to it (it has records, or comes back to itself) would be refused, and is told in words. */
function outputForm(outputSchema: Json | undefined): OutputForm {
  if (outputSchema === undefined) return { words: [] }
  const { schema, strict } = convertSchema(outputSchema, anthropicStrictSchemas)
  return strict ? { format: { type: 'json_schema', schema }, words: [] } : { words: [schemaWords(outputSchema)] }
}

/** What they say goes over ours; an effort of theirs leaves our schema in its place. */
function merged(ours: JsonObject, theirs: JsonObject): JsonObject {
  const [a, b] = [ours['output_config'], theirs['output_config']]
  return { ...ours, ...theirs, ...(isJsonObject(a) && isJsonObject(b) ? { output_config: { ...a, ...b } } : {}) }
}
