import type { ModelCapabilities, ModelDelta, ModelRequest } from '../../core/model.ts'
import type { HttpApi } from '../http/api.ts'
import { type Ending, listOf } from '../http/conversation.ts'
import { Conversations } from '../http/conversations.ts'
import type { ApiAnswerer, ResponseDecoder } from '../http/decoder.ts'
import { endpoint } from '../http/model.ts'
import { ChatDecoder } from './decode.ts'
import type { Dialect } from './dialect.ts'
import { chatScope, chatWriting, endingOf } from './encode.ts'
import type { OpenAIChatOptions } from './options.ts'
import { ChatFrames } from './request.ts'

/** The Chat Completions API. */
export class ChatApi implements HttpApi {
  readonly provider: string
  readonly answerOf = 'a Chat Completions API'
  readonly url: string
  readonly keyVariable: string | undefined
  readonly emptyMeansOverflow: boolean
  readonly capabilities: ModelCapabilities
  readonly #dialect: Dialect
  readonly #keeps: string | undefined
  readonly #ending: Ending | undefined
  readonly #frames: ChatFrames
  readonly #conversations: Conversations

  constructor(model: string, dialect: Dialect, { stream = true, strictTools = false }: OpenAIChatOptions) {
    this.provider = dialect.provider
    const { structuredOutput = 'native' } = dialect
    this.capabilities = { structuredOutput, parallelCalls: true, imagesInResults: false, reasoning: true }
    this.#dialect = dialect
    this.#keeps = dialect.sendReasoning === false ? undefined : chatScope(model, dialect)
    this.url = endpoint(dialect.baseURL, '/chat/completions')
    this.keyVariable = dialect.apiKeyVariable
    this.emptyMeansOverflow = dialect.emptyMeansOverflow === true
    this.#ending = dialect.rolesAlternate === true ? endingOf : undefined
    this.#frames = new ChatFrames(model, dialect, { stream, strictTools })
    this.#conversations = new Conversations(chatWriting(model, dialect))
  }

  credentials(key: string): { readonly [name: string]: string } {
    const { keyHeader } = this.#dialect
    return keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key }
  }

  body(request: ModelRequest, sessionId: string): readonly Uint8Array[] {
    const { head, headHasMessage, tail } = this.#frames.of(request)
    const messages = this.#conversations.with(sessionId, (conversation) => conversation.encode(request.messages, '', this.#ending))
    return [head, ...listOf(messages, headHasMessage), tail]
  }

  decoder(from: ApiAnswerer, sink: (delta: ModelDelta) => void): ResponseDecoder {
    return new ChatDecoder(from, sink, this.#keeps)
  }
}
