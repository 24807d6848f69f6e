import type { ModelCapabilities, ModelDelta, ModelRequest } from '../../core/model.ts'
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
const afterInput = encoder.encode(']')

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
  /** The sessions whose last request went on from a response. */
  readonly #went = new Set<string>()

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
    const encrypted = !isStored && (options.capabilities?.reasoning ?? encrypts?.test(model) ?? false)
    const writing = responsesWriting({ scope: this.#scope, store: isStored, mediaInResults })
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
    const { head, rest } = this.#frames.of(request)
    const key = this.#cacheKey === undefined ? '' : `,"prompt_cache_key":${JSON.stringify(keyOf(this.#cacheKey, sessionId))}`
    const continued = this.#continued?.next(request.messages, sessionId)
    if (continued === undefined) {
      this.#went.delete(sessionId)
      const items = this.#conversations.with(sessionId, (conversation) => conversation.encode(request.messages))
      return [head, ...listOf(items, false), afterInput, ...(key === '' ? [] : [encoder.encode(key)]), rest]
    }
    this.#went.add(sessionId)
    return [head, continued.input, encoder.encode(`],"previous_response_id":${JSON.stringify(continued.from)}${key}`), rest]
  }

  /** Whether the last request of a session went on from a response; it does not again. */
  goesBack(sessionId: string): boolean {
    this.#continued?.forget(sessionId)
    return this.#went.delete(sessionId)
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
  return (key === 'session' ? sessionId : key).slice(-64)
}
