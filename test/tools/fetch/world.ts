import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, createServer as createSocketServer } from 'node:net'
import { afterEach, onTestFinished } from 'vitest'
import type { ToolCallInfo } from '../../../src/core/tool.ts'
import { type FetchToolOptions, type FetchUrlOutput, fetchToolOn } from '../../../src/tools/fetch/fetch-url.ts'
import type { Connection, Network } from '../../../src/tools/fetch/network.ts'

/** An address of the internet, as far as the tool can know. Nothing is ever sent there: the connector leads everything to a server of the test. */
export const publicAddress = '93.184.216.34'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server on this machine; gone after the test. */
export async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Answers whatever is asked with these bytes, as they are, and ends the connection. */
export async function serveBytes(answer: string): Promise<number> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(answer, 'latin1'))
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

export interface World extends Network {
  readonly asked: string[]
  readonly connections: Connection[]
}

/** A resolver of fixed answers, and a connector that leads to the port of a server of this test, or refuses everything. */
export function world(port?: number, names: (name: string) => readonly string[] = () => [publicAddress]): World {
  const asked: string[] = []
  const connections: Connection[] = []
  return {
    asked,
    connections,
    async resolve(name) {
      asked.push(name)
      return names(name)
    },
    connect(to) {
      connections.push(to)
      if (port === undefined) throw new Error('this test connects to nothing')
      return connect(port, '127.0.0.1')
    },
  }
}

/** A call as the engine makes it: validated input in, output or error out. */
export async function fetchUrl(
  network: Network,
  input: Record<string, unknown>,
  options: FetchToolOptions = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<FetchUrlOutput> {
  const tool = fetchToolOn(options, network)
  const valid = await tool.inputSchema['~standard'].validate(input)
  if (valid.issues !== undefined) throw new Error(`invalid input: ${JSON.stringify(valid.issues)}`)
  return (await tool['~definition'].execute?.(valid.value, { signal } as ToolCallInfo)) as FetchUrlOutput
}

/** Serves one body with these headers, and asks for it. */
export async function page(
  body: string | Buffer,
  headers: Record<string, string>,
  input: Record<string, unknown> = {},
  options: FetchToolOptions = {},
): Promise<FetchUrlOutput> {
  const port = await serve((_request, response) => response.writeHead(200, headers).end(body))
  return fetchUrl(world(port), { url: 'http://site.test/', ...input }, options)
}

/** The message of the error that a call ends with. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    (value) => `no error, but ${JSON.stringify(value).slice(0, 300)}`,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}
