import { fetchTransport } from './fetch.ts'
import type { Transport } from './transport.ts'

/** The transport that all models share where there is no `node:http`. The global is looked up at each request, so that it can be replaced. */
export const send: Transport = fetchTransport((input, init) => globalThis.fetch(input, init))
