import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fallback, limited, type Model, RondoError, type RunEvent, textOf } from '../../src/index.ts'
import { type ScriptedReply, scripted } from '../../src/testing/index.ts'
import { agentIn, collect, end, journal, type Lab, lab, lines, plainTool, refusal, story } from '../acceptance/kit.ts'

const down = { fail: { code: 'ModelServerError' as const, message: 'down' } }

function named(place: Lab, id: string, replies: Parameters<typeof scripted>[0]) {
  return scripted(replies, { provider: 'acme', id, clock: place.clock })
}

const look = plainTool('look', () => 'a door')

async function answeredBy(place: Lab): Promise<(string | undefined)[]> {
  const entries = await collect(place.store.load('s'))
  return entries.flatMap((entry) => (entry.kind === 'model.responded' ? [entry.data.model] : []))
}

describe('fallback in a session', () => {
  test('in the middle of a run: the next model gets the whole story, every call with its result, and its opaque data', async () => {
    const place = lab()
    const opaque = { 'acme/chat/a': { signature: 'x' } }
    const first = named(place, 'a', [
      {
        deltas: [
          { type: 'call', part: 0, toolName: 'look', providerCallId: 'c1' },
          { type: 'call-input', part: 0, text: '{}' },
          { type: 'data', part: 0, providerData: opaque },
        ],
      },
      down,
      'Back.',
    ])
    const second = named(place, 'b', ['A door.'])
    const model = fallback([first, second], { clock: place.clock })
    const agent = agentIn(place, { model, tools: [look] })
    const run = agent.stream('What is there?', { session: 's' })
    const events = collect(run)
    const result = await place.clock.until(run.result)
    expect([end(result), result.text]).toEqual(['completed completed', 'A door.'])
    expect(lines(second.requests[0]?.messages ?? [])).toEqual(['user: What is there?', 'assistant: look{}→ok:a door'])
    expect([...(second.requests[0]?.messages ?? [])][1]?.parts[0]).toMatchObject({ providerCallId: 'c1', providerData: opaque })
    expect((await events).flatMap((event) => (event.type === 'model.started' ? [event.model] : []))).toEqual([
      'fallback:acme:a,acme:b',
      'fallback:acme:a,acme:b',
    ])
    expect((await events).flatMap((event) => (event.type === 'model.finished' ? [event.model] : []))).toEqual(['acme:a', 'acme:b'])
    place.clock.block(30_000)
    const next = await place.clock.until(agent.run('And now?', { session: 's' }))
    expect(next.text).toBe('Back.')
    expect(lines(first.requests[2]?.messages ?? [])).toEqual([
      'user: What is there?',
      'assistant: look{}→ok:a door',
      'assistant: A door.',
      'user: And now?',
    ])
    // The journal says it, and who reads it later is told the same.
    expect(await answeredBy(place)).toEqual(['acme:a', 'acme:b', 'acme:a'])
    const replayed = await collect(agent.attach('s', { runId: result.runId }))
    expect(replayed.filter(({ type }) => type === 'model.finished')).toEqual((await events).filter(({ type }) => type === 'model.finished'))
  })

  test('after shown text it is taken back first, and the message is the other model’s alone', async () => {
    const place = lab()
    const first = named(place, 'a', [{ text: 'Half an ans', failAfter: 1, ...down }])
    const model = fallback([first, named(place, 'b', ['A whole answer.'])], { clock: place.clock })
    const run = agentIn(place, { model }).stream('Hi', { session: 's' })
    const events = collect(run)
    const result = await place.clock.until(run.result)
    const types = story(await events)
    expect(types.slice(types.indexOf('model.started'), types.indexOf('model.finished') + 1)).toEqual([
      'model.started',
      'text.started',
      'text.finished',
      'model.failed',
      'model.retracted',
      'model.started',
      'text.started',
      'text.finished',
      'model.finished',
    ])
    expect([result.text, result.usage.complete, place.clock.monotonic()]).toEqual(['A whole answer.', false, 0])
    expect(await journal(place.store, 's')).toContain('model.failed 1.1 ModelServerError retry')
    expect(await answeredBy(place)).toEqual(['acme:b'])
  })

  test('with retryAfterOutput: fail the run ends with what was shown', async () => {
    const place = lab()
    const model = fallback([named(place, 'a', [{ text: 'Half', failAfter: 1, ...down }]), named(place, 'b', ['x'])], { clock: place.clock })
    const options = { model, policies: { retryAfterOutput: 'fail' as const } }
    const result = await place.clock.until(agentIn(place, options).run('Hi', { throwOnError: false }))
    expect([end(result), result.text]).toEqual(['failed model_error', 'Half'])
  })

  test('settings.timeoutMs: after a model that hangs the next one is asked', async () => {
    const place = lab()
    const second = named(place, 'b', ['From b.'])
    const model = fallback([named(place, 'a', [{ hang: true }]), second], { clock: place.clock })
    const result = await place.clock.until(agentIn(place, { model, settings: { timeoutMs: 5_000 } }).run('Hi'))
    expect([result.text, second.requests.length]).toEqual(['From b.', 1])
  })

  test('when all fail the engine tries again after the shortest wait, then the run says why of each', async () => {
    const place = lab()
    const late = { fail: { code: 'ModelRateLimited' as const, message: 'slow down', retryAfterMs: 7_000 } }
    const final = { fail: { code: 'ModelAuthError' as const, message: 'bad key' } }
    const models = [named(place, 'a', [late, late, late]), named(place, 'b', [final, final, final])]
    const model = fallback(models, { clock: place.clock })
    const result = await place.clock.until(agentIn(place, { model }).run('Hi', { throwOnError: false }))
    expect(result.status === 'failed' && result.error.message).toBe('None of the models answered. acme:a: slow down | acme:b: bad key')
    expect(place.clock.monotonic()).toBe(14_000)
  })

  test('whatever fails whenever: each message is of the one model that the journal names', async () => {
    const replies = fc.array(
      fc.record({
        words: fc.integer({ min: 0, max: 3 }),
        code: fc.constantFrom(
          'ok',
          'ok',
          'ModelServerError',
          'ModelRateLimited',
          'ModelAuthError',
          'ModelBadRequest',
          'ModelContextOverflow',
        ),
      }),
      { minLength: 30, maxLength: 30 },
    )
    let shown = 0
    await fc.assert(
      fc.asyncProperty(replies, fc.nat(3), fc.constantFrom(0, 30_000), async (script, turns, cooldownMs) => {
        const place = lab()
        let asked = 0
        const models = ['a', 'b', 'c'].map((id): Model => {
          const reply = (): ScriptedReply => {
            const { words, code } = script[asked++ % script.length] ?? { words: 0, code: 'ok' }
            const text = `${id}${id}${id}`.slice(0, Math.max(1, words))
            if (code === 'ok') return { text, chunk: 1 }
            return { text, chunk: 1, failAfter: words, fail: { code: code as 'ModelServerError', message: code } }
          }
          return named(
            place,
            id,
            Array.from({ length: 100 }, () => reply),
          )
        })
        const agent = agentIn(place, { model: fallback(models, { clock: place.clock, cooldownMs }) })
        for (let turn = 0; turn <= turns; turn++) {
          const run = agent.stream(`turn ${turn}`, { session: 's' })
          const events = collect(run)
          await place.clock.until(run.result)
          expect(shownText(await events)).toMatch(/^(?:a*|b*|c*)$/)
        }
        for (const entry of await collect(place.store.load('s'))) {
          if (entry.kind !== 'model.responded') continue
          shown++
          expect(textOf(entry.data.message)).toMatch(new RegExp(`^${entry.data.model?.at(-1)}+$`))
        }
      }),
      { numRuns: 150 },
    )
    expect(shown).toBeGreaterThan(50)
  })
})

/** What a reader has before it at the end. */
function shownText(events: readonly RunEvent[]): string {
  let text = ''
  for (const event of events) {
    if (event.type === 'text.delta') text += event.text
    if (event.type === 'model.retracted') text = ''
  }
  return text
}

describe('limited in a session', () => {
  test('a run can be aborted while it waits for its turn; its place goes to the next', async () => {
    const place = lab()
    const model = limited(
      named(place, 'a', [
        { text: 'One.', delayMs: 10_000 },
        { text: 'Two.', delayMs: 10_000 },
      ]),
      {
        concurrency: 1,
        clock: place.clock,
      },
    )
    const agent = agentIn(place, { model })
    const runs = ['first', 'second', 'third'].map((text) => agent.stream(text, { session: text }))
    const results = runs.map((run) => run.result)
    await place.clock.advance(1_000)
    expect([model.running, model.waiting]).toEqual([1, 2])
    await runs[1]?.abort('Enough.')
    await place.clock.advance(0)
    expect([model.running, model.waiting]).toEqual([1, 1])
    const ended = await place.clock.until(Promise.all(results))
    expect(ended.map((result) => `${end(result)} ${result.text}`)).toEqual([
      'completed completed One.',
      'aborted aborted ',
      'completed completed Two.',
    ])
    expect([model.running, model.waiting, place.clock.monotonic()]).toEqual([0, 0, 20_000])
  })

  test('the time in the line is time of the model call: settings.timeoutMs ends it, and another attempt waits anew', async () => {
    const place = lab()
    const model = limited(named(place, 'a', [{ text: 'One.', delayMs: 8_000 }, 'Two.']), { concurrency: 1, clock: place.clock })
    const first = agentIn(place, { model }).run('first')
    await place.clock.advance(0)
    const second = agentIn(place, { model, settings: { timeoutMs: 5_000 } }).stream('second', { session: 's' })
    const [, result] = await place.clock.until(Promise.all([first, second.result]))
    expect(result.text).toBe('Two.')
    expect((await journal(place.store, 's')).filter((line) => line.startsWith('model.failed'))).toEqual([
      'model.failed 1.1 ModelTimeout retry',
    ])
  })

  test('an open breaker is waited for as it says, and the run goes on', async () => {
    const place = lab()
    const inner = named(place, 'a', [down, down, 'Up again.'])
    const model = limited(inner, { breaker: { failures: 2, openMs: 20_000 }, clock: place.clock })
    const result = await place.clock.until(agentIn(place, { model, settings: { maxRetries: 3 } }).run('Hi', { session: 's' }))
    expect([result.text, inner.requests.length, model.breaker]).toEqual(['Up again.', 3, 'closed'])
    expect((await journal(place.store, 's')).filter((line) => line.startsWith('model.failed'))).toHaveLength(3)
  })

  test('an abort of the signal of a run reaches the line', async () => {
    const place = lab()
    const model = limited(named(place, 'a', [{ hang: true }]), { concurrency: 1, clock: place.clock })
    const agent = agentIn(place, { model, tools: [look] })
    const held = new AbortController()
    const other = agent.stream('holds the place', { signal: held.signal })
    const ended = other.result
    await place.clock.advance(0)
    const stop = new AbortController()
    const waits = agent.run('waits', { signal: stop.signal })
    await place.clock.advance(0)
    expect(model.waiting).toBe(1)
    stop.abort(new RondoError('RunAborted', 'Enough.'))
    await place.clock.until(refusal(waits))
    expect(model.waiting).toBe(0)
    held.abort(new RondoError('RunAborted', 'Enough.'))
    await place.clock.until(ended)
    await place.clock.advance(1_000)
    expect([model.running, model.waiting]).toEqual([0, 0])
  })
})
