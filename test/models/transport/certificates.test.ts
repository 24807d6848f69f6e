// TLS with certificates that openssl makes for the test.
import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import { fetchTransport } from '../../../src/models/transport/fetch.ts'
import { nodeTransport } from '../../../src/models/transport/node.ts'
import { fakeServer } from '../../setup/http-server.ts'
import { type Certificates, makeCertificates } from '../../setup/openssl.ts'
import { brief, call } from './call.ts'

const there = spawnSync('openssl', ['version']).status === 0
if (!there) console.log('not checked: TLS with certificates made by openssl, which is not installed')

const advice = ' If its certificate is signed by an authority of your own, name that in NODE_EXTRA_CA_CERTS.'

describe.runIf(there)('TLS', () => {
  let made: Certificates
  beforeAll(() => {
    made = makeCertificates()
  })

  test('an authority of one’s own that is named is trusted, and the connection is kept', async () => {
    await using server = await fakeServer({ body: 'x' }, { tls: made.good })
    const transport = nodeTransport({ env: {}, tls: { ca: made.authority } })
    for (let index = 0; index < 3; index++) expect(await call(transport, server.url)).toMatchObject({ status: 200, text: 'x' })
    expect([server.connections, server.requests.length]).toEqual([1, 3])
  })

  test.each([
    ['expired', 'CERT_HAS_EXPIRED'],
    ['misnamed', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ] as const)('a certificate that is %s is refused, although its authority is trusted, and nobody tries again', async (name, code) => {
    await using server = await fakeServer({ body: 'x' }, { tls: made[name] })
    const { error } = await call(nodeTransport({ env: {}, tls: { ca: made.authority } }), server.url)
    expect(brief(error)).toEqual(['ModelServerError', false, `No TLS connection to 127.0.0.1:${server.port} (${code}).`])
    expect(server.requests).toEqual([])
  })

  test.each([
    ['node:http', nodeTransport({ env: {} })],
    ['fetch', fetchTransport((input, init) => globalThis.fetch(input, init))],
  ])('over %s an authority that nobody named is not trusted: nothing is sent, and what to do is said', async (_name, transport) => {
    await using server = await fakeServer({ body: 'x' }, { tls: made.good })
    const { error } = await call(transport, server.url, { headers: { authorization: 'Bearer secret' } })
    expect(brief(error)).toEqual([
      'ModelServerError',
      false,
      `No TLS connection to 127.0.0.1:${server.port} (UNABLE_TO_VERIFY_LEAF_SIGNATURE).${advice}`,
    ])
    expect(server.requests).toEqual([])
  })
})
