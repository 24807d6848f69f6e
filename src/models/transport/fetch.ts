import { Exchange } from './exchange.ts'
import { badRequest } from './failure.ts'
import { basicAuth, parseUrl, placeOf } from './place.ts'
import type { HttpRequest, Transport } from './transport.ts'

/**
 * A transport over any `fetch`: that of the runtime, or one that a user gives. Limits of the fetch itself stay in force (300 s in Node and
 * Bun); they are reported as what they are. Content encodings are the runtime's affair.
 */
export function fetchTransport(fetch: typeof globalThis.fetch): Transport {
  return (request, receiver) =>
    new Promise((resolve, reject) => {
      const url = parseUrl(request.url) // a throw rejects
      const place = placeOf(url)
      const exchange = new Exchange(request, receiver, place, resolve, reject)
      if (exchange.done) return
      const init = { ...bunOptions, method: request.method, body: bodyOf(request), redirect: 'manual' } as const
      let headers: Headers
      try {
        headers = headersFor(url, request)
      } catch (error) {
        return exchange.fail(badRequest(error, request, place))
      }
      const controller = new AbortController()
      const disconnect = (): void => controller.abort()
      exchange.disconnect = disconnect
      exchange.reused()
      const { signal } = controller
      carry(() => fetch(withoutCredentials(url), { ...init, headers, signal }), exchange, signal).then(
        () => exchange.end(),
        (error: unknown) => exchange.broken(error),
      )
    })
}

async function carry(send: () => Promise<Response>, exchange: Exchange, signal: AbortSignal): Promise<void> {
  const response = await send()
  const reader = response.body?.getReader()
  // Not every fetch minds its signal.
  const release = () => void reader?.cancel().catch(() => {})
  if (signal.aborted) return release()
  signal.addEventListener('abort', release, { once: true })
  // A browser tells nothing of a redirect.
  if (response.type === 'opaqueredirect') exchange.head({ status: 302, header: () => undefined })
  else exchange.head({ status: response.status, header: (name) => response.headers.get(name) ?? undefined })
  // Also after the answer is whole: a connection serves the next request once its body has been read to the end.
  while (reader !== undefined && !signal.aborted) {
    const { done, value } = await reader.read()
    if (done) return
    exchange.chunk(value)
  }
}

/** Bun closes a response after five minutes unless it is told not to; nobody else reads this. */
const bunOptions: object = { timeout: false }

function headersFor(url: URL, request: HttpRequest): Headers {
  const headers = new Headers(request.headers)
  const authorization = basicAuth(url)
  if (authorization !== undefined && !headers.has('authorization')) headers.set('authorization', authorization)
  return headers
}

/** No fetch takes a URL with credentials. */
function withoutCredentials(url: URL): string {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  return bare.href
}

/** One buffer: every runtime takes that, and sends its length. */
function bodyOf({ method, body = [] }: HttpRequest): Uint8Array<ArrayBuffer> | null {
  if (method === 'GET') return null
  let length = 0
  for (const piece of body) length += piece.length
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of body) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
