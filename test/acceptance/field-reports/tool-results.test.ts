import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { content, type Json, tool } from '../../../src/index.ts'
import { agentIn, asks, collect, end, entryLine, lines, noInput, plainTool, scriptedLab, strays } from '../kit.ts'

/** Runs a tool once that returns this; gives what the event, the result, the journal and the model have of it. */
async function returned(execute: () => unknown) {
  const place = scriptedLab([asks('give'), 'ok'])
  const run = agentIn(place, { tools: [plainTool('give', execute)] }).stream('Hi', { session: 's' })
  const events = collect(run)
  const result = await place.clock.until(run.result)
  const event = (await events).find((candidate) => candidate.type === 'call.settled')
  const entry = (await collect(place.store.load('s'))).find((candidate) => candidate.kind === 'call.settled')
  const read = lines(place.model.requests[1]?.messages ?? [])[1]?.slice('assistant: give{}→'.length)
  return {
    event,
    call: result.calls[0],
    stored: entry?.kind === 'call.settled' ? entry.data.settlement : undefined,
    read,
    end: end(result),
  }
}

class Money {
  readonly cents = 5
}

const cyclic: { self?: unknown; n: number } = { n: 1 }
cyclic.self = cyclic

describe('what a tool returns is normalised once: event, result, journal and model agree', () => {
  test.each<[string, () => unknown, Json, string]>([
    ['B047 undefined is an empty success', () => undefined, null, ''],
    ['B047 null is an empty success', () => null, null, ''],
    ['B047 a promise of undefined is an empty success', async () => undefined, null, ''],
    ['B047 an empty text stays empty', () => '', '', ''],
    ['B047 an object without content is itself', () => ({}), {}, '{}'],
    ['B047 an empty list is itself', () => [], [], '[]'],
    ['B047 false is a value', () => false, false, 'false'],
    ['B047 0 is a value', () => 0, 0, '0'],
    ['B047 {isError: true} alone says so', () => ({ isError: true }), { isError: true }, '{"isError":true}'],
    ['B047 {error} alone keeps its reason', () => ({ error: 'no such city' }), { error: 'no such city' }, '{"error":"no such city"}'],
    ['B049 a cycle', () => cyclic, { n: 1, self: '[circular]' }, '{"n":1,"self":"[circular]"}'],
    ['B049 a BigInt', () => ({ n: 10n }), { n: '10' }, '{"n":"10"}'],
    ['B049 a Map', () => new Map([['a', 1]]), { a: 1 }, '{"a":1}'],
    ['B049 a Map with other keys', () => new Map([[1, 'a']]), [[1, 'a']], '[[1,"a"]]'],
    ['B049 a Set', () => new Set([1, 2]), [1, 2], '[1,2]'],
    ['B049 an Error', () => new TypeError('bad'), { name: 'TypeError', message: 'bad' }, '{"name":"TypeError","message":"bad"}'],
    ['B049 a symbol', () => Symbol('x'), '[symbol x]', '[symbol x]'],
    ['B049 a function', () => function named() {}, '[function named]', '[function named]'],
    [
      'B049 a toJSON that throws',
      () => ({
        toJSON: () => {
          throw new Error('no')
        },
      }),
      '[unreadable]',
      '[unreadable]',
    ],
    [
      'B049 a getter that throws',
      () => ({
        get x() {
          throw new Error('no')
        },
        y: 1,
      }),
      { x: '[unreadable]', y: 1 },
      '{"x":"[unreadable]","y":1}',
    ],
    [
      'B049 a proxy that throws',
      () =>
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('no')
            },
          },
        ),
      '[unreadable]',
      '[unreadable]',
    ],
    ['B049 a Date', () => ({ at: new Date(0) }), { at: '1970-01-01T00:00:00.000Z' }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['B049 NaN and the infinities', () => [Number.NaN, 1 / 0], ['NaN', 'Infinity'], '["NaN","Infinity"]'],
    ['B049 half a surrogate pair', () => 'a\ud800b', 'a\ufffdb', 'a\ufffdb'],
    ['B049 bytes', () => new Uint8Array(3), { type: 'binary', bytes: 3 }, '{"type":"binary","bytes":3}'],
    ['B049 an object without prototype', () => Object.assign(Object.create(null), { a: 1 }), { a: 1 }, '{"a":1}'],
    ['B049 an instance of a class', () => new Money(), { cents: 5 }, '{"cents":5}'],
    ['B049 fields that are undefined', () => ({ a: undefined, b: 1 }), { b: 1 }, '{"b":1}'],
  ])('%s', async (_name, execute, output, read) => {
    const all = await returned(execute)
    expect(all.end).toBe('completed completed')
    expect(all.event).toMatchObject({ outcome: 'ok', output })
    expect(all.call).toMatchObject({ outcome: 'ok', output })
    expect(all.stored).toMatchObject({ outcome: 'ok', output })
    expect(all.read).toBe(`ok:${read}`)
  })

  test.each<[string, () => unknown, string, string]>([
    [
      'B047 an error without any text has a reason all the same',
      () => content([], { isError: true }),
      'error',
      'The tool reported an error.',
    ],
    ['B047 an error with a text', () => content([{ type: 'text', text: 'no such city' }], { isError: true }), 'error', 'no such city'],
    ['B047 an Error without a message', () => Promise.reject(new RangeError()), 'error', 'RangeError'],
  ])('%s', async (_name, execute, outcome, message) => {
    const all = await returned(execute)
    expect(all.call).toMatchObject({ outcome, error: { code: 'ToolExecutionError', message } })
    expect(all.stored).toMatchObject({ outcome, error: { message } })
    expect(all.end).toBe('completed completed')
  })

  test('B049 toModelOutput that throws is reported; the call succeeded, so its output stands', async () => {
    const shown = (name: string, toModelOutput: () => string) =>
      tool({ name, description: name, inputSchema: noInput, execute: () => 1, toModelOutput })
    const tools = [
      shown('throws', () => {
        throw new Error('display bug')
      }),
      shown('fine', () => 'one'),
    ]
    const errors: unknown[] = []
    const place = scriptedLab([asks('throws', 'fine'), 'ok'])
    const agent = agentIn(place, { tools, onObserverError: (error) => errors.push(error) })
    const result = await place.clock.until(agent.run('Hi'))
    expect(lines(result.messages)[1]).toBe('assistant: throws{}→ok:1 fine{}→ok:one')
    expect(errors.map(String)).toEqual(['Error: display bug'])
  })

  test('B049 a tool that changes what it returned changes neither the journal nor the next request', async () => {
    const list: number[] = [1]
    const place = scriptedLab([asks('give'), asks('grow'), 'ok'])
    const tools = [plainTool('give', () => list), plainTool('grow', () => list.push(2))]
    await place.clock.until(agentIn(place, { tools }).run('Hi', { session: 's' }))
    expect(lines(place.model.requests[2]?.messages ?? [])[1]).toBe('assistant: give{}→ok:[1]')
    const entry = (await collect(place.store.load('s'))).find((candidate) => entryLine(candidate) === 'call.settled m1.0 ok')
    expect(entry?.data).toMatchObject({ settlement: { output: [1] } })
  })
})

describe('progress', () => {
  const telling = (tell: (progress: (update: Json) => void) => unknown) =>
    tool({ name: 'tell', description: 'Tells', inputSchema: z.object({}), execute: (_input, { progress }) => tell(progress) })

  test('B143 progress after the call, after the run and after the agent is ignored, never thrown', async () => {
    let kept: ((update: Json) => void) | undefined
    const place = scriptedLab([asks('tell'), { text: 'ok', delayMs: 1_000 }])
    const tools = [
      telling((progress) => {
        kept = progress
        progress('one')
        return 'done'
      }),
    ]
    const run = agentIn(place, { tools }).stream('Hi')
    const events = collect(run)
    const seen = await strays(async () => {
      await place.clock.advance(500)
      kept?.('after the call')
      await place.clock.until(run.result)
      kept?.('after the run')
      await place.clock.advance(1_000)
      kept?.('much later')
    })
    expect(seen).toEqual([])
    const updates = (await events).flatMap((event) => (event.type === 'call.progress' ? [event.update] : []))
    expect(updates).toEqual(['one'])
  })

  test('B143 progress that no JSON can say is made sayable', async () => {
    const place = scriptedLab([asks('tell'), 'ok'])
    const tools = [
      telling((progress) => {
        Reflect.apply(progress, undefined, [{ n: 1n, self: cyclic }])
        Reflect.apply(progress, undefined, [undefined])
        return 'done'
      }),
    ]
    const run = agentIn(place, { tools }).stream('Hi')
    const events = collect(run)
    await place.clock.until(run.result)
    const updates = (await events).flatMap((event) => (event.type === 'call.progress' ? [event.update] : []))
    expect(updates).toEqual([{ n: '1', self: { n: 1, self: '[circular]' } }, null])
  })

  test('B143 progress of a call that has timed out is ignored while it still works', async () => {
    const place = scriptedLab([asks('tell'), { text: 'ok', delayMs: 5_000 }])
    const slow = tool({
      name: 'tell',
      description: 'Tells',
      inputSchema: noInput,
      timeoutMs: 100,
      execute: (_input, { progress }) =>
        new Promise<void>((resolve) => {
          for (const at of [50, 500]) place.clock.timer(at, () => progress(at))
          place.clock.timer(600, resolve)
        }),
    })
    const run = agentIn(place, { tools: [slow] }).stream('Hi')
    const events = await place.clock.until(collect(run))
    expect(events.flatMap((event) => (event.type === 'call.progress' ? [event.update] : []))).toEqual([50])
  })
})
