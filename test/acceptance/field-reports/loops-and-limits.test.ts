import { describe, expect, test } from 'vitest'
import { stopOnDuplicates, tool } from '../../../src/index.ts'
import { agentIn, asks, deepFreeze, end, lines, noInput, plainTool, scriptedLab } from '../kit.ts'

describe('a model that never ends by itself', () => {
  const again = (count: number) => Array.from({ length: count }, () => asks('look'))

  test('B170 the same call with the same result for ever is stopped with a typed reason and a last answer', async () => {
    const place = scriptedLab([...again(5), 'I keep seeing the same.'])
    const result = await place.clock.until(agentIn(place, { tools: [plainTool('look', () => 'nothing', 'read')] }).run('Hi'))
    expect([end(result), result.text, result.calls.length]).toEqual(['incomplete no_progress', 'I keep seeing the same.', 5])
    expect(lines(place.model.requests[5]?.messages ?? []).at(-1)).toContain('the same calls gave the same results')
  })

  test('B170 a step limit always exists: 50 without being told', async () => {
    let seen = 0
    const place = scriptedLab([...again(50), 'That was a lot.'])
    const result = await place.clock.until(agentIn(place, { tools: [plainTool('look', () => ++seen, 'read')] }).run('Hi'))
    expect([end(result), result.iterations, seen]).toEqual(['incomplete max_iterations', 50, 50])
  })

  test.each([
    ['other arguments', (turn: number) => ({ page: turn }), () => 'nothing'],
    ['other results', () => ({}), (turn: number) => turn],
  ])('B170 the same tool with %s is progress', async (_name, input, output) => {
    let turn = 0
    const look = tool({ name: 'look', description: 'Looks', effect: 'read', inputSchema: noInput.loose(), execute: () => output(turn++) })
    const replies = Array.from({ length: 8 }, (_, index) => ({ calls: [{ name: 'look', input: input(index) }] }))
    const place = scriptedLab([...replies, 'Done.'])
    expect(end(await place.clock.until(agentIn(place, { tools: [look] }).run('Hi')))).toBe('completed completed')
  })

  test('B170 the order of keys makes no call another one', async () => {
    const look = tool({ name: 'look', description: 'Looks', effect: 'read', inputSchema: noInput.loose(), execute: () => 'x' })
    const replies = Array.from({ length: 3 }, (_, index) => ({
      calls: [{ name: 'look', input: {}, rawInput: index % 2 ? '{"a":1,"b":2}' : '{"b":2,"a":1}' }],
    }))
    const place = scriptedLab(replies)
    const agent = agentIn(place, { tools: [look], policies: { termination: stopOnDuplicates() } })
    const result = await place.clock.until(agent.run('Hi'))
    expect([end(result), result.calls.map((call) => call.outcome)]).toEqual(['incomplete duplicate_tool_call', ['ok', 'ok', 'skipped']])
  })

  test.each([
    ['required', 'required' as const],
    ['a named tool', { tool: 'look' } as const],
  ])('B173 toolChoice %s holds for the first model call only, and the options object stays as it was', async (_name, toolChoice) => {
    const place = scriptedLab([asks('look'), asks('look'), 'Done.', asks('look'), 'Done again.'])
    const options = deepFreeze({ toolChoice })
    const agent = agentIn(place, { tools: [plainTool('look', () => 'x', 'read')], ...options })
    expect(end(await place.clock.until(agent.run('Hi')))).toBe('completed completed')
    await place.clock.until(agent.run('Hi', { toolChoice }))
    expect(place.model.requests.map((request) => request.toolChoice)).toEqual([toolChoice, 'auto', 'auto', toolChoice, 'auto'])
  })

  test("B173 'none' is kept for the whole run, and toolChoiceEvery keeps a forced one", async () => {
    const none = scriptedLab(['Hello.'])
    await none.clock.until(agentIn(none, { tools: [plainTool('look', () => 1)], toolChoice: 'none' }).run('Hi'))
    const every = scriptedLab([asks('look'), asks('look'), 'Forced to stop.'])
    const options = { tools: [plainTool('look', () => 1)], toolChoice: 'required', policies: { toolChoiceEvery: true } } as const
    await every.clock.until(agentIn(every, { ...options, limits: { maxIterations: 2 } }).run('Hi'))
    expect([none, every].map(({ model }) => model.requests.map((request) => request.toolChoice))).toEqual([
      ['none'],
      ['required', 'required', 'none'],
    ])
  })

  test.each([
    ['summarize', 'incomplete max_iterations', 'So far: three looks.', 4],
    ['incomplete', 'incomplete max_iterations', '', 3],
    ['error', 'failed max_iterations', '', 3],
  ] as const)('B174 at the limit (onLimit: %s) the work is in the result, and the session goes on', async (onLimit, how, text, asked) => {
    let seen = 0
    const place = scriptedLab([...again(3), ...(onLimit === 'summarize' ? ['So far: three looks.'] : []), 'Next.'])
    const agent = agentIn(place, { tools: [plainTool('look', () => ++seen, 'read')], limits: { maxIterations: 3, onLimit } })
    const result = await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
    expect([end(result), result.text, result.calls.length, place.model.requests.length]).toEqual([how, text, 3, asked])
    expect(lines(result.messages).slice(0, 4)).toEqual([
      'user: Hi',
      'assistant: look{}→ok:1',
      'assistant: look{}→ok:2',
      'assistant: look{}→ok:3',
    ])
    if (onLimit === 'error') expect(result.status === 'failed' && result.error.code).toBe('RunMaxIterations')
    const next = await place.clock.until(agent.run('Go on', { session: 's' }))
    expect([end(next), next.text]).toEqual(['completed completed', 'Next.'])
  })

  test('B175 a wrap-up that calls a tool all the same: not run, answered as skipped, reported as the limit', async () => {
    let runs = 0
    const place = scriptedLab([asks('look'), { text: 'Let me check one more thing.', calls: [{ name: 'look', input: {} }] }, 'ok'])
    const agent = agentIn(place, { tools: [plainTool('look', () => ++runs)], limits: { maxIterations: 1 } })
    const result = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect([end(result), runs, result.calls.map((call) => call.outcome)]).toEqual(['incomplete max_iterations', 1, ['ok', 'skipped']])
    expect(place.model.requests[1]).toMatchObject({ purpose: 'wrap-up', toolChoice: 'none', tools: [{ name: 'look' }] })
    await place.clock.until(agent.run('Go on', { session: 's' }))
    expect(lines(place.model.requests[2]?.messages ?? [])).toEqual([
      'user: Hi',
      'assistant: look{}→ok:1',
      'assistant: Let me check one more thing. look{}→skipped:Tools cannot be called in this answer; the call was not run.',
      'user: Go on',
    ])
  })

  test.each([
    ['fails', { fail: { code: 'ModelServerError' as const } }],
    ['says nothing', { deltas: [] }],
    ['only calls a tool', asks('look')],
  ])('B175 a wrap-up that %s twice leaves a fixed text that names the limit', async (_name, reply) => {
    const place = scriptedLab([asks('look'), reply, reply])
    const agent = agentIn(place, { tools: [plainTool('look', () => 'x')], limits: { maxIterations: 1 } })
    const result = await place.clock.until(agent.run('Hi'))
    expect([end(result), result.text]).toEqual([
      'incomplete max_iterations',
      'Stopped without a final answer: the limit of 1 iterations (limits.maxIterations) was reached.',
    ])
  })
})
