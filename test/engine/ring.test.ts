import { describe, expect, test } from 'vitest'
import { errorData } from '../../src/core/error.ts'
import type { CoreEvent, EventBody } from '../../src/core/event.ts'
import { noUsage } from '../../src/core/usage.ts'
import { EventRing, type RingCursor } from '../../src/engine/ring.ts'

let pieces = 0

/** An event with a cursor of its own; `of` as for what call 4 shows. */
function event(body: EventBody, of: number | undefined = 4): CoreEvent {
  const envelope = { v: 1, cursor: `4.${pieces++}`, at: 1, sessionId: 's', runId: 'r', iteration: 1, ...body } as const
  return of === undefined ? envelope : { ...envelope, of }
}

const text = (words: string, messageId = 'm1', part = 0, of = 4) => event({ type: 'text.delta', messageId, part, text: words }, of)
const thought = (words: string) => event({ type: 'reasoning.delta', messageId: 'm1', part: 0, text: words })
const input = (words: string, callId = 'm1.0', of = 4) =>
  event({ type: 'call.input.delta', callId, messageId: 'm1', toolName: 'look', text: words }, of)
const fact = () => event({ type: 'iteration.started' }, undefined)

/** The next event, waited for; `undefined` at the end. */
async function nextOf(cursor: RingCursor): Promise<CoreEvent | 'gap' | undefined> {
  do {
    const found = cursor.take()
    if (found !== undefined) return found
  } while (await cursor.more())
  return undefined
}

/** What a reader gets without waiting: the events as their words or types, and gaps. */
async function read(cursor: RingCursor, ring: EventRing, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const got: string[] = []
  while (got.length < most && (cursor.position < ring.length || ring.ended)) {
    const event = await nextOf(cursor)
    if (event === undefined) return [...got, 'end']
    if (event === 'gap') got.push(`gap until ${cursor.rejoin() ?? 'now'}`)
    else got.push('text' in event ? event.text : event.type)
  }
  return got
}

function ringOf(events: readonly CoreEvent[], capacity = 100): EventRing {
  const ring = new EventRing(capacity)
  for (const each of events) ring.push(each)
  return ring
}

describe('machine 5: adjacent deltas coalesce for a reader that lags', () => {
  test.each<[string, readonly CoreEvent[], readonly string[]]>([
    ['text of one part', [text('a'), text('b'), text('c')], ['abc']],
    ['reasoning of one part', [thought('a'), thought('b')], ['ab']],
    ['input of one call', [input('{'), input('}')], ['{}']],
    ['text and reasoning never', [text('a'), thought('b')], ['a', 'b']],
    ['text and input never', [text('a'), input('b')], ['a', 'b']],
    ['nor two parts', [text('a'), text('b', 'm1', 1)], ['a', 'b']],
    ['nor two messages', [text('a'), text('b', 'm2')], ['a', 'b']],
    ['nor two attempts', [text('a'), text('b', 'm1', 0, 6)], ['a', 'b']],
    ['nor two calls', [input('a'), input('b', 'm1.1')], ['a', 'b']],
    ['nor the input of two attempts', [input('a'), input('b', 'm1.0', 6)], ['a', 'b']],
    ['nor across something else', [text('a'), fact(), text('b')], ['a', 'iteration.started', 'b']],
    ['nor what is no delta', [fact(), fact()], ['iteration.started', 'iteration.started']],
  ])('%s', async (_name, events, want) => {
    const ring = ringOf(events)
    expect(await read(ring.cursor(), ring)).toEqual(want)
  })

  test('the merged event has the place of its last piece', async () => {
    const [first, last] = [text('a'), text('b')]
    expect(await nextOf(ringOf([first, last]).cursor())).toEqual({ ...last, text: 'ab' })
  })

  test('what a reader has got does not change; it gets the rest as one', async () => {
    const ring = ringOf([text('a')])
    const [eager, late] = [ring.cursor(), ring.cursor()]
    const got = await read(eager, ring)
    for (const words of ['b', 'c', 'd']) ring.push(text(words))
    expect([got, await read(eager, ring), await read(late, ring)]).toEqual([['a'], ['bcd'], ['a', 'bcd']])
  })

  test('a reader that has left holds nothing apart', async () => {
    const ring = ringOf([text('a')])
    const gone = ring.cursor()
    await read(gone, ring)
    gone.close()
    ring.push(text('b'))
    expect([await nextOf(gone), await read(ring.cursor(), ring)]).toEqual([undefined, ['ab']])
  })
})

describe('a bounded ring', () => {
  test('it keeps twice its capacity at most, and its capacity at least', () => {
    const kept = Array.from({ length: 9 }, (_, index) => {
      const ring = ringOf(Array.from({ length: index + 1 }, fact), 2)
      return ring.length - ring.first
    })
    expect(kept).toEqual([1, 2, 3, 4, 2, 3, 4, 2, 3])
  })

  test.each([
    ['that has read nothing', 0],
    ['that has read some', 2],
  ])('a reader %s and lags is told once what it missed, and goes on', async (_name, had) => {
    const events = Array.from({ length: 7 }, fact)
    const ring = ringOf(events.slice(0, 4), 2)
    const cursor = ring.cursor()
    await read(cursor, ring, had)
    for (const each of events.slice(4)) ring.push(each)
    expect([ring.first, await read(cursor, ring)]).toEqual([
      3,
      [`gap until ${events[3]?.cursor}`, ...Array.from({ length: 4 }, () => 'iteration.started')],
    ])
  })

  test('a reader that keeps up with it misses nothing', async () => {
    const ring = new EventRing(1)
    const cursor = ring.cursor()
    const got: string[] = []
    for (let turn = 0; turn < 20; turn++) {
      ring.push(text(`${turn}`))
      got.push(...(await read(cursor, ring)))
    }
    expect(got).toEqual(Array.from({ length: 20 }, (_, turn) => `${turn}`))
  })

  test('one that passes over what is there gets only what comes', async () => {
    const ring = ringOf([text('a'), fact()])
    const cursor = ring.cursor()
    cursor.skip()
    ring.push(text('b'))
    ring.end()
    expect(await read(cursor, ring)).toEqual(['b', 'end'])
  })
})

describe('promise 7: where a reader goes on that missed something', () => {
  const call = { messageId: 'm1', purpose: 'main', attempt: 1 } as const
  const begun = () => event({ type: 'model.started', ...call, model: 'x' }, undefined)
  const ended = () => event({ type: 'model.finished', ...call, finishReason: 'stop', usage: noUsage }, undefined)
  const failed = () => event({ type: 'model.failed', ...call, error: errorData('ModelServerError', 'busy') }, undefined)
  const parked = () => event({ type: 'run.parked', reason: 'lease_lost', pending: [] }, undefined)
  const texts = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => text(`${from + index} `, 'm1', from + index))

  test.each<[string, readonly CoreEvent[], string]>([
    ['at the first event, if no message is cut', [begun(), ...texts(0, 2), ended(), fact(), fact(), fact()], 'iteration.started'],
    ['at the beginning of the next message too', [...texts(0, 3), ended(), begun(), ...texts(3, 5)], 'model.started'],
    ['at the end of a message that is cut', [begun(), ...texts(0, 3), fact(), text('3'), ended(), fact()], 'model.finished'],
    ['also when it failed', [begun(), ...texts(0, 4), failed(), fact()], 'model.failed'],
    ['at its end, when only that is left', [begun(), ...texts(0, 3), ended(), fact(), fact(), fact()], 'model.finished'],
    ['behind all there is, while that message is open', [begun(), ...texts(0, 3), fact(), text('3'), text('4', 'm1', 1)], 'now'],
    ['at what ends the stream, if it never ended', [begun(), ...texts(0, 5), parked()], 'run.parked'],
  ])('%s', async (_name, events, want) => {
    const ring = new EventRing(3)
    for (const each of events) ring.push(each)
    ring.end()
    const cursor = ring.cursor()
    const first = await nextOf(cursor)
    const hasCome = cursor.rejoin() !== undefined
    const next = await nextOf(cursor)
    expect([first, hasCome && typeof next === 'object' ? next.type : 'now']).toEqual(['gap', want])
  })

  test('the place before its first event is known for ever', () => {
    const ring = new EventRing(1)
    const before = ring.origin
    for (const cursor of ['4:0', '4:1', '4.0', '5:0']) ring.push({ ...fact(), cursor })
    const joined = new EventRing(1)
    joined.push({ ...fact(), cursor: '4.7' })
    expect([before, ring.origin, joined.origin]).toEqual(['', `3.${Number.MAX_SAFE_INTEGER}`, `4:${Number.MAX_SAFE_INTEGER}`])
  })
})

test('a million deltas and a reader that never goes on: no more is held than twice the capacity', async () => {
  const ring = new EventRing(1_000)
  const stalled = ring.cursor()
  ring.push(text('a'))
  await nextOf(stalled)
  let most = 0
  // Of two parts by turns, so that no two of them are one.
  for (let index = 0; index < 1_000_000; index++) {
    ring.push(text('a', 'm1', index % 2))
    most = Math.max(most, ring.length - ring.first)
  }
  expect([most, await nextOf(stalled)]).toEqual([2_000, 'gap'])
})

describe('a reader that waits', () => {
  test.each<[string, (ring: EventRing, cursor: RingCursor) => void, string]>([
    ['gets what comes', (ring) => ring.push(text('a')), 'a'],
    ['hears of the end', (ring) => ring.end(), 'end'],
    ['goes when it is closed', (_ring, cursor) => cursor.close(), 'end'],
  ])('%s', async (_name, happens, want) => {
    const ring = new EventRing(10)
    const cursor = ring.cursor()
    const waiting = nextOf(cursor)
    happens(ring, cursor)
    const next = await waiting
    expect(typeof next === 'object' && 'text' in next ? next.text : 'end').toBe(want)
  })

  test('the end comes after what was there before it', async () => {
    const ring = ringOf([fact(), text('a')])
    ring.end()
    expect(await read(ring.cursor(), ring)).toEqual(['iteration.started', 'a', 'end'])
  })
})
