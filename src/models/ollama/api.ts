import type { ModelCapabilities, ModelDelta, ModelRequest } from '../../core/model.ts'
import type { HttpApi } from '../http/api.ts'
import { listOf } from '../http/conversation.ts'
import { Conversations } from '../http/conversations.ts'
import type { ApiAnswerer, ResponseDecoder } from '../http/decoder.ts'
import { endpoint } from '../http/model.ts'
import { OllamaDecoder } from './decode.ts'
import { ollamaScope, ollamaWriting } from './encode.ts'
import type { OllamaOptions } from './options.ts'
import { OllamaFrames } from './request.ts'

/** The API of Ollama: lines of JSON. https://docs.ollama.com/api/chat */
export class OllamaApi implements HttpApi {
  readonly provider = 'ollama'
  readonly answerOf = 'the Ollama API'
  readonly json = 'lines'
  readonly url: string
  readonly keyVariable: string | undefined
  readonly capabilities: ModelCapabilities = { structuredOutput: 'native', parallelCalls: true, imagesInResults: false, reasoning: true }
  readonly #scope: string
  readonly #frames: OllamaFrames
  readonly #conversations: Conversations

  constructor(model: string, baseURL: string, options: OllamaOptions) {
    this.url = endpoint(baseURL, '/api/chat')
    // A server on one's own machine asks for no key; the hosted one does.
    this.keyVariable = /^(?:[\w-]+\.)*ollama\.com$/.test(new URL(baseURL).hostname) ? 'OLLAMA_API_KEY' : undefined
    this.#scope = ollamaScope(model)
    this.#frames = new OllamaFrames(model, options)
    this.#conversations = new Conversations(ollamaWriting(model))
  }

  credentials(key: string): { readonly [name: string]: string } {
    return { authorization: `Bearer ${key}` }
  }

  body(request: ModelRequest, sessionId: string): readonly Uint8Array[] {
    const { head, headHasMessage, tail } = this.#frames.of(request)
    const messages = this.#conversations.with(sessionId, (conversation) => conversation.encode(request.messages))
    return [head, ...listOf(messages, headHasMessage), tail]
  }

  decoder(from: ApiAnswerer, sink: (delta: ModelDelta) => void): ResponseDecoder {
    return new OllamaDecoder(from, sink, this.#scope)
  }
}
