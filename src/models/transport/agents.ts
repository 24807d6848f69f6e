import type http from 'node:http'
import type https from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { plainHttp, tlsHttp } from './node-http.ts'
import type { HttpProxy } from './tunnel.ts'
import { tunnelThrough } from './tunnel.ts'

/** For each new connection. */
const connectionOptions = {
  // A server that reads a long prompt says nothing for minutes: probes keep the entry in every NAT on the way alive.
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
  // Node tries the addresses of a host one after the other and gives each 250 ms, too short for a far host (nodejs/node#54359).
  autoSelectFamilyAttemptTimeout: 2_500,
}

/** Connections in use have no limit (Node's default). */
const maxIdleConnections = 1_024

export type AgentFor = (secure: boolean, tunnel?: HttpProxy) => http.Agent

/** Plain, TLS and tunnelled connections, each with a pool of its own, made when needed. */
export function agents(idleConnectionMs: number, tls: https.AgentOptions): AgentFor {
  const made = new Map<string, http.Agent>()
  const make = (secure: boolean, tunnel?: HttpProxy) => {
    if (!secure) return keeping(new (plainHttp().Agent)({ keepAlive: true }), idleConnectionMs)
    const agent = keeping(new (tlsHttp().Agent)({ ...tls, keepAlive: true }), idleConnectionMs)
    return tunnel === undefined ? agent : tunnelThrough(tunnel, agent, tls)
  }
  return (secure, tunnel) => {
    const key = `${secure} ${tunnel?.url.href}`
    const agent = made.get(key) ?? make(secure, tunnel)
    made.set(key, agent)
    return agent
  }
}

/**
 * Gives an agent its settings, by its methods: Node copies the options of an agent at each request, and its option for idle connections
 * stops and starts a timer for each. Here a connection has one timer for life; it fires in use too, but closes only what is idle.
 */
function keeping<A extends http.Agent>(agent: A, idleConnectionMs: number): A {
  const connect = agent.createConnection.bind(agent)
  agent.maxFreeSockets = maxIdleConnections
  const createConnection: typeof connect = (options, connected) => {
    const socket = connect({ ...options, ...connectionOptions }, connected)
    if (socket instanceof Socket) socket.setTimeout(idleConnectionMs)
    return socket
  }
  const keepSocketAlive = (socket: Duplex): boolean => {
    if (!(socket instanceof Socket) || !proven.has(socket)) return false
    socket.unref()
    return true
  }
  const reuse = agent.reuseSocket.bind(agent)
  const reuseSocket = (socket: Duplex, request: http.ClientRequest): void => {
    reuse(socket, request)
    if (socket instanceof Socket) readBefore.set(socket, socket.bytesRead)
  }
  return Object.assign(agent, { createConnection, keepSocketAlive, reuseSocket })
}

/** Connections that brought an answer. A pool gets others too: that of a request which was aborted before it stood (in the same tick, Node 24). */
const proven = new WeakSet<Socket>()

/** What a connection had read when it was last taken up again. */
const readBefore = new WeakMap<Socket, number>()

/** Whether a connection that was taken up again has read nothing since. */
export function isUntouched(socket: Socket | null): boolean {
  return socket !== null && socket.bytesRead === readBefore.get(socket)
}

/**
 * At the first answer on a connection: from now on it may be kept. Servers say after how many seconds they close an idle one
 * (`keep-alive: timeout=5`): it is closed here a second before.
 */
export function mayBeKept({ headers, socket }: http.IncomingMessage): void {
  proven.add(socket)
  const said = headers['keep-alive']
  if (typeof said !== 'string') return
  const seconds = /(?:^|[\s,])timeout=(\d+)/.exec(said)?.[1]
  const ms = Math.max(1, Number(seconds) * 1_000 - 1_000)
  if (socket.timeout !== undefined && ms < socket.timeout) socket.setTimeout(ms)
}

/** Closes the idle connections to a host: when the one that was used last was stale, they are as stale. */
export function dropIdle({ agent, host, port }: { readonly agent: http.Agent; readonly host: string; readonly port: number }): void {
  for (const [name, sockets] of Object.entries(agent.freeSockets))
    if (name.startsWith(`${host}:${port}:`)) for (const socket of sockets ?? []) socket.destroy()
}
