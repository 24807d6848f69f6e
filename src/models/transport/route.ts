import type http from 'node:http'
import type https from 'node:https'
import type { AgentFor } from './agents.ts'
import { agents } from './agents.ts'
import type { Place } from './place.ts'
import { addressOf, basicAuth, parseUrl, placeOf } from './place.ts'
import type { Environment } from './proxy-env.ts'
import { proxyFor } from './proxy-env.ts'
import { parseProxy, proxyAddress } from './tunnel.ts'

export interface NodeTransportOptions {
  /** Where proxies are looked up, once for each URL. Default `process.env`. */
  readonly env?: Environment
  /** Certificates of every TLS connection, that to a proxy too: an own authority (`ca`), a client's `cert` and `key`. Default: what Node trusts. */
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
  readonly headers?: { readonly [name: string]: string }
}

/** More URLs than this are no configuration but data in a URL; the routes are then worked out again. */
const maxRoutes = 1_000

/** Finds the route of a URL, and keeps it. */
export function router({ env = process.env, tls = {}, idleConnectionMs = 60_000 }: NodeTransportOptions): (url: string) => Route {
  const routes = new Map<string, Route>()
  const agentFor = agents(idleConnectionMs, tls)
  return (url) => {
    const known = routes.get(url)
    if (known !== undefined) return known
    if (routes.size >= maxRoutes) routes.clear()
    const route = newRoute(parseUrl(url), env, agentFor)
    routes.set(url, route)
    return route
  }
}

function newRoute(url: URL, env: Environment, agentFor: AgentFor): Route {
  const named = proxyFor(url, env)
  const proxy = named === undefined ? undefined : parseProxy(named)
  const authorization = basicAuth(url)
  const own = authorization === undefined ? {} : { headers: { authorization } }
  const path = url.pathname + url.search
  const place = proxy === undefined ? placeOf(url) : { label: `${placeOf(url).label} (through the ${proxy.label})`, loopback: false }
  const secure = url.protocol === 'https:'
  if (secure || proxy === undefined) {
    const agent = agentFor(secure, proxy)
    return { place, secure, tunnelled: proxy !== undefined, options: { ...addressOf(url), path, agent }, ...own }
  }
  // A plain request goes to the proxy itself, which reads the whole URL.
  const toProxy = proxy.url.protocol === 'https:'
  const credentials = proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }
  return {
    place,
    secure: toProxy,
    tunnelled: false,
    options: { ...proxyAddress(proxy), path: `http://${url.host}${path}`, agent: agentFor(toProxy) },
    headers: { ...own.headers, ...credentials, host: url.host },
  }
}
