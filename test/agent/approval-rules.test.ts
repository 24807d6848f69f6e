import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Policies, type RunResult, type Tool, tool } from '../../src/index.ts'
import { agentIn, end, scriptedLab } from '../acceptance/kit.ts'

type Approvals = NonNullable<Policies['approvals']>

const outcomes = (result: Pick<RunResult, 'calls'>) => result.calls.map((call) => (call.outcome === 'ok' ? call.output : call.outcome))
const pendingOf = (result: RunResult) => (result.status === 'parked' ? result.pending.map(({ callId }) => callId) : [])

/** Says what it ran with. */
function named(name: string, inputSchema: z.ZodObject, needsApproval?: true): Tool {
  return tool({ name, description: name, inputSchema, ...(needsApproval && { needsApproval }), execute: (input) => JSON.stringify(input) })
}

const save = named('save', z.object({ path: z.string() }))
const shell = named('shell', z.object({ command: z.string() }), true)
const says = (name: string, ...inputs: readonly object[]) => ({ calls: inputs.map((input) => ({ name, input: { ...input } })) })
const approves = (callId: string, more: object = {}) => [{ callId, decision: 'approve', by: 'ann', ...more } as const]

async function ran(tools: readonly Tool[], approvals: Approvals, reply: ReturnType<typeof says>, ofRun?: Approvals) {
  const place = scriptedLab([reply, 'ok'])
  const agent = agentIn(place, { tools, policies: { approvals } })
  return place.clock.until(agent.run('Hi', ofRun === undefined ? {} : { policies: { approvals: ofRun } }))
}

describe('rules and what the tool is given', () => {
  test('the rules of the guide: `..` is no way round', async () => {
    const rules: Approvals['rules'] = [
      { action: 'allow', tool: 'save', input: { path: 'tmp/*' } },
      { action: 'deny', tool: '*', input: { path: '/etc/*' } },
    ]
    const paths = ['tmp/a', 'tmp/../etc/passwd', '/etc/../etc/passwd', '//etc/passwd', 'etc/passwd']
    const result = await ran([save], { default: 'ask-unsafe', rules }, says('save', ...paths.map((path) => ({ path }))))
    expect([outcomes(result), pendingOf(result)]).toEqual([
      ['{"path":"tmp/a"}', 'denied', 'denied'],
      ['m1.1', 'm1.4'],
    ])
  })

  test('a denial is looked for in what the schema makes of the arguments too', async () => {
    const drop = named('drop', z.object({ env: z.string().trim().toLowerCase().default('prod') }))
    const rules: Approvals['rules'] = [{ action: 'deny', tool: 'drop', input: { env: 'prod' } }]
    const result = await ran([drop], { rules }, says('drop', {}, { env: 'PROD' }, { env: ' prod' }, { env: 'test' }))
    expect(outcomes(result)).toEqual(['denied', 'denied', 'denied', '{"env":"test"}'])
  })

  test('also in arguments that a human has edited', async () => {
    const drop = named('drop', z.object({ env: z.string().toLowerCase() }), true)
    const place = scriptedLab([says('drop', { env: 'test' }), 'ok'])
    const agent = agentIn(place, { tools: [drop], policies: { approvals: { rules: [{ action: 'deny', input: { env: 'prod' } }] } } })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const result = await place.clock.until(agent.resume('s', { decisions: approves('m1.0', { input: { env: 'PROD' } }) }).result)
    expect(outcomes(result)).toEqual(['denied'])
  })
})

describe('a yes that is remembered, and rules', () => {
  const rules: Approvals['rules'] = [
    { action: 'ask', tool: 'shell', input: { command: 'rm *' }, risk: 'high' },
    { action: 'ask', tool: 'shell', input: { command: 'curl *' }, rememberAs: false },
  ]

  test('a yes to the tool covers nothing that a rule asks about, a yes to a rule no other rule and not the tool', async () => {
    const place = scriptedLab([
      says('shell', { command: 'ls' }),
      says('shell', { command: 'ls -l' }, { command: 'rm a' }),
      says('shell', { command: 'rm b' }, { command: 'curl c' }),
      'ok',
    ])
    const agent = agentIn(place, { tools: [shell], policies: { approvals: { rules } } })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const second = await place.clock.until(agent.resume('s', { decisions: approves('m1.0', { remember: 'session' }) }).result)
    expect([outcomes(second), pendingOf(second)]).toEqual([['{"command":"ls"}', '{"command":"ls -l"}'], ['m2.1']])
    const third = await place.clock.until(agent.resume('s', { decisions: approves('m2.1', { remember: 'session' }) }).result)
    expect([outcomes(third).slice(2), pendingOf(third)]).toEqual([['{"command":"rm a"}', '{"command":"rm b"}'], ['m3.1']])
    const each = agent.session('s').decide(...approves('m3.1', { remember: 'run' }))
    await expect(each).rejects.toThrow("Call m3.1 is asked about each time: decide without 'remember'.")
  })

  test('nor does a yes to a rule cover what the tool itself asks about', async () => {
    const place = scriptedLab([says('shell', { command: 'rm a' }), says('shell', { command: 'ls' }), 'ok'])
    const agent = agentIn(place, { tools: [shell], policies: { approvals: { rules } } })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const result = await place.clock.until(agent.resume('s', { decisions: approves('m1.0', { remember: 'run' }) }).result)
    expect(pendingOf(result)).toEqual(['m2.0'])
  })
})

describe("a run's own approvals", () => {
  const path = { path: 'a' }
  const denies: Approvals = { rules: [{ action: 'deny', tool: 'save' }] }

  test.each<[string, Approvals, Approvals, string]>([
    ['a denial of the agent holds, whatever the run brings', denies, { default: 'allow', rules: [{ action: 'allow' }] }, 'denied'],
    ['and one whose run brings no rules', denies, { default: 'allow' }, 'denied'],
    ['the run can deny more', { rules: [{ action: 'allow' }] }, denies, 'denied'],
    [
      'a request of the agent holds against a permission of the run',
      { rules: [{ action: 'ask' }] },
      { rules: [{ action: 'allow' }] },
      'asks',
    ],
    ['the default of the run replaces that of the agent', { default: 'deny' }, { default: 'ask' }, 'asks'],
    ['without one, that of the agent stands', { default: 'deny' }, { rules: [{ action: 'ask', tool: 'other' }] }, 'denied'],
  ])('%s', async (_, ofAgent, ofRun, expected) => {
    const result = await ran([save], ofAgent, says('save', path), ofRun)
    expect(end(result) === 'parked awaiting_approval' ? ['asks'] : outcomes(result)).toEqual([expected])
  })
})

describe('rules that would never fit, or always, are refused', () => {
  test.each<[string, object, string]>([
    ['no names', { tool: [] }, 'policies.approvals.rules[0].tool must be the name of a tool'],
    ['an empty name', { tool: '' }, 'policies.approvals.rules[0].tool must be the name of a tool'],
    ['an empty name among others', { tool: ['a', ''] }, 'policies.approvals.rules[0].tool must be the name of a tool'],
    ['no fields', { input: {} }, 'policies.approvals.rules[0].input must hold a pattern for each field that it names, and name one'],
    ['a list of fields', { input: ['a'] }, 'policies.approvals.rules[0].input must hold a pattern'],
    ['a name to remember that is none', { rememberAs: true }, 'policies.approvals.rules[0].rememberAs must be a text or false'],
  ])('%s', (_, rule, why) => {
    const approvals = { rules: [{ action: 'allow', ...rule }] } as Approvals
    expect(() => agentIn(scriptedLab([]), { policies: { approvals } })).toThrow(why)
  })
})
