import { describe, expect, test } from 'vitest'
import { openSessions } from '../../src/engine/registry.ts'
import type { Clock, Session, Store } from '../../src/index.ts'
import { flakyStore } from '../../src/testing/index.ts'
import { agentIn, collect, end, strays } from '../acceptance/kit.ts'
import { engineLab } from './kit.ts'

/** A lab whose clock breaks when the driver is about to wait for a session that somebody else holds. */
async function brokenLab() {
  const place = engineLab(['One.'])
  const broken = { clock: true, store: false, storeToo: false }
  const { clock } = place
  const store = flakyStore(place.store, (operation) => (broken.store && operation === 'load' ? 'fail-before' : 'ok'))
  const timer: Clock['timer'] = (ms, callback) => {
    if (!broken.clock || ms !== 250) return clock.timer(ms, callback)
    broken.store = broken.storeToo
    throw new Error('the clock broke')
  }
  const world = { ...place.world, clock: { wall: () => clock.wall(), monotonic: () => clock.monotonic(), timer } }
  await place.store.acquire('s', { owner: 'somebody else', ttlMs: 1_000 })
  return { place, broken, agent: agentIn({ ...place, store, world: world as unknown as typeof place.world }) }
}

describe('a drive that breaks', () => {
  test('ends whoever waits with an error, leaves no rejection behind, and the next one goes on', async () => {
    const { place, broken, agent } = await brokenLab()
    const stray = await strays(async () => {
      const run = agent.stream('Hi', { session: 's', runId: 'r' })
      const events = collect(run)
      const result = await place.clock.until(run.result)
      expect(result).toMatchObject({
        ...{ status: 'failed', reason: 'session_error', resumable: true, sessionId: 's', runId: 'r' },
        error: { code: 'RunInvalidState', message: expect.stringContaining('the clock broke') },
      })
      expect((await events).map((event) => event.type)).toEqual(['run.parked'])
    })
    expect([stray, openSessions(agent.store)]).toEqual([[], []])
    broken.clock = false
    expect(end(await place.clock.until(agent.resume('s').result))).toBe('completed completed')
  })

  test('also a run of a session that can not be read any more', async () => {
    const { place, broken, agent } = await brokenLab()
    broken.storeToo = true
    expect(end(await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false })))).toBe('failed session_error')
    broken.clock = broken.store = false
    expect(end(await place.clock.until(agent.resume('s').result))).toBe('completed completed')
  })
})

describe('an input that comes in the first or the last moment of a drive', () => {
  /** Says something while the session is taken, or when it has just been given back, and tells what the store was asked for. */
  async function saidMeanwhile(say: (session: Session<readonly []>) => Promise<void>, at: 'acquire' | 'release' = 'acquire') {
    const place = engineLab(['One.', 'Two.'])
    const asked: string[] = []
    let said: Promise<void> | undefined
    const once = () => {
      said ??= say(agent.session('s'))
      return said
    }
    const inner = flakyStore(place.store, (operation) => {
      if (operation === 'acquire' || operation === 'release') asked.push(operation)
      return 'ok'
    })
    const acquire: Store['acquire'] = async (...given) => {
      if (at === 'acquire') await once()
      return inner.acquire(...given)
    }
    const release: Store['release'] = async (...given) => {
      const answer = await inner.release(...given)
      if (at === 'release') await once()
      return answer
    }
    const store = new Proxy(inner, {
      get(target, key) {
        const value = Reflect.get(target, key)
        if (key === 'acquire' || key === 'release') return { acquire, release }[key]
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const agent = agentIn({ ...place, store })
    const result = await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
    await place.clock.advance(1_000)
    return { place, asked, result }
  }

  test('is heard there: the session is not taken once more for it, when a program may have ended', async () => {
    const { asked, result } = await saidMeanwhile((session) => session.abort())
    expect([end(result), asked]).toEqual(['aborted aborted', ['acquire', 'release']])
  })

  test('is not forgotten when nobody hears it any more', async () => {
    const { place, asked } = await saidMeanwhile((session) => session.send('And?'), 'release')
    expect([asked, place.model.requests.length]).toEqual([['acquire', 'release', 'acquire', 'release'], 2])
  })

  test('a message starts no end that is not its own', async () => {
    const { place, asked, result } = await saidMeanwhile((session) => session.send('And?'))
    expect([end(result), asked]).toEqual(['completed completed', ['acquire', 'release']])
    expect([...(place.model.requests[0]?.messages ?? [])]).toHaveLength(2)
  })
})
