import { isLoopback, portOf } from './place.ts'

/** Environment variables, as `process.env`. */
export interface Environment {
  readonly [name: string]: string | undefined
}

/**
 * The proxy that the environment names for a URL, as curl and its followers read it: `HTTP_PROXY`, `HTTPS_PROXY` by the scheme of the URL,
 * else `ALL_PROXY`; the lower-case name wins. `NO_PROXY` lists hosts, divided by commas or white space, that are asked directly: `*`, `host`,
 * `.suffix`, `*.suffix`, each with an optional `:port`; a name stands for its subdomains too. This machine is never asked through a proxy.
 */
export function proxyFor(url: URL, env: Environment): string | undefined {
  if (isLoopback(url.hostname) || isExcluded(url, env['no_proxy'] || env['NO_PROXY'] || '')) return undefined
  // A CGI program gets the header `Proxy` of any request as HTTP_PROXY (httpoxy), so there only the lower-case name is trusted.
  const httpProxy = env['http_proxy'] || (env['REQUEST_METHOD'] === undefined ? env['HTTP_PROXY'] : undefined)
  const own = url.protocol === 'https:' ? env['https_proxy'] || env['HTTPS_PROXY'] : httpProxy
  return own || env['all_proxy'] || env['ALL_PROXY'] || undefined
}

function isExcluded(url: URL, list: string): boolean {
  const host = url.hostname.replace(/\.$/, '')
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      // A bare IPv6 address has colons of its own; with a port it stands in brackets.
      const [, name = entry, onlyPort] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? []
      if (onlyPort !== undefined && Number(onlyPort) !== portOf(url)) return false
      const suffix = name.replace(/^\*?\./, '')
      return name === '*' || host === suffix || host === `[${suffix}]` || host.endsWith(`.${suffix}`)
    })
}
