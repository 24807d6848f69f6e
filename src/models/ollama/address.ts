import { parsedUrl } from '../../core/url.ts'

/**
 * Where the Ollama server is: OLLAMA_HOST as Ollama reads it (`envconfig.Host`), which takes quotes and blanks around it, a host, a port, both, an IPv6
 * address with or without brackets, a URL with a path, and for a port that is none the usual one. What listens on every address is reached on
 * this machine; a user and password are left out. No slash at the end; `undefined` for what is no address.
 */
export function ollamaAddress(env: { readonly [name: string]: string | undefined }): string | undefined {
  const text = (env['OLLAMA_HOST'] ?? '').replace(/^[\s"']+|[\s"']+$/g, '')
  const scheme = /^(\w+):\/\//.exec(text)?.[1]?.toLowerCase()
  const usualPort = scheme === undefined ? 11_434 : { http: 80, https: 443 }[scheme]
  if (usualPort === undefined) return undefined
  const [, authority = '', path = ''] = /^(?:\w+:\/\/)?([^/]*)(.*)$/.exec(text) ?? []
  const address = authority.replace(/^.*@/, '')
  const [, host = '', port = ''] = isBareIPv6(address) ? ['', address] : (/^(\[.*\]|[^:]*):?(.*)$/.exec(address) ?? [])
  if (port.includes(':')) return undefined
  const usable = /^\d+$/.test(port) && Number(port) <= 65_535 ? Number(port) : usualPort
  const url = `${scheme ?? 'http'}://${connectable(host)}:${usable}${path.replace(/\/+$/, '')}`
  return parsedUrl(url) === undefined ? undefined : url
}

function isBareIPv6(text: string): boolean {
  return /^[\da-f.]*:[\da-f.]*:[\da-f:.]*$/i.test(text)
}

function connectable(host: string): string {
  if (host === '' || host === '0.0.0.0') return '127.0.0.1'
  const bare = host.replace(/^\[|\]$/g, '')
  return bare === '::' ? '[::1]' : bare.includes(':') ? `[${bare}]` : bare
}
