import { describe, expect, test } from 'vitest'
import { fallback, type LimitedOptions, limited, type Model, noUsage, RondoError } from '../../../src/index.ts'
import { VirtualClock } from '../../../src/testing/index.ts'
import { plainTool, refusal, thrown } from '../../acceptance/kit.ts'
import { ask, failed, fails, finishes, held, named, request, said, settled } from './kit.ts'

/** A limited model that answers when the test says so. */
function place(options: LimitedOptions) {
  const clock = new VirtualClock()
  const { model, calls } = held('m')
  return { clock, calls, model: limited(model, { clock, ...options }) }
}

/** How many have been asked, wait, are being answered. */
const counts = ({ calls, model }: Pick<ReturnType<typeof place>, 'calls' | 'model'>) => [calls.length, model.waiting, model.running]

describe('limited: concurrency', () => {
  test('so many at once; the others pass in the order in which they came', async () => {
    const at = place({ concurrency: 2 })
    const texts = ['a', 'b', 'c', 'd']
    const asked = texts.map((text) => ask(at.model, { request: request(text) }))
    await settled()
    expect(counts(at)).toEqual([2, 2, 2])
    at.calls[1]?.answer()
    await settled()
    at.calls[0]?.fail(new RondoError('ModelServerError', 'down'))
    await settled()
    expect(counts(at)).toEqual([4, 0, 2])
    expect(at.calls.map((call) => [...call.request.messages][0]?.parts[0])).toEqual(texts.map((text) => ({ type: 'text', text })))
    for (const call of at.calls) call.answer()
    await Promise.allSettled(asked.map(({ finish }) => finish))
    expect(at.model.running).toBe(0)
  })

  test('an abort takes a request out of the line at once, and lets nobody pass in its place', async () => {
    const at = place({ concurrency: 1 })
    const asked = [1, 2, 3].map(() => ask(at.model))
    await settled()
    asked[1]?.stop(new RondoError('RunAborted', 'Enough.'))
    expect(at.model.waiting).toBe(1)
    expect((await refusal(asked[1]?.finish ?? Promise.resolve())).message).toBe('Enough.')
    at.calls[0]?.answer()
    await settled()
    expect(counts(at)).toEqual([2, 0, 1])
  })

  test('one that was aborted before it began is not asked, and takes no place', async () => {
    const at = place({ concurrency: 1 })
    const first = ask(at.model)
    const second = ask(at.model)
    await settled()
    at.calls[0]?.answer()
    await first.finish
    // It has just been let pass.
    second.stop(new RondoError('RunAborted', 'Enough.'))
    await refusal(second.finish)
    const third = ask(at.model)
    third.stop(new RondoError('RunAborted', 'Enough.'))
    await refusal(third.finish)
    await at.clock.advance(1_000)
    expect([at.model.waiting, at.model.running]).toEqual([0, 0])
  })

  test('a model that goes on after an abort has its place for a second more; its request ends at once', async () => {
    const at = place({ concurrency: 1 })
    const hangs = ask(at.model)
    const next = ask(at.model)
    await settled()
    hangs.stop(new RondoError('RunAborted', 'Enough.'))
    await refusal(hangs.finish)
    await at.clock.advance(999)
    expect(counts(at)).toEqual([1, 1, 1])
    await at.clock.advance(1)
    expect(counts(at)).toEqual([2, 0, 1])
    // Its late end frees nothing a second time.
    at.calls[0]?.answer()
    await settled()
    expect(at.model.running).toBe(1)
    at.calls[1]?.answer()
    await next.finish
    expect([at.model.running, at.clock.pending]).toEqual([0, 0])
  })
})

describe('limited: rates', () => {
  test('so many requests begin in any minute', async () => {
    const at = place({ requestsPerMinute: 2 })
    const begun: number[] = []
    const model = limited(
      { ...at.model, capabilities: at.model.capabilities, stream: () => Promise.resolve(finishes) },
      { requestsPerMinute: 2, clock: at.clock },
    )
    const one = async () => {
      await ask(model).finish
      begun.push(at.clock.monotonic())
    }
    const first = one()
    await at.clock.advance(20_000)
    const rest = [one(), one(), one(), one()]
    await at.clock.until(Promise.all([first, ...rest]))
    expect(begun).toEqual([0, 20_000, 60_000, 80_000, 120_000])
  })

  test('tokens are guessed, then counted as they are reported', async () => {
    const at = place({ tokensPerMinute: 1_000 })
    const asked = [0, 1].map(() => ask(at.model, { request: request('x'.repeat(800)) }))
    await settled()
    // 204 each: both fit.
    expect(counts(at)).toEqual([2, 0, 2])
    at.calls[0]?.answer({ ...finishes, usage: { ...noUsage, inputTokens: 204, outputTokens: 696 } })
    await asked[0]?.finish
    const third = ask(at.model)
    await settled()
    expect(at.model.waiting).toBe(1)
    at.calls[1]?.fail(new RondoError('ModelServerError', 'down'))
    await settled()
    expect(at.model.waiting).toBe(1)
    await at.clock.advance(60_000)
    expect(counts(at)).toEqual([3, 0, 1])
    third.stop()
  })

  test('what is reported corrects the next guesses', async () => {
    const at = place({ tokensPerMinute: 1_000 })
    void ask(at.model, { request: request('x'.repeat(400)) })
    await settled()
    at.calls[0]?.answer({ ...finishes, usage: { ...noUsage, inputTokens: 416 } })
    await settled()
    // As long as the first: 416 too, but not twice more.
    void ask(at.model, { request: request('y'.repeat(400)) })
    void ask(at.model, { request: request('z'.repeat(400)) })
    await settled()
    expect(counts(at)).toEqual([2, 1, 1])
  })

  test('tools are guessed too: a short request with many of them does not make texts dear', async () => {
    const at = place({ tokensPerMinute: 2_000 })
    const tools = [plainTool('look', () => 1), { ...plainTool('long', () => 1), description: 'x'.repeat(1_600) }]
    void ask(at.model, { request: { ...request('Hi'), tools } })
    await settled()
    at.calls[0]?.answer({ ...finishes, usage: { ...noUsage, inputTokens: 450 } })
    await settled()
    // About 1,000 tokens, and not 1,000 times what the tools have made of `Hi`.
    void ask(at.model, { request: request('y'.repeat(4_000)) })
    await settled()
    expect(counts(at)).toEqual([2, 0, 1])
  })

  test('a request that alone is over the limit is sent when nothing else counts', async () => {
    const at = place({ tokensPerMinute: 100 })
    void ask(at.model)
    const huge = ask(at.model, { request: request('x'.repeat(4_000)) })
    await settled()
    at.calls[0]?.answer()
    await settled()
    expect(counts(at)).toEqual([1, 1, 0])
    await at.clock.advance(60_000)
    expect(counts(at)).toEqual([2, 0, 1])
    at.calls[1]?.answer()
    await huge.finish
  })

  test('the line is fair: a small request does not overtake a large one', async () => {
    const at = place({ tokensPerMinute: 500 })
    const large = request('x'.repeat(1_200))
    void ask(at.model, { request: large })
    void ask(at.model, { request: large })
    void ask(at.model)
    await settled()
    expect(counts(at)).toEqual([1, 2, 1])
  })
})

describe('limited: what the server says', () => {
  const slow = (retryAfterMs: number) => new RondoError('ModelRateLimited', 'Slow down.', { retryAfterMs })

  test('a Retry-After holds back everybody for that time', async () => {
    const at = place({})
    const first = ask(at.model)
    await settled()
    at.calls[0]?.fail(slow(5_000))
    await refusal(first.finish)
    void ask(at.model)
    await at.clock.advance(4_999)
    expect(counts(at)).toEqual([1, 1, 0])
    await at.clock.advance(1)
    expect(counts(at)).toEqual([2, 0, 1])
  })

  test('who would wait in vain is told at once, and when it ends: after a minute, after maxWaitMs, after settings.timeoutMs', async () => {
    const at = place({ maxWaitMs: 40_000 })
    const first = ask(at.model)
    await settled()
    at.calls[0]?.fail(slow(30_000))
    await refusal(first.finish)
    const short = await refusal(ask(at.model, { request: request('Hi', { timeoutMs: 20_000 }) }).finish)
    expect([short.code, short.retryable, short.retryAfterMs]).toEqual(['ModelRateLimited', true, 30_000])
    expect(short.message).toBe('acme:m was not asked: it limits the rate for 30000 ms more.')
    const patient = ask(at.model)
    await settled()
    expect(at.model.waiting).toBe(1)
    const other = place({})
    const asked = ask(other.model)
    await settled()
    other.calls[0]?.fail(slow(60_001))
    await refusal(asked.finish)
    expect((await failed(other.model)).retryAfterMs).toBe(60_001)
    patient.stop()
  })

  test('a pause that comes while others wait is told to those that can’t wait for its end', async () => {
    const at = place({ concurrency: 1 })
    const first = ask(at.model)
    const waits = ask(at.model)
    await settled()
    at.calls[0]?.fail(slow(90_000))
    await refusal(first.finish)
    expect((await refusal(waits.finish)).retryAfterMs).toBe(90_000)
    expect(counts(at)).toEqual([1, 0, 0])
  })
})

describe('limited: the line', () => {
  test('has an end: more than maxQueue are refused, and may come again', async () => {
    const at = place({ concurrency: 1, maxQueue: 1 })
    void ask(at.model)
    void ask(at.model)
    const error = await failed(at.model)
    expect(error.toData()).toMatchObject({ code: 'ModelRateLimited', retryable: true })
    expect(error.message).toBe('acme:m was not asked: 1 requests wait for it already (maxQueue).')
  })

  test('maxWaitMs ends the wait', async () => {
    const at = place({ concurrency: 1, maxWaitMs: 5_000 })
    void ask(at.model)
    const waits = ask(at.model)
    await at.clock.advance(5_000)
    const error = await refusal(waits.finish)
    expect(error.message).toBe('acme:m was not asked: its turn had not come after 5000 ms (1 being answered, 1 waiting).')
    expect([error.code, at.clock.pending]).toEqual(['ModelRateLimited', 0])
  })

  test.each(['back', 'forth'])('a clock that jumps %s neither hangs nor lets more through', async (way) => {
    let now = 1_000_000
    const timers = new Set<() => void>()
    const clock = {
      monotonic: () => now,
      timer(_ms: number, callback: () => void) {
        timers.add(callback)
        return () => timers.delete(callback)
      },
    }
    const { model, calls } = held()
    const at = { calls, model: limited(model, { requestsPerMinute: 2, clock }) }
    for (let index = 0; index < 6; index++) void ask(at.model)
    await settled()
    now += way === 'back' ? -900_000 : 1e9
    const fire = async () => {
      for (const timer of [...timers]) {
        timers.delete(timer)
        timer()
      }
      await settled()
    }
    await fire()
    expect(calls).toHaveLength(way === 'back' ? 2 : 4)
    now += 60_000
    await fire()
    expect(calls).toHaveLength(way === 'back' ? 4 : 6)
  })
})

describe('limited: the breaker', () => {
  const down = () => new RondoError('ModelServerError', 'down')

  async function opened(more: LimitedOptions = {}) {
    const at = place({ breaker: { failures: 2, openMs: 10_000 }, ...more })
    for (let index = 0; index < 2; index++) {
      const asked = ask(at.model)
      await settled()
      at.calls[index]?.fail(down())
      await refusal(asked.finish)
    }
    return at
  }

  test('opens after failures in a row, refuses at once, and says when it asks again', async () => {
    const at = await opened()
    await at.clock.advance(4_000)
    const error = await failed(at.model)
    expect(error.toData()).toEqual({
      code: 'ModelServerError',
      category: 'model',
      message: 'acme:m was not asked: it failed 2 times in a row (last: down). The circuit breaker lets one request in again in 6000 ms.',
      retryable: true,
      retryAfterMs: 6_000,
    })
    expect([at.calls.length, at.model.breaker]).toEqual([2, 'open'])
  })

  test('then lets one in, and no other meanwhile; its success closes it', async () => {
    const at = await opened()
    await at.clock.advance(10_000)
    expect(at.model.breaker).toBe('half-open')
    const probe = ask(at.model)
    expect((await failed(at.model)).retryAfterMs).toBe(1_000)
    at.calls[2]?.answer()
    await probe.finish
    expect(at.model.breaker).toBe('closed')
    // And the count begins anew.
    const again = ask(at.model)
    await settled()
    at.calls[3]?.fail(down())
    await refusal(again.finish)
    expect(at.model.breaker).toBe('closed')
  })

  test('its failure opens it again', async () => {
    const at = await opened()
    await at.clock.advance(10_000)
    const probe = ask(at.model)
    await settled()
    at.calls[2]?.fail(down())
    await refusal(probe.finish)
    expect([at.model.breaker, (await failed(at.model)).retryAfterMs]).toEqual(['open', 10_000])
  })

  test('a probe that is aborted says nothing: the next request is one', async () => {
    const at = await opened()
    await at.clock.advance(10_000)
    const probe = ask(at.model)
    await settled()
    probe.stop(new RondoError('RunAborted', 'Enough.'))
    await refusal(probe.finish)
    const next = ask(at.model)
    await settled()
    at.calls[3]?.answer()
    await next.finish
    expect(at.model.breaker).toBe('closed')
  })

  test('a probe that never ends keeps it shut no longer than it was open', async () => {
    const at = await opened()
    await at.clock.advance(10_000)
    const stuck = ask(at.model)
    await at.clock.advance(10_000)
    const next = ask(at.model)
    await settled()
    at.calls[3]?.answer()
    await next.finish
    at.calls[2]?.fail(down())
    await refusal(stuck.finish)
    expect(at.model.breaker).toBe('closed')
  })

  test('who waits when it opens is refused too, before anybody passes', async () => {
    const at = place({ concurrency: 1, breaker: { failures: 1, openMs: 10_000 } })
    const asked = [1, 2, 3].map(() => ask(at.model))
    await settled()
    at.calls[0]?.fail(down())
    await settled()
    expect(counts(at)).toEqual([1, 0, 0])
    expect((await refusal(asked[2]?.finish ?? Promise.resolve())).retryAfterMs).toBe(10_000)
  })

  test.each(['ModelBadRequest', 'ModelRateLimited', 'ModelAuthError', 'ModelContextOverflow'] as const)(
    '%s is an answer: it opens nothing',
    async (code) => {
      const model = limited(named('a', [fails(code), fails(code)]), { breaker: { failures: 1 } })
      await failed(model)
      expect([model.breaker, (await failed(model)).message]).toEqual(['closed', code])
    },
  )

  test('what began before it opened says nothing of how the model is now', async () => {
    const at = place({ breaker: { failures: 1, openMs: 10_000 } })
    const asked = [ask(at.model), ask(at.model)]
    await settled()
    at.calls[0]?.fail(down())
    await settled()
    at.calls[1]?.answer()
    await Promise.allSettled(asked.map(({ finish }) => finish))
    expect(at.model.breaker).toBe('open')
  })

  test('an attempt that the engine gave up for the model’s fault counts, a cancel does not', async () => {
    const at = place({ breaker: { failures: 1 } })
    const cancelled = ask(at.model)
    await settled()
    cancelled.stop(new RondoError('RunAborted', 'Enough.'))
    await refusal(cancelled.finish)
    expect(at.model.breaker).toBe('closed')
    const slow = ask(at.model)
    await settled()
    slow.stop(new RondoError('ModelTimeout', 'Too slow.'))
    await refusal(slow.finish)
    expect(at.model.breaker).toBe('open')
  })

  test('a time limit that was spent in the line is not the fault of the model', async () => {
    const at = place({ concurrency: 1, breaker: { failures: 1 } })
    const first = ask(at.model)
    const second = ask(at.model)
    await at.clock.advance(20_000)
    at.calls[0]?.answer()
    await first.finish
    await at.clock.advance(10_000)
    second.stop(new RondoError('ModelTimeout', 'Not within 30,000 ms.'))
    await refusal(second.finish)
    expect([at.calls.length, at.model.breaker]).toEqual([2, 'closed'])
    const third = ask(at.model)
    await at.clock.advance(10_000)
    third.stop(new RondoError('ModelTimeout', 'Not within 10,000 ms.'))
    await refusal(third.finish)
    expect(at.model.breaker).toBe('open')
  })

  test('in a fallback, an open breaker leads to the next model without a request', async () => {
    const first = named('a', [fails('ModelServerError'), fails('ModelServerError')])
    const guarded = limited(first, { breaker: { failures: 1 } })
    const model = fallback([guarded, named('b', ['b1', 'b2'])], { cooldownMs: 0 })
    expect([await said(model), await said(model), first.requests.length]).toEqual(['b1', 'b2', 1])
  })
})

describe('limited: what it is', () => {
  test('the model itself: its name, what it can do, and what it says', async () => {
    const inner = named('a', ['Hi'], { capabilities: { contextWindow: 7 } })
    const model = limited(inner)
    expect([model.provider, model.id, model.capabilities]).toEqual(['acme', 'a', inner.capabilities])
    expect(await said(model)).toBe('Hi')
  })

  test('options that can’t work are refused', () => {
    const bad = (...args: unknown[]) => thrown(() => Reflect.apply(limited, undefined, args)).message
    expect(bad({})).toBe('limited: the first argument must be a model, as openaiChat() makes one.')
    const message = bad(named('a', []), { concurency: 2, requestsPerMinute: 0.5, maxQueue: -1, breaker: { failures: 0, open: 1 } })
    expect(message).toBe(
      "limited: unknown option 'concurency': did you mean 'concurrency'?; requestsPerMinute must be a whole number from 1 on, not 0.5; " +
        "maxQueue must be a whole number from 0 on, not -1; unknown option 'breaker.open': did you mean 'openMs'?; breaker.failures must be a whole number from 1 on, not 0.",
    )
  })

  test('a throw instead of a promise, and a finish that is none, free the place', async () => {
    const bad = (stream: () => unknown) => limited({ ...named('a', []), stream } as Model, { concurrency: 1, tokensPerMinute: 9 })
    const throws = bad(() => {
      throw new TypeError('mine')
    })
    await expect(ask(throws).finish).rejects.toThrow('mine')
    const nothing = bad(() => Promise.resolve(undefined))
    expect([await ask(nothing).finish, throws.running, nothing.running]).toEqual([undefined, 0, 0])
  })
})
