import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { limited, type Model, type ModelFinish, noUsage, RondoError } from '../../../src/index.ts'
import { VirtualClock } from '../../../src/testing/index.ts'
import { ask, finishes, held, request, settled } from './kit.ts'

type Act =
  | { readonly kind: 'ask'; readonly units: number; readonly timeoutMs: number | undefined }
  | { readonly kind: 'answer'; readonly which: number; readonly tokens: number }
  | { readonly kind: 'fail'; readonly which: number; readonly code: 'ModelServerError' | 'ModelRateLimited'; readonly retryAfterMs: number }
  | { readonly kind: 'abort'; readonly which: number; readonly fault: boolean }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'jump'; readonly ms: number }

const which = fc.nat(14)
const asks = fc.record({
  kind: fc.constant('ask' as const),
  units: fc.nat(2_000),
  timeoutMs: fc.option(fc.integer({ min: 1, max: 90_000 }), { nil: undefined }),
})
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: asks },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('answer' as const), which, tokens: fc.nat(900) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      which,
      code: fc.constantFrom('ModelServerError' as const, 'ModelRateLimited' as const),
      retryAfterMs: fc.nat(90_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('abort' as const), which, fault: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(40_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('jump' as const), ms: fc.integer({ min: -100_000, max: -1 }) }) },
)

const count = (most: number) => fc.option(fc.integer({ min: 1, max: most }), { nil: undefined })
const plays = fc.record({
  concurrency: count(3),
  requestsPerMinute: count(5),
  tokensPerMinute: count(1_000),
  breaker: fc.option(fc.record({ failures: fc.integer({ min: 1, max: 3 }), openMs: fc.integer({ min: 1, max: 60_000 }) }), {
    nil: undefined,
  }),
  maxQueue: fc.integer({ min: 0, max: 6 }),
  acts: fc.array(act, { minLength: 10, maxLength: 60 }),
})

/** A virtual clock whose own measure can jump back. */
class JumpingClock extends VirtualClock {
  off = 0

  override monotonic(): number {
    return super.monotonic() + this.off
  }

  get true(): number {
    return super.monotonic()
  }
}

describe('limited: whatever happens', () => {
  test('no limit is passed in any minute, the line is first in first out, no place is lost, every request settles', async () => {
    const seen = { passed: 0, waited: 0, refused: 0, aborted: 0 }
    await fc.assert(
      fc.asyncProperty(plays, async ({ acts, ...options }) => {
        const clock = new JumpingClock()
        const { model, calls } = held()
        const begunAt: number[] = []
        const order: number[] = []
        const texts = new Map<string, number>()
        const watched: Model = {
          ...model,
          stream(asked, ...more) {
            begunAt.push(clock.true)
            const part = [...asked.messages][0]?.parts[0]
            order.push(texts.get(part?.type === 'text' ? part.text : '') ?? -1)
            return model.stream(asked, ...more)
          },
        }
        const made = Object.fromEntries(Object.entries({ ...options, clock }).filter(([, value]) => value !== undefined))
        const at = limited(watched, made)
        const asked: ReturnType<typeof ask>[] = []
        const look = async () => {
          await settled()
          expect(at.running).toBeLessThanOrEqual(options.concurrency ?? Number.POSITIVE_INFINITY)
          expect(at.waiting).toBeLessThanOrEqual(options.maxQueue)
          if (at.waiting > 0) seen.waited++
        }
        for (const one of acts) {
          switch (one.kind) {
            case 'ask': {
              const text = `${asked.length}${' '.repeat(one.units)}`
              texts.set(text, asked.length)
              asked.push(ask(at, { request: request(text, one.timeoutMs === undefined ? {} : { timeoutMs: one.timeoutMs }) }))
              break
            }
            case 'answer': {
              const finish: ModelFinish = { finishReason: 'stop', usage: { ...noUsage, inputTokens: one.tokens } }
              calls[one.which]?.answer(finish)
              break
            }
            case 'fail':
              calls[one.which]?.fail(new RondoError(one.code, 'no', { retryAfterMs: one.retryAfterMs }))
              break
            case 'abort':
              asked[one.which]?.stop(new RondoError(one.fault ? 'ModelTimeout' : 'RunAborted', 'stop'))
              break
            case 'wait':
              await clock.advance(one.ms)
              break
            case 'jump':
              clock.off += one.ms
          }
          await look()
        }
        // Nothing answers any more: aborts alone bring each to its end.
        for (const { stop } of asked) stop(new RondoError('RunAborted', 'The end.'))
        await look()
        const ends = await Promise.race([Promise.allSettled(asked.map(({ finish }) => finish)), settled().then(() => 'somebody hangs')])
        expect(ends).toBeInstanceOf(Array)
        await clock.advance(1_000)
        expect([at.running, at.waiting, clock.pending]).toEqual([0, 0, 0])
        expect(order).toEqual(order.toSorted((a, b) => a - b))
        const { requestsPerMinute } = options
        for (const [index, time] of begunAt.entries()) {
          const first = requestsPerMinute === undefined ? undefined : begunAt[index - requestsPerMinute]
          if (first !== undefined) expect(time - first).toBeGreaterThanOrEqual(60_000)
        }
        seen.passed += calls.length
        for (const { finish } of asked)
          await finish.catch((error: unknown) => (RondoError.is(error) && error.code !== 'RunAborted' ? seen.refused++ : seen.aborted++))
      }),
      { numRuns: 400 },
    )
    // The plays are worth something: each of these has happened often.
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(100)
  })

  test('without failures they pass as early as the limit allows, and never earlier', async () => {
    const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(40_000)), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), gaps, async (requestsPerMinute, between) => {
        const clock = new VirtualClock()
        const begun: number[] = []
        const model: Model = {
          ...held().model,
          async stream() {
            begun.push(clock.monotonic())
            return finishes
          },
        }
        const at = limited(model, { requestsPerMinute, clock })
        const expected: number[] = []
        const ends: Promise<unknown>[] = []
        let now = 0
        for (const gap of between) {
          now += gap
          const before = expected.at(-requestsPerMinute)
          expected.push(Math.max(now, expected.at(-1) ?? 0, before === undefined ? 0 : before + 60_000))
          ends.push(new Promise((resolve) => clock.timer(now, () => resolve(ask(at).finish))))
        }
        await clock.until(Promise.all(ends))
        expect(begun).toEqual(expected)
      }),
      // One comes in the moment in which the first of the line may pass.
      { numRuns: 200, examples: [[1, [0, 35_678, 24_322, 0]]] },
    )
  })
})
