import { describe, expect, test } from 'vitest'
import type { Agent, RunEvent, Store } from '../../src/index.ts'
import { flakyStore, type Script } from '../../src/testing/index.ts'
import { agentIn, asks, collect, end, gate, otherProcess, plainTool, type ScriptedLab } from '../acceptance/kit.ts'
import { appendsThrough, engineLab } from './kit.ts'

/** Whether another process could take the session at this very moment. */
function isFree({ store }: ScriptedLab): Promise<boolean> {
  return store.acquire('s', { owner: 'another', ttlMs: 0 }).then((lease) => lease !== undefined)
}

/** A store whose releases go through a function. */
function releasesThrough(inner: Store, pass: (release: () => Promise<boolean>, count: number) => Promise<boolean>): Store {
  let count = 0
  return {
    ...appendsThrough(inner, (_entries, write) => write()),
    release: (session, options) => pass(() => inner.release(session, options), ++count),
  }
}

/** A store that takes 10 ms to give a lease back. */
function slowRelease({ store, clock }: ScriptedLab): Store {
  return releasesThrough(store, async (release) => {
    await new Promise<void>((resolve) => clock.timer(10, resolve))
    return release()
  })
}

type Way = (agent: Agent, told: () => void) => Promise<unknown>

async function untilEnd(events: AsyncIterable<RunEvent>, told: () => void): Promise<void> {
  for await (const event of events) if (event.type === 'run.finished') told()
}

/** A run whose model has been called. */
async function begun(agent: Agent): Promise<{ readonly result: Promise<unknown> }> {
  const started = gate()
  agent.on('model.started', () => started.resolve())
  const { result } = agent.stream('Hi', { session: 's' })
  await started.promise
  return { result }
}

/** Every way by which one hears of the end of a run. */
const ways: { readonly [way: string]: Way } = {
  run: (agent, told) => agent.run('Hi', { session: 's', throwOnError: false }).then(told),
  result: (agent, told) => agent.stream('Hi', { session: 's' }).result.then(told),
  'text()': (agent, told) => agent.stream('Hi', { session: 's' }).text().then(told, told),
  'output()': (agent, told) => agent.stream('Hi', { session: 's' }).output().then(told, told),
  events: (agent, told) => untilEnd(agent.stream('Hi', { session: 's' }), told),
  textStream: (agent, told) => collect(agent.stream('Hi', { session: 's' }).textStream).then(told, told),
  'agent.on': (agent, told) => {
    agent.on('run.finished', told)
    return agent.stream('Hi', { session: 's' }).result
  },
  'the status that goes before it': (agent, told) => {
    agent.on('run.status', ({ to }) => {
      if (['completed', 'failed', 'incomplete'].includes(to)) told()
    })
    return agent.stream('Hi', { session: 's' }).result
  },
  'disposing of it': async (agent, told) => {
    await agent.stream('Hi', { session: 's' })[Symbol.asyncDispose]()
    told()
  },
  attach: async (agent, told) => {
    const { result } = await begun(agent)
    await untilEnd(agent.attach('s'), told)
    return result
  },
  resume: async (agent, told) => {
    const { result } = await begun(agent)
    await agent.resume('s').result.then(told)
    return result
  },
}

/** How a run ends. */
const ends: { readonly [name: string]: { readonly script: Script; readonly options?: object } } = {
  'a text': { script: [{ text: 'Done.', delayMs: 5 }] },
  'a failure': { script: [{ fail: { code: 'ModelBadRequest' }, delayMs: 5 }] },
  'a limit': { script: [{ ...asks('look'), delayMs: 5 }], options: { limits: { maxIterations: 1, onLimit: 'incomplete' } } },
}

const look = () => plainTool('look', () => 'seen', 'read')

describe('machine 3: the end of a run is told when its lease has been given back', () => {
  test.each(Object.keys(ways).flatMap((way) => Object.keys(ends).map((how) => [way, how] as const)))('%s, %s', async (way, how) => {
    const { script = [], options = {} } = ends[how] ?? {}
    const place = engineLab(script)
    const agent = agentIn({ ...place, store: slowRelease(place) }, { tools: [look()], ...options })
    const free: Promise<boolean>[] = []
    const heard = ways[way]?.(agent as unknown as Agent, () => free.push(isFree(place)))
    await place.clock.until(Promise.resolve(heard))
    expect(await Promise.all(free)).toEqual([true])
  })

  test('what came before the end is told at once', async () => {
    const place = engineLab(['Done.'])
    const agent = agentIn({ ...place, store: slowRelease(place) })
    const events: string[] = []
    for (const type of ['model.finished', 'iteration.finished', 'run.finished'] as const)
      agent.on(type, () => events.push(`${type} ${place.clock.monotonic()}`))
    await place.clock.until(agent.run('Hi', { session: 's' }))
    expect(events).toEqual(['model.finished 0', 'iteration.finished 0', 'run.finished 10'])
  })

  test('a reader that comes in between gets all of it, in one order with those before', async () => {
    const place = engineLab(['Done.'])
    const agent = agentIn({ ...place, store: slowRelease(place) })
    const run = agent.stream('Hi', { session: 's' })
    const early = collect(run)
    await place.clock.advance(5)
    const late = [agent.attach('s'), agent.attach('s', { after: '2:0' }), agentIn({ ...place, store: agent.store }).attach('s')]
    const events = Promise.all(late.map((reader) => collect(reader)))
    const shown = (all: readonly RunEvent[]) => all.map(({ type }) => type)
    const [all, after, elsewhere] = await place.clock.until(events)
    const whole = shown(await early)
    expect([shown(all ?? []), shown(elsewhere ?? []), whole.slice(-2)]).toEqual([whole, whole, ['run.status', 'run.finished']])
    expect(whole.join()).toContain(shown(after ?? []).join())
    expect(await Promise.all(late.map(async ({ result }) => end(await result)))).toEqual(Array(3).fill('completed completed'))
  })

  test.each(['nobody looked', 'its text alone was read'])('so does one that comes in between when %s', async (before) => {
    const place = engineLab(['Done.'])
    const agent = agentIn({ ...place, store: slowRelease(place) })
    const run = before === 'nobody looked' ? agent.run('Hi', { session: 's' }) : collect(agent.stream('Hi', { session: 's' }).textStream)
    await place.clock.advance(5)
    const late = place.clock.until(collect(agent.attach('s')))
    expect((await late).map(({ type }) => type).slice(-3)).toEqual(['iteration.finished', 'run.status', 'run.finished'])
    await run
  })

  test('a run that waits follows at once, and so does the end before it', async () => {
    const place = engineLab(['One.', { text: 'Two.', delayMs: 50 }])
    const agent = agentIn({ ...place, store: slowRelease(place) })
    const log: string[] = []
    const note = (what: string) => () => log.push(`${what} ${place.clock.monotonic()}`)
    agent.on('run.started', note('started'))
    agent.on('run.finished', note('finished'))
    const runs = ['One', 'Two'].map((input) => agent.run(input, { session: 's', onBusy: 'queue' }).then(note(input)))
    await place.clock.until(Promise.all(runs))
    expect(log).toEqual(['started 0', 'finished 0', 'started 0', 'One 0', 'finished 60', 'Two 60'])
  })

  test('nor does it wait when the one that follows is asked for while the lease is given back', async () => {
    const place = engineLab(['One.', 'Two.'])
    const asked = gate()
    const store = releasesThrough(place.store, async (release, count) => {
      if (count > 1) return release()
      await agentIn({ ...place, store: otherProcess(place.store) })
        .session('s')
        .send('And?')
        .then(asked.resolve, asked.resolve)
      return release()
    })
    const agent = agentIn({ ...place, store }, { tools: [look()] })
    const texts: string[] = []
    agent.on('run.finished', ({ result }) => texts.push(result.status === 'completed' ? result.text : result.status))
    await place.clock.until(agent.run('Hi', { session: 's' }))
    await asked.promise
    await place.clock.advance(1_000)
    expect(texts).toEqual(['One.', 'Two.'])
  })

  test('a note of somebody else, which nobody is shown, does not bring it out', async () => {
    const place = engineLab(['Done.'])
    const store = releasesThrough(slowRelease(place), async (release, count) => {
      if (count > 1) return release()
      let seq = 0
      for await (const entry of place.store.load('s')) seq = entry.seq
      const note = { v: 1, id: 'note', seq: seq + 1, kind: 'custom', data: { type: 'note' } } as const
      await place.store.append('s', [note], { expectedSeq: seq })
      return release()
    })
    const agent = agentIn({ ...place, store })
    const free: Promise<boolean>[] = []
    agent.on('run.finished', () => free.push(isFree(place)))
    await place.clock.until(agent.run('Hi', { session: 's' }))
    expect([await Promise.all(free), place.clock.monotonic()]).toEqual([[true], 20])
  })

  test('an end that is found when the session is taken over is told when it has been given back again', async () => {
    const place = engineLab([asks('look'), 'Done.'])
    const begun = gate()
    const hold = gate()
    const waits = plainTool('look', () => {
      begun.resolve()
      return hold.promise
    })
    const agent = agentIn({ ...place, store: slowRelease(place) }, { tools: [waits] })
    const first = agent.run('Hi', { session: 's' })
    await begun.promise
    const other = agentIn({ ...place, store: otherProcess(slowRelease(place)) }, { tools: [waits] })
    const free: Promise<boolean>[] = []
    const second = other.resume('s').result.then(() => free.push(isFree(place)))
    await place.clock.advance(1)
    hold.resolve()
    await place.clock.until(Promise.all([first, second]))
    expect(await Promise.all(free)).toEqual([true])
  })

  test('when the session is lost meanwhile it is told all the same', async () => {
    const place = engineLab(['Done.'])
    const store = flakyStore(place.store, (operation) =>
      operation === 'release' ? 'conflict' : operation === 'renew' ? 'fail-before' : 'ok',
    )
    const agent = agentIn({ ...place, store })
    expect(end(await place.clock.until(agent.run('Hi', { session: 's' })))).toBe('completed completed')
  })
})
