// What only the transport over node:http does.
import { Socket } from 'node:net'
import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { agents } from '../../../src/models/transport/agents.ts'
import { nodeTransport } from '../../../src/models/transport/node.ts'
import { SseDecoder } from '../../../src/models/transport/sse.ts'
import { testCertificate } from '../../setup/certificate.ts'
import { fakeServer } from '../../setup/http-server.ts'
import { rawServer } from '../../setup/raw-server.ts'
import { brief, call } from './call.ts'

const never = Number.POSITIVE_INFINITY
const unlimited = { connectMs: never, firstByteMs: never, idleMs: never, totalMs: never }
const env = {}
const fresh = () => nodeTransport({ env })
const trusting = () => nodeTransport({ env, tls: { ca: testCertificate.cert } })

describe('a connection that the server has closed', () => {
  test('a reused one that breaks before a byte of an answer: sent once more, on a fresh connection', async () => {
    await using server = await fakeServer([{ body: 'first' }, { ends: 'cut' }, { body: 'second' }])
    const transport = fresh()
    await call(transport, server.url, { body: 'a' })
    expect(await call(transport, server.url, { body: 'b' })).toMatchObject({ status: 200, text: 'second' })
    expect(server.requests.map(({ body, connection }) => [body.toString(), connection])).toEqual([
      ['a', 0],
      ['b', 0],
      ['b', 1],
    ])
  })

  test('the other idle connections are as stale and not tried', async () => {
    await using server = await fakeServer([{ after: 50 }, { after: 50 }, { after: 50 }, { ends: 'cut' }, { body: 'ok' }])
    const transport = fresh()
    await Promise.all([1, 2, 3].map(() => call(transport, server.url)))
    expect(await call(transport, server.url)).toMatchObject({ text: 'ok' })
    expect([server.requests.length, server.requests.at(-1)?.connection]).toEqual([5, 3])
  })

  test('closed while idle: the next request takes a fresh one', async () => {
    await using server = await fakeServer({ body: 'x' })
    const transport = fresh()
    for (let index = 0; index < 5; index++) {
      expect(await call(transport, server.url)).toMatchObject({ text: 'x' })
      server.closeConnections()
    }
    expect(server.requests).toHaveLength(5)
  })

  test('once, not again and again', async () => {
    await using server = await fakeServer([{}, { ends: 'cut' }, { ends: 'cut' }, { body: 'no' }])
    const transport = fresh()
    await call(transport, server.url)
    expect((await call(transport, server.url)).error?.message).toContain('closed the connection without an answer')
    expect(server.requests).toHaveLength(3)
  })

  test.each([
    ['on a fresh connection', [{ ends: 'cut' }], 'closed the connection without an answer'],
    ['when an answer has begun', [{}, { body: 'x', ends: 'cut' }], 'is incomplete'],
    ['when the server may have been at work on it', [{}, { after: 120, ends: 'cut' }], 'closed the connection without an answer'],
  ] as const)('not %s', async (_when, answers, said) => {
    await using server = await fakeServer([...answers, { body: 'no' }])
    const transport = fresh()
    let called = await call(transport, server.url)
    for (let index = 1; index < answers.length; index++) called = await call(transport, server.url)
    expect(brief(called.error)).toEqual(['ModelServerError', true, expect.stringContaining(said)])
    expect(server.requests).toHaveLength(answers.length)
  })

  test('not when a part of the head has come', async () => {
    let requests = 0
    await using server = await rawServer((socket) =>
      socket.on('data', () => {
        if (requests++ === 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
        else socket.end('HTTP/1.1 20')
      }),
    )
    const transport = fresh()
    const url = `http://127.0.0.1:${server.port}`
    expect(await call(transport, url, { method: 'GET' })).toMatchObject({ status: 200 })
    expect((await call(transport, url, { method: 'GET' })).error).toMatchObject({ code: 'ModelServerError', retryable: true })
    expect(requests).toBe(2)
  })

  test('a large body that was not sent to its end: once more, however long that took', async () => {
    let requests = 0
    await using server = await rawServer((socket) =>
      socket.on('data', (bytes: Buffer) => {
        if (bytes.subarray(0, 4).toString() !== 'POST') return
        if (++requests !== 2) return void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
        socket.pause()
        setTimeout(() => socket.destroy(), 150)
      }),
    )
    const transport = fresh()
    const url = `http://127.0.0.1:${server.port}`
    await call(transport, url)
    expect(await call(transport, url, { body: [new Uint8Array(33_554_432)] })).toMatchObject({ status: 200 })
    expect(requests).toBe(3)
  })

  test('over TLS too', async () => {
    await using server = await fakeServer([{ body: 'first' }, { ends: 'cut' }, { body: 'second' }], { tls: testCertificate })
    const transport = trusting()
    await call(transport, server.url)
    expect(await call(transport, server.url)).toMatchObject({ text: 'second' })
    expect(server.requests.map(({ connection }) => connection)).toEqual([0, 0, 1])
  })

  test('not after an abort', async () => {
    await using server = await fakeServer([{}, { after: 30, ends: 'cut' }, { body: 'no' }])
    const transport = fresh()
    await call(transport, server.url)
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 10)
    expect((await call(transport, server.url, { signal: controller.signal })).error?.code).toBe('RunAborted')
    await server.requests[1]?.closed
    expect(server.requests).toHaveLength(2)
  })
})

describe('limits of the connection', () => {
  test('B136 a connection that never stands: connectMs, and it is closed', async () => {
    await using server = await rawServer((socket) => socket.resume()) // takes the TLS hello and says nothing
    const { error } = await call(fresh(), `https://127.0.0.1:${server.port}`, { timeouts: { ...unlimited, connectMs: 50 } })
    expect(brief(error)).toEqual([
      'ModelTimeout',
      true,
      `No connection to 127.0.0.1:${server.port} within 50 ms. The limit is timeouts.connectMs: raise it if the server needs longer.`,
    ])
    await server.firstClosed
  })

  test('abort while connecting closes the connection', async () => {
    const controller = new AbortController()
    await using server = await rawServer((socket) => {
      socket.resume()
      controller.abort()
    })
    expect((await call(fresh(), `https://127.0.0.1:${server.port}`, { signal: controller.signal })).error?.code).toBe('RunAborted')
    await server.firstClosed
  })

  test('a connection that was given up before it stood serves no other request', async () => {
    await using server = await rawServer((socket) => socket.resume()) // takes the TLS hello and says nothing
    const transport = fresh()
    const url = `https://127.0.0.1:${server.port}`
    const controller = new AbortController()
    const first = call(transport, url, { signal: controller.signal })
    controller.abort()
    expect((await first).error?.code).toBe('RunAborted')
    await new Promise((resolve) => setImmediate(resolve))
    expect((await call(transport, url, { timeouts: { ...unlimited, connectMs: 50, firstByteMs: 500 } })).error?.message).toContain(
      'connectMs',
    )
    // Not every Node offers such a one to the pool; ours would not take it.
    expect(agents(60_000, {})(false).keepSocketAlive(new Socket())).toBe(false)
  })

  test('a process that was busy reads what came meanwhile before it says that nothing came', async () => {
    await using server = await rawServer((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na')
        const answerAndBlock = (): void => {
          socket.write('b')
          const end = performance.now() + 400
          while (performance.now() < end);
        }
        // After an immediate the loop looks at its timers first, then it reads.
        setTimeout(() => setImmediate(answerAndBlock), 20)
      }),
    )
    const { text, error } = await call(fresh(), `http://127.0.0.1:${server.port}`, { timeouts: { ...unlimited, idleMs: 300 } })
    expect([text, error?.code]).toEqual(['ab', undefined])
  })

  test('B136 connectMs ends with the connection, also a reused one', async () => {
    await using server = await fakeServer({ after: 120, body: 'x' })
    const transport = fresh()
    for (let index = 0; index < 2; index++)
      expect(await call(transport, server.url, { timeouts: { ...unlimited, connectMs: 60 } })).toMatchObject({ text: 'x' })
  })

  test('B137 no limit holds but those given: a silence longer than an idle connection may live', async () => {
    await using server = await fakeServer([{ after: 200, body: ['a', 200, 'b'] }])
    const transport = nodeTransport({ env, idleConnectionMs: 40 })
    expect(await call(transport, server.url, { timeouts: unlimited })).toMatchObject({ text: 'ab' })
    expect(await call(transport, server.url, { timeouts: unlimited })).toMatchObject({ text: 'ab' })
  })

  test('an idle connection is closed after idleConnectionMs, or a second before the server would close it', async () => {
    await using server = await fakeServer([{ body: 'x' }, { headers: { 'keep-alive': 'max=9, timeout=1' }, body: 'x' }])
    await call(nodeTransport({ env, idleConnectionMs: 40 }), server.url)
    await server.requests[0]?.closed
    await call(fresh(), server.url)
    await server.requests[1]?.closed
  })
})

test('from complete on neither the connection nor a timer holds the process, although the body does not end', async () => {
  await using server = await fakeServer({ body: 'data: [DONE]\n\n', ends: 'hang' })
  const held = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  let before = 0
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const { error } = await call(fresh(), server.url, {
    onChunk() {
      before = held()
      return 'complete'
    },
  })
  expect([error, held()]).toEqual([undefined, before - 1]) // the server's own stays
  const own = timers.mock.results.filter((_, index) => timers.mock.calls[index]?.[0].name === 'giveUp')
  expect(own.map(({ value }) => value.hasRef())).toEqual([false])
})

describe('TLS', () => {
  test('an authority of one’s own', async () => {
    await using server = await fakeServer({ body: 'x' }, { tls: testCertificate })
    const transport = trusting()
    for (let index = 0; index < 3; index++) expect(await call(transport, server.url)).toMatchObject({ text: 'x' })
    expect(server.connections).toBe(1)
  })

  test('a certificate that is not trusted: not retryable, says what to do', async () => {
    await using server = await fakeServer({}, { tls: testCertificate })
    expect(brief((await call(fresh(), server.url)).error)).toEqual([
      'ModelServerError',
      false,
      `No TLS connection to 127.0.0.1:${server.port} (DEPTH_ZERO_SELF_SIGNED_CERT). If its certificate is signed by an authority of your own, name that in NODE_EXTRA_CA_CERTS.`,
    ])
    expect(server.requests).toEqual([])
  })

  test('a certificate that can’t be read: ConfigInvalid', async () => {
    const { error } = await call(nodeTransport({ env, tls: { cert: 'no certificate' } }), 'https://127.0.0.1:9/')
    expect(brief(error)).toEqual(['ConfigInvalid', false, expect.stringMatching(/^The request to 127\.0\.0\.1:9 can't be sent: .+/)])
  })

  test('https to a server that speaks http: not retryable', async () => {
    await using server = await fakeServer({})
    const { error } = await call(fresh(), server.url.replace('http:', 'https:'))
    expect(brief(error)).toEqual([
      'ModelServerError',
      false,
      expect.stringContaining('Does the server speak https, or should baseURL be http://?'),
    ])
  })

  test('http to a server that speaks something else', async () => {
    await using server = await rawServer((socket) => socket.end('SSH-2.0-x\r\n'))
    const { error } = await call(fresh(), `http://127.0.0.1:${server.port}`)
    expect(brief(error)).toEqual(['ModelServerError', true, expect.stringMatching(/something that is not HTTP \(HPE_\w+\)/)])
  })
})

describe('content encodings', () => {
  const { BROTLI_OPERATION_FLUSH } = zlib.constants
  const encoders: [string, () => Transform & zlib.Zlib][] = [
    ['gzip', () => zlib.createGzip()],
    ['deflate', () => zlib.createDeflate()],
    ['br', () => zlib.createBrotliCompress({ flush: BROTLI_OPERATION_FLUSH })],
  ]
  if (zlib.createZstdCompress !== undefined) encoders.push(['zstd', () => zlib.createZstdCompress()])

  /** `text`, and what comes after it, compressed so that `text` can be read from the first piece. */
  async function flushed(encoder: Transform & zlib.Zlib, text: string, after: string): Promise<[Buffer, Buffer]> {
    encoder.write(text)
    await new Promise<void>((resolve) => encoder.flush(() => resolve()))
    const first = encoder.read()
    encoder.end(after)
    return [first, Buffer.concat(await encoder.toArray())]
  }

  test('none is asked for', async () => {
    await using server = await fakeServer({})
    await call(fresh(), server.url)
    expect(server.requests[0]?.headers['accept-encoding']).toBeUndefined()
  })

  test.each(encoders)('%s is undone, event by event', async (encoding, encoder) => {
    const [first, second] = await flushed(encoder(), 'data: 1\n\n', 'data: é2\n\n')
    let arrived = () => {}
    const read = new Promise<void>((resolve) => (arrived = resolve))
    await using server = await fakeServer({ headers: { 'content-encoding': encoding }, body: [first, () => read, second] })
    const { text, error } = await call(fresh(), server.url, { onChunk: () => arrived() }) // hangs if the first event is held back
    expect([text, error]).toEqual(['data: 1\n\ndata: é2\n\n', undefined])
  })

  test.each([
    ['deflate', zlib.deflateRawSync('héllo'), 'without the header of zlib'],
    ['deflate', zlib.gzipSync('héllo'), 'which is gzip'],
    ['gzip, gzip', zlib.gzipSync(zlib.gzipSync('héllo')), 'the last one first'],
    ['br, identity,, GZIP', zlib.gzipSync(zlib.brotliCompressSync('héllo')), 'of several kinds'],
  ])('%s is undone in small pieces: %#', async (encoding, bytes) => {
    const body = Array.from(bytes, (byte) => Uint8Array.of(byte))
    await using server = await fakeServer({ headers: { 'content-encoding': encoding }, body })
    expect(await call(fresh(), server.url)).toMatchObject({ status: 200, text: 'héllo' })
  })

  test('a list that is too long, or has an unknown one, is no use to try again; a damaged one inside says so', async () => {
    await using server = await fakeServer([
      { headers: { 'content-encoding': 'gzip, gzip, gzip, gzip' }, body: 'x' },
      { headers: { 'content-encoding': 'lzma, gzip' }, body: zlib.gzipSync('x') },
      { headers: { 'content-encoding': 'deflate, gzip' }, body: zlib.gzipSync('not deflate at all') },
      { headers: { 'content-encoding': 'deflate' }, body: zlib.deflateRawSync('x'.repeat(1_000)).subarray(0, 5) },
    ])
    const transport = fresh()
    const said = []
    for (let index = 0; index < 4; index++) said.push(brief((await call(transport, server.url)).error))
    const host = `127.0.0.1:${server.port}`
    expect(said).toEqual([
      ['ModelServerError', false, `${host} answered with content-encoding "gzip, gzip, gzip, gzip", which can't be decoded here.`],
      ['ModelServerError', false, `${host} answered with content-encoding "lzma, gzip", which can't be decoded here.`],
      ['ModelServerError', true, `The answer of ${host} can't be decompressed (Z_DATA_ERROR).`],
      ['ModelServerError', true, expect.stringContaining(`The answer of ${host} is incomplete`)],
    ])
  })

  test('an empty body, and identity', async () => {
    await using server = await fakeServer([
      { headers: { 'content-encoding': 'gzip' } },
      { headers: { 'content-encoding': 'Identity' }, body: 'x' },
    ])
    const transport = fresh()
    expect(await call(transport, server.url)).toMatchObject({ status: 200, text: '', chunks: 0 })
    expect(await call(transport, server.url)).toMatchObject({ text: 'x' })
  })

  test('a cut one is incomplete, a damaged one says so, an unknown one is no use to try again', async () => {
    const whole = zlib.gzipSync('data: 1\n\n'.repeat(1_000))
    const headers = { 'content-encoding': 'gzip' }
    await using server = await fakeServer([
      { headers, body: whole.subarray(0, whole.length - 9) },
      { headers, body: 'not gzip at all' },
      { headers: { 'content-encoding': 'lzma' }, body: 'x' },
    ])
    const transport = fresh()
    const said = []
    for (let index = 0; index < 3; index++) said.push(brief((await call(transport, server.url)).error))
    const host = `127.0.0.1:${server.port}`
    expect(said).toEqual([
      ['ModelServerError', true, expect.stringContaining(`The answer of ${host} is incomplete`)],
      ['ModelServerError', true, `The answer of ${host} can't be decompressed (Z_DATA_ERROR).`],
      ['ModelServerError', false, `${host} answered with content-encoding "lzma", which can't be decoded here.`],
    ])
  })
})

test('B140 a line of 200 MB: the decoder’s error ends the request and closes the connection', async () => {
  const piece = Buffer.alloc(65_536, 'a')
  await using server = await fakeServer({
    headers: { 'content-type': 'text/event-stream' },
    body: ['data: ', ...Array.from({ length: 3_200 }, () => piece)],
  })
  const decoder = new SseDecoder(() => {}, { maxEventChars: 4_000_000 })
  const { error, chunks } = await call(fresh(), server.url, { onChunk: (bytes) => decoder.push(bytes) })
  expect(error).toMatchObject({ code: 'ModelServerError', message: expect.stringContaining('maxEventChars') })
  expect(chunks).toBeGreaterThan(10)
  await server.requests[0]?.closed
})
