import dns from 'node:dns'
import { describe, expect, test, vi } from 'vitest'
import { nodeTransport } from '../../../src/models/transport/node.ts'
import { proxyFor } from '../../../src/models/transport/proxy-env.ts'
import { testCertificate } from '../../setup/certificate.ts'
import { fakeProxy, fakeServer } from '../../setup/http-server.ts'
import { brief, call } from './call.ts'
import { resolvesTo } from './resolver.ts'

const tls = { ca: testCertificate.cert }
const never = Number.POSITIVE_INFINITY
const unlimited = { connectMs: never, firstByteMs: never, idleMs: never, totalMs: never }
/** The fake proxy reaches any host on this machine; the name alone makes it one that is not local. */
const remote = ({ url }: { readonly url: string }) => url.replace('127.0.0.1', 'api.test')

describe('which proxy', () => {
  const http = 'http://h:1'
  const https = 'http://s:2'
  test.each([
    ['http://api.test/', { HTTP_PROXY: http, HTTPS_PROXY: https }, http],
    ['https://api.test/', { HTTP_PROXY: http, HTTPS_PROXY: https }, https],
    ['https://api.test/', { HTTP_PROXY: http }, undefined],
    ['https://api.test/', { https_proxy: 'http://lower:3', HTTPS_PROXY: https }, 'http://lower:3'],
    ['http://api.test/', { http_proxy: '', HTTP_PROXY: http }, http],
    ['http://api.test/', { ALL_PROXY: http }, http],
    ['https://api.test/', { all_proxy: http, HTTPS_PROXY: https }, https],
    ['http://api.test/', {}, undefined],
    // httpoxy
    ['http://api.test/', { HTTP_PROXY: http, REQUEST_METHOD: 'GET' }, undefined],
    ['http://api.test/', { http_proxy: http, REQUEST_METHOD: 'GET' }, http],
  ] as const)('%s with %o: %s', (url, env, proxy) => {
    expect(proxyFor(new URL(url), env)).toBe(proxy)
  })

  test.each([
    'http://localhost:1/',
    'http://a.localhost/',
    'http://127.0.0.1/',
    'http://127.9.9.9/',
    'http://[::1]:11434/',
    'http://LOCALHOST./',
  ])('never for this machine: %s', (url) => {
    expect(proxyFor(new URL(url), { HTTP_PROXY: http })).toBeUndefined()
  })

  test.each([
    ['*', true],
    ['api.test', true],
    ['API.TEST', true],
    ['.api.test', true],
    ['test', true],
    ['.test', true],
    ['*.test', true],
    ['pi.test', false],
    ['other, api.test', true],
    ['other  api.test', true],
    ['api.test:8080', true],
    ['.test:8080', true],
    ['api.test:8081', false],
    ['*:8080', true],
    ['x.api.test', false],
    ['', false],
    [' , ', false],
  ])('NO_PROXY=%s leaves http://api.test:8080 alone: %s', (list, direct) => {
    const env = { HTTP_PROXY: http, NO_PROXY: list }
    expect(proxyFor(new URL('http://api.test:8080/'), env)).toBe(direct ? undefined : http)
    expect(proxyFor(new URL('http://api.test:8080/'), { HTTP_PROXY: http, no_proxy: list })).toBe(direct ? undefined : http)
  })

  test.each([
    ['https://api.test/', 'api.test:443'],
    ['http://api.test/', 'api.test:80'],
    ['http://10.0.0.7/', '10.0.0.7'],
    ['http://[fd00::1]/', 'fd00::1'],
    ['http://[fd00::1]:99/', '[fd00::1]:99'],
    ['http://api.test./', 'api.test'],
  ])('%s is excluded by %s', (url, list) => {
    expect(proxyFor(new URL(url), { ALL_PROXY: http, NO_PROXY: list })).toBeUndefined()
  })
})

describe('through a proxy', () => {
  test('a plain request is sent to the proxy with its whole URL and the proxy’s credentials', async () => {
    await using server = await fakeServer({ body: 'x' })
    await using proxy = await fakeProxy()
    const transport = nodeTransport({ env: { HTTP_PROXY: proxy.url.replace('//', '//ann:p%40ss@') } })
    expect(await call(transport, `${remote(server)}/v1?a=b`, { body: 'hello' })).toMatchObject({ status: 200, text: 'x' })
    expect(proxy.asked).toEqual([`POST http://api.test:${server.port}/v1?a=b ann:p@ss`])
    expect(server.requests[0]?.body.toString()).toBe('hello')
    expect(server.requests[0]?.headers.host).toBe(`api.test:${server.port}`)
  })

  test('TLS goes through a tunnel, which serves the next request too', async () => {
    await using server = await fakeServer({ body: 'x' }, { tls: testCertificate })
    await using proxy = await fakeProxy()
    const transport = nodeTransport({ env: { https_proxy: proxy.url.replace('//', '//ann:secret@') }, tls })
    for (let index = 0; index < 2; index++) expect(await call(transport, remote(server), { body: 'hello' })).toMatchObject({ text: 'x' })
    expect(proxy.asked).toEqual([`CONNECT api.test:${server.port} ann:secret`])
    expect(server.requests.map(({ connection, headers }) => [connection, headers['proxy-authorization']])).toEqual([
      [0, undefined],
      [0, undefined],
    ])
  })

  test('a proxy without a scheme is an http:// one; this machine and NO_PROXY are asked directly', async () => {
    await using server = await fakeServer({ body: 'x' })
    await using proxy = await fakeProxy()
    const transport = nodeTransport({ env: { ALL_PROXY: `127.0.0.1:${proxy.port}`, NO_PROXY: 'other.test' } })
    expect(await call(transport, server.url)).toMatchObject({ text: 'x' })
    expect(proxy.asked).toEqual([])
    expect(await call(transport, remote(server))).toMatchObject({ text: 'x' })
    expect(proxy.asked).toHaveLength(1)
  })

  test('the variables of the process are read, if no others are given', async () => {
    await using server = await fakeServer({ body: 'x' })
    await using proxy = await fakeProxy()
    for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY', 'no_proxy', 'NO_PROXY'])
      vi.stubEnv(name, undefined)
    try {
      vi.stubEnv('HTTP_PROXY', proxy.url)
      expect(await call(nodeTransport(), remote(server))).toMatchObject({ text: 'x' })
      expect(proxy.asked).toEqual([`POST http://api.test:${server.port}/`])
      vi.stubEnv('NO_PROXY', 'api.test')
      const lookup = vi.spyOn(dns, 'lookup').mockImplementation(resolvesTo('127.0.0.1'))
      expect(await call(nodeTransport(), remote(server))).toMatchObject({ text: 'x' })
      expect([proxy.asked.length, lookup.mock.calls.map(([host]) => host)]).toEqual([1, ['api.test']])
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('a % in the proxy’s credentials that begins no escape stands for itself', async () => {
    await using proxy = await fakeProxy({ refuse: 403 })
    const transport = nodeTransport({ env: { ALL_PROXY: proxy.url.replace('//', '//ann:50%off@') } })
    await call(transport, 'https://api.test/')
    await call(transport, 'http://api.test/')
    expect(proxy.asked).toEqual(['CONNECT api.test:443 ann:50%off', 'POST http://api.test/ ann:50%off'])
  })

  test('a proxy over TLS, whose certificate is of one’s own authority too; any 2xx is a tunnel', async () => {
    await using server = await fakeServer({ body: 'x' }, { tls: testCertificate })
    await using proxy = await fakeProxy({ tls: testCertificate, connected: 201 })
    const transport = nodeTransport({ env: { https_proxy: proxy.url }, tls })
    for (let index = 0; index < 2; index++) expect(await call(transport, remote(server))).toMatchObject({ text: 'x' })
    expect(proxy.asked).toEqual([`CONNECT api.test:${server.port}`])
  })

  test('no TLS with the proxy: not retryable, says what to do', async () => {
    await using proxy = await fakeProxy({ tls: testCertificate })
    await using plain = await fakeProxy()
    const said = []
    for (const [{ url }, code] of [
      [proxy, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      [plain, expect.stringMatching(/SSL|EPROTO/)],
    ] as const) {
      const { error } = await call(nodeTransport({ env: { https_proxy: url.replace('http:', 'https:') } }), 'https://api.test/')
      expect(error?.cause).toMatchObject({ code })
      said.push([error?.code, error?.retryable, error?.message.replace(/\(\w+\)/, '(CODE)')])
    }
    expect(said).toEqual(
      [proxy, plain].map(({ port }) => [
        'ModelServerError',
        false,
        `No TLS connection to the proxy 127.0.0.1:${port} (CODE). Does it speak https, or should its URL in HTTPS_PROXY begin with http://? If its certificate is signed by an authority of your own, name that in NODE_EXTRA_CA_CERTS.`,
      ]),
    )
  })

  test('a stale tunnel is made anew', async () => {
    await using server = await fakeServer([{}, { ends: 'cut' }, { body: 'x' }], { tls: testCertificate })
    await using proxy = await fakeProxy()
    const transport = nodeTransport({ env: { https_proxy: proxy.url }, tls })
    await call(transport, remote(server))
    expect(await call(transport, remote(server))).toMatchObject({ text: 'x' })
    expect(proxy.asked).toHaveLength(2)
  })

  test.each([
    [407, false, 'It wants credentials'],
    [403, false, 'Check NO_PROXY.'],
    [502, true, 'Check NO_PROXY.'],
  ])('a tunnel refused with %i', async (status, retryable, advice) => {
    await using proxy = await fakeProxy({ refuse: status })
    const transport = nodeTransport({ env: { https_proxy: proxy.url.replace('//', '//ann:secret@') } })
    const { error } = await call(transport, 'https://api.test/v1?key=secret')
    expect(brief(error)).toEqual([
      'ModelServerError',
      retryable,
      expect.stringMatching(
        `^The proxy 127\\.0\\.0\\.1:${proxy.port} answered ${status} instead of connecting to api\\.test:443\\. ${advice}`,
      ),
    ])
    expect(`${error?.message} ${JSON.stringify(error?.cause)}`).not.toContain('secret')
  })

  test('a proxy that does not run is named, for both kinds of request', async () => {
    const proxy = await fakeProxy()
    await proxy[Symbol.asyncDispose]()
    const transport = nodeTransport({ env: { ALL_PROXY: proxy.url.replace('//', '//ann:secret@') } })
    const said = [await call(transport, 'https://api.test/'), await call(transport, 'http://api.test/')].map(({ error }) => brief(error))
    expect(said).toEqual([
      [
        'ModelServerError',
        true,
        `The proxy 127.0.0.1:${proxy.port} can't be reached (ECONNREFUSED). Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY.`,
      ],
      [
        'ModelServerError',
        true,
        `Nothing answers at api.test:80 (through the proxy 127.0.0.1:${proxy.port}) (ECONNREFUSED). Check baseURL.`,
      ],
    ])
  })

  test('B136 a proxy that never answers CONNECT counts as connecting, and its connection is closed', async () => {
    await using proxy = await fakeProxy({ refuse: 0 })
    const transport = nodeTransport({ env: { https_proxy: proxy.url } })
    const { error } = await call(transport, 'https://api.test/', { timeouts: { ...unlimited, connectMs: 60 } })
    expect(brief(error)).toEqual([
      'ModelTimeout',
      true,
      `No connection to api.test:443 (through the proxy 127.0.0.1:${proxy.port}) within 60 ms. The limit is timeouts.connectMs: raise it if the server needs longer.`,
    ])
    await proxy.idle()
  })

  test('abort while the tunnel is being made closes it', async () => {
    await using proxy = await fakeProxy({ refuse: 0 })
    const transport = nodeTransport({ env: { https_proxy: proxy.url } })
    const controller = new AbortController()
    const calling = call(transport, 'https://api.test/', { signal: controller.signal })
    while (proxy.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    controller.abort()
    expect((await calling).error?.code).toBe('RunAborted')
    await proxy.idle()
  })

  test.each([
    ['socks5://ann:secret@h:1', 'The environment names a proxy of the kind "socks5://"; only http:// and https:// proxies are supported.'],
    ['http://ann:secret@', 'The proxy in the environment (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY) is no URL.'],
  ])('%s: ConfigInvalid', async (proxy, said) => {
    const { error } = await call(nodeTransport({ env: { ALL_PROXY: proxy } }), 'https://api.test/')
    expect(brief(error)).toEqual(['ConfigInvalid', false, expect.stringContaining(said)])
    expect(error?.message).not.toContain('secret')
  })
})
