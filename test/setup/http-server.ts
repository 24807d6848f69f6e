import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** What the server does with one request. */
export interface Answer {
  /** ms before anything is sent. Default 0. */
  readonly after?: number
  /** Default 200. */
  readonly status?: number
  readonly headers?: http.OutgoingHttpHeaders
  /** Pieces of the body, each a write of its own; a number is a pause in ms; a function is called and awaited when its turn comes. */
  readonly body?: string | Uint8Array | readonly (string | Uint8Array | number | (() => unknown))[]
  /**
   * `end` (default): the body ends as it should. `cut`: the connection is closed then, before the end. `hang`: nothing more comes.
   * With `cut` or `hang` and neither `status`, `headers` nor `body`, there is no answer at all.
   */
  readonly ends?: 'end' | 'cut' | 'hang'
}

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
  /** 0 for the first connection to the server. */
  readonly connection: number
  /** Resolves when that connection has closed. */
  readonly closed: Promise<void>
}

export interface FakeServer extends AsyncDisposable {
  /** `http://127.0.0.1:port`, without a slash at the end. */
  readonly url: string
  readonly port: number
  /** Whole requests, in the order they came. */
  readonly requests: readonly SeenRequest[]
  /** How many connections there have been. */
  readonly connections: number
  /** Closes all connections from this side, as a server does with idle ones. */
  closeConnections(): void
}

/** A real HTTP server on 127.0.0.1. It gives `answers` in turn; the last one again and again. */
export async function fakeServer(
  answers: Answer | readonly Answer[],
  { tls }: { readonly tls?: https.ServerOptions } = {},
): Promise<FakeServer> {
  const script = [answers].flat()
  const requests: SeenRequest[] = []
  const numbers = new WeakMap<Socket, number>()
  const onRequest = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const { method = '', url = '', headers, socket } = request
    const answer = script[Math.min(requests.length, script.length - 1)] ?? {}
    const closed = new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))
    requests.push({ method, url, headers, body: Buffer.concat(pieces), connection: numbers.get(socket) ?? -1, closed })
    await reply(response, answer)
  }
  const listener = (request: http.IncomingMessage, response: http.ServerResponse) => void onRequest(request, response).catch(() => {})
  const server = tls === undefined ? http.createServer(listener) : https.createServer(tls, listener)
  const held = await listening(server, (socket, index) => numbers.set(socket, index))
  return Object.assign(held, { requests, url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${held.port}` })
}

export interface FakeProxy extends FakeServer {
  /** What it was asked for, as `GET http://…` or `CONNECT host:port`, with the credentials it was given. */
  readonly asked: readonly string[]
  /** Resolves when no connection to it is open. */
  idle(): Promise<void>
}

export interface ProxyOptions {
  /** The status of every answer; 0: none at all. */
  readonly refuse?: number
  /** The status that says that a tunnel stands. Default 200. */
  readonly connected?: number
  readonly tls?: https.ServerOptions
}

/** An HTTP proxy: reads whole URLs and CONNECT, and reaches every host on 127.0.0.1. */
export async function fakeProxy({ refuse, connected = 200, tls }: ProxyOptions = {}): Promise<FakeProxy> {
  const asked: string[] = []
  const note = ({ method, url, headers }: http.IncomingMessage) =>
    asked.push(`${method} ${url} ${Buffer.from(headers['proxy-authorization']?.slice('Basic '.length) ?? '', 'base64').toString()}`.trim())
  const listener: http.RequestListener = (request, response) => {
    note(request)
    if (refuse !== undefined) return void response.writeHead(refuse).end()
    const { port, pathname, search } = new URL(request.url ?? '')
    const { method, headers } = request
    const onward = http.request({ host: '127.0.0.1', port, path: pathname + search, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  }
  const server = tls === undefined ? http.createServer(listener) : https.createServer(tls, listener)
  server.on('connect', (request, socket) => {
    note(request)
    socket.on('error', () => {})
    if (refuse === 0) return void socket.resume().once('end', () => socket.end())
    if (refuse !== undefined) return void socket.end(`HTTP/1.1 ${refuse} No\r\n\r\n`)
    const onward = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write(`HTTP/1.1 ${connected} Connection established\r\n\r\n`)
      socket.pipe(onward).pipe(socket)
    })
    onward.on('error', () => socket.destroy())
    socket.on('close', () => onward.destroy())
  })
  const held = await listening(server, () => {})
  return Object.assign(held, { asked, requests: [], url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${held.port}` })
}

async function reply(response: http.ServerResponse, { after = 0, status, headers, body = [], ends = 'end' }: Answer): Promise<void> {
  if (after > 0) await pause(after)
  const silent = ends !== 'end' && status === undefined && headers === undefined && body.length === 0
  if (!silent) {
    response.writeHead(status ?? 200, headers)
    response.flushHeaders()
  }
  for (const piece of Array.isArray(body) ? body : [body]) {
    if (typeof piece === 'number') await pause(piece)
    else if (typeof piece === 'function') await piece()
    else response.write(piece)
  }
  if (ends === 'end') response.end()
  if (ends === 'cut') {
    if (!silent) await pause(5) // so that what was written is on its way
    response.destroy()
  }
}

async function listening(server: http.Server | https.Server, onConnection: (socket: Socket, index: number) => void) {
  const sockets = new Set<Socket>()
  let connections = 0
  let closing = false
  server.keepAliveTimeout = 60_000
  server.on(server instanceof https.Server ? 'secureConnection' : 'connection', (socket: Socket) => {
    onConnection(socket, connections++)
    if (closing) socket.destroy() // some clients connect again at once
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    get connections() {
      return connections
    },
    async idle() {
      while (sockets.size > 0) await pause(2)
    },
    closeConnections() {
      for (const socket of sockets) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      closing = true
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
