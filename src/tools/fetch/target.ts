import { isIP } from 'node:net'
import { parsedUrl } from '../../core/url.ts'
import { problem } from '../files/problem.ts'
import type { Network } from './network.ts'
import { hostAddress, isAllowedAddress, isNamed, type Rules } from './rules.ts'
import type { Watch } from './watch.ts'

const longestUrl = 8_000

/** A URL that may be asked, and the addresses that were checked: no other is connected to. */
export interface Target {
  readonly url: URL
  readonly addresses: readonly string[]
  /** How messages call the host: what the model named, and never where a name or a redirect has led. */
  readonly label: string
}

/**
 * Parses and checks a URL without asking anybody. `label` is how messages call it when it is no longer the model's own. The parser of the platform
 * undoes what hides an address (decimal, octal and hexadecimal forms, wide digits, a dot at the end) and refuses zones.
 */
export function checkUrl(text: string, base: URL | undefined, rules: Rules, label?: string): { url: URL; label: string } {
  const url = text.length <= longestUrl ? parsedUrl(text, base?.href) : undefined
  if (url === undefined) {
    const shown = label ?? `'${text.slice(0, 200)}'`
    throw problem(`${shown} is no URL that can be asked. Give a whole one, such as https://example.com/page.`)
  }
  const shown = label ?? `'${url.hostname}'`
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw problem(`${label ?? `'${url.protocol}'`} is not http or https. Only http:// and https:// URLs can be asked.`)
  if (url.username !== '' || url.password !== '')
    throw problem(`The URL of ${shown} holds a user name or password, and none are sent. Take out what stands before the @.`)
  if (rules.only !== undefined && !isNamed(rules.only, url) && !isNamed(rules.allow, url))
    throw problem(`${shown} is not among the sites that may be asked. Use another one.`)
  if (badPorts.has(Number(url.port)) && !isNamed(rules.allow, url))
    throw problem(`The port in the URL of ${shown} belongs to a service that serves no pages, and is not asked. Use another URL.`)
  return { url, label: shown }
}

/**
 * Finds the addresses of a host, all of them, and checks each: one that is not allowed refuses the host, as a mixture is how checks are got
 * around. Later answers of the resolver do not matter, because these addresses are what is connected to.
 */
export async function findTarget(
  { url, label }: { url: URL; label: string },
  rules: Rules,
  network: Network,
  watch: Watch,
): Promise<Target> {
  const host = hostAddress(url)
  const addresses = isIP(host) === 0 ? await watch.during(network.resolve(host)) : [host]
  if (addresses.length === 0) throw problem(`The host of ${label} has no address. Check its name.`)
  if (!addresses.every((address) => isAllowedAddress(rules, url, address)))
    throw problem(`${label} has an address that is not public, and such addresses may not be asked. Use a public site.`)
  return { url, addresses, label }
}

/** Ports of services that can be made to act by a request of HTTP: https://fetch.spec.whatwg.org/#port-blocking. */
const badPorts: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117,
  119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636,
  989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])
