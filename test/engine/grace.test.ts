import { describe, expect, test } from 'vitest'
import { tool } from '../../src/index.ts'
import { agentIn, asks, end, gate, journal, noInput } from '../acceptance/kit.ts'
import { engineLab } from './kit.ts'

describe('machine 1 ◆: an aborted activity counts as running until it settles or its grace is over', () => {
  /** Runs until it parks for an approval, beside a tool whose time was over at 50 ms. Grace: 1,000 ms, or the tool's own. */
  async function parked(settlesAt: number | undefined, own: { readonly graceMs?: number } = {}) {
    const place = engineLab([asks('slow', 'ask')])
    const work = gate<string>()
    const slow = tool({
      ...own,
      name: 'slow',
      description: 'Slow',
      inputSchema: noInput,
      timeoutMs: 50,
      execute: () => {
        if (settlesAt !== undefined) place.clock.timer(settlesAt, () => work.resolve('tidied up'))
        return work.promise
      },
    })
    const ask = tool({ name: 'ask', description: 'Ask', inputSchema: noInput, needsApproval: true, execute: () => 'asked' })
    const result = await place.clock.until(agentIn(place, { tools: [slow, ask] }).run('Hi', { session: 's' }))
    const entries = await journal(place.store, 's')
    return { end: end(result), at: place.clock.monotonic(), last: entries.slice(entries.indexOf('call.settled m1.0 timeout')) }
  }

  test('it settles: its late outcome is on record before the run parks', async () => {
    expect(await parked(250)).toEqual({
      end: 'parked awaiting_approval',
      at: 250,
      last: ['call.settled m1.0 timeout', 'custom late-outcome'],
    })
  })

  test('it does not: the run parks when its grace is over', async () => {
    expect(await parked(undefined)).toEqual({ end: 'parked awaiting_approval', at: 1_050, last: ['call.settled m1.0 timeout'] })
  })

  test.each([
    ['shorter', 300, undefined, 350, []],
    ['longer', 3_000, 2_000, 2_000, ['custom late-outcome']],
  ])('the grace of a tool is its own: %s', async (_name, graceMs, settlesAt, at, late) => {
    expect(await parked(settlesAt, { graceMs })).toEqual({
      end: 'parked awaiting_approval',
      at,
      last: ['call.settled m1.0 timeout', ...late],
    })
  })
})
