import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { failure, fetchUrl, page, serve, serveBytes, world } from './world.ts'

const plain = { 'content-type': 'text/plain; charset=utf-8' }

test('the result says where, what and how much', async () => {
  expect(await page('hello', plain)).toEqual({
    url: 'http://site.test/',
    status: 200,
    type: 'text/plain',
    text: 'hello',
    totalChars: 5,
    truncated: false,
  })
})

test('a status of failure is a result', async () => {
  const port = await serve((_request, response) => response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"none"}'))
  expect(await fetchUrl(world(port), { url: 'http://site.test/x' })).toMatchObject({ status: 404, text: '{"error":"none"}' })
})

test('a long text is cut with a note, and goes on from there', async () => {
  const body = `${'a'.repeat(9)}😀${'b'.repeat(9)}`
  const first = await page(body, plain, { maxChars: 10 })
  expect(first).toMatchObject({
    text: 'a'.repeat(9),
    totalChars: 20,
    truncated: true,
    note: 'Characters 0 to 9 of 20; go on with fromChar 9.',
  })
  expect(await page(body, plain, { fromChar: 9 })).toMatchObject({ text: `😀${'b'.repeat(9)}`, truncated: false })
  expect(await failure(page(body, plain, { fromChar: 20 }))).toBe(
    'The text has 20 characters, so there is nothing from character 20 on. Use a smaller fromChar.',
  )
  expect(await page('x'.repeat(50_000), plain)).toMatchObject({ text: 'x'.repeat(20_000) })
  expect(await failure(page(body, plain, { maxChars: 11 }, { limits: { chars: 10 } }))).toMatch(/invalid input/)
})

test('a character of two units is never cut, nor is a part of it the start', async () => {
  const ask = (input: object) => page('a😀😀b', plain, { ...input })
  expect(await ask({ fromChar: 1, maxChars: 1 })).toMatchObject({ text: '😀', note: 'Characters 1 to 3 of 6; go on with fromChar 3.' })
  expect(await ask({ fromChar: 2 })).toMatchObject({ text: '😀😀b' })
  expect(await ask({ fromChar: 4, maxChars: 1 })).toMatchObject({ text: '😀', note: 'Characters 3 to 5 of 6; go on with fromChar 5.' })
  expect(await ask({ fromChar: 5 })).toMatchObject({ text: 'b' })
})

test('of a body that is too large the first bytes are read, and the connection is closed', async () => {
  let closed: Promise<unknown> = Promise.resolve()
  const port = await serve((request, response) => {
    closed = new Promise((resolve) => request.socket.once('close', resolve))
    response.writeHead(200, plain)
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
    }
    response.on('drain', more)
    more()
  })
  const output = await fetchUrl(world(port), { url: 'http://site.test/' }, { limits: { bytes: 100_000 } })
  expect(output).toMatchObject({ totalChars: 100_000, truncated: true })
  expect(output.note).toBe(
    'Characters 0 to 20,000 of 100,000; go on with fromChar 20000. Of the answer only the first 100,000 bytes were read.',
  )
  await closed
})

test.each([
  ['gzip', gzipSync(Buffer.alloc(200_000_000, 'a'))],
  ['br', brotliCompressSync(Buffer.alloc(200_000_000, 'a'), { params: { 1: 5 } })],
  ['deflate', deflateSync(Buffer.alloc(200_000_000, 'a'))],
])('a bomb of %s costs what the limit says', async (encoding, bomb) => {
  const before = process.memoryUsage().rss
  const output = await page(bomb, { ...plain, 'content-encoding': encoding }, {}, { limits: { bytes: 1_000_000 } })
  expect(output).toMatchObject({ totalChars: 1_000_000, truncated: true })
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
})

test('compressed bodies are read; what can not be decompressed is an error', async () => {
  const as = (encoding: string) => ({ ...plain, 'content-encoding': encoding })
  expect(await page(gzipSync('packed'), as('gzip'))).toMatchObject({ text: 'packed' })
  expect(await page(gzipSync('packed'), as('X-GZIP'))).toMatchObject({ text: 'packed' })
  expect(await page(brotliCompressSync('packed'), as('br'))).toMatchObject({ text: 'packed' })
  expect(await page('plain', as('identity'))).toMatchObject({ text: 'plain' })
  expect(await failure(page('no gzip', as('gzip')))).toBe(
    "What 'site.test' answered can't be decompressed (Z_DATA_ERROR). Use another URL.",
  )
  expect(await failure(page(gzipSync('cut off').subarray(0, 15), as('gzip')))).toMatch(/can't be decompressed \(Z_BUF_ERROR\)/)
  expect(await failure(page('no brotli', as('br')))).toMatch(/can't be decompressed/)
  expect(await failure(page('x', as('gzip, gzip')))).toMatch(/answered in the encoding 'gzip, gzip', which can't be read/)
  expect(await failure(page('x', as('zstd')))).toMatch(/answered in the encoding 'zstd'/)
})

test.each(['gzip', 'br', 'deflate'])('a body of nothing in %s is an empty text', async (encoding) => {
  expect(await page('', { ...plain, 'content-encoding': encoding, 'content-length': '0' })).toMatchObject({ text: '', truncated: false })
  const port = await serve((_request, response) => response.writeHead(204, { ...plain, 'content-encoding': encoding }).end())
  expect(await fetchUrl(world(port), { url: 'http://site.test/' })).toMatchObject({ status: 204, text: '' })
})

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n'

test.each([
  ['a length that is too small', `${head}content-length: 3\r\n\r\nabcdef`],
  ['another answer behind', `${head}content-length: 3\r\n\r\nabc${head}content-length: 3\r\n\r\nxyz`],
  ['a thousand provisional answers', `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)}${head}content-length: 3\r\n\r\nabc`],
  ['no length', `${head}\r\nabc`],
])('of an answer with %s what belongs to it is read', async (_, answer) => {
  expect(await fetchUrl(world(await serveBytes(answer)), { url: 'http://site.test/' })).toMatchObject({ text: 'abc', truncated: false })
})

const broken = "The connection to 'site.test' broke off (ECONNRESET). Try again, or use another URL."
const noHttp = (code: string) => `'site.test' answered with something that is not HTTP (${code}). Check scheme and port.`
test.each([
  [
    'another protocol',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nhello',
    "'site.test' answered 101 and wants another protocol than HTTP, which is not spoken. Use another URL.",
  ],
  ['a length that is too large', `${head}content-length: 9\r\n\r\nabc`, broken],
  ['a chunk of no size', `${head}transfer-encoding: chunked\r\n\r\nzz\r\nabc`, broken],
  ['a chunk of a size beyond all', `${head}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\nabc`, broken],
  [
    'length and chunks',
    `${head}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    noHttp('HPE_INVALID_TRANSFER_ENCODING'),
  ],
  ['two lengths', `${head}content-length: 3\r\ncontent-length: 5\r\n\r\nabcde`, noHttp('HPE_UNEXPECTED_CONTENT_LENGTH')],
  ['a length below zero', `${head}content-length: -3\r\n\r\nabc`, noHttp('HPE_INVALID_CONTENT_LENGTH')],
  ['headers without end', `${head}${`x: ${'y'.repeat(100)}\r\n`.repeat(1_000)}`, noHttp('HPE_HEADER_OVERFLOW')],
  ['an escape sequence in a header', `${head}x: \u001b[2J\r\n\r\nabc`, noHttp('HPE_INVALID_HEADER_TOKEN')],
  ['nothing', '', broken],
])('an answer with %s is an error at once', async (_, answer, message) => {
  expect(await failure(fetchUrl(world(await serveBytes(answer)), { url: 'http://site.test/' }))).toBe(message)
})

test('a body that breaks off is an error', async () => {
  const port = await serve((_request, response) => {
    response.writeHead(200, { ...plain, 'content-length': 100 })
    response.write('begun', () => response.destroy())
  })
  expect(await failure(fetchUrl(world(port), { url: 'http://site.test/' }))).toBe(
    "The connection to 'site.test' broke off (ECONNRESET). Try again, or use another URL.",
  )
})

test('errors of the network name what was asked, and no address', async () => {
  const code = (value: string) => Object.assign(new Error('connect 10.9.8.7:443'), { code: value })
  const asked = async (value: string) => {
    const network = { ...world(), resolve: () => Promise.reject(code(value)) }
    return failure(fetchUrl(network, { url: 'https://site.test/' }))
  }
  expect(await asked('ENOTFOUND')).toBe("The host of 'site.test' can't be found (ENOTFOUND). Check its name.")
  expect(await asked('ECONNREFUSED')).toBe("Nothing answers at 'site.test' (ECONNREFUSED). Check the URL, or use another one.")
  expect(await asked('CERT_HAS_EXPIRED')).toBe("There is no secure connection to 'site.test' (CERT_HAS_EXPIRED). Use another URL.")
  expect(await asked('EHOSTUNREACH')).toBe("'site.test' can't be asked (EHOSTUNREACH). Try again later, or use another URL.")
  expect(
    await failure(
      fetchUrl(
        world(undefined, () => []),
        { url: 'https://site.test/' },
      ),
    ),
  ).toMatch(/^The host of 'site\.test' has no address/)
})

test('what is no text is refused with its type and size, before it is read', async () => {
  const png = Buffer.alloc(1_234)
  expect(await failure(page(png, { 'content-type': 'image/png', 'content-length': '1234' }))).toBe(
    "'site.test' answered 200 with 'image/png' (1,234 bytes), which is no text. Use a URL of a page, JSON, XML or text.",
  )
  expect(await failure(page(png, { 'content-type': 'application/octet-stream' }))).toMatch(/'application\/octet-stream' \(size unknown\)/)
  expect(await failure(page(png, { 'content-type': 'application/pdf' }))).toMatch(/'application\/pdf'/)
  expect(await failure(page(png, plain))).toMatch(/'binary data'/)
  for (const type of [
    'application/json',
    'application/problem+json',
    'application/atom+xml',
    'text/csv',
    'image/svg+xml',
    'text/event-stream',
  ])
    expect(await page('{}', { 'content-type': type })).toMatchObject({ type, text: '{}' })
  expect(await page('no type', {})).toEqual({ url: 'http://site.test/', status: 200, text: 'no type', totalChars: 7, truncated: false })
})

test.each([
  ['header', 'text/plain; charset=iso-8859-1', Buffer.from('caf\xe9', 'latin1'), 'café'],
  ['quoted header', 'text/plain; charset="Shift_JIS"', Buffer.from([0x83, 0x65]), 'テ'],
  ['byte order mark over header', 'text/plain; charset=iso-8859-1', Buffer.from('\ufeffcafé'), 'café'],
  ['UTF-16 by its mark', 'text/plain', Buffer.from('\ufeffcafé', 'utf16le'), 'café'],
  ['UTF-16 by its header', 'text/plain; charset=utf-16le', Buffer.from('café', 'utf16le'), 'café'],
  ['meta', 'text/html', Buffer.from('<meta charset=windows-1251>\xef\xf0', 'latin1'), '<meta charset=windows-1251>пр'],
  [
    'meta http-equiv',
    'text/html',
    Buffer.from('<meta http-equiv=content-type content="text/html; charset=koi8-r">\xd0', 'latin1'),
    '<meta http-equiv=content-type content="text/html; charset=koi8-r">п',
  ],
  ['header over meta', 'text/html; charset=utf-8', Buffer.from('<meta charset=koi8-r>é'), '<meta charset=koi8-r>é'],
  ['meta that lies', 'text/html', Buffer.from('<meta charset=utf-16>é'), '<meta charset=utf-16>é'],
  [
    'XML declaration',
    'application/xml',
    Buffer.from('<?xml version="1.0" encoding="iso-8859-2"?>\xb1', 'latin1'),
    '<?xml version="1.0" encoding="iso-8859-2"?>ą',
  ],
  ['nothing, UTF-8', 'text/plain', Buffer.from('café'), 'café'],
  ['nothing, no UTF-8', 'text/plain', Buffer.from('caf\xe9 \x80', 'latin1'), 'café €'],
  ['a name that nobody knows', 'text/plain; charset=klingon', Buffer.from('café'), 'café'],
])('charset: %s', async (_name, type, body, text) => {
  expect(await page(body, { 'content-type': type }, { raw: true })).toMatchObject({ text })
})
