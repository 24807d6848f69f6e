import http from 'node:http'
import type https from 'node:https'
import type { Place } from './place.ts'
import { addressOf, basicAuth, parseUrl, placeOf } from './place.ts'
import type { Environment } from './proxy-env.ts'
import { proxyFor } from './proxy-env.ts'
import type { HttpProxy } from './tunnel.ts'
import { parseProxy, proxyAddress, tunnelThrough } from './tunnel.ts'

export interface NodeTransportOptions {
  /** Where proxies are looked up, once for each URL. Default `process.env`. */
  readonly env?: Environment
  /** Certificates: an own authority (`ca`), a client's `cert` and `key`. Default: what Node trusts. */
  readonly tls?: Pick<https.AgentOptions, 'ca' | 'cert' | 'key' | 'passphrase'>
  /** How long a connection without a request is kept, in ms; less where the server says so. Default 60,000: routers forget connections later. */
  readonly idleConnectionMs?: number
}

/** What follows from a URL, worked out once. */
export interface Route {
  readonly place: Place
  readonly secure: boolean
  readonly tunnelled: boolean
  readonly options: {
    readonly host: string
    readonly port: number
    readonly path: string
    readonly agent: http.Agent
    readonly servername?: string
  }
  readonly headers: { readonly [name: string]: string }
}

/** More URLs than this are no configuration but data in a URL; the routes are then worked out again. */
const maxRoutes = 1_000

const agentOptions: http.AgentOptions & { autoSelectFamilyAttemptTimeout: number } = {
  keepAlive: true,
  // A server that reads a long prompt says nothing for minutes: probes keep the entry in every NAT on the way alive.
  keepAliveMsecs: 30_000,
  // Connections in use have no limit (Node's default).
  maxFreeSockets: 1_024,
  // Node tries the addresses of a host one after the other and gives each 250 ms, too short for a far host (nodejs/node#54359).
  autoSelectFamilyAttemptTimeout: 2_500,
}

/** Finds the route of a URL, and keeps it. */
export function router({ env = process.env, tls = {}, idleConnectionMs = 60_000 }: NodeTransportOptions): (url: string) => Route {
  const routes = new Map<string, Route>()
  // Node applies this timeout to connections in use too, but then only tells, and nobody listens.
  const agentFor = agents({ ...agentOptions, timeout: idleConnectionMs }, tls)
  return (url) => {
    const known = routes.get(url)
    if (known !== undefined) return known
    if (routes.size >= maxRoutes) routes.clear()
    const route = newRoute(parseUrl(url), env, agentFor)
    routes.set(url, route)
    return route
  }
}

/** Loaded when the first URL needs it: it is half of what a cold start takes. */
export const tlsHttp = () => process.getBuiltinModule('node:https')

/** Plain, TLS and tunnelled connections, each with a pool of its own, made when needed. */
function agents(options: http.AgentOptions, tls: https.AgentOptions): (secure: boolean, tunnel?: HttpProxy) => http.Agent {
  const made = new Map<string, http.Agent>()
  const make = (secure: boolean, tunnel?: HttpProxy) => {
    if (!secure) return new http.Agent(options)
    const agent = new (tlsHttp().Agent)({ ...options, ...tls })
    return tunnel === undefined ? agent : tunnelThrough(tunnel, agent)
  }
  return (secure, tunnel) => {
    const key = `${secure} ${tunnel?.url.href}`
    const agent = made.get(key) ?? make(secure, tunnel)
    made.set(key, agent)
    return agent
  }
}

function newRoute(url: URL, env: Environment, agentFor: ReturnType<typeof agents>): Route {
  const named = proxyFor(url, env)
  const proxy = named === undefined ? undefined : parseProxy(named)
  const authorization = basicAuth(url)
  const headers = authorization === undefined ? {} : { authorization }
  const path = url.pathname + url.search
  const place = proxy === undefined ? placeOf(url) : { label: `${placeOf(url).label} (through the ${proxy.label})`, loopback: false }
  const secure = url.protocol === 'https:'
  if (secure || proxy === undefined) {
    const agent = agentFor(secure, proxy)
    return { place, secure, tunnelled: proxy !== undefined, options: { ...addressOf(url), path, agent }, headers }
  }
  // A plain request goes to the proxy itself, which reads the whole URL.
  const toProxy = proxy.url.protocol === 'https:'
  const credentials = proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }
  return {
    place,
    secure: toProxy,
    tunnelled: false,
    options: { ...proxyAddress(proxy), path: `http://${url.host}${path}`, agent: agentFor(toProxy) },
    headers: { ...headers, ...credentials, host: url.host },
  }
}
