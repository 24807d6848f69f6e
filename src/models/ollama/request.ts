import type { Json, JsonObject } from '../../core/json.ts'
import type { ModelRequest, ModelSettings } from '../../core/model.ts'
import { wellFormed } from '../../core/text.ts'
import type { ProviderTool, Tool } from '../../core/tool.ts'
import { type FrameParts, Frames, hostedTool, optional, providerFields } from '../http/frames.ts'
import { convertSchema, ollamaFormatSchemas, ollamaToolSchemas } from '../schema/index.ts'
import type { OllamaOptions } from './options.ts'

interface Frame {
  readonly head: Uint8Array
  readonly headHasMessage: boolean
  readonly tail: Uint8Array
}

const encoder = new TextEncoder()

/** What of a request is no message. */
export class OllamaFrames {
  readonly #model: string
  readonly #options: OllamaOptions
  readonly #frames = new Frames((parts) => this.#make(parts))

  constructor(model: string, options: OllamaOptions) {
    this.#model = model
    this.#options = options
  }

  of(request: ModelRequest): Frame {
    return this.#frames.of(request)
  }

  #make(parts: FrameParts): Frame {
    const { instructions } = parts
    const first = instructions === '' ? '' : JSON.stringify({ role: 'system', content: wellFormed(instructions) })
    return {
      head: encoder.encode(`{"model":${JSON.stringify(this.#model)},"messages":[${first}`),
      headHasMessage: first !== '',
      tail: encoder.encode(`],${JSON.stringify(this.#fields(parts)).slice(1)}`),
    }
  }

  #fields(parts: FrameParts): JsonObject {
    const { settings, tools, toolChoice, outputSchema } = parts
    const { keepAlive, stream = true } = this.#options
    const { options: more, ...fields } = providerFields(parts, 'ollama', ['model', 'messages', 'stream'])
    const options = { ...this.#modelOptions(settings), ...(typeof more === 'object' && more !== null && !Array.isArray(more) ? more : {}) }
    return {
      stream,
      // There is no choice of tools in this API: 'none' leaves them out, and what must be called is for the model to find out.
      ...(tools.length === 0 || toolChoice === 'none' ? {} : { tools: tools.map(toolJson) }),
      ...(outputSchema === undefined ? {} : { format: convertSchema(outputSchema, ollamaFormatSchemas).schema }),
      ...optional('think', thinkOf(settings.reasoning, this.#model)),
      ...optional('keep_alive', keepAlive),
      ...(Object.keys(options).length === 0 ? {} : { options }),
      ...fields,
    }
  }

  #modelOptions({ maxOutputTokens, temperature, topP, seed, stop }: ModelSettings): JsonObject {
    return {
      ...optional('num_ctx', this.#options.contextTokens),
      ...optional('num_predict', maxOutputTokens),
      ...optional('temperature', temperature),
      ...optional('top_p', topP),
      ...optional('seed', seed),
      ...optional('stop', stop === undefined ? undefined : [...stop]),
    }
  }
}

function toolJson(tool: Tool | ProviderTool): Json {
  if ('providerTool' in tool) return hostedTool(tool, 'ollama')
  const { name, description, inputJsonSchema } = tool
  const parameters = convertSchema(inputJsonSchema, ollamaToolSchemas).schema
  return { type: 'function', function: { name, description: wellFormed(description), parameters } }
}

/** Only gpt-oss knows how much, and can't be kept from it; the others think or don't. https://docs.ollama.com/capabilities/thinking */
function thinkOf(reasoning: ModelSettings['reasoning'], model: string): Json | undefined {
  if (reasoning === undefined) return undefined
  if (/(?:^|\/)gpt-oss\b/.test(model)) return reasoning === 'none' ? 'low' : reasoning
  return reasoning !== 'none'
}
