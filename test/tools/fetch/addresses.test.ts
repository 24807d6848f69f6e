import { expect, test } from 'vitest'
import { addressClass } from '../../../src/tools/fetch/addresses.ts'
import { nodeNetwork } from '../../../src/tools/fetch/network.ts'
import { failure, fetchUrl, publicAddress, serve, world } from './world.ts'

const notPublic = 'has an address that is not public, and such addresses may not be asked. Use a public site.'

/** Ways to write an address that is not public; none may be connected to. */
const forms = [
  'http://127.0.0.1/',
  'http://127.0.0.1:8080/',
  'http://127.1/',
  'http://127.0.1/',
  'http://127.255.255.254/',
  'http://2130706433/',
  'http://017700000001/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://0x7f.1/',
  'http://127.0.0.1./',
  'http://①②⑦.⓪.⓪.①/',
  'http://127。0。0。1/',
  'http:127.0.0.1',
  'http:\\\\127.0.0.1\\',
  'http:///127.0.0.1/',
  'http://%31%32%37.0.0.1/',
  'http://127.0.0.1:80\\@public.test/',
  ' http://127.0.0.1/ ',
  'http://127.0.\t0.1/',
  'http://0177.0.0.0x1/',
  'http://00000000177.1/',
  'http://0x7F000001.',
  'http://127。0．0｡1/',
  'http://1\u200b27.0.0.1/',
  'http://127.0.0.1\u00ad/',
  'http://127.0.0.1#@public.test/',
  'http://127.0.0.1?@public.test/',
  'http://127.0.0.1:065535/',
  'http:\t//127.0.0.1',
  'http:0',
  'http://4294967295/',
  'http://0xffffffff/',
  'http://0/',
  'http://0.0.0.0/',
  'http://0.1.2.3/',
  'http://10.0.0.1/',
  'http://10.255.255.255/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://100.127.255.254/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://2852039166/',
  'http://100.100.100.200/',
  'http://168.63.129.16/',
  'http://192.0.0.192/',
  'http://192.0.2.1/',
  'http://192.88.99.1/',
  'http://198.18.0.1/',
  'http://198.51.100.7/',
  'http://203.0.113.7/',
  'http://224.0.0.1/',
  'http://239.255.255.255/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:8.8.8.8]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[64:ff9b:1::a00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  'http://[2001:db8::1]/',
  'http://[3fff::1]/',
  'http://[5f00::1]/',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  'http://[fec0::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[ff02::1]/',
  'http://[100::1]/',
  'https://127.0.0.1/',
  'https://[::1]/',
]

test.each(forms)('%s is refused, and nothing is connected to', async (url) => {
  const network = world()
  expect(await failure(fetchUrl(network, { url }))).toMatch(new RegExp(`^'[\\d.a-f:[\\]]+' ${notPublic}$`))
  expect(network.connections).toEqual([])
  expect(network.asked).toEqual([])
})

test.each([
  'http://[fe80::1%25eth0]/',
  'http://[::ffff:127.0.0.1%251]/',
  'http://[::ffff:0x7f.1]/',
  'http://127.0.0.1%00/',
  'http://127.0.0.1%2f/',
  'http://١٢٧.0.0.1/',
  'http://4294967296/',
  'http://127.0.0.1:65536/',
  'http://[::1%lo]/',
  'http://[::1/',
  'http://256.0.0.1/',
  'http://1.2.3.4.5/',
  'http://public.0x7f/',
  'http://',
  'public.test',
  '/page',
])('%s is no URL', async (url) => {
  const network = world()
  expect(await failure(fetchUrl(network, { url }))).toBe(
    `'${url}' is no URL that can be asked. Give a whole one, such as https://example.com/page.`,
  )
  expect([network.asked, network.connections]).toEqual([[], []])
})

test.each([
  ['127.0.0.1'],
  ['10.1.2.3'],
  ['169.254.169.254'],
  ['0.0.0.0'],
  ['::1'],
  ['::ffff:127.0.0.1'],
  ['64:ff9b::7f00:1'],
  ['fe80::1%eth0'],
  ['fd00::1'],
  [publicAddress, '127.0.0.1'],
  ['::1', '2606:2800:220:1:248:1893:25c8:1946'],
])('a name that leads to %s is refused, and the address is not told', async (...found) => {
  const network = world(undefined, () => found)
  const message = await failure(fetchUrl(network, { url: 'https://inner.test./' }))
  expect(message).toBe(`'inner.test.' ${notPublic}`)
  expect(network).toMatchObject({ asked: ['inner.test.'], connections: [] })
})

test('other schemes, user names and the ports of other services are refused', async () => {
  const network = world()
  for (const url of [
    'file:///etc/passwd',
    'ftp://a.test/',
    'gopher://a.test/',
    'data:text/plain,x',
    'javascript:alert(1)',
    'ws://a.test/',
    'view-source:http://a.test',
    'blob:http://a.test/x',
  ])
    expect(await failure(fetchUrl(network, { url }))).toMatch(/^'[a-z-]+:' is not http or https\. /)
  for (const url of ['http://a.test@127.0.0.1/', 'http://user:pass@a.test/', 'http://:pass@a.test/'])
    expect(await failure(fetchUrl(network, { url }))).toMatch(/holds a user name or password, and none are sent/)
  for (const port of [22, 25, 465, 587, 6000, 6667, 10080])
    expect(await failure(fetchUrl(network, { url: `http://a.test:${port}/` }))).toMatch(
      /^The port in the URL of 'a\.test' belongs to a service/,
    )
  expect([network.asked, network.connections]).toEqual([[], []])
})

test('what was checked is connected to, whatever the resolver says later', async () => {
  const port = await serve((_request, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('hello'))
  const answers = [[publicAddress], ['127.0.0.1']]
  const network = world(port, () => answers.shift() ?? [])
  expect(await fetchUrl(network, { url: 'http://rebind.test/' })).toMatchObject({ text: 'hello' })
  expect(network).toMatchObject({ asked: ['rebind.test'], connections: [{ host: 'rebind.test', addresses: [publicAddress] }] })
  expect(await failure(fetchUrl(network, { url: 'http://rebind.test/' }))).toBe(`'rebind.test' ${notPublic}`)
  expect(network.connections).toHaveLength(1)
})

test('a connection of Node goes to the given address without asking a resolver', async () => {
  const port = await serve((_request, response) => response.end('hello'))
  for (const host of ['no-such-host.invalid', '127.0.0.1']) {
    const socket = nodeNetwork.connect({ secure: false, host, port, addresses: ['127.0.0.1'] })
    const said = new Promise<string>((resolve) => socket.once('data', (data: Buffer) => resolve(data.toString())))
    socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    expect(await said).toMatch(/^HTTP\/1\.1 200/)
    socket.destroy()
  }
})

test('addresses of the internet are public', () => {
  const open = [
    '1.1.1.1',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '169.253.0.1',
    '192.0.1.1',
    '223.255.255.255',
  ]
  const open6 = ['2606:4700:4700::1111', '2a00:1450:4001::200e', '2001:4860:4860::8888', '2400:cb00::1']
  expect([...open, ...open6].filter((address) => addressClass(address) !== 'public')).toEqual([])
  expect(addressClass('no address')).toBe('special')
  expect(addressClass('2606:4700:4700::1111%eth0')).toBe('special')
  for (const mapped of [
    '::ffff:127.0.0.1',
    '::FFFF:7f00:1',
    '0:0:0:0:0:ffff:127.0.0.1',
    '0000::ffff:7f00:1',
    '::0:ffff:10.0.0.1',
    '::ffff:8.8.8.8',
  ])
    expect([mapped, addressClass(mapped)]).toEqual([mapped, 'special'])
})
