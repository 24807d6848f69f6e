import { afterAll, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import type { Message, Part } from '../../src/core/message.ts'
import { areOwn, describeWire, type Exchange, type WireCase, wireCases } from '../setup/wire.ts'
import { clients } from './allowances.ts'
import { readRequest } from './readings/read-request.ts'
import { readResponse } from './readings/read-response.ts'
import type { Answer } from './readings/reading.ts'
import { rebuild } from './rebuild.ts'
import { opaqueDifferences, turnDifferences } from './request-differences.ts'
import { callsIn, turnOf } from './said.ts'
import { Tally } from './tally.ts'

// What the recorded clients sent back of an answer is what the plain reading of that answer says. No adapter has a part in this: it shows
// that the readings of responses and of requests are right, and which of the differences are the clients' own.

describeWire('what recorded clients sent back', (folder) => {
  const tally = new Tally(clients)
  const traces = wireCases(folder).filter(({ isTrace }) => isTrace)

  afterAll(() => {
    console.info(tally.report('What recorded clients sent back:'))
    if (areOwn()) expect(tally.outdated(), 'what no client does any more').toEqual([])
  })

  test('there are traces, if these are our own recordings', () => expect(traces.length > 0 || !areOwn()).toBe(true))

  for (const trace of traces)
    test(`of the answer before: ${trace.name}`, () => {
      for (const [number, step] of trace.exchanges.entries()) if (number > 0) check(trace, step, number)
    })

  function check({ exchanges }: WireCase, step: Exchange, number: number): void {
    const { meta } = step
    const before = exchanges[number - 1]
    if (!meta.request || before === undefined) return
    const recorded = readRequest(meta.api, step.request())
    const answers = exchanges.slice(0, number).map((one) => readResponse(one).answer)
    const { ours } = rebuild(
      recorded,
      answers.map((answer) => (answer === undefined ? undefined : messageOf(answer))),
    )
    const answer = answers[number - 1]
    const place = [...ours].find(([, one]) => one === number - 1)?.[0] ?? -1
    const turn = recorded.turns[place]
    if (answer === undefined || turn === undefined) return tally.count(meta.api, 'steps without the answer before them')
    tally.count(meta.api, 'answers compared')
    const turns = [turn, turnOf(answer, callsIn(turn)) ?? turn] as const
    // Another model is not sent what is opaque; what has no common form the reading does not tell.
    const differences = [...turnDifferences(...turns), ...(isForeign(before, step) ? [] : opaqueDifferences(...turns))]
    const comparable = differences.filter(({ what }) => what !== 'request-items')
    const unknown = tally.unallowed(comparable, meta)
    // What other clients do with what they get is their matter: it says nothing of the readings, and less of ours.
    for (const { what } of areOwn() ? [] : unknown) tally.count(meta.api, `${what} that the client sends otherwise`)
    if (areOwn()) expect(unknown).toEqual([])
  }
})

function messageOf({ text, calls }: Answer): Message {
  const called = calls.map(
    ({ name, native, input }, place): Part => ({
      type: 'tool-call',
      callId: `m1.${place}`,
      toolName: name ?? native ?? '',
      input: input as Json,
    }),
  )
  return { role: 'assistant', parts: [{ type: 'text', text }, ...called] }
}

function isForeign({ meta: one }: Exchange, { meta: other }: Exchange): boolean {
  return one.provider !== other.provider || one.api !== other.api || one.model !== other.model
}
