import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Exchange } from '../setup/wire.ts'

interface Turn {
  readonly exchange: Exchange
  readonly pieces: readonly Uint8Array[]
  body?: string
}

/** One real server for all exchanges: each is given under a path of its own. */
export class WireServer implements AsyncDisposable {
  readonly #server: http.Server
  readonly #turns: Turn[] = []

  private constructor(server: http.Server) {
    this.#server = server
  }

  static async start(): Promise<WireServer> {
    const server = http.createServer((request, response) => void wire.#answer(request, response).catch(() => response.destroy()))
    const wire = new WireServer(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return wire
  }

  /** The base URL at which the response of an exchange comes in these pieces, with its status and its headers. */
  give(exchange: Exchange, pieces: readonly Uint8Array[]): { readonly baseURL: string; readonly sent: () => string | undefined } {
    const turn: Turn = { exchange, pieces }
    const { port } = this.#server.address() as AddressInfo
    const path = this.#turns.push(turn) - 1
    return { baseURL: `http://127.0.0.1:${port}/${path}`, sent: () => turn.body }
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const turn = this.#turns[Number(request.url?.split('/')[1])]
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    if (turn === undefined) return void response.writeHead(404).end('no such exchange')
    turn.body = Buffer.concat(pieces).toString()
    const { status, contentType, headers } = turn.exchange.meta
    response.writeHead(status, { ...headers, 'content-type': contentType })
    for (const piece of turn.pieces) {
      response.write(piece)
      // Else the pieces go out as one.
      if (turn.pieces.length > 1) await nextTurn()
    }
    response.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }
}
