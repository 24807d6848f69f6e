import http from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { decompressor } from './decompress.ts'
import { Exchange } from './exchange.ts'
import { badRequest, unknownEncoding } from './failure.ts'
import type { Place } from './place.ts'
import type { NodeTransportOptions, Route } from './route.ts'
import { router, tlsHttp } from './route.ts'
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
      if (!exchange.done) start(exchange, route, request, false)
    })
}

/**
 * A server may close an idle connection at the very moment when a request goes out on it: the request then breaks without a byte of an
 * answer and was not looked at. So it is sent once more, on a fresh connection, as browsers do for POST too. After this time the server
 * may be at work on the request, and the error goes to the caller, who counts and shows attempts.
 */
const staleWithinMs = 2_000

function start(exchange: Exchange, route: Route, request: HttpRequest, again: boolean): void {
  let closeTunnel: (() => void) | undefined
  const tunnel: TunnelOptions = route.tunnelled ? { onTunnel: (close) => (closeTunnel = close) } : {}
  let sent: http.ClientRequest
  try {
    sent = (route.secure ? tlsHttp() : http).request({
      ...route.options,
      ...tunnel,
      method: request.method,
      headers: headersOf(route, request),
    })
  } catch {
    return exchange.fail(badRequest(request.headers, route.place))
  }
  exchange.disconnect = () => {
    sent.destroy()
    closeTunnel?.()
  }
  const sentAt = performance.now()
  let socket: Socket | undefined
  let bytesBefore = 0
  let response: http.IncomingMessage | undefined
  let over = false
  const lost = (error?: NodeJS.ErrnoException): void => {
    if (over || exchange.done) return
    over = true
    const untouched = sent.reusedSocket && response === undefined && socket?.bytesRead === bytesBefore
    const reset = error?.code === 'ECONNRESET' || error?.code === 'EPIPE'
    if (again || !untouched || !reset || performance.now() - sentAt > staleWithinMs) return exchange.broken(error)
    dropIdle(route)
    start(exchange, route, request, true)
  }
  sent.once('socket', (given) => {
    socket = given
    bytesBefore = given.bytesRead
    if (sent.reusedSocket) exchange.connected()
    else given.once(route.secure ? 'secureConnect' : 'connect', () => exchange.connected())
  })
  sent.once('response', (given) => {
    response = given
    given.on('error', lost)
    given.once('close', () => given.complete || lost())
    receive(exchange, given, route.place)
  })
  sent.on('error', lost)
  // In whatever way the connection ends, the exchange must end too.
  sent.once('close', () => response !== undefined || lost())
  if (request.body !== undefined) for (const piece of request.body) sent.write(piece) // kept as they are until the socket takes them all at once
  sent.end()
}

function headersOf(route: Route, { method, headers, body = [] }: HttpRequest): http.OutgoingHttpHeaders {
  if (method === 'GET') return { ...route.headers, ...headers }
  let length = 0
  for (const piece of body) length += piece.length
  return { ...route.headers, ...headers, 'content-length': length }
}

/** The other idle connections to the host are older than the one that was stale, as the newest is used first. */
function dropIdle({ options: { agent, host, port } }: Route): void {
  for (const [name, sockets] of Object.entries(agent.freeSockets))
    if (name.startsWith(`${host}:${port}:`)) for (const socket of sockets ?? []) socket.destroy()
}

function receive(exchange: Exchange, response: http.IncomingMessage, place: Place): void {
  exchange.head({
    status: response.statusCode ?? 0,
    header: (name) => {
      const value = response.headers[name.toLowerCase()]
      return Array.isArray(value) ? value.join(', ') : value
    },
  })
  if (exchange.done) return
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return deliver(exchange, response)
  const decoded = decompressor(encoding)
  if (decoded === undefined) return exchange.fail(unknownEncoding(encoding, place))
  response.on('data', () => exchange.alive())
  response.once('close', () => exchange.done && decoded.destroy())
  decoded.on('error', (error) => exchange.broken(error))
  deliver(exchange, response.pipe(decoded))
}

function deliver(exchange: Exchange, body: Readable): void {
  body.on('data', (bytes: Buffer) => exchange.chunk(bytes))
  body.on('end', () => exchange.end())
}

/** The transport that all models of a process share. */
export const send: Transport = nodeTransport()
