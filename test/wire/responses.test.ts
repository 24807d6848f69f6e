import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeWire, type Exchange, exchangesIn } from '../setup/wire.ts'
import { adapters, type WireAdapter } from './adapters.ts'
import { cutAtRandom, inPieces, seed } from './cuts.ts'
import { answerDifferences } from './differences.ts'
import { counted, decode, fetchOver } from './outcome.ts'
import { readResponse } from './readings/read-response.ts'
import { WireServer } from './server.ts'
import { Tally } from './tally.ts'

// Every recorded response: read below the transport byte by byte, at random places and whole, and over real sockets with the recorded status
// and headers. All give the same, and it is what a plain reading of the body says.

const apis = ['chat-completions', 'responses', 'messages', 'gemini-generate-content', 'ollama-chat', 'ollama-generate'] as const

describeWire('every recorded response', (folder) => {
  const tally = new Tally()
  let server: WireServer

  beforeAll(async () => {
    server = await WireServer.start()
  })

  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    console.info(tally.report(`Recorded responses (seed ${seed}), ${counted.deltas} deltas in all:`))
  })

  for (const api of apis) {
    const exchanges = exchangesIn(folder, { api })
    const adapter = adapters[api]
    if (adapter === undefined) {
      tally.count(api, `exchanges not read: no adapter yet`, exchanges.length)
      test.skip(`${api}: no adapter yet for ${exchanges.length} exchanges`, () => {})
      continue
    }
    describe(api, () => {
      test('there are recordings', () => expect(exchanges.length).toBeGreaterThan(0))
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
