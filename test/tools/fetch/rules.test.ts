import { expect, test } from 'vitest'
import { failure, fetchUrl, publicAddress, serve, world } from './world.ts'

const text = { 'content-type': 'text/plain' }

test('allow opens an origin: scheme, host and port', async () => {
  const port = await serve((_request, response) => response.writeHead(200, text).end('inside'))
  const ask = async (url: string, allow: string[], found = '10.0.0.5') =>
    fetchUrl(
      world(port, () => [found]),
      { url },
      { allow },
    ).then(
      ({ text }) => text,
      () => 'refused',
    )
  expect(await ask('http://127.0.0.1:8080/x', ['http://127.0.0.1:8080'])).toBe('inside')
  expect(await ask('http://0x7f000001:8080/x', ['http://127.0.0.1:8080/'])).toBe('inside')
  expect(await ask('http://127.0.0.1:8081/x', ['http://127.0.0.1:8080'])).toBe('refused')
  expect(await ask('https://127.0.0.1:8080/x', ['http://127.0.0.1:8080'])).toBe('refused')
  expect(await ask('http://127.0.0.2:8080/x', ['http://127.0.0.1:8080'])).toBe('refused')
  expect(await ask('http://127.0.0.1:9/x', ['http://127.0.0.1:*'])).toBe('inside')
  expect(await ask('http://[::1]:3000/', ['http://[::1]:3000'])).toBe('inside')
  expect(await ask('https://wiki.corp.test/', ['https://*.corp.test'])).toBe('inside')
  expect(await ask('https://Wiki.corp.test./', ['https://*.corp.test'])).toBe('inside')
  expect(await ask('https://corp.test/', ['https://*.corp.test'])).toBe('refused')
  expect(await ask('https://evilcorp.test/', ['https://*.corp.test'])).toBe('refused')
  expect(await ask('https://other.test/', ['10.0.0.0/8'])).toBe('inside')
  expect(await ask('https://other.test/', ['10.1.0.0/16'])).toBe('refused')
  expect(await ask('http://[::ffff:10.0.0.5]/', ['10.0.0.0/8'])).toBe('refused')
  expect(await ask('https://other.test/', ['https://other.test'], '::ffff:127.0.0.1')).toBe('refused')
  expect(await ask('http://[fd00::7]/', ['fd00::/64'])).toBe('inside')
})

test('a name in allow leads to no metadata; who wants that names the address', async () => {
  const port = await serve((_request, response) => response.writeHead(200, text).end('inside'))
  const metadata = world(port, () => ['169.254.169.254'])
  expect(await failure(fetchUrl(metadata, { url: 'http://a.corp.test/' }, { allow: ['http://*.corp.test'] }))).toMatch(/not public/)
  expect(metadata.connections).toEqual([])
  const named = { allow: ['http://169.254.169.254'] }
  expect(await fetchUrl(metadata, { url: 'http://169.254.169.254/' }, named)).toMatchObject({ text: 'inside' })
})

test('only closes everything else, also after a redirect', async () => {
  const port = await serve((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: 'https://other.test/?secret' }).end()
    else response.writeHead(200, text).end('page')
  })
  const options = { only: ['https://docs.test'], allow: ['http://127.0.0.1:8080'] }
  const ask = (url: string) => fetchUrl(world(port), { url }, options)
  expect(await ask('https://docs.test/a')).toMatchObject({ text: 'page' })
  expect(await ask('http://127.0.0.1:8080/a')).toMatchObject({ text: 'page' })
  expect(await failure(ask('https://other.test/a'))).toBe("'other.test' is not among the sites that may be asked. Use another one.")
  expect(await failure(ask('http://docs.test/a'))).toMatch(/not among the sites/)
  expect(await failure(ask('https://docs.test/away'))).toBe(
    "what 'docs.test' redirects to is not among the sites that may be asked. Use another one.",
  )
})

test.each([
  'http://10.0.0.1/',
  'http://127.0.0.1:8080/admin',
  'http://2130706433/',
  '//169.254.169.254/latest/meta-data',
  'http://[::1]/',
  'http://inner.test/',
])('a redirect to %s is refused, and its target is not told', async (location) => {
  const port = await serve((_request, response) => response.writeHead(302, { location }).end())
  const network = world(port, (name) => (name === 'inner.test' ? ['192.168.0.9'] : [publicAddress]))
  expect(await failure(fetchUrl(network, { url: 'http://site.test/' }))).toBe(
    "what 'site.test' redirects to has an address that is not public, and such addresses may not be asked. Use a public site.",
  )
  expect(network.connections).toHaveLength(1)
})

test('redirects are followed five times, never from https to http, nor to another scheme or with credentials', async () => {
  const ask = async (locationOf: (path: string) => string, url: string) => {
    const port = await serve(({ url: path = '' }, response) => response.writeHead(301, { location: locationOf(path) }).end())
    const network = world(port)
    return { message: await failure(fetchUrl(network, { url })), asked: network.connections.length }
  }
  expect(await ask((path) => `${path}x`, 'http://site.test/')).toEqual({
    message: "'site.test' was redirected more than 5 times. Use another URL.",
    asked: 6,
  })
  expect(await ask(() => 'http://site.test/', 'https://site.test/')).toEqual({
    message: "'site.test' redirects from https to http, which is not followed. Use another URL.",
    asked: 1,
  })
  expect((await ask(() => 'file:///etc/passwd', 'https://site.test/')).message).toMatch(/is not http or https/)
  expect((await ask(() => 'https://u:p@site.test/', 'https://site.test/')).message).toMatch(/holds a user name/)
  expect((await ask(() => 'https://site.test:25/', 'https://site.test/')).message).toMatch(/^The port in the URL of what/)
  expect((await ask(() => 'http://[', 'https://site.test/')).message).toMatch(/^what 'site\.test' redirects to is no URL/)
})

test('a relative redirect is followed, and the final URL is told', async () => {
  const port = await serve((request, response) => {
    if (request.url === '/a/b') response.writeHead(307, { location: '../c?d#e', 'set-cookie': 'a=b' }).end()
    else response.writeHead(200, text).end(JSON.stringify([request.method, request.headers, request.url]))
  })
  const output = await fetchUrl(world(port), { url: 'http://site.test/a/b' }, { userAgent: 'me/1' })
  expect(output.url).toBe('http://site.test/c?d#e')
  const headers = { host: 'site.test', 'user-agent': 'me/1', accept: '*/*', 'accept-encoding': 'gzip, br', connection: 'close' }
  expect(JSON.parse(output.text)).toEqual(['GET', headers, '/c?d'])
})

test('options that can not work are refused', async () => {
  const refused = (options: object) => failure(fetchUrl(world(), { url: 'http://a.test' }, options))
  expect(await refused({ alow: [] })).toBe(
    "fetchTool(): unknown option 'alow'; there are allow, only, limits, html, needsApproval, userAgent, name",
  )
  for (const entry of [
    'example.com',
    'ftp://a.test',
    'http://a.test/path',
    'http://u@a.test',
    'http://*',
    'https://a.*.test',
    '10.0.0.0/33',
    '',
  ])
    expect(await refused({ allow: [entry] })).toMatch(/^fetchTool\(\): allow '.*' must be an origin such as/)
  expect(await refused({ only: ['10.0.0.0/8'] })).toMatch(/^fetchTool\(\): only '10\.0\.0\.0\/8' must be an origin/)
  expect(await refused({ allow: 'http://a.test' })).toBe('fetchTool(): allow must be a list of texts')
  expect(await refused({ limits: { byte: 1 } })).toMatch(/unknown limit 'byte'; there are bytes, chars/)
  expect(await refused({ limits: { bytes: 0 } })).toBe("fetchTool(): limit 'bytes' must be a whole number greater than 0, not 0")
  expect(await refused({ html: 'text' })).toMatch(/html must be 'markdown', 'source' or a function, not text/)
  expect(await refused({ userAgent: 'a\r\nb: c' })).toBe('fetchTool(): userAgent must be printable ASCII')
})
