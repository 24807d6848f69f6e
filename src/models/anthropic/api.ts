import { isJsonObject, type Json } from '../../core/json.ts'
import type { Message } from '../../core/message.ts'
import type { ModelCapabilities, ModelDelta, ModelRequest } from '../../core/model.ts'
import type { HttpApi } from '../http/api.ts'
import { type Ending, listOf } from '../http/conversation.ts'
import { Conversations } from '../http/conversations.ts'
import type { ApiAnswerer, ResponseDecoder } from '../http/decoder.ts'
import { MessagesDecoder } from './decode.ts'
import { goOnPiece, messagesWriting } from './encode.ts'
import { noteIn } from './notes.ts'
import { type FrameOptions, MessagesFrames, type RequestFrame } from './request.ts'
import type { Target } from './thinking.ts'

/** Where the API is, and how its server wants to be asked. */
export interface Server {
  readonly url: string
  readonly keyVariable: string | undefined
  readonly auth: 'x-api-key' | 'bearer'
  readonly headers: { readonly [name: string]: string }
}

const encoder = new TextEncoder()

/** The container that was named last stands in one of the last messages, for each request has it named anew. */
const containerLooks = 8

/** A history with calls is refused where no tool is declared ("must define tools"). */
const noTool =
  ',"tools":[{"name":"no_tool","description":"There is none any more.","input_schema":{"type":"object"}}],"tool_choice":{"type":"none"}'

/** The Messages API. */
export class MessagesApi implements HttpApi {
  readonly provider: string
  readonly answerOf = 'a Messages API'
  /** Its errors say when the input is too long. What it counts says nothing of that: what tools of its own took is counted too. */
  readonly tellsOverflow = true
  readonly url: string
  readonly keyVariable: string | undefined
  readonly headers: { readonly [name: string]: string }
  readonly capabilities: ModelCapabilities
  readonly #server: Server
  readonly #scope: string
  readonly #frames: MessagesFrames
  readonly #conversations: Conversations

  constructor(target: Target, scope: string, server: Server, options: FrameOptions) {
    const { family } = target
    this.provider = target.provider
    this.url = server.url
    this.keyVariable = server.keyVariable
    this.headers = server.headers
    this.#server = server
    this.#scope = scope
    this.capabilities = {
      ...(family.window === undefined ? {} : { contextWindow: family.window }),
      ...(family.maxOutput === undefined ? {} : { maxOutputTokens: family.maxOutput }),
      structuredOutput: family.schemas ? 'native' : 'prompt',
      parallelCalls: options.parallelCalls !== false,
      imagesInResults: true,
      reasoning: family.thinking !== 'never',
    }
    this.#frames = new MessagesFrames(target, options)
    this.#conversations = new Conversations(messagesWriting(scope, family.prefill))
  }

  credentials(key: string): { readonly [name: string]: string } {
    return this.#server.auth === 'bearer' ? { authorization: `Bearer ${key}` } : { 'x-api-key': key }
  }

  body(request: ModelRequest, sessionId: string): readonly Uint8Array[] {
    const frame = this.#frames.frames.of(request)
    return this.#conversations.with(sessionId, (conversation) => {
      const messages = conversation.encode(request.messages, frame.mark, this.#ending(frame))
      const last = conversation.recent(({ role }) => role === 'assistant', containerLooks)
      const container = containerOf(frame.container, this.#container(last))
      const tools = conversation.hasCalls && !frame.hasTools ? noTool : ''
      const end = container === undefined ? `${tools}}` : `${tools},"container":${JSON.stringify(container)}}`
      return [frame.head, ...listOf(messages, false), frame.tail, encoder.encode(end)]
    })
  }

  decoder(from: ApiAnswerer, sink: (delta: ModelDelta) => void): ResponseDecoder {
    return new MessagesDecoder(from, this.#scope, sink)
  }

  /** An answer at the end is gone on with where the model does so; one that paused, always. */
  #ending({ prefill }: RequestFrame): Ending {
    return (role, last) => {
      const goesOn = role !== 'assistant' || prefill || noteIn(last, this.#scope, 'paused') === true
      return goesOn ? undefined : goOnPiece()
    }
  }

  /** Where the programs of the provider ran: they find their files there again, until it is gone. */
  #container(last: Message | undefined): string | undefined {
    const container = last === undefined ? undefined : noteIn(last, this.#scope, 'container')
    if (!isJsonObject(container) || typeof container['id'] !== 'string') return undefined
    const until = Date.parse(String(container['expires_at']))
    return Number.isNaN(until) || until > Date.now() ? container['id'] : undefined
  }
}

/** What the user says of it goes first; where that names none, it is the one that there was. */
function containerOf(told: Json | undefined, known: string | undefined): Json | undefined {
  return isJsonObject(told) && known !== undefined ? { id: known, ...told } : (told ?? known)
}
