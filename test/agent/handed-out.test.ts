import { describe, expect, test } from 'vitest'
import { content, done, type Policies, type RunResult, suspend, tool } from '../../src/index.ts'
import { askUser } from '../../src/tools/index.ts'
import { agentIn, asks, end, gate, journal, noInput, otherProcess, plainTool, refusal, scriptedLab } from '../acceptance/kit.ts'

const pendingOf = (result: RunResult) => (result.status === 'parked' ? result.pending.map(({ callId, kind }) => `${callId} ${kind}`) : [])

const outcomes = (result: Pick<RunResult, 'calls'>) => result.calls.map((call) => [call.outcome, call.output])

describe("F-26, C35: policies.toolExecution 'manual'", () => {
  const policies: Policies = { toolExecution: 'manual' }

  test('calls are handed out, nothing runs here, and their results go on with the same run, in whatever process', async () => {
    const place = scriptedLab([asks('a', 'b'), 'ok'])
    let ran = 0
    const tools = [plainTool('a', () => ++ran), plainTool('b', () => ++ran)]
    const parked = await place.clock.until(agentIn(place, { tools, policies }).run('Hi', { session: 's' }))
    expect([end(parked), pendingOf(parked)]).toEqual(['parked awaiting_tool_results', ['m1.0 result', 'm1.1 result']])
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools, policies })
    const one = await place.clock.until(other.resume('s', { results: [{ callId: 'm1.1', output: 'two' }] }).result)
    expect(pendingOf(one)).toEqual(['m1.0 result'])
    const result = await place.clock.until(other.resume('s', { results: [{ callId: 'm1.0', output: 'one' }] }).result)
    expect([end(result), result.runId === parked.runId, outcomes(result), ran]).toEqual([
      'completed completed',
      true,
      [
        ['ok', 'one'],
        ['ok', 'two'],
      ],
      0,
    ])
    expect((await journal(place.store, 's')).filter((line) => line.startsWith('call.d'))).toEqual([
      'call.deferred m1.0 manual',
      'call.deferred m1.1 manual',
    ])
  })

  test('what needs an approval is handed out after it', async () => {
    const pay = tool({ name: 'pay', description: 'Pays', inputSchema: noInput, needsApproval: true, execute: () => 'paid' })
    const place = scriptedLab([asks('pay'), 'ok'])
    const agent = agentIn(place, { tools: [pay], policies })
    expect(pendingOf(await place.clock.until(agent.run('Hi', { session: 's' })))).toEqual(['m1.0 approval'])
    const approved = await place.clock.until(agent.resume('s', { decisions: [{ callId: 'm1.0', decision: 'approve' }] }).result)
    expect(pendingOf(approved)).toEqual(['m1.0 result'])
  })
})

describe('what a client sends is what execute would have returned', () => {
  const failing = content([{ type: 'text', text: 'declined' }], { isError: true })

  test.each<[string, unknown, Policies, string, unknown[]]>([
    ['done(): it ends the run', done('paid'), {}, 'completed done_tool', ['ok', 'paid']],
    ['content()', content([{ type: 'text', text: 'a receipt' }]), {}, 'completed completed', ['ok', 'a receipt']],
    ['content() that is an error', failing, {}, 'completed completed', ['error', undefined]],
    ["the same with toolFailureMode: 'fail'", failing, { toolFailureMode: 'fail' }, 'failed tool_failure', ['error', undefined]],
  ])('%s', async (_, output, policies, due, outcome) => {
    const place = scriptedLab([asks('client'), 'ok'])
    const client = tool({ name: 'client', description: 'Elsewhere', inputSchema: noInput })
    const agent = agentIn(place, { tools: [client], policies })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const result = await place.clock.until(agent.resume('s', { results: [{ callId: 'm1.0', output }] }).result)
    expect([end(result), outcomes(result)]).toEqual([due, [outcome]])
  })

  test('suspend() is refused', async () => {
    const place = scriptedLab([asks('client'), 'ok'])
    const client = tool({ name: 'client', description: 'Elsewhere', inputSchema: noInput })
    const agent = agentIn(place, { tools: [client] })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const no = await refusal(place.clock.until(agent.session('s').submitToolResult('m1.0', suspend({ correlationId: 'x' }))))
    expect([no.code, no.message]).toEqual([
      'ContextInvalidInput',
      "The result of call 'm1.0' can't be suspend(): that is for execute to return.",
    ])
  })
})

describe('F-60: a question to the user', () => {
  test('parks the run with the question; the answer is what the model reads', async () => {
    const place = scriptedLab([{ calls: [{ name: 'ask_user', input: { question: 'Which one?', options: ['a', 'b'] } }] }, 'ok'])
    const agent = agentIn(place, { tools: [askUser()] })
    const parked = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect(parked.status === 'parked' && parked.pending).toMatchObject([
      { kind: 'result', toolName: 'ask_user', input: { question: 'Which one?', options: ['a', 'b'] } },
    ])
    expect((await journal(place.store, 's')).at(-1)).toBe('call.deferred m1.0 ask-user')
    const no = await refusal(place.clock.until(agent.session('s').submitToolResult('m1.0', { chosen: 'a' })))
    expect([no.code, no.message]).toEqual(['ContextInvalidInput', expect.stringContaining("The result of call 'm1.0' was not taken")])
    const result = await place.clock.until(agent.resume('s', { results: [{ callId: 'm1.0', output: 'a' }] }).result)
    expect([end(result), outcomes(result)]).toEqual(['completed completed', [['ok', 'a']]])
  })

  test('a person can answer nothing that a function answers', () => {
    const both = { name: 'x', description: 'x', inputSchema: noInput, asksUser: true, execute: () => 1 }
    expect(() => tool(both)).toThrow("'asksUser' is for tools without execute: a person answers")
  })
})

describe("machine 4: an unsafe call whose outcome is lost, with policies.lostOutcome 'ask'", () => {
  /** A process dies while the payment is under way; another one resumes. */
  async function lost(policies: Policies = { lostOutcome: 'ask' }, reconcile?: () => 'unknown') {
    let ran = 0
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      inputSchema: noInput,
      ...(reconcile === undefined ? {} : { reconcile }),
      execute: () => {
        ran++
        return new Promise(() => {})
      },
    })
    const place = scriptedLab([asks('pay'), asks('pay'), 'ok'])
    void agentIn({ ...place, store: otherProcess(place.store) }, { tools: [pay], policies }).stream('Hi', { session: 's' })
    await place.clock.advance(10)
    place.clock.jump(60_000)
    const agent = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [pay], policies })
    const parked = await place.clock.until(agent.resume('s').result)
    return { place, agent, parked, ran: () => ran }
  }

  test('somebody is asked, and what they say is the outcome; it does not run again', async () => {
    const { place, agent, parked, ran } = await lost()
    expect([end(parked), pendingOf(parked)]).toEqual(['parked awaiting_tool_results', ['m1.0 result']])
    await place.clock.until(agent.session('s').submitToolResult('m1.0', 'it was paid'))
    await place.clock.advance(10)
    expect(ran()).toBe(2) // the second call that the model makes is another one: nothing guards it any more
    const entries = await journal(place.store, 's')
    expect(entries.filter((line) => line.includes('m1.0')).slice(1)).toEqual([
      'call.started m1.0',
      'call.deferred m1.0 unresolved',
      'call.settled m1.0 ok',
    ])
  })

  test('somebody is asked too when its tool could not find out', async () => {
    const { parked, ran } = await lost({ lostOutcome: 'ask' }, () => 'unknown')
    expect([end(parked), pendingOf(parked), ran()]).toEqual(['parked awaiting_tool_results', ['m1.0 result'], 1])
  })

  test.each<[string, (agent: Awaited<ReturnType<typeof lost>>['agent']) => Promise<void>]>([
    ['who says something else instead', (agent) => agent.session('s').send('Never mind')],
    ['who cancels', (agent) => agent.session('s').abort()],
  ])('%s has not made it undone: the outcome is unknown', async (_, act) => {
    const { place, agent } = await lost()
    await place.clock.until(act(agent))
    await place.clock.advance(10)
    expect((await journal(place.store, 's')).filter((line) => line.startsWith('call.settled m1.0'))).toEqual(['call.settled m1.0 unknown'])
  })
})

describe('what waits says why', () => {
  test('a question, a payment whose outcome is lost, a call for a client: who works through pending calls can tell them apart', async () => {
    const place = scriptedLab([{ calls: [{ name: 'ask_user', input: { question: 'Which?' } }, ...asks('show').calls] }])
    const show = tool({ name: 'show', description: 'Shows', inputSchema: noInput })
    const parked = await place.clock.until(agentIn(place, { tools: [askUser(), show] }).run('Hi', { session: 's' }))
    expect(parked.status === 'parked' && parked.pending).toMatchObject([
      { kind: 'result', why: 'ask-user' },
      { kind: 'result', why: 'client' },
    ])
  })
})

describe('machine 4, onPending answer: a user says something while a call that has begun waits outside', () => {
  async function suspended(effect: 'unsafe' | 'idempotent') {
    let ran = 0
    const ready = gate()
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      inputSchema: noInput,
      effect,
      execute: async () => {
        ran++
        await ready.promise
        return suspend({ correlationId: 'c' })
      },
    })
    const place = scriptedLab([asks('pay'), asks('pay'), 'ok'])
    const agent = agentIn(place, { tools: [pay] })
    const run = agent.stream('Hi', { session: 's' })
    const result = run.result
    await place.clock.advance(10)
    return { place, run, result, ran: () => ran, ready, session: agent.session('s') }
  }

  test('it can not be called skipped: an unsafe one is unknown, and the same does not begin again', async () => {
    const { place, run, result, ran, ready } = await suspended('unsafe')
    ready.resolve()
    await place.clock.advance(10)
    await run.send('How is it going?')
    const { calls } = await place.clock.until(result)
    expect([calls.map(({ outcome }) => outcome), ran()]).toEqual([['unknown', 'skipped'], 1])
  })

  test('one that may run again is cancelled', async () => {
    const { place, run, ran, ready, session } = await suspended('idempotent')
    ready.resolve()
    await place.clock.advance(10)
    await run.send('How is it going?')
    await place.clock.advance(10)
    expect([(await journal(place.store, 's')).filter((line) => line.startsWith('call.settled')), ran()]).toEqual([
      ['call.settled m1.0 cancelled'],
      2,
    ])
    expect(await session.pending()).toMatchObject([{ callId: 'm2.0', why: 'suspended' }])
  })

  test('what was said before it went outside ends nothing: the message waits for its result', async () => {
    const { place, run, result, ran, ready, session } = await suspended('unsafe')
    await run.send('And hurry!')
    ready.resolve()
    await place.clock.advance(10)
    expect(await session.pending()).toMatchObject([{ callId: 'm1.0' }])
    await run.submitToolResult('m1.0', 'paid')
    await place.clock.advance(10)
    await run.submitToolResult('m2.0', 'paid')
    expect([(await place.clock.until(result)).calls.map(({ output }) => output), ran()]).toEqual([['paid', 'paid'], 2])
  })
})
