import { BlockList, isIP, isIPv6 } from 'node:net'

/**
 * `private`: machines of this network or this machine. `special`: what no page is served from (link-local, metadata of clouds, multicast, reserved,
 * IPv4 in the clothes of IPv6, which can mean any other address). All else is `public`.
 */
export type AddressClass = 'public' | 'private' | 'special'

// After the IANA special-purpose address registries (https://www.iana.org/assignments/iana-ipv4-special-registry, …-ipv6-…).
const privateRanges = ['10.0.0.0/8', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '::1/128', 'fc00::/7']

const specialRanges = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Metadata of clouds outside the link-local range: Alibaba, Azure, AWS and Google over IPv6.
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  // Protocol assignments (Teredo, ORCHID, …), documentation, 6to4.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]

/** Of IPv6 only this is handed out for the internet; outside lie the mapped, compatible and translated forms of IPv4 too. */
const globalIPv6 = rangesOf(['2000::/3'])
const special = rangesOf(specialRanges)
const own = rangesOf(privateRanges)

/** `address` in any textual form; what is none is `special`, as is one with a zone. */
export function addressClass(address: string): AddressClass {
  if (isIP(address) === 0 || address.includes('%') || inRanges(special, address)) return 'special'
  if (inRanges(own, address)) return 'private'
  return isIPv6(address) && !inRanges(globalIPv6, address) ? 'special' : 'public'
}

export function inRanges(ranges: BlockList, address: string): boolean {
  // Node would look at the IPv4 address inside a mapped one; here a form is judged as what it is. A URL writes all forms of an address in one way.
  if (isIPv6(address) && !address.includes('%') && new URL(`http://[${address}]`).hostname.startsWith('[::ffff:')) return false
  return ranges.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** Throws for what is no range such as `10.0.0.0/8`. */
export function rangesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [, net = '', bits = ''] = /^([\da-f.:]+)\/(\d{1,3})$/i.exec(range) ?? []
    list.addSubnet(net, Number(bits), isIPv6(net) ? 'ipv6' : 'ipv4')
  }
  return list
}
