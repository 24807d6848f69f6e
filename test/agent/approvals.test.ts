import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AgentOptions, type Ask, type Hooks, type Policies, type RunResult, type Tool, tool } from '../../src/index.ts'
import { agentIn, collect, end, journal, lines, otherProcess, scriptedLab } from '../acceptance/kit.ts'

const path = z.object({ path: z.string() })

/** A tool that says what it did and who had approved it. */
function named(name: string, needsApproval?: boolean | (() => boolean | Ask), effect: Tool['effect'] = 'unsafe'): Tool {
  return tool({
    name,
    description: name,
    inputSchema: path,
    effect,
    ...(needsApproval === undefined ? {} : { needsApproval }),
    execute: (input, { approvedBy }) => `${name} ${input.path}${approvedBy === undefined ? '' : ` by ${approvedBy}`}`,
  })
}

const asksFor = (...calls: readonly [name: string, path: string][]) => ({
  calls: calls.map(([name, at]) => ({ name, input: { path: at } })),
})

const outcomes = (result: Pick<RunResult, 'calls'>) =>
  result.calls.map((call) => (call.outcome === 'ok' ? call.output : `${call.outcome}: ${call.error.message}`))

const pendingOf = (result: RunResult) => (result.status === 'parked' ? result.pending.map(({ callId }) => callId) : [])

const notAllowed = 'Not run: calls like this are not allowed here'

describe('policies.approvals: rules', () => {
  const rules: NonNullable<Policies['approvals']>['rules'] = [
    { action: 'allow', tool: 'save', input: { path: 'tmp/*' } },
    { action: 'ask', tool: 'look', input: { path: 'secret*' }, reason: 'it is secret', risk: 'high' },
    { action: 'deny', tool: '*', input: { path: '/etc/*' }, reason: 'not the system' },
  ]

  test('a rule allows what its tool would ask about, asks about what its tool would not, and denies', async () => {
    const tools = [named('save', true), named('look', undefined, 'read')]
    const place = scriptedLab([asksFor(['save', 'tmp/a'], ['look', 'a'], ['look', 'secret/a'], ['save', '/etc/a']), 'ok'])
    const run = agentIn(place, { tools, policies: { approvals: { rules } } }).stream('Hi', { session: 's', parkAfterMs: 0 })
    const events = await place.clock.until(collect(run))
    expect(outcomes(await run.result)).toEqual(['save tmp/a', 'look a', `denied: ${notAllowed}: not the system`])
    expect(events.filter(({ type }) => type === 'approval.requested')).toMatchObject([
      { callId: 'm1.2', toolName: 'look', reason: 'it is secret', risk: 'high' },
    ])
  })

  test('no human can allow what a rule denies: the edited arguments are looked at', async () => {
    const place = scriptedLab([asksFor(['save', 'home/a']), 'ok'])
    const agent = agentIn(place, { tools: [named('save', true)], policies: { approvals: { rules } } })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const result = await place.clock.until(
      agent.resume('s', { decisions: [{ callId: 'm1.0', decision: 'approve', input: { path: '/etc/passwd' }, by: 'ann' }] }).result,
    )
    expect(outcomes(result)).toEqual([`denied: ${notAllowed}: not the system`])
    // What the human had made of it is what it was about.
    expect(result.calls).toMatchObject([{ input: { path: '/etc/passwd' } }])
  })

  test('machine 4: the model is told which arguments ran, for its own message stays as it was', async () => {
    const place = scriptedLab([asksFor(['save', 'home/a']), 'ok'])
    const agent = agentIn(place, { tools: [named('save', true)] })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const decision = { callId: 'm1.0', decision: 'approve', input: { path: 'home/b' } } as const
    await place.clock.until(agent.resume('s', { decisions: [decision] }).result)
    expect(lines(place.model.requests[1]?.messages ?? [])[1]).toBe(
      'assistant: save{"path":"home/a"}→ok:The arguments of this call were changed to {"path":"home/b"}.\nsave home/b',
    )
  })

  test.each<['allow' | 'ask' | 'ask-unsafe' | 'deny', string[], string[]]>([
    ['allow', ['look a', 'save a'], []],
    ['ask', [], ['m1.0', 'm1.1']],
    ['ask-unsafe', ['look a'], ['m1.1']],
    ['deny', [`denied: ${notAllowed}. Do not try it again.`, `denied: ${notAllowed}. Do not try it again.`], []],
  ])('S3-06 what nobody says anything about: %s', async (word, done, asked) => {
    const place = scriptedLab([asksFor(['look', 'a'], ['save', 'a']), 'ok'])
    const agent = agentIn(place, { tools: [named('look', undefined, 'read'), named('save')], policies: { approvals: { default: word } } })
    const result = await place.clock.until(agent.run('Hi'))
    expect([outcomes(result), pendingOf(result)]).toEqual([done, asked])
  })

  test('needsApproval: false is a word too, which the default does not overrule', async () => {
    const place = scriptedLab([asksFor(['save', 'a']), 'ok'])
    const agent = agentIn(place, { tools: [named('save', false)], policies: { approvals: { default: 'deny' } } })
    expect(outcomes(await place.clock.until(agent.run('Hi')))).toEqual(['save a'])
  })

  test.each<[string, unknown, string]>([
    ['no list', { rules: {} }, 'policies.approvals.rules must be a list'],
    ['no object', 'ask', 'policies.approvals must be an object'],
    ['an unknown default', { default: 'maybe' }, `policies.approvals.default must be 'allow', 'ask', 'ask-unsafe', 'deny', not "maybe"`],
    ['a rule without an action', { rules: [{ tool: 'a' }] }, "policies.approvals.rules[0].action is missing: 'allow', 'ask' or 'deny'"],
    [
      'an action that is none',
      { rules: [{ action: 'yes' }] },
      `policies.approvals.rules[0].action must be 'allow', 'ask', 'deny', not "yes"`,
    ],
    [
      'a misspelt field',
      { rules: [{ action: 'deny', tols: 'a' }] },
      "unknown option 'policies.approvals.rules[0].tols': did you mean 'tool'?",
    ],
    [
      'a pattern that is none',
      { rules: [{ action: 'deny', input: { path: /x/ } }] },
      'policies.approvals.rules[0].input must hold a pattern',
    ],
    ['a name that is none', { rules: [{ action: 'deny', tool: 5 }] }, 'policies.approvals.rules[0].tool must be the name of a tool'],
  ])('a rule that would never fit is refused: %s', (_, approvals, why) => {
    expect(() => agentIn(scriptedLab([]), { policies: { approvals } as Policies })).toThrow(why)
  })
})

describe('hooks.approveTool', () => {
  type Hook = NonNullable<Hooks<readonly Tool[], unknown>['approveTool']>
  const calledWith = async (approveTool: Hook, more: Partial<AgentOptions<readonly Tool[], undefined, unknown>> = {}) => {
    const place = scriptedLab([asksFor(['save', 'a'], ['look', 'b']), 'ok'])
    const tools = [named('save', true), named('look', undefined, 'read')]
    const agent = agentIn(place, { tools, hooks: { approveTool }, ...more })
    return { agent, place, result: await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false })) }
  }

  test.each<[string, Hook, string[], string[]]>([
    ['says nothing: the tools decide', () => undefined, ['look b'], ['m1.0']],
    ['allows', () => 'allow', ['save a', 'look b'], []],
    ['allows later', async () => 'allow' as const, ['save a', 'look b'], []],
    ['asks', (call) => (call.toolName === 'look' ? { ask: { risk: 'high' } } : 'allow'), ['save a'], ['m1.1']],
    ['denies', () => ({ deny: 'not now' }), [`denied: ${notAllowed}: not now`, `denied: ${notAllowed}: not now`], []],
    [
      'throws: closed',
      () => {
        throw new Error('the policy server is down')
      },
      Array(2).fill('denied: Not run: the permission check failed: the policy server is down'),
      [],
    ],
    ['rejects: closed', () => Promise.reject(new Error('down')), Array(2).fill('denied: Not run: the permission check failed: down'), []],
    [
      'says what nobody understands: closed',
      () => true as never,
      Array(2).fill(
        "denied: Not run: the permission check failed: hooks.approveTool must return nothing, 'allow', { ask } or { deny: reason }",
      ),
      [],
    ],
  ])('it %s', async (_, hook, done, asked) => {
    const { result } = await calledWith(hook)
    expect([outcomes(result), pendingOf(result)]).toEqual([done, asked])
  })

  test('a denial may stop the turn: the run ends as stopped', async () => {
    const { result } = await calledWith((call) => (call.toolName === 'save' ? { deny: 'enough', stopTurn: true } : undefined))
    expect([end(result), outcomes(result)]).toEqual([
      'aborted stop_turn',
      [`denied: ${notAllowed}: enough`, 'skipped: Not run: an earlier call of the same message ended the turn.'],
    ])
  })

  test('a rule that denies is not asked about; one that allows is overruled', async () => {
    const seen: string[] = []
    const hook: Hook = ({ toolName }) => {
      seen.push(toolName)
      return { deny: 'no' }
    }
    const rules = [{ action: 'deny', tool: 'save' } as const, { action: 'allow', tool: 'look' } as const]
    const { result } = await calledWith(hook, { policies: { approvals: { rules } } })
    expect([seen, outcomes(result)]).toEqual([['look'], [`denied: ${notAllowed}. Do not try it again.`, `denied: ${notAllowed}: no`]])
  })

  test('it sees the call and the run, and what it does to the arguments reaches nobody', async () => {
    const seen: unknown[] = []
    const { result } = await calledWith((call, run) => {
      seen.push([call.callId, call.toolName, run.sessionId, run.iteration])
      Object.assign(call.input as object, { path: 'changed' })
      return 'allow'
    })
    expect([seen, outcomes(result)]).toEqual([
      [
        ['m1.0', 'save', 's', 1],
        ['m1.1', 'look', 's', 1],
      ],
      ['save a', 'look b'],
    ])
  })

  test('B147 it is asked once a call: not again when a human has decided, in whatever process', async () => {
    let asked = 0
    const approveTool: Hook = () => {
      asked++
      return { ask: {} }
    }
    const { place } = await calledWith(approveTool)
    expect(asked).toBe(2)
    const tools = [named('save', true), named('look', undefined, 'read')]
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools, hooks: { approveTool } })
    const decisions = [
      { callId: 'm1.0', decision: 'approve', input: { path: 'c' }, by: 'ann' } as const,
      { callId: 'm1.1', decision: 'approve' } as const,
    ]
    const result = await place.clock.until(other.resume('s', { decisions }).result)
    expect([asked, outcomes(result)]).toEqual([2, ['save c by ann', 'look b']])
  })

  test.each([
    [{ beforeTool: () => undefined }, "'hooks.beforeTool': this hook is not there yet in this version"],
    [{ approveTools: () => undefined }, "unknown option 'hooks.approveTools': did you mean 'approveTool'?"],
    [{ approveTool: true }, 'hooks.approveTool must be a function'],
  ])('%o is refused', (hooks, why) => {
    expect(() => agentIn(scriptedLab([]), { hooks: hooks as object })).toThrow(why)
  })
})

describe('a yes that is remembered', () => {
  const rounds = [asksFor(['save', 'a'], ['save', 'b']), asksFor(['save', 'c']), 'done', asksFor(['save', 'd']), 'done']
  const decisions = (remember: 'run' | 'session') => [{ callId: 'm1.0', decision: 'approve', by: 'ann', remember } as const]

  test.each(['run', 'session'] as const)('for the %s: calls like it, also those that wait already', async (remember) => {
    const place = scriptedLab(rounds)
    const agent = agentIn(place, { tools: [named('save', true)] })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [named('save', true)] })
    const result = await place.clock.until(other.resume('s', { decisions: decisions(remember) }).result)
    expect([end(result), outcomes(result)]).toEqual(['completed completed', ['save a by ann', 'save b by ann', 'save c by ann']])
    const next = await place.clock.until(other.run('And', { session: 's' }))
    if (remember === 'run') expect([end(next), pendingOf(next)]).toEqual(['parked awaiting_approval', ['m4.0']])
    else expect([end(next), outcomes(next)]).toEqual(['completed completed', ['save d by ann']])
  })

  test('a call that is named beside it has a word of its own', async () => {
    const place = scriptedLab([asksFor(['save', 'a'], ['save', 'b'], ['save', 'c']), 'done'])
    const agent = agentIn(place, { tools: [named('save', true)] })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const answers = [...decisions('run'), { callId: 'm1.1', decision: 'deny', reason: 'not b' } as const]
    const result = await place.clock.until(agent.resume('s', { decisions: answers }).result)
    expect(outcomes(result)).toEqual(['save a by ann', 'denied: The user did not allow this call: not b', 'save c by ann'])
  })

  test('promise 5: what runs by it names the decision', async () => {
    const place = scriptedLab([asksFor(['save', 'a']), asksFor(['save', 'b']), 'done'])
    const agent = agentIn(place, { tools: [named('save', true)] })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    await place.clock.until(agent.resume('s', { decisions: decisions('run') }).result)
    const entries = await collect(agent.session('s').entries())
    const decided = entries.find(({ kind }) => kind === 'approval.decided')
    expect(entries.filter(({ kind }) => kind === 'call.prepared').map(({ data }) => data)).toMatchObject([
      { callId: 'm1.0', approval: {} },
      { callId: 'm2.0', approvedBy: decided?.id },
    ])
    expect((await journal(place.store, 's')).filter((line) => line.startsWith('approval'))).toHaveLength(1)
  })

  test('it covers what is asked about by the same name, and nothing that is asked about each time', async () => {
    const asked = (input: string): Ask => (input === 'never' ? { rememberAs: false } : { rememberAs: input.slice(0, 3) })
    const run = tool({
      name: 'run',
      description: 'Runs',
      inputSchema: path,
      needsApproval: (input) => asked(input.path),
      execute: (input) => input.path,
    })
    const place = scriptedLab([asksFor(['run', 'npm test']), asksFor(['run', 'npm run'], ['run', 'rm'], ['run', 'never']), 'done'])
    const agent = agentIn(place, { tools: [run] })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const result = await place.clock.until(agent.resume('s', { decisions: decisions('session') }).result)
    expect([outcomes(result), pendingOf(result)]).toEqual([
      ['npm test', 'npm run'],
      ['m2.1', 'm2.2'],
    ])
    const each = { callId: 'm2.2', decision: 'approve', remember: 'run' } as const
    await expect(agent.session('s').decide(each)).rejects.toThrow("Call m2.2 is asked about each time: decide without 'remember'.")
  })

  test('a rule and a hook that deny still hold', async () => {
    const place = scriptedLab([asksFor(['save', 'a']), asksFor(['save', '/etc/a'], ['save', 'hooked']), 'done'])
    const options = {
      tools: [named('save', true)],
      policies: { approvals: { rules: [{ action: 'deny', input: { path: '/etc/*' } }] } } satisfies Policies,
      hooks: { approveTool: (call: { input: unknown }) => (JSON.stringify(call.input).includes('hooked') ? { deny: 'no' } : undefined) },
    }
    const agent = agentIn(place, options)
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const result = await place.clock.until(agent.resume('s', { decisions: decisions('session') }).result)
    expect(outcomes(result)).toEqual(['save a by ann', `denied: ${notAllowed}. Do not try it again.`, `denied: ${notAllowed}: no`])
  })

  test('a word that is none is refused', async () => {
    const place = scriptedLab([asksFor(['save', 'a']), 'ok'])
    const agent = agentIn(place, { tools: [named('save', true)] })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const forever = { callId: 'm1.0', decision: 'approve', remember: 'ever' as 'run' } as const
    await expect(agent.session('s').decide(forever)).rejects.toThrow(
      "'remember' of the decision of call 'm1.0' must be 'run' or 'session'.",
    )
  })
})

describe("C26 approvalTiming: 'perCall'", () => {
  test('one call after another: each is asked about when those before it have settled', async () => {
    const place = scriptedLab([asksFor(['save', 'a'], ['look', 'b'], ['save', 'c']), 'ok'])
    const tools = [named('save', true), named('look', undefined, 'read')]
    const agent = agentIn(place, { tools, policies: { approvalTiming: 'perCall' } })
    const first = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect([outcomes(first), pendingOf(first)]).toEqual([[], ['m1.0']])
    const second = await place.clock.until(agent.resume('s', { decisions: [{ callId: 'm1.0', decision: 'approve' }] }).result)
    expect([outcomes(second), pendingOf(second)]).toEqual([['save a', 'look b'], ['m1.2']])
    const third = await place.clock.until(agent.resume('s', { decisions: [{ callId: 'm1.2', decision: 'deny' }] }).result)
    expect(end(third)).toBe('completed completed')
    expect((await journal(place.store, 's')).filter((line) => /^(call|approval)/.test(line))).toEqual([
      'call.prepared m1.0 asks',
      'approval.decided allow',
      'call.started m1.0',
      'call.settled m1.0 ok',
      'call.prepared m1.1',
      'call.started m1.1',
      'call.settled m1.1 ok',
      'call.prepared m1.2 asks',
      'approval.decided deny',
      'call.settled m1.2 denied',
    ])
  })
})
