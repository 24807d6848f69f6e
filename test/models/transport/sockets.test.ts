// What becomes of connections: who frees them and when, counted at both ends.
import dns from 'node:dns'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { fetchTransport } from '../../../src/models/transport/fetch.ts'
import { nodeTransport } from '../../../src/models/transport/node.ts'
import type { Transport } from '../../../src/models/transport/transport.ts'
import { fakeServer } from '../../setup/http-server.ts'
import { rawServer } from '../../setup/raw-server.ts'
import { brief, type CallOptions, call } from './call.ts'
import { failsWith, resolvesTo, slowResolver } from './resolver.ts'

const never = Number.POSITIVE_INFINITY
const unlimited = { connectMs: never, firstByteMs: never, idleMs: never, totalMs: never }
const transports: [string, Transport][] = [
  ['node', nodeTransport({ env: {} })],
  ['fetch', fetchTransport((input, init) => globalThis.fetch(input, init))],
]

/** Connections of this process that hold it: of both ends, but for those that wait in a pool. */
const held = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

const good = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

describe.each(transports)('connections of the transport %s', (name, transport) => {
  // A server asks the resolver too, when it begins to listen.
  afterEach(() => void vi.restoreAllMocks())

  // The first request loads what carries it, which would count against short limits.
  beforeAll(async () => {
    await using server = await fakeServer({})
    await call(transport, server.url)
  })

  describe('an abort frees the connection', () => {
    const large = [new Uint8Array(33_554_432)]
    const zipped = gzipSync(Buffer.alloc(100_000, 'abc')).subarray(0, 60)

    /** What the server does when the first bytes of the request have come, and what else there is to know when it is time to abort. */
    type Stage = [when: string, onRequest: (socket: Socket, abort: () => void) => void, options?: (abort: () => void) => CallOptions]
    const onHead = (abort: () => void): CallOptions => ({ onHead: () => void setImmediate(abort) })
    const onChunk = (abort: () => void): CallOptions => ({ onChunk: () => void setImmediate(abort) })
    const stages: Stage[] = [
      [
        'while the request is being sent',
        (socket, abort) => {
          socket.pause()
          setImmediate(abort)
        },
        () => ({ body: large }),
      ],
      ['after the request', (_socket, abort) => void setImmediate(abort)],
      ['within the head', (socket, abort) => void socket.write('HTTP/1.1 200 O', () => setImmediate(abort))],
      ['after the head, before the first byte', (socket) => void socket.write(chunked), onHead],
      ['in the middle of the body', (socket) => void socket.write(`${chunked}5\r\nhello\r\n`), onChunk],
      ['within a piece of the body', (socket) => void socket.write(`${chunked}5\r\nhel`), onChunk],
      [
        'in a body that is being unpacked',
        (socket) => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\ncontent-encoding: gzip\r\n\r\n')
          socket.write(zipped)
        },
        onHead,
      ],
      ['in the body of an error', (socket) => void socket.write('HTTP/1.1 500 No\r\ncontent-length: 99\r\n\r\n{"error":'), onChunk],
    ]

    test.each(stages)('%s', async (_when, onRequest, options) => {
      const controller = new AbortController()
      const abort = () => controller.abort()
      await using server = await rawServer((socket, index) =>
        socket.once('data', () => (index === 0 ? onRequest(socket, abort) : void socket.write(good))),
      )
      const url = `http://127.0.0.1:${server.port}`
      const before = held()
      const { error } = await call(transport, url, { timeouts: unlimited, ...options?.(abort), signal: controller.signal })
      expect(brief(error)).toEqual(['RunAborted', false, 'The request to the model was aborted.'])
      // One whose end is not read is not seen to close.
      for (const socket of server.sockets) socket.resume()
      await server.firstClosed
      expect(await call(transport, url)).toMatchObject({ status: 200, text: 'ok' })
      // The fetch of Node connects again at once, and keeps that for whoever asks next.
      if (name === 'node') expect([server.connections, server.sockets.size]).toEqual([2, 1])
      await expect.poll(() => held() <= before + server.sockets.size).toBe(true)
    })

    test('while the name is being looked up: at once, whenever the answer comes', async () => {
      await using server = await fakeServer({})
      const { lookup, asked } = slowResolver('127.0.0.1')
      vi.spyOn(dns, 'lookup').mockImplementation(lookup)
      const controller = new AbortController()
      const before = held()
      const calling = call(transport, `http://slow.test:${server.port}`, { signal: controller.signal, timeouts: unlimited })
      const answer = await asked
      await new Promise((resolve) => setImmediate(resolve))
      controller.abort()
      expect((await calling).error?.code).toBe('RunAborted')
      answer()
      await expect.poll(() => held() <= before).toBe(true)
      // The fetch of Node connects all the same, for whoever asks next.
      if (name === 'node') expect(server.connections).toBe(0)
      expect(server.requests).toEqual([])
    })
  })

  describe('a server that closes its side', () => {
    test.each([
      ['without an answer', '', /closed the connection without an answer \(\w+\)\.$/],
      ['within the head', 'HTTP/1.1 200 O', /./],
      ['before the length that it told', 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhalf', /is incomplete: it broke off after 4 bytes/],
      ['before the last chunk', `${chunked}4\r\nhalf\r\n`, /is incomplete: it broke off after 4 bytes/],
      ['within a chunk', `${chunked}9\r\nhalf`, /is incomplete: it broke off after 4 bytes/],
    ])('%s, and goes on reading: a broken answer, and the other side is closed too', async (_when, written, message) => {
      await using server = await rawServer((socket) => socket.once('data', () => socket.end(written)).resume(), { allowHalfOpen: true })
      const before = held()
      const { error } = await call(transport, `http://127.0.0.1:${server.port}`, { timeouts: unlimited })
      expect(brief(error)).toEqual(['ModelServerError', true, expect.stringMatching(message)])
      await expect.poll(() => [server.sockets.size, held() <= before]).toEqual([0, true])
    })

    test('after a body that told no length: that is its end', async () => {
      await using server = await rawServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it')), {
        allowHalfOpen: true,
      })
      expect(await call(transport, `http://127.0.0.1:${server.port}`)).toMatchObject({ status: 200, text: 'all of it' })
    })

    test('between two requests: the next one takes a fresh connection', async () => {
      await using server = await rawServer(
        (socket, index) => socket.on('data', () => socket.write(good, () => index < 3 && socket.end())),
        {
          allowHalfOpen: true,
        },
      )
      const url = `http://127.0.0.1:${server.port}`
      for (let index = 0; index < 4; index++) {
        expect(await call(transport, url, { method: 'GET' })).toMatchObject({ status: 200, text: 'ok' })
        await expect.poll(() => [...server.sockets].filter(({ writable }) => !writable)).toEqual([])
      }
      expect(server.connections).toBe(4)
    })

    test('and says so (connection: close): no connection is kept', async () => {
      await using server = await fakeServer({ headers: { connection: 'close' }, body: 'x' })
      for (let index = 0; index < 3; index++) expect(await call(transport, server.url)).toMatchObject({ text: 'x' })
      expect(server.connections).toBe(3)
    })
  })

  test('B136 a head that comes byte by byte is no first byte of an answer: firstByteMs', async () => {
    await using server = await rawServer((socket) => {
      let at = 0
      const timer = setInterval(() => socket.write(at < 15 ? 'HTTP/1.1 200 OK'.charAt(at++) : `\r\nx-${at++}: y`), 20)
      socket.on('close', () => clearInterval(timer)).resume()
    })
    const { error } = await call(transport, `http://127.0.0.1:${server.port}`, { timeouts: { ...unlimited, firstByteMs: 300 } })
    expect(brief(error)).toEqual(['ModelTimeout', true, expect.stringContaining('timeouts.firstByteMs')])
    await server.firstClosed
  })

  describe('names', () => {
    test.each(['ENOTFOUND', 'EAI_AGAIN'])('one that is not known (%s): retryable, says so', async (code) => {
      vi.spyOn(dns, 'lookup').mockImplementation(failsWith(code))
      const { error } = await call(transport, 'http://no-such-host.test:1234/v1?key=secret')
      expect(brief(error)).toEqual([
        'ModelServerError',
        true,
        `The host of no-such-host.test:1234 can't be found (${code}). Check baseURL and the network.`,
      ])
    })

    test('of several addresses the next one is tried; when nothing answers at any, that is said once', async () => {
      const server = await fakeServer({ body: 'x' })
      vi.spyOn(dns, 'lookup').mockImplementation(resolvesTo('127.0.0.2', '127.0.0.1'))
      const url = `http://several.test:${server.port}`
      expect(await call(transport, url, { headers: { connection: 'close' } })).toMatchObject({ status: 200, text: 'x' })
      await server[Symbol.asyncDispose]()
      expect(brief((await call(transport, url)).error)).toEqual([
        'ModelServerError',
        true,
        `Nothing answers at several.test:${server.port} (ECONNREFUSED). Check baseURL.`,
      ])
    })

    test('a resolver that does not answer: a limit ends it', async () => {
      vi.spyOn(dns, 'lookup').mockImplementation(slowResolver('127.0.0.1').lookup)
      const limit = name === 'node' ? 'connectMs' : 'firstByteMs'
      const { error } = await call(transport, 'http://slow.test:1234', { timeouts: { ...unlimited, [limit]: 60 } })
      expect(brief(error)).toEqual(['ModelTimeout', true, expect.stringContaining(`timeouts.${limit}`)])
    })
  })
})
