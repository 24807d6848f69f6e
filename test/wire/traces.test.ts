import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Message } from '../../src/core/message.ts'
import type { ModelRequest } from '../../src/core/model.ts'
import type { Tool } from '../../src/core/tool.ts'
import { areOwn, describeWire, type Exchange, type WireCase, wireCases } from '../setup/wire.ts'
import { adapters } from './adapters.ts'
import { type AnyDifference, allowances } from './allowances.ts'
import { stringsIn } from './differences.ts'
import { decode } from './outcome.ts'
import { readRequest } from './readings/read-request.ts'
import { readResponse } from './readings/read-response.ts'
import type { ReadRequest, Turn } from './readings/request.ts'
import { rebuild } from './rebuild.ts'
import { type Origin, requestDifferences, turnsFor } from './request-differences.ts'
import { markSaid } from './said.ts'
import { WireServer } from './server.ts'
import { Tally } from './tally.ts'

// Every recorded run of several steps: the request of each step, encoded from our decoded answers and the recorded results and words of the
// user, says what the recorded one says.

describeWire('every recorded trace', (folder) => {
  const tally = new Tally(allowances.filter(({ what }) => what.startsWith('request-')))
  let server: WireServer

  beforeAll(async () => {
    server = await WireServer.start()
  })

  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    console.info(tally.report(`Recorded traces: ${traces.length}`))
    if (areOwn()) expect(tally.outdated(), 'exceptions that nothing falls under any more').toEqual([])
  })

  const traces = wireCases(folder).filter(({ isTrace }) => isTrace)
  const apis = [...new Set(traces.flatMap(({ exchanges }) => exchanges.map(({ meta }) => meta.api)))].sort()

  test('there are traces, if these are our own recordings', () => expect(traces.length > 0 || !areOwn()).toBe(true))

  for (const api of apis) {
    const steps = traces.flatMap((trace) =>
      trace.exchanges.flatMap((step, number) => (number > 0 && step.meta.api === api ? [{ trace, number }] : [])),
    )
    if (adapters[api] === undefined) {
      tally.count(api, 'steps not compared: no adapter yet', steps.length)
      test.skip(`${api}: no adapter yet for ${steps.length} steps`, () => {})
      continue
    }
    describe(api, () => {
      for (const { trace, number } of steps)
        test(`${trace.name}: the request of step ${number + 1} is as recorded`, () => check(trace, number))
    })
  }

  async function check({ exchanges }: WireCase, number: number): Promise<void> {
    const step = exchanges[number]
    if (step === undefined) throw new Error(`no step ${number + 1}`)
    const { api } = step.meta
    const skip = (reason: string) => tally.count(api, `steps not compared: ${reason}`)
    if (!step.meta.request) return skip('no request was recorded')
    const recorded = readRequest(api, step.request())
    if (recorded.previous !== undefined) return skip('it goes on with a response that the server keeps')
    const answers = exchanges.slice(0, number).map((before, n) => answerOf(before, n + 1, tally))
    const { messages, ours, partly } = rebuild(recorded, answers)
    const encoded = await encode(server, step, recorded, messages)
    const origin = (turn: number) => originOf(exchanges[ours.get(turn) ?? -1], step)
    const sent = turnsFor(recorded, encoded)
    const lost = [...ours].flatMap(([turn, n]) => (origin(turn) === 'own' && partly === 0 ? lostOf(exchanges[n], sent[turn]) : []))
    const answered = (turn: number) => exchanges[ours.get(turn) ?? -1]
    const differences = [...markSaid(requestDifferences(recorded, encoded, origin), answered, sent), ...lost]
    tally.count(api, 'steps compared')
    tally.count(api, 'turns', recorded.turns.length)
    tally.count(api, 'answers of ours in them', ours.size)
    const formless = recorded.turns.flatMap(({ role, items }) => (role === 'user' ? items.filter(({ type }) => type === 'item') : []))
    if (formless.length > 0) tally.count(api, 'things in words of users that no history of ours has', formless.length)
    if (partly > 0) tally.count(api, 'answers of which the client has kept some calls only', partly)
    if (![...ours.values()].includes(number - 1)) tally.count(api, `steps without the answer before them: ${whyNot(recorded, answers)}`)
    expect(tally.unallowed(differences, step.meta)).toEqual([])
  }
})

/** The message of a step; none where it failed. */
function answerOf(step: Exchange, n: number, tally: Tally): Message | undefined {
  const adapter = adapters[step.meta.api]
  if (adapter !== undefined) return decode(adapter, step, [step.response()], n).message
  tally.count(step.meta.api, 'answers taken from the request: no adapter yet')
  return undefined
}

/** A model reads what is opaque to others if it is the same one, at the same provider and by the same API. */
function originOf(answered: Exchange | undefined, { meta }: Exchange): Origin {
  if (answered === undefined) return undefined
  const { provider, api, model } = answered.meta
  return provider === meta.provider && api === meta.api && model === meta.model ? 'own' : 'foreign'
}

function whyNot({ turns }: ReadRequest, answers: readonly (Message | undefined)[]): string {
  if (answers.at(-1) === undefined) return 'that step failed, or has no adapter'
  return turns.some(({ role }) => role === 'assistant') ? 'another conversation goes on' : 'another conversation begins'
}

/** What an answer had that must come back, as a plain reading of it says, and the request has not: also where the client has forgotten it. */
function lostOf(answered: Exchange | undefined, turn: Turn | undefined): AnyDifference[] {
  const told = answered === undefined ? [] : (readResponse(answered).answer?.opaque ?? [])
  const sent = stringsIn(turn?.items)
  const lost = told.filter(({ kind, value }) => kind !== 'item-id' && !sent.includes(value))
  return lost.length === 0 ? [] : [{ what: 'request-lost', recorded: lost, ours: turn?.items }]
}

/** What the adapter sends, read as the recorded request is. */
async function encode(server: WireServer, step: Exchange, recorded: ReadRequest, messages: readonly Message[]): Promise<ReadRequest> {
  const { meta } = step
  const adapter = adapters[meta.api]
  if (adapter === undefined) throw new Error(`no adapter for ${meta.api}`)
  const { baseURL, sent } = server.give(step, [step.response()])
  const request: ModelRequest = {
    instructions: recorded.instructions,
    messages,
    tools: [...new Set(recorded.tools)].map(toolNamed),
    toolChoice: 'auto',
    settings: {},
    purpose: 'main',
  }
  const model = adapter.model(meta, { baseURL, stream: meta.streamRequested ?? meta.streaming, asked: step.request() })
  // What comes back is no matter here: it is read elsewhere.
  await model.stream(request, () => {}, { signal: new AbortController().signal, sessionId: step.name }).catch(() => {})
  const body = sent()
  if (body === undefined) throw new Error('nothing was sent')
  return readRequest(meta.api, JSON.parse(body))
}

function toolNamed(name: string): Tool {
  const inputJsonSchema = { type: 'object', properties: {} }
  const standard = {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => inputJsonSchema, output: () => ({}) },
  } as const
  return {
    name,
    description: 'A tool.',
    inputSchema: { '~standard': standard },
    inputJsonSchema,
    effect: 'unsafe',
    '~definition': { describe: 'A tool.' },
  }
}
