import type https from 'node:https'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import { RondoError } from '../../core/error.ts'
import { parsedUrl } from '../../core/url.ts'
import { isTls } from './failure.ts'
import { plainHttp, tlsHttp } from './node-http.ts'
import { addressOf, basicAuth, placeOf } from './place.ts'

/** A proxy from the environment. Its credentials go into a header and nowhere else. */
export interface HttpProxy {
  readonly url: URL
  /** `proxy host:port`, for messages. */
  readonly label: string
  /** Value of `proxy-authorization`. */
  readonly authorization: string | undefined
}

/** Throws `ConfigInvalid` for what is no URL or no HTTP proxy. */
export function parseProxy(text: string): HttpProxy {
  const withScheme = /^[a-z][\w+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = parsedUrl(withScheme)
  if (url === undefined)
    throw new RondoError(
      'ConfigInvalid',
      'The proxy in the environment (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY) is no URL. Correct or unset it.',
    )
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new RondoError(
      'ConfigInvalid',
      `The environment names a proxy of the kind "${url.protocol}//"; only http:// and https:// proxies are supported. ` +
        'Exclude the host with NO_PROXY, or pass a `fetch` that knows this proxy.',
    )
  return { url, label: `proxy ${placeOf(url).label}`, authorization: basicAuth(url) }
}

/** What `http.request` needs to reach the proxy itself. The name for TLS is given, because Node would take it from the `host` header. */
export function proxyAddress({ url }: HttpProxy): { readonly host: string; readonly port: number; readonly servername: string } {
  const { host, port } = addressOf(url)
  return { host, port, servername: net.isIP(host) === 0 ? host : '' }
}

/** Options of a request that its tunnel needs; Node hands them on to `createConnection`. */
export interface TunnelOptions {
  /** Called with what closes a tunnel that is being made, because nobody can abort it through the request, which has no socket yet. */
  onTunnel?: (close: () => void) => void
}

type Connected = (error: Error | null, socket?: Duplex) => void
interface ConnectionOptions extends https.RequestOptions, TunnelOptions {}

/**
 * Makes `agent` reach its hosts through CONNECT: TLS with the host itself, inside, so the proxy sees its name and nothing else. By hand,
 * because Node's own proxies begin with 22.21 and 24.5, and these lines serve every Node without a package.
 */
export function tunnelThrough(proxy: HttpProxy, agent: https.Agent, tls: https.AgentOptions): https.Agent {
  const module = proxy.url.protocol === 'https:' ? tlsHttp() : plainHttp()
  const direct = agent.createConnection.bind(agent)
  const createConnection = (options: ConnectionOptions, connected: Connected): undefined => {
    const host = String(options.host)
    const authority = `${host.includes(':') ? `[${host}]` : host}:${options.port}`
    const headers = { host: authority, ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }) }
    const request = module.request({ ...tls, ...proxyAddress(proxy), method: 'CONNECT', path: authority, headers, agent: false })
    request.once('connect', ({ statusCode = 0 }, socket) => {
      // Any 2xx (RFC 9110, 9.3.6).
      if (statusCode >= 200 && statusCode < 300) return connected(null, direct({ ...options, socket } as never) ?? undefined)
      socket.destroy()
      connected(refused(proxy, authority, statusCode))
    })
    request.once('error', (error) => connected(unreachable(proxy, error)))
    request.end()
    options.onTunnel?.(() => request.destroy())
  }
  return Object.assign(agent, { createConnection })
}

function refused({ label }: HttpProxy, target: string, status: number): RondoError {
  const advice = status === 407 ? 'It wants credentials: put them into its URL (http://user:password@host).' : 'Check NO_PROXY.'
  // 5xx: the proxy could not reach the host just now.
  return new RondoError('ModelServerError', `The ${label} answered ${status} instead of connecting to ${target}. ${advice}`, {
    retryable: status >= 500,
  })
}

function unreachable({ label }: HttpProxy, cause: Error): RondoError {
  const code = 'code' in cause ? String(cause.code) : cause.message
  if (isTls(code))
    return new RondoError(
      'ModelServerError',
      `No TLS connection to the ${label} (${code}). Does it speak https, or should its URL in HTTPS_PROXY begin with http://? ` +
        'If its certificate is signed by an authority of your own, name that in NODE_EXTRA_CA_CERTS.',
      { cause, retryable: false },
    )
  return new RondoError('ModelServerError', `The ${label} can't be reached (${code}). Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY.`, {
    cause,
  })
}
