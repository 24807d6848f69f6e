import { describe, expect, test } from 'vitest'
import { type ErrorCode, fallback, type Model, noUsage, RondoError } from '../../../src/index.ts'
import { httpError } from '../../../src/models/errors.ts'
import { VirtualClock } from '../../../src/testing/index.ts'
import { refusal, thrown } from '../../acceptance/kit.ts'
import { ask, failed, fails, type finishes, held, named, said, settled } from './kit.ts'

describe('fallback: which failures another model can mend', () => {
  test.each<ErrorCode>([
    'ModelRateLimited',
    'ModelServerError',
    'ModelTimeout',
    'ModelAuthError',
    'ModelQuotaExceeded',
    'ModelUnknownError',
  ])('after %s the next one is asked, in the same attempt', async (code) => {
    const second = named('b', ['From b.'])
    expect(await said(fallback([named('a', [fails(code)]), second]))).toBe('From b.')
    expect(second.requests).toHaveLength(1)
  })

  test.each<ErrorCode>(['ModelBadRequest', 'ModelContentBlocked', 'RunAborted', 'ConfigInvalid'])(
    'after %s nobody is: the error is told as it came',
    async (code) => {
      const second = named('b', ['From b.'])
      const error = await failed(fallback([named('a', [fails(code, 'No.')]), second]))
      expect([error.code, error.message, second.requests.length]).toEqual([code, 'No.', 0])
    },
  )

  test('after "no such model" and "not found" the next one is asked, though their code is that of a bad request', async () => {
    for (const body of ['{"error":{"code":"model_not_found","message":"no"}}', '{"error":{"message":"no such route"}}']) {
      const error = httpError({ provider: 'acme', status: 404, header: () => undefined, body })
      expect(error.code).toBe('ModelBadRequest')
      const first: Model = { ...named('a', []), stream: () => Promise.reject(error) }
      expect(await said(fallback([first, named('b', ['From b.'])]))).toBe('From b.')
    }
  })

  test('a mistake of an adapter (no RondoError, a throw instead of a promise) is mended too', async () => {
    const throws: Model = {
      ...named('a', []),
      stream: () => {
        throw new TypeError('undefined is not a function')
      },
    }
    expect(await said(fallback([throws, named('b', ['From b.'])]))).toBe('From b.')
  })

  test.each([
    ['a larger one', 8_000, 32_000, 1],
    ['one as large', 8_000, 8_000, 0],
    ['a smaller one', 8_000, 4_000, 0],
    ['one of unknown size', 8_000, undefined, 0],
    ['a large one, the own size being unknown', undefined, 32_000, 0],
  ])('a context overflow: %s', async (_name, own, other, asked) => {
    const window = (contextWindow: number | undefined) => ({ capabilities: contextWindow === undefined ? {} : { contextWindow } })
    const second = named('b', ['From b.'], window(other))
    const first = named('a', [fails('ModelContextOverflow'), 'Short.'], window(own))
    const model = fallback([first, second], { clock: new VirtualClock() })
    const answer = asked === 1 ? await said(model) : (await failed(model)).code
    expect([answer, second.requests.length]).toEqual([asked === 1 ? 'From b.' : 'ModelContextOverflow', asked])
    // It is not down: the next request is its own.
    expect(await said(model)).toBe('Short.')
  })

  test('`when` decides otherwise, is told who failed and why, and leaves the rest to the default', async () => {
    const seen: string[] = []
    const when = ({ model, error }: { model: string; error: { code: string } }) => {
      seen.push(`${model} ${error.code}`)
      return error.code === 'ModelContentBlocked' ? true : error.code === 'ModelAuthError' ? false : undefined
    }
    const models = () => [named('b', [fails('ModelServerError')]), named('c', ['From c.'])]
    expect(await said(fallback([named('a', [fails('ModelContentBlocked')]), ...models()], { when }))).toBe('From c.')
    expect((await failed(fallback([named('a', [fails('ModelAuthError')]), ...models()], { when }))).code).toBe('ModelAuthError')
    expect(seen).toEqual(['acme:a ModelContentBlocked', 'acme:b ModelServerError', 'acme:a ModelAuthError'])
  })
})

describe('fallback: one message is of one model', () => {
  test('after shown text nobody goes on with it: the attempt may be tried again at once, and is then the next model’s', async () => {
    const first = named('a', [{ text: 'Half an', failAfter: 1, ...fails('ModelQuotaExceeded', 'Empty.') }, 'Never.'])
    const model = fallback([first, named('b', ['From b.'])], { cooldownMs: 0 })
    const begun = ask(model)
    const error = await refusal(begun.finish)
    expect(error.toData()).toEqual({
      code: 'ModelQuotaExceeded',
      category: 'model',
      message: 'acme:a failed in the middle of its answer; another model is asked next. Empty.',
      retryable: true,
      retryAfterMs: 0,
    })
    expect(begun.deltas).toHaveLength(1)
    // Of another session first: it is not that one's turn.
    expect(await said(model, 'other')).toBe('Never.')
    expect(await said(model)).toBe('From b.')
  })

  test('each model has its turn once; the last one’s error is then the model call’s', async () => {
    const half = (message: string) => ({ text: 'Half', failAfter: 1, ...fails('ModelServerError', message) })
    const model = fallback([named('a', [half('a down')]), named('b', [half('b down')])])
    expect((await failed(model)).retryAfterMs).toBe(0)
    const last = await failed(model)
    expect([last.message, last.retryAfterMs]).toEqual(['b down', undefined])
  })

  test('after shown text a bad request stays final', async () => {
    const model = fallback([named('a', [{ text: 'Half', failAfter: 1, ...fails('ModelBadRequest', 'No.') }]), named('b', ['x'])])
    expect((await failed(model)).toData()).toMatchObject({ message: 'No.', retryable: false })
  })

  test('a piece without text is no answer begun, and is not passed on', async () => {
    const empty = { deltas: [{ type: 'text' as const, part: 0, text: '' }], failAfter: 1, ...fails('ModelServerError') }
    const asked = ask(fallback([named('a', [empty]), named('b', ['From b.'])]))
    await asked.finish
    expect(asked.deltas).toEqual([{ type: 'text', part: 0, text: 'From b.' }])
  })

  test('what a model sends after it has failed reaches nobody', async () => {
    const first = held('a')
    const second = held('b')
    const asked = ask(fallback([first.model, second.model]))
    first.calls[0]?.fail(new RondoError('ModelServerError', 'down'))
    await settled()
    first.calls[0]?.sink({ type: 'text', part: 0, text: 'late' })
    second.calls[0]?.sink({ type: 'text', part: 0, text: 'b' })
    second.calls[0]?.answer()
    await asked.finish
    expect(asked.deltas.map((delta) => 'text' in delta && delta.text)).toEqual(['b'])
  })
})

describe('fallback: aborts', () => {
  test('an abort asks nobody else, also when the model ignores it', async () => {
    const first = held('a')
    const second = named('b', ['From b.'])
    const asked = ask(fallback([first.model, second]))
    asked.stop(new RondoError('RunAborted', 'Enough.'))
    expect((await refusal(asked.finish)).message).toBe('Enough.')
    first.calls[0]?.fail(new RondoError('ModelServerError', 'late'))
    await settled()
    expect(second.requests).toHaveLength(0)
  })

  test('an attempt that the engine gave up because of the model (settings.timeoutMs): the next one is the next model’s', async () => {
    const first = held('a')
    const model = fallback([first.model, named('b', ['From b.'])], { cooldownMs: 0 })
    const asked = ask(model)
    asked.stop(new RondoError('ModelTimeout', 'Too slow.'))
    await refusal(asked.finish)
    expect(await said(model)).toBe('From b.')
    void ask(model).finish.catch(() => {})
    expect(first.calls).toHaveLength(2)
  })
})

describe('fallback: who was down is asked last', () => {
  test('for cooldownMs (30 s), then first again; an answer ends it', async () => {
    const clock = new VirtualClock()
    const first = named('a', [fails('ModelServerError'), 'From a.', 'From a.'])
    const model = fallback([first, named('b', ['b1', 'b2', 'b3'])], { clock })
    const answers = [await said(model), await said(model)]
    clock.block(29_999)
    answers.push(await said(model))
    clock.block(1)
    answers.push(await said(model), await said(model))
    expect(answers).toEqual(['b1', 'b2', 'b3', 'From a.', 'From a.'])
  })

  test.each([
    [5_000, 5_000],
    [90_000, 90_000],
    [1e9, 3_600_000],
  ])('a server that says %i ms is left alone for %i ms', async (retryAfterMs, ms) => {
    const clock = new VirtualClock()
    const down = { fail: { code: 'ModelRateLimited' as const, retryAfterMs } }
    const model = fallback([named('a', [down, 'From a.']), named('b', ['b1', 'b2'])], { clock })
    await said(model)
    clock.block(ms - 1)
    expect(await said(model)).toBe('b2')
    clock.block(1)
    expect(await said(model)).toBe('From a.')
  })

  test('an answer to a request that began before it was down does not end it', async () => {
    const first = held('a')
    const model = fallback([first.model, named('b', ['b1', 'b2'])], { clock: new VirtualClock() })
    const early = ask(model, { session: 'early' })
    const late = ask(model, { session: 'late' })
    first.calls[1]?.fail(new RondoError('ModelRateLimited', 'Slow down.', { retryAfterMs: 60_000 }))
    await late.finish
    first.calls[0]?.answer()
    await early.finish
    expect([await said(model), first.calls.length]).toEqual(['b2', 2])
  })

  test('when nobody else answers, those that were down are asked all the same', async () => {
    const model = fallback([named('a', [fails('ModelServerError'), 'From a.']), named('b', ['b1', fails('ModelTimeout')])])
    expect([await said(model), await said(model)]).toEqual(['b1', 'From a.'])
  })

  test('a bad request of one that was asked out of its turn does not end it for those before it', async () => {
    const script = [fails('ModelServerError', 'a down'), 'From a.']
    const third = named('c', ['Never.'])
    const model = fallback([named('a', script), named('b', [fails('ModelBadRequest', 'b: no images'), fails('ModelBadRequest')]), third])
    const error = await failed(model)
    expect([error.code, error.retryable]).toEqual(['ModelServerError', true])
    expect([await said(model), third.requests.length]).toEqual(['From a.', 0])
  })

  test('a clock that jumps back keeps nobody out for long', async () => {
    let now = 1_000_000
    const clock = { monotonic: () => now, timer: () => () => {} }
    const model = fallback([named('a', [fails('ModelServerError'), 'From a.']), named('b', ['b1', 'b2'])], { clock })
    await said(model)
    now = 0
    expect(await said(model)).toBe('b2')
    now = 30_000
    expect(await said(model)).toBe('From a.')
  })
})

describe('fallback: what is seen', () => {
  test('the finish names who answered, also through a list in a list', async () => {
    const inner = fallback([named('b', [fails('ModelServerError')]), named('c', ['From c.'])])
    const { model, usage } = await ask(fallback([named('a', [fails('ModelServerError')]), inner])).finish
    expect(model).toBe('acme:c')
    // What the others used, nobody knows.
    expect(usage).toEqual({ ...noUsage, inputTokens: 10, outputTokens: 5, complete: false })
    expect((await ask(fallback([named('a', ['Hi'])])).finish).usage.complete).toBe(true)
  })

  test('onFallback is told of each change; one that throws changes nothing', async () => {
    const told: string[] = []
    const onFallback = ({ from, to, error }: { from: string; to: string; error: { code: string } }) => {
      told.push(`${from} > ${to}: ${error.code}`)
      throw new Error('mine')
    }
    const models = [named('a', [fails('ModelTimeout')]), named('b', [fails('ModelAuthError')]), named('c', ['From c.'])]
    expect(await said(fallback(models, { onFallback }))).toBe('From c.')
    expect(told).toEqual(['acme:a > acme:b: ModelTimeout', 'acme:b > acme:c: ModelAuthError'])
  })

  test('when all have failed the error names each and its reason, and says when it may be tried again', async () => {
    const late = (retryAfterMs: number) => ({ fail: { code: 'ModelRateLimited' as const, message: 'Slow down.', retryAfterMs } })
    const error = await failed(
      fallback([named('a', [fails('ModelAuthError', 'Bad key.')]), named('b', [late(9_000)]), named('c', [late(4_000)])]),
    )
    expect(error.toData()).toEqual({
      code: 'ModelRateLimited',
      category: 'model',
      message: 'None of the models answered. acme:a: Bad key. | acme:b: Slow down. | acme:c: Slow down.',
      retryable: true,
      retryAfterMs: 4_000,
    })
  })

  test('one that may be asked at once needs no wait for another; without any that may be, it is final', async () => {
    const late = { fail: { code: 'ModelRateLimited' as const, retryAfterMs: 9_000 } }
    expect((await failed(fallback([named('a', [late]), named('b', [fails('ModelServerError')])]))).retryAfterMs).toBeUndefined()
    const final = await failed(fallback([named('a', [fails('ModelAuthError')]), named('b', [fails('ModelQuotaExceeded')])]))
    expect([final.code, final.retryable]).toEqual(['ModelQuotaExceeded', false])
  })

  test('its capabilities are those of all; its name is the list', () => {
    const strong = named('a', [], { capabilities: { contextWindow: 200_000, maxOutputTokens: 8_000 } })
    const weak = named('b', [], {
      capabilities: { contextWindow: 32_000, structuredOutput: 'tool', parallelCalls: false, imagesInResults: false, reasoning: false },
    })
    const { provider, id, capabilities } = fallback([strong, weak, named('c', [])])
    expect([provider, id]).toEqual(['fallback', 'acme:a,acme:b,acme:c'])
    expect(capabilities).toEqual({
      contextWindow: 32_000,
      maxOutputTokens: 8_000,
      structuredOutput: 'tool',
      parallelCalls: false,
      imagesInResults: false,
      reasoning: false,
    })
  })

  test('options that can’t work are refused', () => {
    const bad = (...args: unknown[]) => thrown(() => Reflect.apply(fallback, undefined, args)).message
    expect(bad([])).toBe('fallback: the first argument must be a list of models, each a model, as openaiChat() makes one.')
    expect(bad([{}], { cooldown: 1, when: 3 })).toMatch(/list of models.*; unknown option 'cooldown'.*; when must be a function, not 3/)
    expect(bad([named('a', [])], { cooldownMs: -1 })).toBe('fallback: cooldownMs must be a number of ms from 0 on, not -1.')
  })

  test('a finish that is none is left for the engine to judge', async () => {
    const odd: Model = { ...named('a', []), stream: () => Promise.resolve(undefined as unknown as typeof finishes) }
    expect(await ask(fallback([odd])).finish).toBeUndefined()
  })
})
