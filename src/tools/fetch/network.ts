import { isIP, isIPv6, type LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'

/** What the tool needs of the world; tests give their own. */
export interface Network {
  /** Every address of a name. */
  resolve(name: string): Promise<readonly string[]>
  /** Begins a connection to one of `addresses`, and to nothing else. */
  connect(to: Connection): Duplex
}

export interface Connection {
  readonly secure: boolean
  /** A name, for TLS; or the address itself. */
  readonly host: string
  readonly port: number
  readonly addresses: readonly string[]
}

/** Modules are loaded when the first URL is asked: `node:http` alone is half of a cold start. */
export const nodeNetwork: Network = {
  async resolve(name) {
    const found = await process.getBuiltinModule('node:dns').promises.lookup(name, { all: true })
    return found.map(({ address }) => address)
  },
  connect({ secure, host, port, addresses }) {
    // Node gives each address 250 ms, too short for a far host (nodejs/node#54359).
    const options = { host, port, lookup: pinned(addresses), autoSelectFamilyAttemptTimeout: 2_500 }
    if (!secure) return process.getBuiltinModule('node:net').connect(options)
    const servername = isIP(host) === 0 ? host.replace(/\.$/, '') : ''
    return process.getBuiltinModule('node:tls').connect({ ...options, servername, ALPNProtocols: ['http/1.1'] })
  },
}

/** Answers with what was checked, whatever the resolver says by now. */
function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_name, options, done) => {
    const [first] = found
    if (options.all === true) process.nextTick(done, null, found)
    else process.nextTick(done, null, first?.address ?? '', first?.family)
  }
}
