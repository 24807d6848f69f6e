import { createHash } from 'node:crypto'
import { canonicalJson, type Json, type JsonObject } from '../../core/json.ts'
import { jsonSchemaOf } from '../../core/json-schema-of.ts'
import { type Message, type Part, resultText } from '../../core/message.ts'
import type { Model, ModelRequest } from '../../core/model.ts'
import type { ProviderTool, Tool } from '../../core/tool.ts'
import { mapStrings, maskText } from './mask.ts'

/** What of a request matters. Long pieces stand under their digest, so that each is written once, however often it is sent. */
export interface Described {
  readonly fingerprint: string
  readonly model: string
  readonly purpose: string
  /** Digests. */
  readonly instructions: string
  readonly tools: string
  readonly messages: readonly string[]
  /** Tool choice, settings, output schema. */
  readonly rest: Json
  readonly pieces: ReadonlyMap<string, Json>
}

/** Media of more characters is told by its digest. */
const maxData = 200

/** Says what requests of one model are. */
export class Describer {
  readonly #model: string
  readonly #own: ((text: string) => string) | undefined
  /** Messages are immutable, and the same objects come in each request of a run. */
  readonly #known = new WeakMap<Message, { readonly digest: string; readonly piece: Json }>()

  constructor({ provider, id }: Model, normalize: ((text: string) => string) | undefined) {
    this.#model = `${provider}:${id}`
    this.#own = normalize
  }

  /** What can't change the answer is left out: retries, time limits, ids of ours and of providers, opaque data. */
  describe(request: ModelRequest): Described {
    const pieces = new Map<string, Json>()
    const put = (piece: Json): string => {
      const digest = digestOf(piece)
      pieces.set(digest, piece)
      return digest
    }
    const messages: string[] = []
    for (const message of request.messages) {
      const { digest, piece } = this.#message(message)
      pieces.set(digest, piece)
      messages.push(digest)
    }
    const { maxRetries: _, timeoutMs: __, ...settings } = request.settings
    const rest = this.#normalized({
      ...(request.toolChoice === 'auto' ? {} : { toolChoice: request.toolChoice }),
      ...(Object.keys(settings).length === 0 ? {} : { settings: plain(settings) }),
      ...(request.outputSchema === undefined ? {} : { outputSchema: request.outputSchema }),
    })
    const described = {
      model: this.#model,
      purpose: request.purpose,
      instructions: put(this.#normalized(request.instructions)),
      tools: put(this.#normalized(request.tools.map(toolOf))),
      messages,
      rest,
    }
    return { fingerprint: digestOf(described), ...described, pieces }
  }

  #message(message: Message): { readonly digest: string; readonly piece: Json } {
    const known = this.#known.get(message)
    if (known !== undefined) return known
    const piece = this.#normalized({ role: message.role, parts: message.parts.map(partOf) })
    const made = { digest: digestOf(piece), piece }
    this.#known.set(message, made)
    return made
  }

  #normalized(value: Json): Json {
    return mapStrings(value, (text, field) => maskText(this.#own === undefined ? text : this.#own(text), field))
  }
}

function digestOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 16)
}

/** As it would be sent. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value))
}

function toolOf(tool: Tool | ProviderTool): JsonObject {
  if ('providerTool' in tool) return { provider: tool.provider, providerTool: tool.providerTool }
  return { name: tool.name, description: tool.description, input: jsonSchemaOf(tool.inputSchema, `the input of '${tool.name}'`) }
}

function partOf(part: Part): Json {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text }
    case 'source':
      return { type: 'source', url: part.url, title: part.title }
    case 'image':
    case 'file':
      return { type: part.type, mediaType: part.mediaType, name: part.name, data: shortData(part.data ?? part.ref ?? '') }
    case 'tool-call': {
      const { toolName, input, rawInput, content, settlement, providerExecuted } = part
      const result = typeof content === 'object' ? content.map(partOf) : resultText(part)
      return { type: 'tool-call', toolName, input, rawInput, outcome: settlement?.outcome, result, providerExecuted }
    }
  }
}

function shortData(data: string): string {
  return data.length <= maxData ? data : `${data.length} characters, ${digestOf(data)}`
}
