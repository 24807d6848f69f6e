import { describe, expect, test } from 'vitest'
import { dependency, type RunInfo, tool } from '../../src/index.ts'
import { agentIn, asks, collect, end, lines, noInput, plainTool, scriptedLab } from '../acceptance/kit.ts'

const instructionsOf = (place: ReturnType<typeof scriptedLab>) => place.model.requests.map((request) => request.instructions)

describe('instructions and descriptions', () => {
  test('that are functions are asked before each model call, awaited, told of the run, and recorded with the call', async () => {
    const place = scriptedLab([asks('look'), 'ok'])
    const look = tool({
      name: 'look',
      description: ({ iteration }: RunInfo) => `looks, time ${iteration}`,
      inputSchema: noInput,
      execute: () => 1,
    })
    const agent = agentIn(place, { tools: [look], instructions: async ({ iteration, sessionId }) => `${sessionId}: step ${iteration}` })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    expect(instructionsOf(place)).toEqual(['s: step 1', 's: step 2'])
    expect(place.model.requests.map(({ tools }) => tools.map((shown) => 'name' in shown && shown.description))).toEqual([
      ['looks, time 1'],
      ['looks, time 2'],
    ])
    const started = (await collect(place.store.load('s'))).flatMap((entry) => (entry.kind === 'model.started' ? [entry.data] : []))
    expect(started.map(({ setup, extra }) => [setup?.instructions, extra])).toEqual([
      ['s: step 1', { descriptions: { look: 'looks, time 1' } }],
      ['s: step 2', { descriptions: { look: 'looks, time 2' } }],
    ])
  })

  test('the instructions of a run win over those of the agent, for that run only', async () => {
    const place = scriptedLab(['1', '2', '3'])
    const agent = agentIn(place, { instructions: 'Be brief.' })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    await place.clock.until(agent.run('Hi', { session: 's', instructions: 'Be long.' }))
    await place.clock.until(agent.run('Hi', { session: 's' }))
    expect(instructionsOf(place)).toEqual(['Be brief.', 'Be long.', 'Be brief.'])
  })

  test.each<[string, () => string | Promise<string>]>([
    [
      'throws',
      () => {
        throw new Error('no such user')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no such user'))],
  ])('a function that %s fails the run with hook_failure and its reason; the session goes on', async (_name, instructions) => {
    const place = scriptedLab(['ok'])
    const result = await place.clock.until(agentIn(place, { instructions }).run('Hi', { session: 's', throwOnError: false }))
    expect([end(result), result.status === 'failed' && result.error.code]).toEqual(['failed hook_failure', 'HookFailed'])
    expect(result.status === 'failed' && result.error.message).toContain('no such user')
    expect((await place.clock.until(agentIn(place).run('Hi', { session: 's' }))).text).toBe('ok')
  })
})

describe('tools of a run', () => {
  const seen = (place: ReturnType<typeof scriptedLab>) =>
    place.model.requests.map(({ tools }) => tools.map((shown) => 'name' in shown && shown.name))

  test('extraTools come after the own ones, allowedTools choose and order; what is not allowed does not exist', async () => {
    const place = scriptedLab([asks('b'), 'ok', 'ok'])
    const agent = agentIn(place, { tools: [plainTool('a', () => 'A'), plainTool('b', () => 'B')] })
    const options = { extraTools: [plainTool('c', () => 'C')], allowedTools: ['c', 'a'] }
    const result = await place.clock.until(agent.run('Hi', options))
    await place.clock.until(agent.run('Hi', { extraTools: options.extraTools }))
    expect(seen(place)).toEqual([
      ['c', 'a'],
      ['c', 'a'],
      ['a', 'b', 'c'],
    ])
    expect(lines(result.messages)[1]).toBe("assistant: b{}→invalid:There is no tool named 'b'. Available tools: c, a.")
  })

  test('a call of an extra tool is dynamic, one of an own tool is not', async () => {
    const place = scriptedLab([asks('a', 'c'), 'ok'])
    const agent = agentIn(place, { tools: [plainTool('a', () => 'A')] })
    const result = await place.clock.until(agent.run('Hi', { extraTools: [plainTool('c', () => 'C')] }))
    expect(result.calls.map((call) => [call.toolName, call.dynamic])).toEqual([
      ['a', false],
      ['c', true],
    ])
  })
})

describe('options of a run over those of its agent', () => {
  test('settings, limits and policies are merged field by field, the run first; the model is replaced', async () => {
    const place = scriptedLab([asks('a'), asks('a'), 'wrapped'])
    const other = scriptedLab([])
    const agent = agentIn(
      { ...place, model: other.model },
      {
        tools: [plainTool('a', () => 'A')],
        settings: { temperature: 0.1, topP: 0.9 },
        limits: { maxIterations: 9, onLimit: 'incomplete' },
      },
    )
    const result = await place.clock.until(
      agent.run('Hi', { model: place.model, settings: { temperature: 0.5 }, limits: { maxIterations: 2 } }),
    )
    expect([end(result), other.model.requests.length]).toEqual(['incomplete max_iterations', 0])
    expect(place.model.requests.map((request) => request.settings)).toEqual(
      Array.from({ length: 2 }, () => ({ temperature: 0.5, topP: 0.9 })),
    )
  })

  test.each([
    ['true', () => true, 'incomplete stopped'],
    ['a reason', () => ({ reason: 'budget_exceeded' as const }), 'incomplete budget_exceeded'],
    ['false', () => false, 'completed completed'],
    ['nothing', () => undefined, 'completed completed'],
  ])('stopWhen that says %s', async (_name, stopWhen, how) => {
    const place = scriptedLab([asks('a'), 'ok'])
    const result = await place.clock.until(agentIn(place, { tools: [plainTool('a', () => 'A')], stopWhen }).run('Hi'))
    expect(end(result)).toBe(how)
  })

  test('stopWhen sees the calls so far and the text; one that throws fails the run', async () => {
    const place = scriptedLab([{ text: 'Looking.', ...asks('a') }, asks('a')])
    const views: unknown[] = []
    const agent = agentIn(place, {
      tools: [plainTool('a', () => 'A')],
      stopWhen: ({ calls, text, iteration }) => {
        views.push([iteration, text, calls.map((call) => call.output)])
        if (calls.length === 2) throw new Error('stop bug')
        return false
      },
    })
    const result = await place.clock.until(agent.run('Hi', { throwOnError: false }))
    expect([end(result), views]).toEqual([
      'failed hook_failure',
      [
        [1, 'Looking.', ['A']],
        [2, '', ['A', 'A']],
      ],
    ])
  })
})

describe('context and dependencies', () => {
  interface App {
    readonly user: string
  }
  const clockOf = dependency('clock', () => ({ now: 'real' }))

  test('the context reaches instructions, tools and stopWhen as it is, and never the journal', async () => {
    const place = scriptedLab([asks('who'), 'ok'])
    const context: App = { user: 'secret-ann' }
    const got: unknown[] = []
    const who = tool.for<App>()({
      name: 'who',
      description: 'Who',
      inputSchema: noInput,
      execute: (_input, call) => {
        got.push(call.context)
        return 'somebody'
      },
    })
    const agent = agentIn(place, { tools: [who as never] })
    const instructions = (run: RunInfo): string => {
      got.push(run.context)
      return 'Be brief.'
    }
    await place.clock.until(agent.run('Hi', { session: 's', context, instructions } as never))
    expect(got.every((seen) => seen === context)).toBe(true)
    expect(got.length).toBe(3)
    expect(JSON.stringify(await collect(place.store.load('s')))).not.toContain('secret-ann')
  })

  test('a dependency is made once a run, whoever asks; overrides: the run before the agent before its own', async () => {
    let made = 0
    const counted = dependency('counted', () => ++made)
    const place = scriptedLab([asks('use', 'use'), 'ok', asks('use'), 'ok', asks('use'), 'ok'])
    const use = tool({
      name: 'use',
      description: 'Uses',
      inputSchema: noInput,
      execute: async (_input, call) => [(await call.resolve(clockOf)).now, await call.resolve(counted)],
    })
    const agent = agentIn(place, { tools: [use], dependencies: [clockOf.with(() => ({ now: 'of the agent' }))] })
    const own = { dependencies: [clockOf.with(async () => ({ now: 'of the run' }))] }
    const results = [
      await place.clock.until(agent.run('Hi')),
      await place.clock.until(agent.run('Hi', own)),
      await place.clock.until(agent.run('Hi')),
    ]
    expect(results.map((result) => result.calls.map((call) => call.output))).toEqual([
      [
        ['of the agent', 1],
        ['of the agent', 1],
      ],
      [['of the run', 2]],
      [['of the agent', 3]],
    ])
  })

  test('a dependency that fails is the failure of the call that asked', async () => {
    const broken = dependency('broken', () => Promise.reject(new Error('no database')))
    const use = tool({ name: 'use', description: 'Uses', inputSchema: noInput, execute: (_input, call) => call.resolve(broken) })
    const place = scriptedLab([asks('use', 'other'), 'ok'])
    const result = await place.clock.until(agentIn(place, { tools: [use, plainTool('other', () => 'fine')] }).run('Hi'))
    expect(lines(result.messages)[1]).toBe('assistant: use{}→error:no database other{}→ok:fine')
  })
})
