import { describe, expect, test } from 'vitest'
import { storeError, toEntry } from '../../src/engine/append.ts'
import { RondoError } from '../../src/index.ts'
import type { StoreFault } from '../../src/testing/index.ts'
import { agentIn, asks, end, journal, otherProcess, plainTool } from '../acceptance/kit.ts'
import { appendsThrough, engineLab, faultsAt } from './kit.ts'

const whole = [
  'session',
  'run.requested',
  'run.claimed',
  'model.started 1.1',
  'model.responded 1.1 tool-calls',
  'call.prepared m1.0',
  'call.started m1.0',
  'call.settled m1.0 ok',
  'model.started 2.1',
  'model.responded 2.1 stop',
  'run.finished completed completed',
]

/** A run of one step whose append with the outcome of its tool fails as told. */
async function step(faults: readonly StoreFault[]) {
  const place = engineLab([asks('act'), 'Done.'])
  let runs = 0
  const act = plainTool('act', () => ++runs, 'idempotent')
  const { store, tried } = faultsAt(place.store, 'call.settled', faults)
  const agent = agentIn({ ...place, store }, { tools: [act] })
  const result = await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
  return { place, act, result, tried, runs: () => runs }
}

describe('machine 3: an append that fails is tried again with the same ids, three times in all', () => {
  test.each<[readonly StoreFault[], number]>([
    [['fail-before'], 50],
    [['fail-after'], 50],
    [['disk-full'], 50],
    [['fail-before', 'fail-before'], 150],
    [['fail-after', 'fail-after'], 150],
    [['fail-before', 'fail-after'], 150],
    [['conflict', 'fail-after'], 50],
  ])('%j: it goes on after %i ms, and everything stands once', async (faults, ms) => {
    const { place, result, tried, runs } = await step(faults)
    expect([end(result), place.clock.monotonic(), tried.length, runs()]).toEqual(['completed completed', ms, faults.length + 1, 1])
    const again = faults[0] === 'conflict' ? tried.slice(1) : tried
    expect(new Set(again.map(String)).size).toBe(1)
    const entries = await journal(place.store, 's')
    // What a conflict let in is answered too; nothing is written twice by anybody.
    expect(entries.filter((line) => !line.startsWith('message') && !line.startsWith('run.claimed'))).toEqual(
      whole.filter((line) => line !== 'run.claimed'),
    )
  })

  test.each<[StoreFault, boolean, number]>([
    ['fail-before', false, 2],
    ['fail-after', true, 1],
  ])('three times %s: failed, session_error, resumable; written: %s; the next process goes on from what is', async (fault, stands, ran) => {
    const { place, act, result, tried, runs } = await step([fault, fault, fault, fault])
    expect([end(result), result.status === 'failed' && [result.resumable, result.error.code], tried.length]).toEqual([
      'failed session_error',
      [true, 'SessionWriteFailed'],
      3,
    ])
    expect((await journal(place.store, 's')).includes('call.settled m1.0 ok')).toBe(stands)
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [act] })
    expect([end(await place.clock.until(other.resume('s').result)), runs()]).toEqual(['completed completed', ran])
    expect((await journal(place.store, 's')).filter((line) => line === 'call.settled m1.0 ok').length).toBe(1)
  })

  test('a lease that was lost is not tried again', async () => {
    const place = engineLab([asks('act')])
    let tries = 0
    const store = appendsThrough(place.store, (entries, write) => {
      if (!entries.some((entry) => entry.kind === 'call.settled')) return write()
      tries++
      return Promise.reject(new RondoError('SessionLeaseLost', 'somebody else drives it'))
    })
    const agent = agentIn({ ...place, store }, { tools: [plainTool('act', () => 'acted')] })
    const result = await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
    expect([end(result), tries]).toEqual(['failed lease_lost', 1])
  })
})

describe('what a store throws', () => {
  const own = new RondoError('SessionReadFailed', 'no')
  test.each([
    ['an error of ours stays as it is', own, 'SessionReadFailed', 'no'],
    ['another error', new Error('EIO'), 'SessionWriteFailed', 'The session could not be written: EIO'],
    ['no error at all', 'gone', 'SessionWriteFailed', 'The session could not be written: gone'],
  ])('%s', (_name, cause, code, message) => {
    const error = storeError(cause)
    expect([error.code, error.message, error === cause || error.cause === cause]).toEqual([code, message, true])
  })
})

describe('the envelope of an entry has no empty places', () => {
  const body = { kind: 'custom', data: { type: 'note' } } as const
  const place = { id: 'e1', seq: 3, at: 5 }
  test.each([
    ['of an input', {}],
    ['of an input of a run', { runId: 'r' }],
    ['of a driver', { epoch: 2 }],
    ['of a driver, of a run', { epoch: 2, runId: 'r' }],
  ])('%s', (_name, more) => {
    expect(Object.entries(toEntry(body, { ...place, ...more })).sort()).toEqual(
      Object.entries({ v: 1, ...place, ...more, kind: 'custom', data: { type: 'note' } }).sort(),
    )
  })
})

test('a store that answers an append with nothing fails the run; nothing hangs, nothing is left unhandled', async () => {
  const place = engineLab(['Done.'])
  const store = appendsThrough(place.store, async (entries, write) => {
    const answer = await write()
    return entries.some(({ kind }) => kind === 'model.started') ? (undefined as never) : answer
  })
  const result = await place.clock.until(agentIn({ ...place, store }).run('Hi', { session: 's', throwOnError: false }))
  expect(end(result)).toBe('failed session_error')
})
