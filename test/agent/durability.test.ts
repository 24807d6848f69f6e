import { describe, expect, test } from 'vitest'
import { tool } from '../../src/index.ts'
import { flakyStore } from '../../src/testing/index.ts'
import { agentIn, asks, collect, end, journal, lines, noInput, otherProcess, plainTool, scriptedLab } from '../acceptance/kit.ts'

describe('best-effort durability', () => {
  test('a store that fails is given up: the run goes on in memory and says so; the store has what it had', async () => {
    const place = scriptedLab([asks('act'), 'Done.'])
    const store = flakyStore(place.store, (operation, count) => (operation === 'append' && count > 2 ? 'fail-before' : 'ok'))
    const agent = agentIn({ ...place, store }, { tools: [plainTool('act', () => 'acted')], policies: { durability: 'best-effort' } })
    const run = agent.stream('Hi', { session: 's' })
    const events = collect(run)
    const result = await place.clock.until(run.result)
    expect([end(result), result.durable, result.text, lines(result.messages)]).toEqual([
      'completed completed',
      false,
      'Done.',
      ['user: Hi', 'assistant: act{}→ok:acted', 'assistant: Done.'],
    ])
    expect((await events).at(-1)).toMatchObject({ type: 'run.finished', result: { durable: false } })
    expect(await journal(place.store, 's')).toEqual(['session', 'run.requested', 'run.claimed', 'model.started 1.1'])
  })

  test('a store that does not fail is not given up', async () => {
    const place = scriptedLab(['Done.'])
    const result = await place.clock.until(agentIn(place, { policies: { durability: 'best-effort' } }).run('Hi'))
    expect(result.durable).toBe(true)
  })

  test('a lost lease is no failing store: the run stops all the same', async () => {
    const place = scriptedLab([asks('act'), 'Done.'])
    const act = plainTool('act', async () => {
      place.clock.jump(60_000)
      await place.store.acquire('s', { owner: 'somebody else', ttlMs: 15_000 })
    })
    const result = await place.clock.until(
      agentIn(place, { tools: [act], policies: { durability: 'best-effort' } }).run('Hi', { session: 's', throwOnError: false }),
    )
    expect(end(result)).toBe('failed lease_lost')
  })
})

describe('a lease that is lost', () => {
  /** A run whose tool never ends in its first attempt, in a process that then sleeps until its lease is over. */
  async function asleep() {
    const place = scriptedLab([asks('slow'), 'Done.'])
    const signals: AbortSignal[] = []
    const slow = tool({
      name: 'slow',
      description: 'Slow',
      inputSchema: noInput,
      effect: 'idempotent',
      execute: (_input, { signal, attempt }) => {
        signals.push(signal)
        return attempt === 1 ? new Promise(() => {}) : 'slept'
      },
    })
    const first = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [slow] })
    const run = first.stream('Hi', { session: 's' })
    const { result } = run
    const events = collect(run)
    await place.clock.advance(10)
    // The store's clock goes on without a heartbeat.
    place.clock.jump(60_000)
    return { place, slow, signals, result, events }
  }

  test('to another owner after its time: failed, resumable, the tool sees its signal, no end is shown', async () => {
    const { place, slow, signals, result, events } = await asleep()
    await place.store.acquire('s', { owner: 'somebody else', ttlMs: 15_000 })
    const ended = await place.clock.until(result)
    expect([end(ended), ended.status === 'failed' && [ended.resumable, ended.error.code]]).toEqual([
      'failed lease_lost',
      [true, 'SessionLeaseLost'],
    ])
    expect([signals[0]?.aborted, signals[0]?.reason.code]).toEqual([true, 'SessionLeaseLost'])
    const types = (await events).map((event) => event.type)
    expect([types.at(-1), types.includes('run.finished')]).toEqual(['run.parked', false])
    place.clock.jump(60_000)
    const third = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [slow] })
    expect(end(await place.clock.until(third.resume('s').result))).toBe('completed completed')
  })

  test('to a process that ends the run: its result is the end that the journal has, and the old tool sees its signal', async () => {
    const { place, slow, signals, result } = await asleep()
    const second = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [slow] })
    const theirs = await place.clock.until(second.resume('s').result)
    const ours = await place.clock.until(result)
    expect([ours, theirs].map((each) => [end(each), each.calls.map((call) => call.output)])).toEqual([
      ['completed completed', ['slept']],
      ['completed completed', ['slept']],
    ])
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false])
  })

  test('a heartbeat keeps it for hours', async () => {
    const place = scriptedLab([asks('slow'), 'Done.'])
    const slow = plainTool('slow', () => new Promise((resolve) => place.clock.timer(6 * 3_600_000, () => resolve('slept'))))
    const result = await place.clock.until(agentIn(place, { tools: [slow] }).run('Hi'))
    expect([end(result), place.clock.monotonic(), place.clock.pending]).toEqual(['completed completed', 6 * 3_600_000, 0])
  })

  test('a heartbeat that fails for longer than the lease ends the activation before anything new begins', async () => {
    const place = scriptedLab([asks('slow'), 'Done.'])
    let runs = 0
    const slow = plainTool('slow', () => new Promise((resolve) => place.clock.timer(60_000, () => resolve(++runs))), 'read')
    const store = flakyStore(place.store, (operation) => (operation === 'renew' ? 'fail-before' : 'ok'))
    const result = await place.clock.until(agentIn({ ...place, store }, { tools: [slow] }).run('Hi', { session: 's', throwOnError: false }))
    expect([end(result), place.clock.monotonic() < 16_000, place.model.requests.length]).toEqual(['failed lease_lost', true, 1])
  })

  test('two processes that are asked for the same session at once: one drives, the other waits and sees the same end', async () => {
    const place = scriptedLab([asks('slow'), 'Done.'])
    let runs = 0
    const slow = plainTool('slow', () => new Promise((resolve) => place.clock.timer(1_000, () => resolve(++runs))))
    const [first, second] = [0, 1].map(() => agentIn({ ...place, store: otherProcess(place.store) }, { tools: [slow] }))
    const one = first!.run('Hi', { session: 's' })
    await place.clock.advance(10)
    const other = second!.resume('s').result
    const results = await place.clock.until(Promise.all([one, other]))
    expect([results.map(end), results.map((result) => result.text), runs]).toEqual([
      ['completed completed', 'completed completed'],
      ['Done.', 'Done.'],
      1,
    ])
  })
})
