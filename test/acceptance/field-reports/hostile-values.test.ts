import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { content, type Dependency, dependency, memory, type Tool, tool } from '../../../src/index.ts'
import { jsonSchema } from '../../../src/json-schema/index.ts'
import { agentIn, asks, collect, deepFreeze, end, lines, plainTool, scriptedLab } from '../kit.ts'

const hostile = '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"a":1}'
const plainObject: object = {}

function isClean(): boolean {
  return Reflect.get(plainObject, 'admin') === undefined && Reflect.get(plainObject, 'x') === undefined
}

describe('B197 keys that reach for the prototype are plain data or nothing', () => {
  test.each([
    ['jsonSchema', jsonSchema<Record<string, unknown>>({ type: 'object' })],
    ['zod, loose', z.looseObject({})],
    ['zod, strict about what it knows', z.object({ a: z.number() })],
    ['zod, record', z.record(z.string(), z.unknown())],
  ])('in arguments (%s): the journal has what the model wrote, the tool gets no foreign prototype', async (_name, inputSchema) => {
    let got: unknown
    const act = tool({
      name: 'act',
      description: 'Acts',
      inputSchema,
      execute: (input) => {
        got = input
        return input
      },
    })
    const place = scriptedLab([{ calls: [{ name: 'act', input: {}, rawInput: hostile }] }, 'ok'])
    const result = await place.clock.until(agentIn(place, { tools: [act] }).run('Hi'))
    expect(result.calls.map((call) => call.outcome)).toEqual(['ok'])
    const prototype: unknown = Object.getPrototypeOf(got)
    expect(prototype === Object.prototype || prototype === null).toBe(true)
    expect(Reflect.get(Object(got), 'admin')).toBeUndefined()
    const sent = [...(place.model.requests[1]?.messages ?? [])][1]?.parts[0]
    expect(JSON.stringify(sent?.type === 'tool-call' && sent.input)).toBe(hostile)
    expect(isClean()).toBe(true)
  })

  test.each<[string, () => unknown]>([
    ['a result', () => JSON.parse(hostile)],
    ['a Map', () => new Map(Object.entries(JSON.parse(hostile)))],
    ['a nested result that has to be copied', () => ({ deep: [JSON.parse(hostile)], big: 1n })],
  ])('in %s', async (_name, execute) => {
    const place = scriptedLab([asks('give'), 'ok'])
    const result = await place.clock.until(agentIn(place, { tools: [plainTool('give', execute)] }).run('Hi'))
    const output: unknown = result.calls[0]?.output
    expect(Object.getPrototypeOf(output)).toBe(Object.prototype)
    expect([JSON.stringify(output).includes('"__proto__":{"admin":true}'), isClean()]).toEqual([true, true])
  })

  test('in provider data, progress, edited arguments, results from outside and metadata', async () => {
    const place = scriptedLab([
      {
        deltas: [
          { type: 'text', part: 0, text: 'x' },
          { type: 'data', part: 0, providerData: { scope: JSON.parse(hostile) } },
          { type: 'data', part: 0, providerData: JSON.parse(`{"scope":${hostile},"__proto__":{"admin":true}}`) },
          { type: 'call', part: 1, toolName: 'ask' },
          { type: 'call', part: 2, toolName: 'outside' },
        ],
      },
      'ok',
    ])
    const ask = tool({
      name: 'ask',
      description: 'Asks',
      inputSchema: jsonSchema<Record<string, unknown>>({ type: 'object' }),
      needsApproval: true,
      execute: (input, { progress }) => {
        progress(JSON.parse(hostile))
        return input
      },
    })
    const outside = tool({ name: 'outside', description: 'Outside', inputSchema: z.looseObject({}) })
    const agent = agentIn(place, { tools: [ask, outside] })
    await place.clock.until(agent.run('Hi', { session: 's', metadata: JSON.parse(hostile) }))
    const run = agent.resume('s', {
      decisions: [{ callId: 'm1.0', decision: 'approve', input: JSON.parse(hostile) }],
      results: [{ callId: 'm1.1', output: JSON.parse(hostile) }],
    })
    const events = collect(run)
    const result = await place.clock.until(run.result)
    expect([end(result), isClean()]).toEqual(['completed completed', true])
    // Each is there, to the letter, as plain data.
    const entries = await collect(place.store.load('s'))
    const [session] = entries.flatMap((entry) => (entry.kind === 'session' ? [entry.data.metadata] : []))
    const [edited] = entries.flatMap((entry) => (entry.kind === 'approval.decided' ? [entry.data.arguments] : []))
    const [update] = (await events).flatMap((event) => (event.type === 'call.progress' ? [event.update] : []))
    const data = [...(place.model.requests[1]?.messages ?? [])][1]?.parts[0]?.providerData
    const all = [session, edited, update, data?.['scope'], ...result.calls.map((call) => call.output)]
    expect(all.map((value) => JSON.stringify(value))).toEqual(all.map(() => hostile))
    for (const value of [...all, data]) expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(JSON.stringify(data)).toBe(`{"scope":${hostile},"__proto__":{"admin":true}}`)
  })

  test.each(['__proto__', 'constructor'])(
    'in the name of a tool (%s): described, called, counted and limited like any other',
    async (name) => {
      const odd = tool({ name, description: () => `it is ${name}`, inputSchema: z.object({}), maxCallsPerRun: 1, execute: () => 'ran' })
      const place = scriptedLab([asks(name, name), 'ok'])
      const result = await place.clock.until(agentIn(place, { tools: [odd] }).run('Hi'))
      expect(result.calls.map((call) => call.outcome)).toEqual(['ok', 'skipped'])
      expect(place.model.requests[0]?.tools.map((shown) => 'name' in shown && shown.description)).toEqual([`it is ${name}`])
    },
  )
})

describe('B200 what a caller hands in is never changed', () => {
  test('deep-frozen options, messages and schemas work; the second run asks the same as the first, with retries too', async () => {
    const place = scriptedLab([
      { fail: { code: 'ModelServerError' } },
      asks('look'),
      'One.',
      { fail: { code: 'ModelServerError' } },
      asks('look'),
      'Two.',
    ])
    const look = plainTool('look', () => deepFreeze({ list: [1, { a: 1 }] }), 'read')
    const options = deepFreeze({
      name: 'frozen',
      instructions: 'Be brief.',
      settings: { temperature: 0.5, stop: ['END'], providerOptions: { scripted: { a: [1] } } },
      limits: { maxIterations: 5 },
      policies: { retry: { baseMs: 10 }, emptyResponse: { retries: 1 } },
      metadata: { tags: ['a'] },
    })
    const agent = agentIn(place, { ...options, tools: Object.freeze([look]) })
    const input = deepFreeze([
      { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Earlier' }] },
      { role: 'assistant' as const, parts: [{ type: 'tool-call' as const, callId: 'c', toolName: 'look', input: { x: 1 } }] },
      { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi' }] },
    ])
    const run = deepFreeze({ limits: { maxIterations: 4 }, settings: { topP: 0.5 }, policies: { graceMs: 5 }, metadata: { b: [2] } })
    const before = JSON.stringify([options, input, run])
    const first = await place.clock.until(agent.run(input, run))
    const second = await place.clock.until(agent.run(input, run))
    expect([end(first), end(second)]).toEqual(['completed completed', 'completed completed'])
    const asked = place.model.requests.map((request) => {
      const { tools, messages, ...rest } = request
      const bare = [...messages].map(({ id: _id, ...message }) => JSON.stringify(message).replace(/"callId":"[^"]*"/g, '"callId":"…"'))
      return { ...rest, tools: tools.map((shown) => 'name' in shown && shown.name), bare }
    })
    expect(asked.slice(3)).toEqual(asked.slice(0, 3))
    expect(asked[0]).toMatchObject({ tools: ['look'], settings: { temperature: 0.5, topP: 0.5 }, instructions: 'Be brief.' })
    expect(JSON.stringify([options, input, run])).toBe(before)
  })

  test('later changes to what was handed in have no effect', async () => {
    const place = scriptedLab(['One.', 'Two.'])
    const tools: Tool[] = [plainTool('look', () => 1)]
    const settings = { temperature: 0.5, stop: ['END'] }
    const limits = { maxIterations: 1 }
    const part = { type: 'text' as const, text: 'Hi' }
    const parts = [part]
    const agent = agentIn(place, { tools, settings, limits })
    await place.clock.until(agent.run(parts, { session: 's' }))
    tools.push(plainTool('extra', () => 1))
    part.text = 'changed'
    parts.push({ type: 'text', text: 'more' })
    settings.temperature = 2
    settings.stop.push('STOP')
    limits.maxIterations = Number.NaN
    expect(end(await place.clock.until(agent.run('Again', { session: 's' })))).toBe('completed completed')
    const last = place.model.requests[1]
    expect(last?.tools.map((shown) => 'name' in shown && shown.name)).toEqual(['look'])
    expect(last?.settings).toEqual({ temperature: 0.5, stop: ['END'] })
    expect(lines(last?.messages ?? [])).toEqual(['user: Hi', 'assistant: One.', 'user: Again'])
  })

  test('nor have later changes deep inside: policies, stop conditions, metadata', async () => {
    const place = scriptedLab([{ deltas: [] }, { deltas: [] }, asks('look'), 'Two.'])
    const policies = { emptyResponse: { retries: 1 }, toolResult: { maxBytes: 100 }, retry: { baseMs: 5 } }
    const metadata = { tags: ['a'] }
    const stopWhen: (() => boolean)[] = []
    const dependencies: Dependency<unknown>[] = []
    const looked: unknown[] = []
    const word = dependency<string>('word', () => 'mine')
    const look = tool({
      name: 'look',
      description: 'Looks',
      inputSchema: z.object({}),
      execute: async (_input, call) => looked.push(await call.resolve(word)),
    })
    const agent = agentIn(place, { tools: [look], policies, metadata, stopWhen, dependencies })
    policies.emptyResponse.retries = 0
    metadata.tags.push('b')
    stopWhen.push(() => true)
    dependencies.push(word.with(() => 'theirs'))
    const first = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect([end(first), place.model.requests.length]).toEqual(['incomplete empty_response', 2])
    expect((await collect(place.store.load('s')))[0]?.data).toMatchObject({ metadata: { tags: ['a'] } })
    expect(end(await place.clock.until(agent.run('Again', { session: 's' })))).toBe('completed completed')
    expect(looked).toEqual(['mine'])
  })

  test('what has entered the journal is a copy: messages, metadata, edited arguments, parts of a result', async () => {
    const place = scriptedLab([{ calls: [{ name: 'ask', input: { to: 'a' } }] }, 'One.'])
    const shown = { type: 'text' as const, text: 'shown' }
    const ask = tool({
      name: 'ask',
      description: 'Asks',
      inputSchema: z.object({ to: z.string() }),
      needsApproval: true,
      execute: () => content([shown]),
    })
    const agent = agentIn(place, { tools: [ask] })
    const part = { type: 'text' as const, text: 'Hi' }
    const call = { type: 'tool-call' as const, callId: 'c', toolName: 'ask', input: { to: 'x' } }
    const metadata = { tags: ['a'] }
    const edited = { to: 'b' }
    const messages = [
      { role: 'user' as const, parts: [part] },
      { role: 'assistant' as const, parts: [call] },
      { role: 'user' as const, parts: [part] },
    ]
    await place.clock.until(agent.run(messages, { session: 's', metadata }))
    await agent.session('s').decide({ callId: 'm1.0', decision: 'approve', input: edited })
    await place.clock.until(agent.resume('s').result)
    const before = JSON.stringify(await collect(place.store.load('s')))
    part.text = call.input.to = shown.text = edited.to = 'changed'
    metadata.tags.push('changed')
    expect(JSON.stringify(await collect(place.store.load('s')))).toBe(before)
    expect([before.includes('shown'), before.includes('changed')]).toEqual([true, false])
  })

  test('a tool that changes its arguments changes only its copy', async () => {
    const place = scriptedLab([
      { calls: [{ name: 'edit', input: { list: [1] } }] },
      { calls: [{ name: 'edit', input: { list: [1] } }] },
      'ok',
    ])
    const edit = tool({
      name: 'edit',
      description: 'Edits',
      inputSchema: jsonSchema<{ list: number[] }>({ type: 'object', properties: { list: { type: 'array', items: { type: 'number' } } } }),
      execute: ({ list }) => list.push(2),
    })
    const store = memory({ clock: () => place.clock.wall() })
    const result = await place.clock.until(agentIn({ ...place, store }, { tools: [edit] }).run('Hi'))
    expect(lines(result.messages).slice(1, 3)).toEqual(['assistant: edit{"list":[1]}→ok:2', 'assistant: edit{"list":[1]}→ok:2'])
  })
})
