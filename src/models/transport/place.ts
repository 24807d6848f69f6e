import { RondoError } from '../../core/error.ts'
import { parsedUrl } from '../../core/url.ts'

/** Where a request goes, in the words of error messages: never with credentials, path or query, as any of them can hold a key. */
export interface Place {
  /** `host:port`. */
  readonly label: string
  /** This machine: nothing in between, and a refusal means that the server does not run. */
  readonly loopback: boolean
}

/** Parses the URL of a request. Throws `ConfigInvalid`. */
export function parseUrl(text: string): URL {
  const url = parsedUrl(text)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  const start = /^[a-z][\w+.-]*:/i.exec(text)?.[0]
  throw new RondoError(
    'ConfigInvalid',
    `The URL of the model's server must begin with http:// or https://${start === undefined ? '' : `, not "${start}"`}. Check baseURL.`,
  )
}

export function placeOf(url: URL): Place {
  return { label: `${url.hostname}:${portOf(url)}`, loopback: isLoopback(url.hostname) }
}

export function portOf({ protocol, port }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

/** Where to connect: the host as sockets take it, an IPv6 address without its brackets. */
export function addressOf(url: URL): { readonly host: string; readonly port: number } {
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: portOf(url) }
}

/** `hostname` as in a URL: lower case, IPv6 in brackets. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])\.?$/.test(hostname)
}

/** The value of a basic `authorization` header for the credentials of a URL, or `undefined` when it has none. */
export function basicAuth(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined
  return `Basic ${btoa(`${bytesOf(url.username)}:${bytesOf(url.password)}`)}`
}

/** Each character a byte. As curl and the URL standard decode it: a `%` that begins no escape stands for itself. A URL holds nothing but ASCII. */
function bytesOf(escaped: string): string {
  return escaped.replace(/%([\da-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
