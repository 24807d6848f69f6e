// What both transports must do, each over the same fake server.
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { fetchTransport } from '../../../src/models/transport/fetch.ts'
import { nodeTransport } from '../../../src/models/transport/node.ts'
import { defaultTimeouts } from '../../../src/models/transport/transport.ts'
import { fakeServer } from '../../setup/http-server.ts'
import { brief, call } from './call.ts'

const never = Number.POSITIVE_INFINITY
const unlimited = { connectMs: never, firstByteMs: never, idleMs: never, totalMs: never }
const transports = [
  ['node', nodeTransport({ env: {} })],
  ['fetch', fetchTransport((input, init) => globalThis.fetch(input, init))],
] as const

describe.each(transports)('transport %s', (name, transport) => {
  // The first request loads what carries it, which would count against short limits.
  beforeAll(async () => {
    await using server = await fakeServer({})
    await call(transport, server.url)
  })

  test('sends method, headers and the pieces of the body in order, with their length, and delivers the answer', async () => {
    await using server = await fakeServer({ status: 201, headers: { 'X-Request-Id': 'r1' }, body: 'héllo' })
    const bytes = (text: string) => new TextEncoder().encode(text)
    const body = [bytes('{"a":'), bytes(''), bytes('"é😀"'), bytes('}')]
    const called = await call(transport, `${server.url}/v1/chat?x=1`, {
      body,
      headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    })
    expect(called).toMatchObject({ status: 201, text: 'héllo' })
    expect([called.header('x-request-id'), called.header('X-REQUEST-ID'), called.header('nope')]).toEqual(['r1', 'r1', undefined])
    const [seen] = server.requests
    expect([seen?.method, seen?.url, seen?.body.toString()]).toEqual(['POST', '/v1/chat?x=1', '{"a":"é😀"}'])
    expect(seen?.headers).toMatchObject({ authorization: 'Bearer k', 'content-type': 'application/json', 'content-length': '14' })
    expect(seen?.headers['transfer-encoding']).toBeUndefined()
  })

  test('GET has no body and no length', async () => {
    await using server = await fakeServer({ body: '[]' })
    expect(await call(transport, `${server.url}/models`, { method: 'GET' })).toMatchObject({ status: 200, text: '[]' })
    expect(server.requests[0]).toMatchObject({ method: 'GET', body: Buffer.alloc(0) })
    expect(server.requests[0]?.headers['content-length']).toBeUndefined()
  })

  test('a large body of a thousand pieces arrives whole', async () => {
    await using server = await fakeServer({})
    const body = Array.from({ length: 1_000 }, (_, index) => new Uint8Array(1_024).fill(index))
    await call(transport, server.url, { body })
    expect(server.requests[0]?.body.equals(Buffer.concat(body))).toBe(true)
  })

  test('a connection serves one request after the other', async () => {
    await using server = await fakeServer({ body: 'x' })
    for (let index = 0; index < 5; index++) await call(transport, server.url)
    // The pool of Node's fetch gets a connection back a little too late for the next request.
    expect([server.requests.length, server.connections]).toEqual([5, name === 'node' ? 1 : expect.any(Number)])
    expect(server.connections).toBeLessThan(5)
  })

  test('each piece is delivered when it comes', async () => {
    let arrived = () => {}
    const first = new Promise<void>((resolve) => (arrived = resolve))
    await using server = await fakeServer({ body: ['data: 1\n\n', () => first, 'data: 2\n\n'] })
    const { text } = await call(transport, server.url, { onChunk: () => arrived() }) // hangs if the first piece is held back
    expect(text).toBe('data: 1\n\ndata: 2\n\n')
  })

  test.each([404, 429, 500, 304, 300])('status %i is the caller’s matter', async (status) => {
    await using server = await fakeServer({ status, ...(status === 304 ? {} : { body: 'why' }) })
    expect(await call(transport, server.url)).toMatchObject({ status, text: status === 304 ? '' : 'why' })
  })

  test('B085 an empty event stream resolves without a chunk: the caller sees that nothing came', async () => {
    await using server = await fakeServer({ headers: { 'content-type': 'text/event-stream' }, ends: 'end' })
    const called = await call(transport, server.url)
    expect([called.status, called.chunks, called.header('content-type'), called.error]).toEqual([200, 0, 'text/event-stream', undefined])
  })

  describe('time limits', () => {
    test('B136 headers come at once, the first byte of the body never: firstByteMs', async () => {
      await using server = await fakeServer({ status: 200, ends: 'hang' })
      const { status, error } = await call(transport, server.url, { timeouts: { ...unlimited, firstByteMs: 150 } })
      expect([status, ...brief(error)]).toEqual([
        200,
        'ModelTimeout',
        true,
        `127.0.0.1:${server.port} did not begin to answer within 150 ms. The limit is timeouts.firstByteMs: raise it if the server needs longer.`,
      ])
      await server.requests[0]?.closed
    })

    test('B136 no headers: firstByteMs', async () => {
      await using server = await fakeServer({ ends: 'hang' })
      const { status, error } = await call(transport, server.url, { timeouts: { ...unlimited, firstByteMs: 40 } })
      expect([status, error?.code, error?.message]).toEqual([undefined, 'ModelTimeout', expect.stringContaining('firstByteMs')])
      await server.requests[0]?.closed
    })

    test('B135 a pause between pieces is measured by idleMs, not by firstByteMs, and the message names it with its value', async () => {
      await using server = await fakeServer({ body: ['data: 1\n\n'], ends: 'hang' })
      const { text, error } = await call(transport, server.url, { timeouts: { ...unlimited, firstByteMs: 20_000, idleMs: 40 } })
      expect([text, ...brief(error)]).toEqual([
        'data: 1\n\n',
        'ModelTimeout',
        true,
        `127.0.0.1:${server.port} sent nothing for 40 ms in the middle of its answer. The limit is timeouts.idleMs: raise it if the server needs longer.`,
      ])
      await server.requests[0]?.closed
    })

    test('B135 comments count as life: an answer may take longer than every limit between two bytes', async () => {
      // Long limits and short pauses: a busy machine must not make a limit out of a pause.
      await using server = await fakeServer({ body: Array.from({ length: 50 }, () => [60, ': ping\n\n']).flat() })
      const { error } = await call(transport, server.url, { timeouts: { ...unlimited, firstByteMs: 1_500, idleMs: 1_500 } })
      expect(error).toBe(undefined)
    })

    test('B136 a long healthy stream is cut by totalMs only, when that is set', async () => {
      await using server = await fakeServer({ body: Array.from({ length: 200 }, () => ['x', 5]).flat() })
      const { error } = await call(transport, server.url, { timeouts: { ...unlimited, idleMs: 10_000, totalMs: 60 } })
      expect(brief(error)).toEqual([
        'ModelTimeout',
        true,
        `The request to 127.0.0.1:${server.port} was not done within 60 ms. The limit is timeouts.totalMs: raise it if the server needs longer.`,
      ])
    })

    test('no timer and no listener is left, whichever way a request ends', async () => {
      const timers = vi.spyOn(globalThis, 'setTimeout')
      await using server = await fakeServer([{ body: 'x' }, { body: 'x', ends: 'cut' }, { ends: 'hang' }, { body: 'x' }, { body: 'x' }])
      const { signal } = new AbortController()
      const listeners = new Set<unknown>()
      const watched = new Proxy(signal, {
        get(target, key) {
          if (key === 'addEventListener') return (_: string, listener: unknown) => listeners.add(listener)
          if (key === 'removeEventListener') return (_: string, listener: unknown) => listeners.delete(listener)
          return Reflect.get(target, key, target)
        },
      })
      const timeouts = { ...defaultTimeouts, firstByteMs: 150 }
      const errors = []
      for (let index = 0; index < 3; index++) errors.push((await call(transport, server.url, { signal: watched, timeouts })).error?.code)
      errors.push((await call(transport, server.url, { signal: watched, onChunk: () => fail('no') }).catch((error) => error)).message)
      await call(transport, server.url, { signal: watched, onChunk: () => 'complete' })
      expect(errors).toEqual([undefined, 'ModelServerError', 'ModelTimeout', 'no'])
      const own = timers.mock.results.filter((_, index) => ['check', 'giveUp'].includes(timers.mock.calls[index]?.[0].name ?? ''))
      await expect.poll(() => own.every(({ value }) => value._destroyed)).toBe(true)
      expect([listeners.size, own.length > 0, own.every(({ value }) => value._destroyed)]).toEqual([0, true, true])
    })
  })

  describe('abort', () => {
    test('before the start: nothing is sent', async () => {
      await using server = await fakeServer({})
      const { error } = await call(transport, server.url, { signal: AbortSignal.abort(new Error('user')) })
      expect(brief(error)).toEqual(['RunAborted', false, 'The request to the model was aborted.'])
      expect(error?.cause).toEqual(new Error('user'))
      expect(server.connections).toBe(0)
    })

    test.each([
      ['before the answer', { ends: 'hang' }],
      ['after the headers', { status: 200, ends: 'hang' }],
      ['in the body', { body: 'data: 1\n\n', ends: 'hang' }],
    ] as const)('%s: rejects at once and the server sees the connection close', async (_when, answer) => {
      await using server = await fakeServer(answer)
      const controller = new AbortController()
      const calling = call(transport, server.url, {
        signal: controller.signal,
        onChunk: () => setTimeout(() => controller.abort(), 0) && undefined,
      })
      while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
      if (!('body' in answer)) controller.abort()
      expect((await calling).error?.code).toBe('RunAborted')
      await server.requests[0]?.closed
    })
  })

  describe('a broken answer', () => {
    test('the body ends before its length: incomplete, retryable', async () => {
      await using server = await fakeServer({ headers: { 'content-length': 100 }, body: 'data: 1\n\n', ends: 'cut' })
      const { text, error } = await call(transport, server.url)
      expect([text, error?.code, error?.retryable]).toEqual(['data: 1\n\n', 'ModelServerError', true])
      expect(error?.message).toMatch(/^The answer of 127\.0\.0\.1:\d+ is incomplete: it broke off after 9 bytes \(\w+\)\.$/)
    })

    test('a chunked body is cut: incomplete, retryable', async () => {
      await using server = await fakeServer({ body: ['data: 1\n\n', 'data: 2\n\n'], ends: 'cut' })
      const { error } = await call(transport, server.url)
      expect([error?.code, error?.retryable, error?.message]).toEqual(['ModelServerError', true, expect.stringContaining('is incomplete')])
      expect(error?.cause).toBeInstanceOf(Error)
    })

    test('the connection closes without an answer: retryable', async () => {
      await using server = await fakeServer({ ends: 'cut' })
      const { error } = await call(transport, server.url)
      expect(brief(error)).toEqual(['ModelServerError', true, expect.stringMatching(/closed the connection without an answer \(\w+\)\.$/)])
    })

    test('nobody listens: retryable, names host and port, the code, and asks whether the server runs', async () => {
      const server = await fakeServer({})
      await server[Symbol.asyncDispose]()
      const { error } = await call(transport, `${server.url}/v1/chat?key=sk-secret`)
      expect(brief(error)).toEqual([
        'ModelServerError',
        true,
        `Nothing answers at 127.0.0.1:${server.port} (ECONNREFUSED). Is the server running?`,
      ])
    })
  })

  describe('size', () => {
    test('more than maxBytes: ModelServerError that is not tried again, the connection is closed', async () => {
      await using server = await fakeServer({ body: ['x'.repeat(600), 5, 'x'.repeat(600)], ends: 'hang' })
      const { error } = await call(transport, server.url, { maxBytes: 1_000 })
      expect(brief(error)).toEqual([
        'ModelServerError',
        false,
        `The answer of 127.0.0.1:${server.port} is larger than 1,000 bytes (limit maxResponseBytes).`,
      ])
      await server.requests[0]?.closed
    })

    test('the limit holds for decompressed bytes', async () => {
      const bomb = gzipSync(Buffer.alloc(5_000_000))
      await using server = await fakeServer({ headers: { 'content-encoding': 'gzip' }, body: bomb })
      const { error } = await call(transport, server.url, { maxBytes: 1_000_000 })
      expect([bomb.length < 10_000, error?.message]).toEqual([true, expect.stringContaining('larger than 1,000,000 bytes')])
    })

    test('exactly maxBytes is fine', async () => {
      await using server = await fakeServer({ body: 'x'.repeat(1_000) })
      expect(await call(transport, server.url, { maxBytes: 1_000 })).toMatchObject({ text: 'x'.repeat(1_000) })
    })
  })

  describe('redirects', () => {
    test.each([301, 302, 303, 307, 308])('%i is refused, names the host it points to and what to do, and no secret', async (status) => {
      await using elsewhere = await fakeServer({ body: 'stolen' })
      await using server = await fakeServer({ status, headers: { location: `${elsewhere.url}/v1?key=sk-secret` } })
      const { error } = await call(transport, `${server.url}/v1?key=sk-secret`, { headers: { authorization: 'Bearer sk-secret' } })
      expect(brief(error)).toEqual([
        'ModelBadRequest',
        false,
        `127.0.0.1:${server.port} answered ${status}, a redirect to ${elsewhere.url}. It is not followed, because that would send your key there: set baseURL to where the API is.`,
      ])
      expect(elsewhere.requests).toEqual([])
    })

    test('one without a location, or to a path', async () => {
      await using server = await fakeServer([{ status: 302 }, { status: 302, headers: { location: '/login' } }])
      expect((await call(transport, server.url)).error?.message).toContain('a redirect elsewhere.')
      expect((await call(transport, server.url)).error?.message).toContain(`a redirect to ${server.url}.`)
    })
  })

  describe('the receiver', () => {
    test('what head throws rejects, and the connection is closed', async () => {
      await using server = await fakeServer({ body: 'x', ends: 'hang' })
      const calling = call(transport, server.url, { onHead: () => fail('html') })
      await expect(calling).rejects.toThrow('html')
      await server.requests[0]?.closed
    })

    test('what chunk throws rejects, no more is delivered, and the connection is closed', async () => {
      await using server = await fakeServer({ body: ['1', 10, '2', 10, '3'], ends: 'hang' })
      let calls = 0
      const calling = call(transport, server.url, { onChunk: () => fail(`${++calls}`) })
      await expect(calling).rejects.toThrow('1')
      await server.requests[0]?.closed
      expect(calls).toBe(1)
    })

    test('complete: resolves; the body is read to its end but not delivered, and the connection serves another request', async () => {
      let resolved = () => {}
      const first = new Promise<void>((resolve) => (resolved = resolve))
      await using server = await fakeServer([{ body: ['data: [DONE]\n\n', () => first, ': bye\n\n'] }, { body: 'x' }])
      const onChunk = (): 'complete' => 'complete'
      expect(await call(transport, server.url, { onChunk })).toMatchObject({ text: 'data: [DONE]\n\n' }) // hangs if the end is waited for
      resolved()
      await new Promise((resolve) => setTimeout(resolve, 50))
      await call(transport, server.url)
      if (name === 'node') expect(server.connections).toBe(1)
    })

    test('complete: a server that keeps the connection open delays nothing, and after a second it is closed', async () => {
      await using server = await fakeServer({ body: 'data: [DONE]\n\n', ends: 'hang' })
      const timeouts = { ...unlimited, totalMs: 400 }
      expect((await call(transport, server.url, { timeouts, onChunk: () => 'complete' })).error).toBeUndefined()
      await server.requests[0]?.closed
    })

    test('complete: an abort afterwards does no harm', async () => {
      await using server = await fakeServer([{ body: ['data: [DONE]\n\n', 30, ': bye\n\n'] }, { body: 'x' }])
      const controller = new AbortController()
      await call(transport, server.url, { signal: controller.signal, onChunk: () => 'complete' })
      controller.abort()
      await new Promise((resolve) => setTimeout(resolve, 80))
      expect(await call(transport, server.url)).toMatchObject({ text: 'x' })
      if (name === 'node') expect(server.connections).toBe(1)
    })

    test('complete: a server that breaks the connection does no harm', async () => {
      await using server = await fakeServer({ body: 'data: [DONE]\n\n', ends: 'cut' })
      expect((await call(transport, server.url, { onChunk: () => 'complete' })).error).toBeUndefined()
    })
  })

  describe('what can’t be sent', () => {
    test('a key with a line break: ConfigInvalid that names the header, not its value', async () => {
      const { error } = await call(transport, 'http://127.0.0.1:9/', { headers: { authorization: 'Bearer sk-\nsecret' } })
      expect(brief(error)).toEqual([
        'ConfigInvalid',
        false,
        'The request to 127.0.0.1:9 can\'t be sent: the value of the header "authorization" has a line break or another character that HTTP does not allow.',
      ])
      expect(JSON.stringify([error, error?.cause])).not.toContain('secret')
    })

    test('a name that is no header name: ConfigInvalid that says so', async () => {
      const { error } = await call(transport, 'http://127.0.0.1:9/', { headers: { 'x y': 'z' } })
      expect(brief(error)).toEqual(['ConfigInvalid', false, expect.stringMatching(/^The request to 127\.0\.0\.1:9 can't be sent: .*x y/)])
    })

    test('a % in the credentials that begins no escape stands for itself', async () => {
      await using server = await fakeServer({})
      await call(transport, server.url.replace('//', '//50%off:%c3%a9%ff%@'))
      const sent = server.requests[0]?.headers.authorization?.slice('Basic '.length) ?? ''
      expect(Buffer.from(sent, 'base64').toString('latin1')).toBe('50%off:\xc3\xa9\xff%')
    })

    test.each([
      ['localhost:11434/v1', 'not "localhost:"'],
      ['ftp://host/x', 'not "ftp:"'],
      ['/v1?key=sk-secret', 'http:// or https://. Check baseURL'],
    ])('the URL %s: ConfigInvalid', async (url, said) => {
      const { error } = await call(transport, url)
      expect([error?.code, error?.message]).toEqual(['ConfigInvalid', expect.stringContaining(said)])
      expect(error?.message).not.toContain('secret')
    })

    test('credentials in the URL become a basic authorization, which a given one wins over', async () => {
      await using server = await fakeServer({})
      const url = server.url.replace('//', '//ann:p%40ss@')
      await call(transport, url)
      await call(transport, url, { headers: { authorization: 'Bearer k' } })
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([`Basic ${btoa('ann:p@ss')}`, 'Bearer k'])
    })
  })

  test('300 requests at once', async () => {
    await using server = await fakeServer({ body: 'x' })
    const called = await Promise.all(Array.from({ length: 300 }, () => call(transport, server.url)))
    expect(called.filter(({ text }) => text === 'x')).toHaveLength(300)
  })
})

function fail(message: string): never {
  throw new Error(message)
}
