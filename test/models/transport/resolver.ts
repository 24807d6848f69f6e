import type dns from 'node:dns'

// What stands in for the resolver of names, `dns.lookup`, through which both transports ask: no test asks a real one.

type Answered = (error: Error | null, addresses?: string | dns.LookupAddress[], family?: number) => void

/** The ways to call it that are in use here. */
function resolver(answer: (answered: Answered, all: boolean) => void): typeof dns.lookup {
  const lookup = (_host: string, options: dns.LookupAllOptions, answered: Answered) => answer(answered, options.all)
  return lookup as typeof dns.lookup
}

export function resolvesTo(...addresses: string[]): typeof dns.lookup {
  return resolver((answered, all) => {
    if (all)
      answered(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      )
    else answered(null, addresses[0], 4)
  })
}

export function failsWith(code: string): typeof dns.lookup {
  return resolver((answered) => answered(Object.assign(new Error(`getaddrinfo ${code}`), { code, syscall: 'getaddrinfo' })))
}

/** A resolver that answers when it is told to. `asked` resolves with what lets it answer. */
export function slowResolver(address: string): { readonly lookup: typeof dns.lookup; readonly asked: Promise<() => void> } {
  let tell = (_answer: () => void) => {}
  const asked = new Promise<() => void>((resolve) => (tell = resolve))
  const lookup = resolver((answered, all) => tell(() => (all ? answered(null, [{ address, family: 4 }]) : answered(null, address, 4))))
  return { lookup, asked }
}
