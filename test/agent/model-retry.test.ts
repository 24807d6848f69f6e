import { describe, expect, test } from 'vitest'
import type { ErrorData } from '../../src/index.ts'
import { flakyStore } from '../../src/testing/index.ts'
import { agentIn, collect, end, journal, lines, otherProcess, scriptedLab, story } from '../acceptance/kit.ts'

const busy = (more: Partial<ErrorData> = {}) => ({ fail: { code: 'ModelServerError' as const, message: 'overloaded', ...more } })

describe('a failed model call', () => {
  test('is tried again after 0.5 to 1 of 1 s, then of 2 s, and the journal says when', async () => {
    const place = scriptedLab([busy(), busy(), 'Done.'])
    const result = await place.clock.until(agentIn(place).run('Hi', { session: 's' }))
    const failed = (await collect(place.store.load('s'))).flatMap((entry) => (entry.kind === 'model.failed' ? [entry] : []))
    const waits = failed.map((entry) => (entry.data.retryAt ?? 0) - entry.at)
    expect([end(result), waits.length, place.clock.monotonic()]).toEqual([
      'completed completed',
      2,
      waits.reduce((sum, wait) => sum + wait, 0),
    ])
    for (const [index, base] of [1_000, 2_000].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(base / 2)
      expect(waits[index]).toBeLessThanOrEqual(base)
    }
  })

  test('waits as long as the provider says (Retry-After)', async () => {
    const place = scriptedLab([busy({ code: 'ModelRateLimited', retryAfterMs: 30_000 }), 'Done.'])
    await place.clock.until(agentIn(place).run('Hi'))
    expect(place.clock.monotonic()).toBe(30_000)
  })

  test.each<[string, Partial<ErrorData>, object, number]>([
    ['a Retry-After of over a minute', { retryAfterMs: 61_000 }, {}, 1],
    ['what is not retryable', { code: 'ModelAuthError' }, {}, 1],
    ['a server error that says it is final', { retryable: false }, {}, 1],
    ['the last retry', {}, {}, 3],
    ['settings.maxRetries: 0', {}, { settings: { maxRetries: 0 } }, 1],
    ['a window of 1 ms', {}, { policies: { retry: { windowMs: 1 } } }, 1],
    ['a Retry-After beyond the window', { retryAfterMs: 5_000 }, { policies: { retry: { windowMs: 4_000 } } }, 1],
  ])('is final after %s: the error is in the result, and the session goes on', async (_name, more, options, asked) => {
    const place = scriptedLab([...Array.from({ length: asked }, () => busy(more)), 'Fine.'])
    const agent = agentIn(place, options)
    const result = await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
    expect([end(result), place.model.requests.length]).toEqual(['failed model_error', asked])
    expect(result.status === 'failed' && [result.error.message, result.resumable]).toEqual(['overloaded', false])
    expect((await place.clock.until(agent.run('Again', { session: 's' }))).text).toBe('Fine.')
  })

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('with a Retry-After of %s backs off as without one', async (retryAfterMs) => {
    const place = scriptedLab([busy({ retryAfterMs }), 'Done.'])
    expect(end(await place.clock.until(agentIn(place).run('Hi')))).toBe('completed completed')
    expect(place.clock.monotonic()).toBeGreaterThanOrEqual(500)
  })

  test('retries count per call, not per run: an hour of single failures is survived', async () => {
    const script = Array.from({ length: 10 }, (_, index) => [
      busy({ retryAfterMs: 59_000 }),
      { calls: [{ name: 'nope', input: { index } }] },
    ]).flat()
    const place = scriptedLab([...script, 'Done.'])
    const result = await place.clock.until(agentIn(place).run('Hi'))
    expect([end(result), result.iterations]).toEqual(['completed completed', 11])
  })

  test.each([
    ['retract', ['model.failed', 'model.retracted', 'model.started'], 'completed completed', 'New.'],
    ['fail', ['model.failed', 'run.finished'], 'failed model_error', 'Old'],
  ] as const)('after shown text, retryAfterOutput: %s', async (retryAfterOutput, follows, how, text) => {
    const place = scriptedLab([{ text: 'Old', failAfter: 1, ...busy() }, 'New.'])
    const run = agentIn(place, { policies: { retryAfterOutput } }).stream('Hi', { session: 's' })
    const events = collect(run)
    const result = await place.clock.until(run.result)
    expect([end(result), result.text]).toEqual([how, text])
    const types = story(await events).filter((type) => type !== 'iteration.finished')
    expect(types.slice(types.indexOf('model.failed')).slice(0, follows.length)).toEqual(follows)
    expect(lines(result.messages)).toEqual(['user: Hi', `assistant: ${text}`])
  })

  test('settings.timeoutMs ends an attempt that hangs; the next one answers', async () => {
    const place = scriptedLab([{ hang: true }, 'Done.'])
    const result = await place.clock.until(agentIn(place, { settings: { timeoutMs: 5_000 } }).run('Hi', { session: 's' }))
    expect(end(result)).toBe('completed completed')
    expect((await journal(place.store, 's')).slice(3)).toEqual([
      'model.started 1.1',
      'model.failed 1.1 ModelTimeout retry',
      'model.started 1.2',
      'model.responded 1.2 stop',
      'run.finished completed completed',
    ])
  })

  test.each([
    ['heeds its signal', { text: 'I was ', delayMs: 0, chunk: 100 }],
    ['ignores it', { hang: true }],
  ])('aborted while the model %s: an end that the journal holds', async (_name, reply) => {
    const place = scriptedLab([{ ...reply, ...('hang' in reply ? {} : { delayMs: 5_000 }) }])
    const run = agentIn(place).stream('Hi', { session: 's' })
    const result = run.result
    await place.clock.advance(100)
    await run.abort()
    expect(end(await place.clock.until(result))).toBe('aborted aborted')
    expect((await journal(place.store, 's')).slice(-2)).toEqual(['model.failed 1.1 RunAborted final', 'run.finished aborted aborted'])
  })

  test('a retry that is far off parks the run with the time to look again; resume goes on', async () => {
    const place = scriptedLab([busy({ retryAfterMs: 300_000 }), 'Done.'])
    const agent = agentIn(place, { policies: { retry: { maxRetryAfterMs: 600_000 } } })
    const parked = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect([end(parked), parked.status === 'parked' && parked.wakeAt]).toEqual(['parked retry_later', place.clock.wall() + 300_000])
    await place.clock.advance(300_000)
    expect((await place.clock.until(agent.resume('s').result)).text).toBe('Done.')
  })
})

test('C33 decision 0008: the window does not count the time after a crash: what is resumed a day later is tried again as ever', async () => {
  const place = scriptedLab([{ hang: true }, busy(), 'Done.'])
  const silent = flakyStore(place.store, (operation) => (operation === 'renew' ? 'hang-before' : 'ok'))
  const lost = await place.clock.until(agentIn({ ...place, store: silent }).run('Hi', { session: 's', throwOnError: false }))
  expect(end(lost)).toBe('failed lease_lost')
  await place.clock.advance(24 * 3_600_000)
  const { result } = agentIn({ ...place, store: otherProcess(place.store) }).resume('s')
  expect(end(await place.clock.until(result))).toBe('completed completed')
  expect((await journal(place.store, 's')).filter((line) => line.startsWith('model.failed'))).toEqual([
    'model.failed 1.1 ModelUnknownError retry',
    'model.failed 1.2 ModelServerError retry',
  ])
})
