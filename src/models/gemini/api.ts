import type { ModelCapabilities, ModelDelta, ModelRequest } from '../../core/model.ts'
import { environment } from '../environment.ts'
import type { HttpApi } from '../http/api.ts'
import { listOf } from '../http/conversation.ts'
import { Conversations } from '../http/conversations.ts'
import type { ApiAnswerer, ResponseDecoder } from '../http/decoder.ts'
import { endpoint } from '../http/model.ts'
import { scopeOf } from '../scope.ts'
import { GeminiDecoder } from './decode.ts'
import { geminiWriting } from './encode.ts'
import { familyOf } from './family.ts'
import type { GeminiOptions } from './options.ts'
import { GeminiFrames } from './request.ts'

const encoder = new TextEncoder()
const head = encoder.encode('{"contents":[')

/** `generateContent` of the Gemini API and of Vertex AI. https://ai.google.dev/api/generate-content */
export class GeminiApi implements HttpApi {
  readonly provider: string
  readonly answerOf = 'the Gemini API'
  readonly json = 'list'
  readonly url: string
  readonly keyVariable: string | undefined
  readonly capabilities: ModelCapabilities
  readonly #isVertex: boolean
  readonly #scope: string
  readonly #frames: GeminiFrames
  readonly #conversations: Conversations

  constructor(model: string, baseURL: string, { stream = true, vertex }: GeminiOptions) {
    const family = familyOf(model)
    this.#isVertex = vertex !== undefined
    this.provider = this.#isVertex ? 'vertex' : 'gemini'
    const name = model.replace(/^(?:publishers\/google\/)?models\//, '')
    // Without `alt=sse` a stream is a JSON array.
    const url = new URL(endpoint(baseURL, `/models/${encodeURIComponent(name)}:${stream ? 'streamGenerateContent' : 'generateContent'}`))
    if (stream) url.searchParams.set('alt', 'sse')
    this.url = url.href
    this.keyVariable = this.#isVertex ? undefined : keyVariable()
    this.capabilities = { structuredOutput: 'native', parallelCalls: true, imagesInResults: family.mediaInResults, reasoning: true }
    this.#scope = scopeOf(this.provider, 'generate-content', model)
    this.#frames = new GeminiFrames(this.provider, family)
    this.#conversations = new Conversations(geminiWriting(this.#scope, family))
  }

  credentials(key: string): { readonly [name: string]: string } {
    return this.#isVertex ? { authorization: `Bearer ${key}` } : { 'x-goog-api-key': key }
  }

  body(request: ModelRequest, sessionId: string): readonly Uint8Array[] {
    const { tail } = this.#frames.of(request)
    const messages = this.#conversations.with(sessionId, (conversation) => conversation.encode(request.messages))
    return [head, ...listOf(messages, false), tail]
  }

  decoder(from: ApiAnswerer, sink: (delta: ModelDelta) => void, request: ModelRequest): ResponseDecoder {
    return new GeminiDecoder(from, sink, this.#scope, this.#frames.of(request).toolNames)
  }
}

/** Either is in use; the first one is the API's own. */
function keyVariable(): string {
  return environment('GEMINI_API_KEY') === undefined && environment('GOOGLE_API_KEY') !== undefined ? 'GOOGLE_API_KEY' : 'GEMINI_API_KEY'
}
