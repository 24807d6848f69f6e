import type { JsonObject } from '../../core/json.ts'
import type { ModelCapabilities, ModelDelta, ModelRequest } from '../../core/model.ts'
import { wellFormed } from '../../core/text.ts'
import type { HttpApi } from '../http/api.ts'
import { listOf } from '../http/conversation.ts'
import { Conversations } from '../http/conversations.ts'
import type { ApiAnswerer, ResponseDecoder } from '../http/decoder.ts'
import { endpoint } from '../http/model.ts'
import { scopeOf } from '../scope.ts'
import { ContinuedSessions } from './continued.ts'
import { ResponsesDecoder } from './decode.ts'
import type { Dialect } from './dialect.ts'
import { responsesWriting } from './encode.ts'
import type { OpenAIOptions } from './options.ts'
import { ResponsesFrames } from './request.ts'

const encoder = new TextEncoder()

/** The Responses API. */
export class ResponsesApi implements HttpApi {
  readonly provider: string
  readonly answerOf = 'a Responses API'
  readonly url: string
  readonly keyVariable: string | undefined
  readonly capabilities: ModelCapabilities
  readonly #dialect: Dialect
  readonly #frames: ResponsesFrames
  readonly #conversations: Conversations
  readonly #continued: ContinuedSessions | undefined
  readonly #scope: string
  readonly #cacheKey: string | undefined

  constructor(model: string, dialect: Dialect, options: OpenAIOptions) {
    const {
      stream = true,
      store = false,
      previousResponse = false,
      promptCacheKey,
      apiVersion,
      reasoningSummary,
      strictTools = false,
    } = options
    const { provider, mediaInResults = false, encrypts } = dialect
    const url = new URL(endpoint(dialect.baseURL, '/responses'))
    if (apiVersion !== undefined) url.searchParams.set('api-version', apiVersion)
    this.url = url.href
    this.provider = provider
    this.keyVariable = dialect.apiKeyVariable
    this.capabilities = { structuredOutput: 'native', parallelCalls: true, imagesInResults: mediaInResults, reasoning: true }
    this.#dialect = dialect
    this.#scope = scopeOf(provider, 'responses', model)
    this.#cacheKey = promptCacheKey
    const isStored = store || previousResponse
    // What goes on from a response may have to be sent as a whole, because the server has lost it: then its reasoning must be in the history.
    const encrypted = (previousResponse || !isStored) && (options.capabilities?.reasoning ?? encrypts?.test(model) ?? false)
    const writing = responsesWriting({ scope: this.#scope, store: isStored && !encrypted, mediaInResults })
    this.#frames = new ResponsesFrames({
      provider,
      model,
      stream,
      streamOptions: dialect.streamOptions,
      store: isStored,
      encrypted,
      reasoningSummary,
      strictTools,
      maxTools: dialect.maxTools,
    })
    this.#conversations = new Conversations(writing)
    this.#continued = previousResponse ? new ContinuedSessions(writing, this.#scope) : undefined
  }

  credentials(key: string): { readonly [name: string]: string } {
    return this.#dialect.keyHeader === 'api-key' ? { 'api-key': key } : { authorization: `Bearer ${key}` }
  }

  body(request: ModelRequest, sessionId: string): readonly Uint8Array[] {
    const { head, rest, own } = this.#frames.of(request)
    const continued = this.#continued?.next(request.messages, sessionId)
    const ofSession = fieldsText({
      ...(continued === undefined ? {} : { previous_response_id: continued.from }),
      ...(this.#cacheKey === undefined ? {} : { prompt_cache_key: keyOf(this.#cacheKey, sessionId) }),
      ...own,
    })
    if (continued !== undefined) return [head, continued.input, encoder.encode(`]${ofSession}`), rest]
    const items = this.#conversations.with(sessionId, (conversation) => conversation.encode(request.messages))
    return [head, ...listOf(items, false), encoder.encode(`]${ofSession}`), rest]
  }

  /** Whether the last request of a session went on from a response; it does not again. */
  goesBack(sessionId: string): boolean {
    return this.#continued?.goBack(sessionId) === true
  }

  decoder(from: ApiAnswerer, sink: (delta: ModelDelta) => void, request: ModelRequest): ResponseDecoder {
    const names = request.tools.flatMap((tool) => ('providerTool' in tool ? [] : [tool.name]))
    return new ResponsesDecoder(from, sink, {
      scope: this.#scope,
      keepsId: this.#continued !== undefined,
      customTools: this.#dialect.runsCustomTools === true ? new Set(names) : undefined,
    })
  }
}

/** The API takes at most 64 characters. */
function keyOf(key: string, sessionId: string): string {
  return wellFormed((key === 'session' ? sessionId : key).slice(-64))
}

/** With a comma before each. */
function fieldsText(fields: JsonObject): string {
  const text = JSON.stringify(fields).slice(1, -1)
  return text === '' ? '' : `,${text}`
}
