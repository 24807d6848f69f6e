import { describe, expect, test } from 'vitest'
import type { CoreEvent } from '../../src/core/event.ts'
import type { CoreResult } from '../../src/core/result.ts'
import { Hub, isWanted, type Subscriber, type Wants, wantsMore } from '../../src/engine/hub.ts'

const body = { type: 'text.delta', messageId: 'm1', part: 0, text: 'a' } as const

function fact(cursor: string, runId = 'r'): CoreEvent {
  return { v: 1, cursor, at: 1, sessionId: 's', runId, iteration: 1, type: 'iteration.started' }
}

/** A hub, and what its subscribers were sent: `name cursor`. */
function heard(...subscribers: readonly ({ readonly name: string } & Partial<Subscriber>)[]) {
  const hub = new Hub('s')
  const log: string[] = []
  const leave = subscribers.map(({ name, ...more }) =>
    hub.subscribe({ wants: 'events', event: (event) => log.push(`${name} ${event.cursor}`), ...more }),
  )
  return { hub, log, leave }
}

describe('machine 6: cursors', () => {
  test('a piece has the place of the last entry and a number of its own, from 0 on after each fact', () => {
    const { hub, log } = heard({ name: 'a' })
    hub.begin(3)
    hub.piece(1, 'r', 1, 3, body)
    hub.piece(1, 'r', 1, 3, body)
    hub.facts(5, [fact('4:0'), fact('5:0')])
    hub.piece(1, 'r', 1, 5, body)
    expect(log).toEqual(['a 3.0', 'a 3.1', 'a 4:0', 'a 5:0', 'a 5.0'])
  })

  test('an entry without events moves it too', () => {
    const { hub, log } = heard({ name: 'a' })
    hub.begin(3)
    hub.facts(4, [])
    hub.piece(1, 'r', 1, undefined, body)
    expect(log).toEqual(['a 4.0'])
  })

  test('a piece that nobody is sent uses its number up; `of` stands only where there is one', () => {
    const { hub, log } = heard({ name: 'a' })
    hub.begin(3)
    const envelope = { v: 1, at: 1, sessionId: 's', runId: 'r', iteration: 2 }
    expect([hub.toPiece(1, 'r', 2, 3, body), hub.toPiece(1, 'r', 2, undefined, body)]).toEqual([
      { ...envelope, cursor: '3.0', of: 3, ...body },
      { ...envelope, cursor: '3.1', ...body },
    ])
    hub.piece(1, 'r', 1, 3, body)
    expect(log).toEqual(['a 3.2'])
  })
})

describe('what is news', () => {
  const begin = (seq: number) => (hub: Hub) => hub.begin(seq)
  const shown = (seq: number) => (hub: Hub) => hub.facts(seq, [])
  test.each<[string, readonly ((hub: Hub) => void)[], number, readonly number[]]>([
    ['nothing before anybody could look', [], 0, []],
    ['what comes after the beginning', [begin(2)], 2, [3, 4, 5]],
    ['on a new session everything', [begin(0)], 0, [1, 2, 3, 4, 5]],
    ['what comes after the last fact', [shown(4)], 4, [5]],
    ['a second beginning changes nothing', [begin(2), begin(4)], 2, [3, 4, 5]],
    ['nor does one after facts', [shown(3), begin(1)], 3, [4, 5]],
  ])('%s', (_name, steps, seq, news) => {
    const { hub } = heard()
    for (const step of steps) step(hub)
    expect([hub.seq, [1, 2, 3, 4, 5].filter((candidate) => hub.isNews(candidate))]).toEqual([seq, news])
  })

  test('the entry whose pieces were shown is remembered by its id, until there is another one', () => {
    const { hub } = heard()
    const told = () => ['e7', 'e8'].map((id) => hub.wasTold(id))
    const before = told()
    hub.told('e7')
    const first = told()
    hub.told('e8')
    expect([before, first, told()]).toEqual([
      [false, false],
      [true, false],
      [false, true],
    ])
  })
})

describe('who is sent what', () => {
  const [one, two] = [{}, {}]
  test.each<[string, readonly ({ name: string } & Partial<Subscriber>)[], readonly string[]]>([
    ['every run, without one of its own', [{ name: 'a' }], ['a 1:0', 'a 1:1']],
    ['its own run only', [{ name: 'a', runId: 'r' }], ['a 1:0']],
    ['a run that has no name yet: nothing', [{ name: 'a', runId: '' }], []],
    ['nobody who does not look', [{ name: 'a', wants: 'nothing' }, { name: 'b' }], ['b 1:0', 'b 1:1']],
    [
      'one of a group that wants it',
      [
        { name: 'a', group: one, runId: 'other' },
        { name: 'b', group: one },
        { name: 'c', group: one },
        { name: 'd', group: two },
      ],
      ['b 1:0', 'd 1:0', 'a 1:1', 'd 1:1'],
    ],
    [
      'the next of the group when the first does not look',
      [
        { name: 'a', group: one, wants: 'nothing' },
        { name: 'b', group: one },
      ],
      ['b 1:0', 'b 1:1'],
    ],
  ])('%s', (_name, subscribers, want) => {
    const { hub, log } = heard(...subscribers)
    hub.facts(1, [fact('1:0', 'r'), fact('1:1', 'other')])
    expect(log).toEqual(want)
  })

  test('nobody after leaving; it is active while anybody looks', () => {
    const { hub, log, leave } = heard({ name: 'a' }, { name: 'b', wants: 'nothing' })
    const before = [hub.wants, hub.size]
    leave[0]?.()
    hub.facts(1, [fact('1:0')])
    expect([before, [hub.wants, hub.size], log]).toEqual([['events', 2], ['nothing', 1], []])
  })

  test('an end reaches those of its run and those of every run, also when they leave on hearing it', () => {
    const result = { status: 'parked' } as CoreResult
    const log: string[] = []
    const hub = new Hub('s')
    for (const runId of ['r', 'other', undefined]) {
      const leave = hub.subscribe({
        ...(runId === undefined ? {} : { runId }),
        wants: 'nothing',
        event: () => {},
        end: (ended) => {
          log.push(`${runId ?? 'every'} ${ended}`)
          leave()
        },
      })
    }
    hub.subscribe({ runId: 'r', wants: 'events', event: () => {} })
    const { awaited } = hub
    hub.end('r', result)
    expect([awaited, log, hub.awaited]).toEqual([['r', 'other'], ['r r', 'every r'], ['other']])
  })
})

describe('an end that is held back', () => {
  const done = { status: 'completed' } as CoreResult
  /** What a subscriber of everything is told, once the run `r` has ended with entry 5. */
  function ended(later: (tell: () => void) => () => void = () => () => {}) {
    const { hub, log } = heard({ name: 'e', end: (runId) => log.push(`end ${runId}`) })
    hub.begin(3)
    hub.hold(later)
    hub.ended(5, 6, [fact('4:0'), fact('5:0'), fact('6:0')], [{ runId: 'r', result: done }])
    return { hub, log }
  }
  const before = ['e 4:0']
  const all = [...before, 'e 5:0', 'e 6:0', 'end r']

  test('counts as known and not as shown; what came before it is told', () => {
    const { hub, log } = ended()
    expect([log, hub.seq, hub.isNews(6), hub.isNews(7)]).toEqual([before, 4, false, true])
  })

  test.each<[string, (hub: Hub) => void, readonly string[]]>([
    ['tell', (hub) => hub.tell(), all],
    ['telling twice', (hub) => [hub.tell(), hub.tell()], all],
    ['letting go', (hub) => hub.letGo(), all],
    ['a fact that shows something', (hub) => hub.facts(7, [fact('7:0')]), [...all, 'e 7:0']],
    ['a piece', (hub) => hub.piece(1, 'r', 1, undefined, body), [...all, 'e 6.0']],
    ['a fact that shows nothing', (hub) => hub.facts(7, []), before],
    ['the same once more', (hub) => hub.ended(5, 6, [fact('5:0')], [{ runId: 'r', result: done }]), before],
    ['the end of an earlier run, found in the journal', (hub) => hub.end('q', done), before],
  ])('and %s', (_name, step, want) => {
    const { hub, log } = ended()
    step(hub)
    expect(log).toEqual(want)
  })

  test('what shows nothing moves the place of what comes after it', () => {
    const { hub, log } = ended()
    hub.facts(7, [])
    hub.end('q', done)
    hub.letGo()
    expect([log, hub.seq]).toEqual([[...all, 'end q'], 7])
  })

  test('is told when its time is over, and the next one is held as well', () => {
    let cancelled = 0
    const timers: (() => void)[] = []
    const { hub, log } = ended((tell) => {
      timers.push(tell)
      return () => cancelled++
    })
    timers[0]?.()
    expect([log, timers.length, cancelled]).toEqual([all, 1, 1])
    hub.ended(7, 7, [fact('7:0')], [{ runId: 'r', result: done }])
    expect([log, timers.length]).toEqual([all, 2])
  })

  test('nobody holds it back, or no more: it is told at once', () => {
    const { hub, log } = ended()
    hub.letGo()
    hub.ended(7, 7, [fact('7:0')], [{ runId: 'r', result: done }])
    expect(log).toEqual([...all, 'e 7:0', 'end r'])
  })
})

test('a run is over when it has ended for good: not when it parked, or failed and can be resumed', () => {
  const over: string[] = []
  const hub = new Hub('s', (runId) => over.push(runId))
  const result = (more: object) => more as CoreResult
  hub.end('parked', result({ status: 'parked' }))
  hub.end('lost', result({ status: 'failed', resumable: true }))
  hub.end('failed', result({ status: 'failed', resumable: false }))
  hub.end('done', result({ status: 'completed' }))
  expect(over).toEqual(['failed', 'done'])
})

describe('nothing is built that nobody wants', () => {
  test.each<[readonly Wants[], Wants]>([
    [[], 'nothing'],
    [['nothing'], 'nothing'],
    [['nothing', 'text'], 'text'],
    [['text', 'events', 'nothing'], 'events'],
    [['events', 'text'], 'events'],
  ])('of %j the most counts: %s', (all, most) => {
    const hub = new Hub('s')
    for (const wants of all) hub.subscribe({ wants, event: () => {} })
    expect(hub.wants).toBe(most)
  })

  test('events before text, text before nothing', () => {
    const all: readonly Wants[] = ['nothing', 'text', 'events']
    expect(all.map((a) => all.map((b) => wantsMore(a, b)))).toEqual([
      [false, false, false],
      [true, false, false],
      [true, true, false],
    ])
  })

  test('of the text: how model calls and runs end', () => {
    const kinds = [
      'run.claimed',
      'model.started',
      'model.responded',
      'model.failed',
      'call.started',
      'call.settled',
      'run.finished',
    ] as const
    const wanted = (wants: Wants) => kinds.filter((kind) => isWanted(wants, kind))
    expect([wanted('nothing'), wanted('text'), wanted('events')]).toEqual([
      [],
      ['model.responded', 'model.failed', 'run.finished'],
      [...kinds],
    ])
  })
})
