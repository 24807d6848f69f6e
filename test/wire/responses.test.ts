import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { areOwn, describeWire, type Exchange, exchangesIn } from '../setup/wire.ts'
import { adapters, type WireAdapter } from './adapters.ts'
import { allowances } from './allowances.ts'
import { cutAtRandom, inPieces, seed } from './cuts.ts'
import { answerDifferences } from './differences.ts'
import { counted, decode, fetchOver } from './outcome.ts'
import { readResponse } from './readings/read-response.ts'
import { WireServer } from './server.ts'
import { Tally } from './tally.ts'

// Every recorded response: read below the transport byte by byte, at random places and whole, and over real sockets with the recorded status
// and headers. All give the same, and it is what a plain reading of the body says.

describeWire('every recorded response', (folder) => {
  const tally = new Tally(allowances.filter(({ what }) => !what.startsWith('request-')))
  let server: WireServer

  beforeAll(async () => {
    server = await WireServer.start()
  })

  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    console.info(tally.report(`Recorded responses: ${all.length} exchanges (seed ${seed}), ${counted.deltas} deltas in all`))
    if (areOwn()) expect(tally.outdated(), 'exceptions that nothing falls under any more').toEqual([])
  })

  const all = exchangesIn(folder)
  const apis = [...new Set(all.map(({ meta }) => meta.api))].sort()

  test('there are recordings', () => expect(all.length).toBeGreaterThan(0))

  for (const api of apis) {
    const exchanges = all.filter(({ meta }) => meta.api === api)
    const adapter = adapters[api]
    if (adapter === undefined) {
      tally.count(api, `exchanges not read: no adapter yet`, exchanges.length)
      test.skip(`${api}: no adapter yet for ${exchanges.length} exchanges`, () => {})
      continue
    }
    describe(api, () => {
      for (const exchange of exchanges) test(`${exchange.name} reads as it stands, however it is cut`, () => check(adapter, exchange))
    })
  }

  async function check(adapter: WireAdapter, exchange: Exchange): Promise<void> {
    const bytes = exchange.response()
    const before = counted.deltas
    const whole = decode(adapter, exchange, [bytes])
    for (const pieces of [inPieces(bytes, 1), cutAtRandom(bytes, 12, exchange.name), cutAtRandom(bytes, 200, exchange.name)])
      expect(decode(adapter, exchange, pieces), `cut (seed ${seed})`).toEqual(whole)
    for (const pieces of [[bytes], cutAtRandom(bytes, 12, `${exchange.name} over a socket`)])
      expect(await fetchOver(server, adapter, exchange, pieces), `over a socket (seed ${seed})`).toEqual(whole)
    const reading = readResponse(exchange)
    const { api } = exchange.meta
    tally.count(api, 'exchanges')
    tally.count(api, reading.error === undefined ? 'answers' : 'errors')
    tally.count(api, 'deltas', counted.deltas - before)
    expect(tally.unallowed(answerDifferences(whole, reading), exchange.meta)).toEqual([])
  }
})
