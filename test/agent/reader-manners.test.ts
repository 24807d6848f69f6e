import { Agent, memory, type Run, type RunEvent, type Store, type Tool, tool } from 'rondo'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { listen } from '../acceptance/support/modes.ts'
import { answersLate, appendsThrough } from '../engine/kit.ts'
import { testWorld } from '../setup/checks.ts'
import { all, isFact, type Spoken, speaker } from './reader-plays.ts'

const text = (words: string, waitMs = 0) => ({ waitMs, delta: { type: 'text', part: 0, text: words } }) as const
/** 'Hello', the second half of it after a second. */
const hello: Spoken = { pieces: [text('Hel'), text('lo', 1_000)], end: 'finish' }
const pay = tool({ name: 'pay', description: 'Pays.', inputSchema: z.object({}), needsApproval: true, execute: () => 'paid' })

interface Options {
  readonly calls?: readonly Spoken[]
  readonly store?: (inner: Store) => Store
  readonly ringCapacity?: number
}

function stage({ calls = [hello], store = (inner) => inner, ringCapacity = 10_000 }: Options = {}) {
  const world = { ...testWorld(), ringCapacity }
  const agent = new Agent<readonly Tool[], undefined, unknown>({
    model: speaker(calls, world.clock),
    tools: [pay],
    store: store(memory({ clock: () => world.clock.wall() })),
    world,
  })
  return { world, agent }
}

const spoken = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : event.type.startsWith('text.') ? [event.type] : []))

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('promise 7: a reader that comes in the middle of a message', () => {
  test('while the entry that holds it is being written: it gets the message, once', async () => {
    const slow: { written?: Promise<void>; answer?: () => void } = {}
    const { world, agent } = stage({
      calls: [{ pieces: [text('Hello')], end: 'finish' }],
      store: (inner) => Object.assign(slow, answersLate(inner, 'model.responded')).store,
    })
    const done = agent.run('Hi', { session: 's' })
    await slow.written
    const late = all(agent.attach('s'))
    await settle()
    slow.answer?.()
    await world.clock.until(done)
    expect(spoken(await late)).toEqual(['text.started', 'Hello', 'text.finished'])
  })

  test.each<[string, (agent: ReturnType<typeof stage>['agent']) => Run<readonly Tool[]>]>([
    ['steering', (agent) => agent.stream('And?', { session: 's', onBusy: 'steer', detach: true })],
    ['resuming', (agent) => agent.resume('s', { detach: true })],
    ['attaching', (agent) => agent.attach('s')],
  ])('by %s: with what there is of the message', async (_how, join) => {
    const { world, agent } = stage()
    agent.stream('Hi', { session: 's', detach: true })
    await world.clock.advance(10)
    const joined = join(agent)
    await world.clock.advance(10)
    const events = await world.clock.until(all(joined))
    expect(spoken(events).slice(0, 4)).toEqual(['text.started', 'Hel', 'lo', 'text.finished'])
  })

  test('listeners hear it from its start too, once, however many handles follow the run', async () => {
    const { world, agent } = stage({ calls: [hello, hello] })
    await world.clock.until(agent.run('Hi', { session: 's' }))
    const events = listen(agent)
    await agent.session('s').send('Again')
    await world.clock.advance(10)
    const handles = [agent.resume('s'), agent.resume('s'), agent.attach('s')]
    await world.clock.until(Promise.all(handles.map(({ result }) => result)))
    expect(spoken(events)).toEqual(['text.started', 'Hel', 'lo', 'text.finished'])
  })
})

describe('promise 7: a reader that comes from a process that knew more already', () => {
  /** Our append that holds such an entry is written, and another process sees it before we have the answer. */
  async function ahead(kind: 'model.responded' | 'message', isLast: (event: RunEvent) => boolean, lagMs = 0) {
    const slow: { written?: Promise<void>; answer?: () => void } = {}
    let shared = memory()
    const { world, agent } = stage({
      ringCapacity: lagMs > 0 ? 1 : 10_000,
      store: (inner) => {
        shared = inner
        return Object.assign(slow, answersLate(inner, kind)).store
      },
    })
    const run = agent.stream('Hi', { session: 's', detach: true })
    await world.clock.advance(10)
    if (kind === 'message') void run.send('And?')
    else await world.clock.advance(1_000)
    await slow.written
    const other = new Agent({ model: speaker([], world.clock), tools: [pay], store: shared, world })
    let cursor = ''
    for await (const event of other.attach('s')) {
      cursor = event.cursor
      if (isLast(event)) break
    }
    const events: RunEvent[] = []
    const reading = (async () => {
      for await (const event of agent.attach('s', { after: cursor })) {
        events.push(event)
        if (lagMs > 0) await new Promise<void>((resolve) => world.clock.timer(lagMs, resolve))
      }
    })()
    await settle()
    slow.answer?.()
    await world.clock.until(reading)
    const whole = await all(agent.attach('s'))
    const index = whole.findIndex((event) => event.cursor === cursor)
    expect(events.filter(isFact)).toEqual(whole.slice(index + 1).filter(isFact))
    return spoken(events)
  }

  test('a message that it has got whole does not come again', async () => {
    expect(await ahead('model.responded', ({ type }) => type === 'model.finished')).toEqual([])
    expect(await ahead('model.responded', ({ type }) => type === 'usage.updated')).toEqual([])
  })

  const isQuestion = (event: RunEvent) => event.type === 'message.added' && JSON.stringify(event.message).includes('And?')

  test('a message that goes on comes from its start', async () => {
    expect((await ahead('message', isQuestion)).slice(0, 4)).toEqual(['text.started', 'Hel', 'lo', 'text.finished'])
    expect((await ahead('message', isQuestion, 2_000)).slice(0, 4)).toEqual(['text.started', 'Hel', 'lo', 'text.finished'])
  })
})

describe('a reader that comes late to a handle on the second part of a run', () => {
  test('begins where the handle does, also when that has left the ring', async () => {
    const call: Spoken = { pieces: [{ waitMs: 0, delta: { type: 'call', part: 0, toolName: 'pay' } }], end: 'finish' }
    const { world, agent } = stage({ calls: [call, hello], ringCapacity: 1 })
    const before = await world.clock.until(all(agent.stream('Pay', { session: 's', parkAfterMs: 0 })))
    const again = agent.resume('s', { decisions: [{ callId: 'm1.0', decision: 'approve' }] })
    await world.clock.until(again.result)
    const [events, whole] = [await all(again), await all(agent.attach('s'))]
    expect([...before, ...events].filter(isFact)).toEqual(whole.filter(isFact))
    expect(spoken(events)).toEqual(['text.started', 'Hello', 'text.finished'])
  })
})

describe('a reader that leaves', () => {
  const waiting: Spoken = { pieces: [text('Hel'), text('lo', 3_600_000)], end: 'finish' }

  test.each<[string, (run: Run<readonly Tool[]>) => AsyncIterable<unknown>, number]>([
    ['events', (run) => run, 8],
    ['text', (run) => run.textStream, 1],
    ['partial output', (run) => run.partialOutputStream, 0],
  ])('one of %s is free at once, also while it waits; another one stays and gets all', async (_what, view, before) => {
    const { world, agent } = stage({ calls: [waiting] })
    const run = agent.stream('Hi')
    const staying = all(run)
    const reader = view(run)[Symbol.asyncIterator]()
    for (let index = 0; index < before; index++) await reader.next()
    const next = reader.next()
    await settle()
    const left = await Promise.race([reader.return?.(), settle()])
    expect([left, await next, await reader.next()]).toEqual(Array.from({ length: 3 }, () => ({ done: true, value: undefined })))
    expect(spoken(await world.clock.until(staying))).toEqual(['text.started', 'Hel', 'lo', 'text.finished'])
  })

  test('while it waits, as the last one: the run is aborted then, not at its next event', async () => {
    const { world, agent } = stage({ calls: [waiting] })
    const run = agent.stream('Hi', { session: 's' })
    const reader = run[Symbol.asyncIterator]()
    while ((await reader.next()).value?.type !== 'text.delta');
    const next = reader.next()
    await reader.return?.()
    await world.clock.advance(10_000)
    expect([(await next).done, await agent.session('s').status()]).toEqual([true, 'aborted'])
  })

  test('by breaking off or by throwing: another one is not disturbed', async () => {
    const { world, agent } = stage()
    const run = agent.stream('Hi')
    const staying = all(run)
    const read = async (stop: () => boolean) => {
      for await (const event of run) if (event.type === 'text.delta' && stop()) break
    }
    const breaking = read(() => true)
    const throwing = read(() => {
      throw new Error('enough')
    })
    const [broken, thrown, events] = await world.clock.until(Promise.allSettled([breaking, throwing, staying]))
    expect([broken.status, thrown.status]).toEqual(['fulfilled', 'rejected'])
    expect(events.status === 'fulfilled' && spoken(events.value)).toEqual(['text.started', 'Hel', 'lo', 'text.finished'])
  })

  test('before it has begun: it was no reader, and the run goes on', async () => {
    const { world, agent } = stage()
    const run = agent.stream('Hi', { session: 's' })
    const reader = run[Symbol.asyncIterator]()
    const left = [await reader.return?.(), await reader.next()]
    await world.clock.advance(10_000)
    expect([left.map((each) => each?.done), await agent.session('s').status()]).toEqual([[true, true], 'completed'])
  })

  test('an attached handle that is disposed ends its readers, of text too', async () => {
    const { world, agent } = stage({ calls: [waiting] })
    const run = agent.stream('Hi', { session: 's' })
    await world.clock.advance(10)
    const attached = agent.attach('s')
    const reading = Promise.all([all(attached), all(attached.textStream)])
    await world.clock.advance(10)
    await attached[Symbol.asyncDispose]()
    const [events, texts] = await reading
    expect([spoken(events), texts]).toEqual([['text.started', 'Hel'], ['Hel']])
    expect((await world.clock.until(run.result)).status).toBe('completed')
  })
})

describe('promise 7: the cursor that attach is given', () => {
  test.each<[string, unknown]>([
    ...['garbage', '1', '1:', ':1', '1:2:3', '1.2.3', '-1:0', '1:-2', ' 1:0', '1:0 ', '1e3:0', '0x1:0', '١:0'].map(
      (after): [string, unknown] => [`"${after}"`, after],
    ),
    ...['9007199254740992:0', '1.9007199254740992', 7, {}, ['1:0'], true].map((after): [string, unknown] => [String(after), after]),
    ['a long text', 'x'.repeat(1_000_000)],
  ])('%s is none: refused at once', (_name, after) => {
    const { agent } = stage()
    const told = /^attach: 'after' must be a cursor, and .{0,150} is not one\. A cursor is .{0,200}$/
    expect(() => agent.attach('s', { after: after as string })).toThrow(
      expect.objectContaining({ code: 'ConfigInvalid', message: expect.stringMatching(told) }),
    )
  })

  test('one behind the end of the journal is refused, and the run goes on undisturbed', async () => {
    const { world, agent } = stage()
    const run = agent.stream('Hi', { session: 's' })
    const events = all(run)
    await world.clock.advance(10)
    for (const after of ['99:0', '99.0']) {
      const attached = agent.attach('s', { after })
      const wrong = { code: 'ConfigInvalid', message: expect.stringContaining(`"${after}" is beyond the end of session 's'`) }
      await expect(all(attached)).rejects.toMatchObject(wrong)
      await expect(attached.result).rejects.toMatchObject(wrong)
    }
    expect((await world.clock.until(run.result)).status).toBe('completed')
    expect(spoken(await events)).toEqual(['text.started', 'Hel', 'lo', 'text.finished'])
  })

  test('none, or an empty one, is the start; the last one of a run that is over leads to nothing', async () => {
    const { world, agent } = stage()
    const events = await world.clock.until(all(agent.stream('Hi', { session: 's' })))
    const [start, none] = [await all(agent.attach('s', { after: '' })), await all(agent.attach('s'))]
    expect([start.filter(isFact), none]).toEqual([events.filter(isFact), start])
    expect(await all(agent.attach('s', { after: events.at(-1)?.cursor ?? '' }))).toEqual([])
  })

  test('an entry that only the store knows of counts', async () => {
    const { world, agent } = stage()
    const other = new Agent({ model: speaker([], world.clock), store: appendsThrough(agent.store, (_, write) => write()), world })
    await world.clock.until(agent.run('Hi', { session: 's' }))
    expect(await world.clock.until(other.attach('s').result)).toMatchObject({ status: 'completed' })
    const events = await world.clock.until(all(agent.stream('And?', { session: 's' })))
    const [first] = events
    expect((await all(other.attach('s', { after: first?.cursor ?? '' }))).filter(isFact)).toEqual(events.slice(1).filter(isFact))
  })
})
