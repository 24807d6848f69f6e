import type http from 'node:http'
import type { Readable } from 'node:stream'
import { dropIdle, isUntouched, mayBeKept } from './agents.ts'
import { decompressors } from './decompress.ts'
import { Exchange } from './exchange.ts'
import { badRequest, unknownEncoding } from './failure.ts'
import { plainHttp, tlsHttp } from './node-http.ts'
import type { Place } from './place.ts'
import type { NodeTransportOptions, Route } from './route.ts'
import { router } from './route.ts'
import type { HttpRequest, Transport } from './transport.ts'
import type { TunnelOptions } from './tunnel.ts'

/**
 * A transport over `node:http` and `node:https`, with connections of its own that are kept alive. `fetch` costs about 0.3 ms of CPU a
 * request more, copies large bodies and has time limits that nobody can see (300 s).
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  const routeTo = router(options)
  return (request, receiver) =>
    new Promise((resolve, reject) => {
      const route = routeTo(request.url) // a throw rejects
      const exchange = new Exchange(request, receiver, route.place, resolve, reject)
      if (!exchange.done) start(exchange, route, request)
    })
}

/**
 * A server may close an idle connection at the very moment when a request goes out on it: the request then breaks without a byte of an
 * answer and was not looked at. So it is sent once more, on a fresh connection, as browsers do for POST too.
 *
 * Nothing in the error tells that from a server that took the request, worked and died; time does. A server that had closed before the
 * request reached it had sent its FIN by then, so that is here within one round trip of the sending. Whatever breaks later was looked at,
 * or may have been, and a second POST could do the work twice: that error goes to the caller, who counts and shows attempts, as does a
 * stale connection to a server farther away than this. A body that was not sent to its end, however long that took, nobody worked on.
 */
const roundTripMs = 100

function start(exchange: Exchange, route: Route, request: HttpRequest): void {
  let closeTunnel: (() => void) | undefined
  const options: http.RequestOptions & TunnelOptions = { ...route.options, method: request.method, headers: headersOf(route, request) }
  const onTunnel = (close: () => void): void => {
    closeTunnel = close
  }
  if (route.tunnelled) options.onTunnel = onTunnel
  let sent: http.ClientRequest
  try {
    sent = (route.secure ? tlsHttp() : plainHttp()).request(options)
  } catch (error) {
    return exchange.fail(badRequest(error, request, route.place))
  }
  const disconnect = (): void => {
    sent.destroy()
    closeTunnel?.()
  }
  exchange.disconnect = disconnect
  const letGo = (): void => void sent.socket?.unref()
  exchange.letGo = letGo
  let response: http.IncomingMessage | undefined
  let over = false
  const lost = (error?: NodeJS.ErrnoException): void => {
    if (over || exchange.done) return
    over = true
    const reset = error?.code === 'ECONNRESET' || error?.code === 'EPIPE'
    const unanswered = reset && response === undefined && sent.reusedSocket && isUntouched(sent.socket)
    const unseen = unanswered && (exchange.ageMs <= roundTripMs || !sent.writableFinished)
    if (!unseen) return exchange.broken(error)
    dropIdle(route.options) // so that the next one is fresh, and there is no third
    exchange.connecting()
    start(exchange, route, request)
  }
  if (sent.reusedSocket) exchange.reused()
  else sent.once('socket', (socket) => socket.once(route.secure ? 'secureConnect' : 'connect', () => exchange.connected()))
  sent.once('response', (given) => {
    response = given
    given.on('error', lost)
    if (!sent.reusedSocket) mayBeKept(given)
    receive(exchange, given, route.place)
  })
  sent.on('error', lost)
  // In whatever way the connection ends, the exchange must end too; the response tells more, if it tells.
  sent.once('close', () => {
    if (exchange.done) exchange.end()
    else if (response?.complete !== true) setImmediate(lost)
  })
  write(sent, request.body ?? [])
}

/** Nothing is copied: the pieces wait until the socket takes them, all at once. The last one comes with the end, as that costs a write less. */
function write(sent: http.ClientRequest, body: readonly Uint8Array[]): void {
  const last = body.length - 1
  for (let index = 0; index < last; index++) sent.write(body[index])
  sent.end(body[last])
}

function headersOf(route: Route, request: HttpRequest): http.OutgoingHttpHeaders {
  // One spread is a copy of known shape; two are worked out name by name.
  const headers: http.OutgoingHttpHeaders = route.headers === undefined ? { ...request.headers } : { ...route.headers, ...request.headers }
  if (request.method === 'POST') headers['content-length'] = request.body === undefined ? 0 : sizeOf(request.body)
  return headers
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  let size = 0
  for (const piece of pieces) size += piece.length
  return size
}

function receive(exchange: Exchange, response: http.IncomingMessage, place: Place): void {
  exchange.head({
    status: response.statusCode ?? 0,
    header: (name) => headerOf(response, name.toLowerCase()),
  })
  if (exchange.done) return
  const encoding = headerOf(response, 'content-encoding')
  if (encoding === undefined) return deliver(exchange, response)
  const steps = decompressors(encoding)
  if (steps === undefined) return exchange.fail(unknownEncoding(encoding, place))
  response.on('data', () => exchange.alive())
  let body: Readable = response
  for (const step of steps) {
    step.on('error', (error) => exchange.broken(error))
    response.once('close', () => exchange.done && step.destroy())
    body = body.pipe(step)
  }
  deliver(exchange, body)
}

/** Looked for in the list as it came: Node makes an object of all headers when it is first asked for, which costs as much as the request's own. */
function headerOf({ rawHeaders }: http.IncomingMessage, name: string): string | undefined {
  let found: string | undefined
  for (let place = 0; place + 1 < rawHeaders.length; place += 2) {
    const other = rawHeaders[place]
    if (other?.length !== name.length || other.toLowerCase() !== name) continue
    const value = rawHeaders[place + 1] ?? ''
    // Of all that is asked for, this alone is a list.
    if (name !== 'content-encoding') return value
    found = found === undefined ? value : `${found}, ${value}`
  }
  return found
}

function deliver(exchange: Exchange, body: Readable): void {
  body.on('data', (bytes: Buffer) => exchange.chunk(bytes))
  body.on('end', () => exchange.end())
}

/** The transport that all models of a process share. */
export const send: Transport = nodeTransport()
