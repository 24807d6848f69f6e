import { RondoError } from '../../core/error.ts'
import type { ModelDelta, ModelFinish } from '../../core/model.ts'
import { httpError, quietOverflow, streamError } from '../errors.ts'
import { safeText } from '../safe-text.ts'
import { bodyKind } from '../transport/body-kind.ts'
import { retryAfterMs } from '../transport/retry-after.ts'
import { SseDecoder } from '../transport/sse.ts'
import type { HttpHead, HttpReceiver } from '../transport/transport.ts'
import { Utf8Pieces } from '../transport/utf8.ts'
import { ChatDecoder } from './decode.ts'
import { isWire } from './wire.ts'

/** So much of an error's body is read (UTF-16 units): enough for every message, not enough to be a weapon. */
const maxErrorLength = 64 * 1024

/** Whom a request went to. */
export interface Answerer {
  /** Its name in errors. */
  readonly provider: string
  /** What the key was given in: named when it is refused. */
  readonly keyName?: string | undefined
  /** Tokens. */
  readonly contextWindow?: number | undefined
}

/**
 * Takes the response to a chat request: a stream of events, a whole completion or an error, by what came and not by what was asked for
 * (B089, B090). `finish` is called at the clean end of the body.
 */
export class ChatResponse implements HttpReceiver {
  readonly #provider: string
  readonly #keyName: string | undefined
  readonly #contextWindow: number | undefined
  readonly #decoder: ChatDecoder
  readonly #events: SseDecoder
  #head: HttpHead | undefined
  #body: 'events' | 'text' | undefined
  /** A body that is no stream of events, as text. */
  #text = ''
  readonly #utf8 = new Utf8Pieces()

  constructor({ provider, keyName, contextWindow }: Answerer, sink: (delta: ModelDelta) => void) {
    this.#provider = provider
    this.#keyName = keyName
    this.#contextWindow = contextWindow
    this.#decoder = new ChatDecoder(provider, sink)
    const takeRun = (text: string, from: number) => this.#decoder.takeRun(text, from)
    this.#events = new SseDecoder((data, name) => this.#decoder.push(data, name), { takeRun })
  }

  head(head: HttpHead): void {
    this.#head = head
    if (!isGood(head)) this.#body = 'text'
  }

  chunk(bytes: Uint8Array): void | 'complete' {
    if (this.#body === undefined) this.#body = isEvents(this.#head, bytes) ? 'events' : 'text'
    if (this.#body === 'events') {
      try {
        this.#events.push(bytes)
      } finally {
        // What came before an error was said.
        this.#decoder.flush()
      }
      return this.#decoder.isDone ? 'complete' : undefined
    }
    // An error says what it has to say at its beginning.
    if (this.#head !== undefined && !isGood(this.#head) && this.#text.length > maxErrorLength) return
    this.#text += this.#utf8.push(bytes)
  }

  finish(): ModelFinish {
    const head = this.#head
    if (head === undefined) throw new RondoError('ModelServerError', `${this.#provider} did not answer.`)
    if (!isGood(head)) throw this.#failure(head)
    try {
      if (this.#body === 'text') this.#whole(head)
      else {
        const rest = this.#events.end()
        if (rest !== undefined) this.#decoder.pushRest(rest)
      }
    } finally {
      this.#decoder.flush()
    }
    const finish = this.#decoder.end()
    const { rawFinishReason, usage } = finish
    const tokens = usage.complete ? usage : undefined
    const overflow = quietOverflow({
      provider: this.#provider,
      finishReason: rawFinishReason,
      inputTokens: tokens?.inputTokens,
      outputTokens: tokens?.outputTokens,
      contextWindow: this.#contextWindow,
    })
    if (overflow !== undefined) throw overflow
    const requestId = requestIdOf(head)
    return requestId === undefined ? finish : { ...finish, requestId }
  }

  /** What a request that broke off failed of: where the server had said that it refuses, that, however little of its reason came. */
  broken(cause: unknown): unknown {
    const head = this.#head
    if (head === undefined || isGood(head) || (RondoError.is(cause) && cause.code === 'RunAborted')) return cause
    return this.#failure(head)
  }

  /** A completion that came at once, or an error that came with a good status. */
  #whole(head: HttpHead): void {
    const text = this.#text
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (cause) {
      if (/^\s*</.test(text)) throw this.#failure(head)
      throw new RondoError(
        'ModelServerError',
        `The response of ${this.#provider} is neither JSON nor a stream of events: ${safeText(text, 200)}`,
        { cause },
      )
    }
    const completion = Array.isArray(value) ? value[0] : value
    if (isWire(completion) && completion['choices'] === undefined && completion['error'] === undefined)
      throw streamError(completion, this.#provider)
    this.#decoder.whole(completion)
  }

  #failure(head: HttpHead): RondoError {
    const header = (name: string) => head.header(name)
    return httpError({
      status: head.status,
      header,
      body: this.#text,
      provider: this.#provider,
      keyName: this.#keyName,
      retryAfterMs: retryAfterMs(header, Date.now()),
    })
  }
}

function isEvents(head: HttpHead | undefined, start: Uint8Array): boolean {
  const kind = bodyKind(head?.header('content-type'), start)
  return kind === 'event-stream' || kind === 'unknown'
}

function isGood({ status }: HttpHead): boolean {
  return status >= 200 && status < 300
}

function requestIdOf(head: HttpHead): string | undefined {
  return head.header('x-request-id') ?? head.header('request-id') ?? head.header('apim-request-id')
}
