import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface RawServer extends AsyncDisposable {
  readonly port: number
  /** Connections that are open on this side. */
  readonly sockets: ReadonlySet<Socket>
  /** How many there have been. */
  readonly connections: number
  /** Resolves when the first connection has closed. */
  readonly firstClosed: Promise<void>
}

/**
 * A server on 127.0.0.1 that speaks no HTTP of its own: what it does with each connection.
 *
 * @param allowHalfOpen Its side of a connection stays open when the other ends. Default false.
 */
export async function rawServer(onConnection: (socket: Socket, index: number) => void, { allowHalfOpen = false } = {}): Promise<RawServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  let closed = () => {}
  const firstClosed = new Promise<void>((resolve) => (closed = resolve))
  const server = createServer({ allowHalfOpen }, (socket) => {
    const index = connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      closed()
    })
    onConnection(socket, index)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    sockets,
    firstClosed,
    get connections() {
      return connections
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
