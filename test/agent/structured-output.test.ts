import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type AgentOptions, done, type Schema, type Store, type Tools, tool } from '../../src/index.ts'
import { jsonSchema } from '../../src/json-schema/index.ts'
import { asks, end, journal, lines, otherProcess, type ScriptedLab, scriptedLab } from '../acceptance/kit.ts'
import { checked } from '../setup/checks.ts'

const city = z.object({ city: z.string(), people: z.number() })
const oslo = { city: 'Oslo', people: 717_710 }
const good = JSON.stringify(oslo)

const look = tool({ name: 'look', description: 'Looks', effect: 'read', inputSchema: z.object({}), execute: () => 'seen' })

type Options<T extends Tools, S extends Schema | undefined> = Omit<AgentOptions<T, S, unknown>, 'model' | 'world' | 'store'>

function agentOf<const T extends Tools, const S extends Schema | undefined>({ model, store, world }: ScriptedLab, options: Options<T, S>) {
  return new Agent({ ...options, model, store, world: checked(world) } as AgentOptions<T, S, unknown>)
}

async function ran<const S extends Schema | undefined>(replies: Parameters<typeof scriptedLab>[0], options: Options<Tools, S>) {
  const place = scriptedLab(replies)
  const result = await place.clock.until(agentOf(place, options).run('How many live in Oslo?', { session: 's', throwOnError: false }))
  place.model.assertDone()
  const entries = await journal(place.store, 's')
  return { place, result, requests: place.model.requests, journal: entries.filter((line) => line !== 'run.claimed') }
}

describe('C24, S4-05: with tools the output is asked for when the work is done', () => {
  test('a hidden message and a call that may call no tool, with the schema; the calls before have none (S4-04)', async () => {
    const { result, requests, journal } = await ran([asks('look'), 'There are many.', good], { tools: [look], output: city })
    expect([end(result), result.output, result.iterations]).toEqual(['completed completed', oslo, 3])
    expect(requests.map(({ purpose, toolChoice, outputSchema }) => [purpose, toolChoice, outputSchema !== undefined])).toEqual([
      ['main', 'auto', false],
      ['main', 'auto', false],
      ['output', 'none', true],
    ])
    // The tools stay declared: what was sent before stays the same up to its end.
    expect(new Set(requests.map(({ tools }) => tools))).toEqual(new Set([requests[0]?.tools]))
    expect(requests[2]?.outputSchema).toMatchObject({ type: 'object', required: ['city', 'people'] })
    expect(lines(result.messages)).toEqual([
      'user: How many live in Oslo?',
      'assistant: look{}→ok:seen',
      'assistant: There are many.',
      'user: Now give the final answer as JSON that fits the output schema and nothing else, without calling tools.',
      `assistant: ${good}`,
    ])
    expect(journal.slice(-5)).toEqual([
      'model.responded 2.1 stop',
      'message output-request',
      'model.started 3.1 output',
      'model.responded 3.1 stop',
      'run.finished completed completed',
    ])
  })

  test('S4-02, C2: each try is an iteration, and a limit of iterations holds for the output too', async () => {
    const { result, requests } = await ran(['There are many.', good], { tools: [look], output: city, limits: { maxIterations: 1 } })
    expect([end(result), requests.map(({ purpose }) => purpose)]).toEqual(['incomplete max_iterations', ['main', 'wrap-up']])
  })

  test('S4-18: a failed model request is no decode failure', async () => {
    const failing = [{ fail: { code: 'ModelAuthError' } } as const]
    const { result } = await ran(['There are many.', ...failing], { tools: [look], output: city })
    expect([end(result), result.status === 'failed' && result.error.code]).toEqual(['failed model_error', 'ModelAuthError'])
  })

  test('a call in the background is awaited before the output is asked for', async () => {
    const slow = tool({ name: 'slow', description: 's', effect: 'read', background: true, inputSchema: z.object({}), execute: () => later })
    const place = scriptedLab([asks('slow'), 'I wait.', 'It has come.', good])
    const later = new Promise((resolve) => place.clock.timer(500, () => resolve('late')))
    const result = await place.clock.until(agentOf(place, { tools: [slow], output: city }).run('Hi'))
    expect(place.model.requests.map(({ purpose }) => purpose)).toEqual(['main', 'main', 'main', 'output'])
    expect(result.output).toEqual(oslo)
  })

  test('what a user says meanwhile is answered first, with tools; then the output is asked for anew', async () => {
    const place = scriptedLab(['There are many.', { text: 'no', delayMs: 50 }, 'There are few.', good])
    const run = agentOf(place, { tools: [look], output: city }).stream('Hi', { session: 's' })
    const result = run.result
    await place.clock.advance(10)
    await run.send('And now?')
    expect((await place.clock.until(result)).output).toEqual(oslo)
    expect(place.model.requests.map(({ purpose, toolChoice }) => `${purpose} ${toolChoice}`)).toEqual([
      'main auto',
      'output none',
      'main auto',
      'output none',
    ])
  })

  test('policies.schemaDuringTools: the schema goes with the tools, and the answer is the output', async () => {
    const { result, requests } = await ran([asks('look'), good], { tools: [look], output: city, policies: { schemaDuringTools: true } })
    expect(result.output).toEqual(oslo)
    expect(requests.map(({ purpose, tools, outputSchema }) => [purpose, tools.length, outputSchema !== undefined])).toEqual([
      ['main', 1, true],
      ['main', 1, true],
    ])
  })

  test('schemaDuringTools: an answer that does not fit is asked for again without tools, three tries in all', async () => {
    const { result, requests } = await ran(['a', 'b', 'c'], { tools: [look], output: city, policies: { schemaDuringTools: true } })
    expect([end(result), requests.map(({ purpose }) => purpose)]).toEqual(['failed output_decoding_failed', ['main', 'output', 'output']])
  })
})

describe('S4-06: without tools the schema is sent in the first call', () => {
  test('one call, and no message', async () => {
    const { result, requests, journal } = await ran([good], { output: city })
    expect([end(result), result.output, result.text, result.iterations]).toEqual(['completed completed', oslo, good, 1])
    expect(requests.map(({ purpose, outputSchema }) => [purpose, outputSchema !== undefined])).toEqual([['output', true]])
    expect(journal).toEqual([
      'session',
      'run.requested',
      'model.started 1.1 output',
      'model.responded 1.1 stop',
      'run.finished completed completed',
    ])
  })

  test('S4-08: with no retries a decode failure is final at once', async () => {
    const { result } = await ran(['no'], { output: city, policies: { decodeRetries: 0 } })
    expect([end(result), result.status === 'failed' && result.error.message]).toEqual([
      'failed output_decoding_failed',
      'No answer fits the output schema, after one try. The answer is not valid JSON.',
    ])
  })

  test('a call of a tool that is not there is skipped, and a decode failure', async () => {
    const { result, requests } = await ran([asks('look'), good], { output: city })
    expect([result.output, result.calls.map(({ outcome }) => outcome)]).toEqual([oslo, ['skipped']])
    expect(lines(requests[1]?.messages ?? []).at(-1)).toMatch(/^user: The answer could not be used: it called tools/)
  })
})

const phases: [string, Tools][] = [
  ['with tools', [look]],
  ['without tools', []],
]

describe('S4-08, S4-09, C24: an answer that does not fit is asked for again, twice', () => {
  test.each(phases)('the error is in the request, %s', async (_phases, tools) => {
    const answers = [...(tools.length > 0 ? ['Well.'] : []), 'no', '{"city":"Oslo","people":"many"}', good]
    const { result, requests, place } = await ran(answers, { tools, output: city })
    expect([end(result), result.output, requests.at(-1)?.purpose]).toEqual(['completed completed', oslo, 'output'])
    expect(lines(requests.at(-2)?.messages ?? []).at(-1)).toBe(
      'user: The answer is not valid JSON. Give the whole answer again, as JSON that fits the output schema and nothing else, without calling tools.',
    )
    expect(lines(requests.at(-1)?.messages ?? []).at(-1)).toMatch(
      /^user: The answer does not fit the output schema\. people: .*expected number/,
    )
    place.model.assertDone()
  })

  test.each([[[look]], [[]]])(
    'C25: after three tries the run has failed, with the text as it came and no output (tools: %j)',
    async (tools) => {
      const answers = [...(tools.length > 0 ? ['Well.'] : []), 'no', 'no, no', '{"city":1}']
      const { result, requests } = await ran(answers, { tools, output: city })
      expect([end(result), result.output, result.text]).toEqual(['failed output_decoding_failed', undefined, '{"city":1}'])
      expect(requests.filter(({ purpose }) => purpose === 'output').length).toBe(3)
      expect(result.status === 'failed' && result.error).toMatchObject({ code: 'OutputDecodingFailed', retryable: false })
      expect(result.status === 'failed' && result.error.message).toMatch(
        /after 3 tries\. The answer does not fit the output schema\. city: /,
      )
    },
  )

  test('run() and output() reject with RunError, which has the text', async () => {
    const place = scriptedLab(['no', 'no', 'no, never'])
    const run = agentOf(place, { output: city }).stream('Hi')
    const error = await place.clock.until(run.output().catch((thrown: unknown) => thrown))
    expect(error).toMatchObject({ name: 'RunError', code: 'OutputDecodingFailed', result: { text: 'no, never' } })
  })

  test('S4-07: what is said after the end is refused, or begins a run of its own', async () => {
    const place = scriptedLab([good, good])
    const agent = agentOf(place, { output: city })
    const run = agent.stream('Hi', { session: 's' })
    await place.clock.until(run.result)
    await run.send('Again')
    await place.clock.advance(10)
    expect((await journal(place.store, 's')).filter((line) => line.startsWith('run.finished'))).toHaveLength(2)
  })

  test('a request that no call has seen ends with its run', async () => {
    const place = scriptedLab(['Well.', { fail: { code: 'ModelAuthError' } }, 'Hello.', good])
    const agent = agentOf(place, { tools: [look], output: city })
    await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
    await place.clock.until(agent.run('Hi again', { session: 's' }))
    expect(lines(place.model.requests[2]?.messages ?? [])).toEqual(['user: Hi', 'assistant: Well.', 'user: Hi again'])
  })
})

describe('C11, B185: an output that was cut', () => {
  const cut = { text: '{"city":"Os', finish: 'length' } as const

  test('ends the run with max_tokens, as every text does', async () => {
    const { result } = await ran([cut], { output: city })
    expect([end(result), result.text]).toEqual(['incomplete max_tokens', '{"city":"Os'])
  })

  test("onTruncated 'continue': it is asked for anew, shorter", async () => {
    const { result, requests } = await ran([cut, good], { output: city, policies: { onTruncated: 'continue' } })
    expect(result.output).toEqual(oslo)
    expect(lines(requests[1]?.messages ?? []).at(-1)).toMatch(/it was cut off at the output limit\. It must be shorter\./)
  })
})

describe('machine 5: with an output schema the wrap-up call is the output call', () => {
  const limits = { maxIterations: 1 }

  test('it is told of the schema, and the result has the output', async () => {
    const { result, requests } = await ran([asks('look'), good], { tools: [look], output: city, limits })
    expect([end(result), result.output, result.text]).toEqual(['incomplete max_iterations', oslo, good])
    expect([requests[1]?.purpose, requests[1]?.outputSchema !== undefined]).toEqual(['wrap-up', true])
  })

  test('one that does not fit is asked for once more, with the error; then a fixed text stands in', async () => {
    const { result, requests } = await ran([asks('look'), 'no', 'no, no'], { tools: [look], output: city, limits })
    expect([end(result), result.output]).toEqual(['incomplete max_iterations', undefined])
    expect(result.text).toMatch(/^Stopped without a final answer/)
    expect(lines(requests[2]?.messages ?? []).at(-2)).toMatch(/^user: The answer is not valid JSON\. Give the whole answer again/)
  })

  test('a stray call in it is skipped, and a decode failure', async () => {
    const stray = { text: good, calls: [{ name: 'look', input: {} }] }
    const { result } = await ran([asks('look'), stray, good], { tools: [look], output: city, limits })
    expect([end(result), result.output, result.calls.map(({ outcome }) => outcome)]).toEqual([
      'incomplete max_iterations',
      oslo,
      ['ok', 'skipped'],
    ])
  })

  test.each(['error', 'incomplete'] as const)('onLimit %s asks for no output', async (onLimit) => {
    const { result, requests } = await ran([asks('look')], { tools: [look], output: city, limits: { ...limits, onLimit } })
    expect([result.status, result.output, requests.length]).toEqual([onLimit === 'error' ? 'failed' : 'incomplete', undefined, 1])
  })
})

describe('machine 5: a stray call in an output call', () => {
  test('is skipped, and a decode failure, whatever text is beside it', async () => {
    const stray = { text: good, calls: [{ name: 'look', input: {} }] }
    const { result, requests } = await ran(['Well.', stray, good], { tools: [look], output: city })
    expect([result.output, result.iterations, result.calls.map(({ outcome }) => outcome)]).toEqual([oslo, 3, ['skipped']])
    expect(lines(requests[2]?.messages ?? []).slice(-2)).toEqual([
      `assistant: ${good} look{}→skipped:Tools cannot be called in this answer; the call was not run.`,
      expect.stringMatching(/^user: The answer could not be used: it called tools/),
    ])
  })
})

describe('a done tool', () => {
  const finishing = (value: unknown) =>
    tool({ name: 'finish', description: 'f', inputSchema: z.object({}), execute: () => done(value as never) })

  test('its value is the output, if it fits', async () => {
    const { result } = await ran([asks('finish')], { tools: [finishing(oslo)], output: city })
    expect([end(result), result.output]).toEqual(['completed done_tool', oslo])
  })

  test('else the output is asked for, with what is wrong', async () => {
    const { result, requests } = await ran([asks('finish'), good], { tools: [finishing({ city: 3 })], output: city })
    expect([end(result), result.output]).toEqual(['completed completed', oslo])
    expect(lines(requests[1]?.messages ?? []).at(-1)).toMatch(/does not fit the output schema\. city: /)
  })

  test('a policy that ends the run with its text leads to the output call (S4-05)', async () => {
    const termination = () => ({ kind: 'terminateWithOutput' }) as const
    const policies = { termination, schemaDuringTools: true, decodeRetries: 0 }
    const told = await ran([{ text: good, ...asks('look') }], { tools: [look], output: city, policies })
    expect([end(told.result), told.result.output]).toEqual(['completed completed', oslo])
    const { result, requests } = await ran([{ text: 'Enough.', ...asks('look') }, good], {
      tools: [look],
      output: city,
      policies: { termination },
    })
    expect([end(result), result.output, requests.map(({ purpose }) => purpose)]).toEqual(['completed completed', oslo, ['main', 'output']])
  })
})

describe('a schema of each library', () => {
  test.each<[string, Schema]>([
    ['zod', city],
    ['arktype', type({ city: 'string', people: 'number' })],
    ['valibot', toStandardJsonSchema(v.object({ city: v.string(), people: v.number() }))],
    [
      'jsonSchema',
      jsonSchema({ type: 'object', properties: { city: { type: 'string' }, people: { type: 'number' } }, required: ['city', 'people'] }),
    ],
  ])('%s', async (_name, output) => {
    const { result, requests } = await ran(['{"city":"Oslo"}', good], { output })
    expect(result.output).toEqual(oslo)
    expect(requests[0]?.outputSchema).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' }, people: { type: 'number' } },
    })
    expect(lines(requests[1]?.messages ?? []).at(-1)).toMatch(/does not fit the output schema\. .*people/)
  })

  test('S4-23, machine 2: transforms and defaults: the journal has what the model said, the result what the schema makes of it', async () => {
    const output = z.object({ on: z.string().transform((text) => new Date(text)), n: z.number().default(7) })
    const place = scriptedLab(['{"on":"2026-01-02"}'])
    const agent = agentOf(place, { output })
    const heard: unknown[] = []
    agent.on('run.finished', ({ result }) => heard.push(result.output))
    const run = agent.stream('Hi', { session: 's' })
    const shown: unknown[] = []
    const reading = (async () => {
      for await (const event of run) if (event.type === 'run.finished') shown.push(event.result.output)
    })()
    const made = { on: new Date('2026-01-02'), n: 7 }
    expect((await place.clock.until(run.result)).output).toEqual(made)
    await place.clock.until(reading)
    expect([shown, heard, await run.output()]).toEqual([[made], [made], made])
    const entries = []
    for await (const entry of place.store.load('s')) entries.push(entry)
    expect(entries.at(-1)?.data).toMatchObject({ output: { on: '2026-01-02' } })
    expect((await place.clock.until(agent.attach('s').result)).output).toEqual(made)
  })

  test('an async schema works the same, also for listeners', async () => {
    const output = z.object({ n: z.number().refine(async (n) => n > 0, 'too small') })
    const place = scriptedLab(['{"n":0}', '{"n":1}'])
    const agent = agentOf(place, { output })
    const heard: unknown[] = []
    agent.on('run.finished', ({ result }) => heard.push(result.output))
    expect((await place.clock.until(agent.run('Hi'))).output).toEqual({ n: 1 })
    await place.clock.advance(1)
    expect([heard, lines(place.model.requests[1]?.messages ?? []).at(-1)]).toEqual([[{ n: 1 }], expect.stringContaining('n: too small.')])
  })

  test('what is said while a schema looks at an answer makes the look nothing', async () => {
    const place = scriptedLab(['{"n":0}', '{"n":1}'])
    const slow = (n: number) => new Promise<boolean>((resolve) => place.clock.timer(50, () => resolve(n > 0)))
    const run = agentOf(place, { output: z.object({ n: z.number().refine(slow) }) }).stream('Hi', { session: 's' })
    const { result } = run
    await place.clock.advance(10)
    await run.send('One more thing')
    expect((await place.clock.until(result)).output).toEqual({ n: 1 })
    expect((await journal(place.store, 's')).filter((line) => line.startsWith('message'))).toEqual(['message follow-up'])
  })

  test('also when another process has said it in the very moment of the write', async () => {
    const place = scriptedLab(['no', good])
    const inner = place.store
    const elsewhere = agentOf({ ...place, store: otherProcess(inner) }, { output: city })
    let said = false
    const append: Store['append'] = async (session, entries, options) => {
      const isAnswer = !said && entries.some(({ kind }) => kind === 'model.responded')
      said ||= isAnswer
      if (isAnswer) await elsewhere.session('s').send('One more thing')
      return inner.append(session, entries, options)
    }
    const store = new Proxy(inner, {
      get: (target, key) => (key === 'append' ? append : (Reflect.get(target, key).bind?.(target) ?? Reflect.get(target, key))),
    })
    const result = await place.clock.until(agentOf({ ...place, store }, { output: city }).run('Hi', { session: 's' }))
    expect(result.output).toEqual(oslo)
    expect(lines(place.model.requests[1]?.messages ?? [])).toEqual(['user: Hi', 'assistant: no', 'user: One more thing'])
  })

  test('a schema that throws is a failure of the answer, and is reported', async () => {
    const seen: unknown[] = []
    const output = z.object({ on: z.string().transform((text) => new Date(text).toISOString()) })
    const { result } = await ran(['{"on":"never"}', '{"on":"2026-01-02"}'], {
      output,
      onObserverError: (error) => seen.push(String(error)),
    })
    expect([result.output, seen]).toEqual([{ on: '2026-01-02T00:00:00.000Z' }, ['RangeError: Invalid time value']])
  })

  test('decision 0010: one that never answers is waited for as long as hookTimeoutMs says', async () => {
    const output = z.object({ n: z.number().refine(() => new Promise<boolean>(() => {})) })
    const { result } = await ran(['{"n":0}'], { output, policies: { hookTimeoutMs: 100, decodeRetries: 0 }, onObserverError: () => {} })
    expect(result.status === 'failed' && result.error.message).toContain('The output schema has not answered within 100 ms')
  })

  test('and by the time limit of the run, whose wrap-up it can not hold up either', async () => {
    const output = z.object({ n: z.number().refine(() => new Promise<boolean>(() => {})) })
    const limits = { maxDurationMs: 200 }
    const { result } = await ran(['{"n":0}', '{"n":1}'], { output, limits, policies: { hookTimeoutMs: Number.POSITIVE_INFINITY } })
    expect([end(result), result.output, result.text]).toEqual([
      'incomplete timeout',
      undefined,
      'Stopped without a final answer: the time limit of 200 ms (limits.maxDurationMs) was reached.',
    ])
  })
})

describe('roots that are no object are wrapped on the wire', () => {
  test.each<[string, Schema, unknown, string]>([
    ['an array', z.array(z.string()), ['a', 'b'], '{"value":["a","b"]}'],
    ['a number', z.number(), 3, '{"value":3}'],
    ['null', z.null(), null, '{"value":null}'],
    ['alternatives', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), { b: 'x' }, '{"value":{"b":"x"}}'],
  ])('B179, B188 %s', async (_name, output, value, said) => {
    const { result, requests } = await ran([said], { output })
    expect([result.output, result.text]).toEqual([value, said])
    expect(requests[0]?.outputSchema).toMatchObject({ type: 'object', required: ['value'], additionalProperties: false })
  })

  test('B189: no other wrapper is guessed, and none is left out', async () => {
    const { result, requests } = await ran(['["a"]', '{"output":{"value":["a"]}}', '{"value":["a"]}'], { output: z.array(z.string()) })
    expect([result.output, requests.length]).toEqual([['a'], 3])
    expect(lines(requests[1]?.messages ?? []).at(-1)).toContain("it must be an object whose one field is 'value'")
  })
})

describe('a model that takes no schema', () => {
  test.each(['prompt', 'tool'] as const)(
    '%s: the schema stands behind the instructions, and fences are taken off',
    async (structuredOutput) => {
      const place = scriptedLab([])
      const model = (await import('../../src/testing/index.ts')).scripted(['Well.', `\`\`\`json\n${good}\n\`\`\``], {
        capabilities: { structuredOutput },
      })
      const agent = agentOf({ ...place, model }, { instructions: 'Be brief.', tools: [look], output: city })
      const result = await place.clock.until(agent.run('Hi'))
      expect(result.output).toEqual(oslo)
      expect([model.requests[0]?.instructions, model.requests[1]?.outputSchema]).toEqual(['Be brief.', undefined])
      expect(model.requests[1]?.instructions).toMatch(
        /^Be brief\.\n\nYour final answer must be one JSON value that fits this JSON Schema.*"city"/s,
      )
    },
  )
})

describe('options', () => {
  test.each<[string, unknown, RegExp]>([
    ['no schema', { type: 'object' }, /^new Agent: output must have both standard halves/],
    ['a schema with no JSON Schema', z.object({ on: z.date() }), /^new Agent: output\.on has no JSON Schema/],
    ['false', false, /^new Agent: output must have both/],
  ])('%s is refused at once', (_name, output, message) => {
    expect(() => agentOf(scriptedLab([]), { output } as never)).toThrow(message)
  })

  test('a run with a schema that can not work is refused at once', () => {
    expect(() => agentOf(scriptedLab([]), {}).stream('Hi', { output: z.object({ on: z.date() }) })).toThrow(
      /^run options: output\.on has no JSON/,
    )
  })

  test.each([
    [{ decodeRetries: -1 }, 'policies.decodeRetries must be a whole number from 0 on, not -1'],
    [{ schemaDuringTools: 'yes' }, 'policies.schemaDuringTools must be true or false'],
  ])('%j', (policies, problem) => {
    expect(() => agentOf(scriptedLab([]), { policies } as never)).toThrow(problem)
  })

  test("a run's schema wins over the agent's, and undefined means none", async () => {
    const place = scriptedLab(['{"n":1}', 'Just text.'])
    const agent = agentOf(place, { output: city })
    const own = await place.clock.until(agent.run('Hi', { output: z.object({ n: z.number() }) }))
    const none = await place.clock.until(agent.run('Hi', { output: undefined }))
    expect([own.output, none.output]).toEqual([{ n: 1 }, 'Just text.'])
  })
})
