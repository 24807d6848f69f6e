import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Schema, tool } from '../../src/index.ts'
import { jsonSchema } from '../../src/json-schema/index.ts'
import { agentIn, collect, end, journal, lines, otherProcess, scriptedLab } from '../acceptance/kit.ts'

const input = { city: 'Oslo', on: '2026-01-02', n: 3 }

/** A tool of this schema is called with `input`; what `execute` got, and what the journal and the events hold. */
async function called(inputSchema: Schema, given: object = input) {
  let got: unknown
  const take = tool({
    name: 'take',
    description: 'Takes',
    inputSchema,
    execute: (value: unknown) => {
      got = value
      return 'taken'
    },
  })
  const place = scriptedLab([{ calls: [{ name: 'take', input: given }] }, 'ok'])
  const run = agentIn(place, { tools: [take] }).stream('Hi', { session: 's' })
  const events = await place.clock.until(collect(run))
  const result = await run.result
  const shown = events.flatMap((event) => (event.type === 'call.started' ? [event.input] : []))
  return { got, result, shown, place, told: place.model.requests[0]?.tools[0] }
}

describe('a schema of each library, end to end', () => {
  test.each<[string, Schema]>([
    ['zod', z.object({ city: z.string(), on: z.string(), n: z.number() })],
    ['arktype', type({ city: 'string', on: 'string', n: 'number' })],
    ['valibot', toStandardJsonSchema(v.object({ city: v.string(), on: v.string(), n: v.number() }))],
    [
      'jsonSchema',
      jsonSchema<typeof input>({
        type: 'object',
        properties: { city: { type: 'string' }, on: { type: 'string' }, n: { type: 'number' } },
        required: ['city', 'on', 'n'],
      }),
    ],
  ])('%s: the model is told the same JSON Schema, good arguments run, bad ones come back with their path', async (_name, schema) => {
    const good = await called(schema)
    expect([good.got, good.shown, end(good.result)]).toEqual([input, [input], 'completed completed'])
    expect(good.told).toMatchObject({
      inputJsonSchema: { type: 'object', properties: { city: { type: 'string' }, n: { type: 'number' } } },
    })
    const bad = await called(schema, { ...input, n: 'three' })
    const message = bad.result.calls[0]?.outcome === 'invalid' ? bad.result.calls[0].error.message : ''
    expect([bad.got, message]).toEqual([undefined, expect.stringMatching(/^The arguments of 'take' are not valid\. n: /)])
  })

  test.each<[string, Schema]>([
    ['zod', z.object({ on: z.string().transform((text) => new Date(text)), n: z.number().default(7) })],
    [
      'valibot',
      toStandardJsonSchema(
        v.object({
          on: v.pipe(
            v.string(),
            v.transform((text) => new Date(text)),
          ),
          n: v.optional(v.number(), 7),
        }),
      ),
    ],
    ['zod, async', z.object({ on: z.string().transform(async (text) => new Date(text)), n: z.number().default(7) })],
  ])('%s with transforms: execute gets the parsed side, journal, events and request hold the input side', async (_name, schema) => {
    const { got, shown, result, place } = await called(schema, { on: '2026-01-02' })
    expect(got).toEqual({ on: new Date('2026-01-02'), n: 7 })
    expect([shown, lines(result.messages)[1]]).toEqual([[{ on: '2026-01-02' }], 'assistant: take{"on":"2026-01-02"}→ok:taken'])
    const stored = (await collect(place.store.load('s'))).find((entry) => entry.kind === 'model.responded')
    expect(JSON.stringify(stored)).toContain('"input":{"on":"2026-01-02"}')
  })

  test('an async schema whose sibling is not: verdicts for the whole batch first, in call order', async () => {
    const slow = tool({
      name: 'slow',
      description: 'Slow',
      inputSchema: z.object({ n: z.number().refine(async (n) => n > 0, 'too small') }),
      execute: () => 'slow',
    })
    const fast = tool({ name: 'fast', description: 'Fast', inputSchema: z.object({}), execute: () => 'fast' })
    const place = scriptedLab([
      {
        calls: [
          { name: 'slow', input: { n: 1 } },
          { name: 'fast', input: {} },
          { name: 'slow', input: { n: 0 } },
        ],
      },
      'ok',
    ])
    const result = await place.clock.until(agentIn(place, { tools: [slow, fast] }).run('Hi', { session: 's' }))
    expect(result.calls.map((call) => (call.outcome === 'ok' ? call.output : call.error.message))).toEqual([
      'slow',
      'fast',
      "The arguments of 'slow' are not valid. n: too small. Send the call again with valid arguments.",
    ])
    expect((await journal(place.store, 's')).slice(5, 10)).toEqual([
      'call.prepared m1.0',
      'call.prepared m1.1',
      'call.settled m1.2 invalid',
      'call.started m1.0',
      'call.started m1.1',
    ])
  })

  test('after a crash the arguments are parsed again: execute gets the parsed side in the other process too', async () => {
    const got: unknown[] = []
    const take = tool({
      name: 'take',
      description: 'Takes',
      effect: 'idempotent',
      inputSchema: z.object({ on: z.string().transform((text) => new Date(text)) }),
      execute: ({ on }, { attempt, idempotencyKey }) => {
        got.push([on, attempt, idempotencyKey])
        return attempt === 1 ? new Promise(() => {}) : 'taken'
      },
    })
    const place = scriptedLab([{ calls: [{ name: 'take', input: { on: '2026-01-02' } }] }, 'ok'])
    void agentIn({ ...place, store: otherProcess(place.store) }, { tools: [take] }).stream('Hi', { session: 's' })
    await place.clock.advance(10)
    place.clock.jump(60_000)
    const result = await place.clock.until(agentIn({ ...place, store: otherProcess(place.store) }, { tools: [take] }).resume('s').result)
    expect([end(result), got]).toEqual([
      'completed completed',
      [
        [new Date('2026-01-02'), 1, 's/m1.0'],
        [new Date('2026-01-02'), 2, 's/m1.0'],
      ],
    ])
  })

  test('an approval sees the parsed side, shows the input side, and edited arguments are parsed again', async () => {
    const seen: unknown[] = []
    const take = tool({
      name: 'take',
      description: 'Takes',
      inputSchema: z.object({ on: z.string().transform((text) => new Date(text)) }),
      needsApproval: ({ on }) => {
        seen.push(on)
        return true
      },
      execute: ({ on }) => on.getUTCFullYear(),
    })
    const place = scriptedLab([{ calls: [{ name: 'take', input: { on: '2026-01-02' } }] }, 'ok'])
    const agent = agentIn(place, { tools: [take] })
    const parked = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect([seen, parked.status === 'parked' && parked.pending[0]?.input]).toEqual([[new Date('2026-01-02')], { on: '2026-01-02' }])
    const result = await place.clock.until(
      agent.resume('s', { decisions: [{ callId: 'm1.0', decision: 'approve', input: { on: '1999-01-01' } }] }).result,
    )
    expect(result.calls).toMatchObject([{ outcome: 'ok', output: 1999, input: { on: '1999-01-01' } }])
    expect(seen.length).toBe(1)
  })
})
