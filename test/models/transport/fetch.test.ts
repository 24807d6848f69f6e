// What only the transport over fetch does; a fetch that does not behave stands in for other runtimes.
import { describe, expect, test } from 'vitest'
import { fetchTransport } from '../../../src/models/transport/fetch.ts'
import { brief, call } from './call.ts'

const never = Number.POSITIVE_INFINITY
const unlimited = { connectMs: never, firstByteMs: never, idleMs: never, totalMs: never }
const url = 'https://api.test/v1?key=secret'
const failing = (error: unknown) => fetchTransport(() => Promise.reject(error))
const fetchFailed = (cause: unknown) => failing(new TypeError('fetch failed', { cause }))
const withCode = (code: string) => Object.assign(new Error('x'), { code })

/** A body that gives `pieces` and then neither ends nor listens; `cancelled` resolves when it is given up. */
function endless(...pieces: string[]) {
  let cancel = () => {}
  const cancelled = new Promise<void>((resolve) => (cancel = resolve))
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
    },
    cancel: () => cancel(),
  })
  return { body, cancelled }
}

describe('fetch transport', () => {
  test.each(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT'])(
    'B137 %s is a limit of the fetch, and named as such with the way out',
    async (code) => {
      const { error } = await call(
        fetchTransport(() => Promise.reject(new TypeError('fetch failed', { cause: withCode(code) }))),
        url,
      )
      expect(brief(error)).toEqual([
        'ModelTimeout',
        true,
        `api.test:443: a time limit of the given fetch fired (${code}). Leave out \`fetch\`, so that only the timeouts set here hold, or give it a dispatcher with headersTimeout: 0 and bodyTimeout: 0.`,
      ])
      expect(error?.cause).toMatchObject({ cause: { code } })
    },
  )

  test.each([
    [
      'the code of the cause',
      fetchFailed(withCode('ECONNREFUSED')),
      true,
      'Nothing answers at api.test:443 (ECONNREFUSED). Check baseURL.',
    ],
    [
      'the first of several attempts',
      fetchFailed(new AggregateError([withCode('ETIMEDOUT')])),
      true,
      "api.test:443 can't be reached (ETIMEDOUT). Check baseURL and the network.",
    ],
    [
      'TLS, which nobody retries',
      fetchFailed(withCode('CERT_HAS_EXPIRED')),
      false,
      'No TLS connection to api.test:443 (CERT_HAS_EXPIRED).',
    ],
    [
      'the words, where there is no code',
      failing(new TypeError('Failed to fetch')),
      true,
      "api.test:443 can't be reached (Failed to fetch). Check baseURL and the network.",
    ],
    [
      'the words of the cause, where there is no code at all',
      fetchFailed(
        new Error('error sending request for url (https://api.test/v1?key=secret): client error (SendRequest): connection closed'),
      ),
      true,
      "api.test:443 can't be reached (error sending request for url (https://api.test): client error (SendRequest): connection closed). Check baseURL and the network.",
    ],
    ['a rejection that is no error', failing('x'), true, "api.test:443 can't be reached (no reason given). Check baseURL and the network."],
  ] as const)('a failure is told by %s', async (_what, transport, retryable, message) => {
    expect(brief((await call(transport, url)).error)).toEqual(['ModelServerError', retryable, message])
  })

  test.each([
    ['tcp connect error: Connection refused (os error 111)', true, /^Nothing answers at api\.test:443 \(.*refused.*\)\. Check baseURL\.$/],
    ['dns error: failed to lookup address information', true, /^The host of api\.test:443 can't be found \(/],
    ['invalid peer certificate: UnknownIssuer', false, /^No TLS connection to api\.test:443 \(.*UnknownIssuer\)\.$/],
    ['received corrupt message of type InvalidContentType', false, /Does the server speak https, or should baseURL be http:\/\/\?$/],
  ])('Deno tells by words alone what others tell by a code: %s', async (words, retryable, message) => {
    const cause = new Error(`error sending request for url (https://api.test/v1?key=secret): client error (Connect): ${words}`)
    const { error } = await call(fetchFailed(cause), url)
    expect(brief(error)).toEqual(['ModelServerError', retryable, expect.stringMatching(message)])
    expect(error?.message).not.toContain('secret')
  })

  test('a fetch that throws at once', async () => {
    const transport = fetchTransport(() => {
      throw new TypeError('no network here')
    })
    expect((await call(transport, url)).error?.message).toContain('no network here')
  })

  test('a fetch that never answers and ignores its signal: limits and abort hold all the same', async () => {
    const transport = fetchTransport(() => new Promise(() => {}))
    expect((await call(transport, url, { timeouts: { ...unlimited, firstByteMs: 20 } })).error?.code).toBe('ModelTimeout')
    const controller = new AbortController()
    const calling = call(transport, url, { signal: controller.signal })
    controller.abort()
    expect((await calling).error?.code).toBe('RunAborted')
  })

  test('an answer that comes after the limit is given up', async () => {
    const { body, cancelled } = endless('late')
    const transport = fetchTransport(() => new Promise((resolve) => setTimeout(resolve, 60, new Response(body))))
    const { text, error } = await call(transport, url, { timeouts: { ...unlimited, firstByteMs: 20 } })
    expect([text, error?.code]).toEqual(['', 'ModelTimeout'])
    await cancelled
  })

  test('a body that ignores the signal: the reader is given up', async () => {
    const { body, cancelled } = endless('a')
    const { text, error } = await call(
      fetchTransport(async () => new Response(body)),
      url,
      { timeouts: { ...unlimited, idleMs: 20 } },
    )
    expect([text, error?.code]).toEqual(['a', 'ModelTimeout'])
    await cancelled
  })

  test('a redirect that a browser hides', async () => {
    const opaque = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' })
    expect(
      brief(
        (
          await call(
            fetchTransport(async () => opaque),
            url,
          )
        ).error,
      ),
    ).toEqual([
      'ModelBadRequest',
      false,
      'api.test:443 answered 302, a redirect elsewhere. It is not followed, because that would send your key there: set baseURL to where the API is.',
    ])
  })

  test('what it asks of fetch', async () => {
    const asked: [unknown, RequestInit | undefined][] = []
    const transport = fetchTransport(async (input, init) => {
      asked.push([input, init])
      return new Response(null, { status: 204 })
    })
    const pieces = [Uint8Array.of(1, 2), Uint8Array.of(3)]
    expect(await call(transport, 'https://ann:pw@api.test/v1', { body: pieces })).toMatchObject({ status: 204, text: '' })
    const [input, init] = asked[0] ?? []
    expect([input, init?.method, init?.body, init?.redirect]).toEqual(['https://api.test/v1', 'POST', Uint8Array.of(1, 2, 3), 'manual'])
    expect(init && Reflect.get(init, 'timeout')).toBe(false) // Bun's own limit
  })
})
