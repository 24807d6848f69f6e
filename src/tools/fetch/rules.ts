import type { BlockList } from 'node:net'
import { RondoError } from '../../core/error.ts'
import { parsedUrl } from '../../core/url.ts'
import { type AddressClass, addressClass, inRanges, rangesOf } from './addresses.ts'

/** Which hosts may be asked, worked out once from the options. */
export interface Rules {
  /** May be reached although their addresses are not public. */
  readonly allow: readonly Origin[]
  readonly allowedRanges: BlockList
  /** `undefined`: every public host. */
  readonly only: readonly Origin[] | undefined
}

/** `https://example.com:8443`, `https://*.example.com`, `http://127.0.0.1:*`. */
interface Origin {
  readonly protocol: string
  /** As in a URL; with `subdomains` what follows `*.`. */
  readonly host: string
  readonly subdomains: boolean
  /** `'*'`: any. */
  readonly port: string
}

export function rulesOf(allow: readonly string[] = [], only?: readonly string[]): Rules {
  for (const [option, list] of Object.entries({ allow, only }))
    if (list !== undefined && !(Array.isArray(list) && list.every((entry) => typeof entry === 'string')))
      throw new RondoError('ConfigInvalid', `fetchTool(): ${option} must be a list of texts`)
  const ranges = allow.filter((entry) => !entry.includes('://'))
  return {
    allow: allow.filter((entry) => entry.includes('://')).map((entry) => originOf('allow', entry)),
    allowedRanges: knownRanges(ranges),
    only: only?.map((entry) => originOf('only', entry)),
  }
}

export function isNamed(origins: readonly Origin[], url: URL): boolean {
  const host = plainHost(url)
  return origins.some(
    (origin) =>
      origin.protocol === url.protocol &&
      (origin.port === '*' || origin.port === url.port) &&
      (origin.subdomains ? host.endsWith(`.${origin.host}`) : host === origin.host),
  )
}

/**
 * Whether an address of the host of `url` may be connected to. Who names a host in `allow` means its machine, wherever in this network it is. What a
 * name can be made to point at by its owner alone (metadata above all) has to be named as the address that it is.
 */
export function isAllowedAddress(rules: Rules, url: URL, address: string): boolean {
  const found: AddressClass = addressClass(address)
  if (found === 'public' || inRanges(rules.allowedRanges, address)) return true
  return isNamed(rules.allow, url) && (found === 'private' || hostAddress(url) === address)
}

/** The host as sockets take it: IPv6 without brackets. */
export function hostAddress(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** Without the dot at the end, which names the same host. */
function plainHost(url: URL): string {
  return url.hostname.replace(/\.$/, '')
}

function originOf(option: string, entry: string): Origin {
  const [, scheme = '', wild = '', host = '', port] =
    /^(https?):\/\/(\*\.)?([^\s/?#@*:[\]]+|\[[^\s\]]+\])(?::(\d+|\*))?\/?$/i.exec(entry) ?? []
  const text = `${scheme}://${host}${port === undefined || port === '*' ? '' : `:${port}`}`
  const url = host === '' ? undefined : parsedUrl(text)
  if (url === undefined)
    throw new RondoError(
      'ConfigInvalid',
      `fetchTool(): ${option} '${entry}' must be an origin such as 'https://example.com', 'https://*.example.com' or 'http://127.0.0.1:8080'` +
        `${option === 'allow' ? ", or a range of addresses such as '10.1.0.0/16'" : ''}`,
    )
  return { protocol: url.protocol, host: plainHost(url), subdomains: wild !== '', port: port === '*' ? '*' : url.port }
}

function knownRanges(ranges: readonly string[]): BlockList {
  for (const range of ranges) {
    try {
      rangesOf([range])
    } catch (cause) {
      throw new RondoError(
        'ConfigInvalid',
        `fetchTool(): allow '${range}' must be an origin such as 'http://127.0.0.1:8080' or a range of addresses such as '10.1.0.0/16'`,
        { cause },
      )
    }
  }
  return rangesOf(ranges)
}
