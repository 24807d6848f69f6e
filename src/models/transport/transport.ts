import { RondoError } from '../../core/error.ts'

/** Time limits of one request, in ms; `Infinity` = none. Each fires with a `ModelTimeout` that names it and its value. No other limit holds. */
export interface Timeouts {
  /** Until the connection stands (DNS, TCP, TLS, proxy). Default 10,000. Over `fetch` it is not seen and has no effect. */
  readonly connectMs: number
  /**
   * From the connection (over `fetch`: from the start) until the first byte of the body has come. A local server may take minutes to
   * read a long prompt. Default 120,000.
   */
  readonly firstByteMs: number
  /** Between two pieces of the body; comments and pings count as life. For the whole body of an error (status 400 and more). Default 60,000. */
  readonly idleMs: number
  /** The whole request. Default none. */
  readonly totalMs: number
}

export const defaultTimeouts: Timeouts = { connectMs: 10_000, firstByteMs: 120_000, idleMs: 60_000, totalMs: Number.POSITIVE_INFINITY }

export const defaultMaxBytes = 33_554_432

/** The limits with what `own` changes. Throws `ConfigInvalid` for what is no limit, or no positive number. */
export function timeoutsWith(own: Partial<Timeouts> = {}): Timeouts {
  for (const [name, value] of Object.entries(own)) {
    if (!Object.hasOwn(defaultTimeouts, name))
      throw new RondoError('ConfigInvalid', `timeouts: there is no limit "${name}"; there are ${Object.keys(defaultTimeouts).join(', ')}.`)
    if (value !== undefined && !(typeof value === 'number' && value > 0))
      throw new RondoError('ConfigInvalid', `timeouts.${name} must be a positive number of ms (Infinity = none), not ${String(value)}.`)
  }
  return {
    connectMs: own.connectMs ?? defaultTimeouts.connectMs,
    firstByteMs: own.firstByteMs ?? defaultTimeouts.firstByteMs,
    idleMs: own.idleMs ?? defaultTimeouts.idleMs,
    totalMs: own.totalMs ?? defaultTimeouts.totalMs,
  }
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  /** `http:` or `https:`. Best a string that is made once: what follows from it is kept by it. */
  readonly url: string
  /** All but `content-length` and `host`. No `accept-encoding` is added: event streams come as they are, and gain little by compression. */
  readonly headers: { readonly [name: string]: string }
  /** Sent in this order, as one body with a length. The bytes must not change until the promise has settled. */
  readonly body?: readonly Uint8Array[]
  readonly timeouts: Timeouts
  /** More of a response (after decompression) ends it with a `ModelServerError`. Default 33,554,432 (32 MiB). */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** Status and headers of a response. */
export interface HttpHead {
  readonly status: number
  /** The name in any case. */
  header(name: string): string | undefined
}

/** Takes a response as it comes. Calls are synchronous; a throw ends the request and becomes its rejection. */
export interface HttpReceiver {
  head(head: HttpHead): void
  /**
   * Decompressed bytes; the buffer may be reused after the call. `'complete'` says that the answer is whole and nothing more is needed
   * (`[DONE]`, `message_stop`): servers that then keep the connection open, or break it, do no harm. No more calls follow.
   */
  chunk(bytes: Uint8Array): void | 'complete'
}

/**
 * Sends one request. Resolves at the clean end of the body, or at `'complete'`; rejects with a `RondoError` for everything
 * else, its `cause` the original error. Whatever the status says is no matter of the transport, but for redirects, which are refused.
 *
 * - `ModelServerError`, retryable: no connection, a broken one, a body that ends too early.
 * - `ModelServerError`, not retryable: TLS, an unknown content encoding, a body that exceeds `maxBytes`.
 * - `ModelTimeout`: a time limit. `RunAborted`: the signal; the connection is closed at once, and no listener stays on the signal.
 * - `ModelBadRequest`: a redirect. `ConfigInvalid`: a URL, header or proxy that can't work.
 */
export type Transport = (request: HttpRequest, receiver: HttpReceiver) => Promise<void>
