import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Ask, type Decision, tool } from '../../src/index.ts'
import { agentIn, asks, collect, end, journal, lines, noInput, otherProcess, plainTool, scriptedLab } from '../acceptance/kit.ts'

const pay = (needsApproval: boolean | ((input: { cents: number }) => true | Ask) = true) =>
  tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({ cents: z.number() }),
    needsApproval,
    execute: ({ cents }, { approvedBy }) => `paid ${cents}, approved by ${approvedBy ?? 'nobody'}`,
  })
const payCall = { calls: [{ name: 'pay', input: { cents: 500 } }] }

describe('approvals', () => {
  test.each<[string, Decision, string]>([
    ['approve', { callId: 'm1.0', decision: 'approve', by: 'ann' }, 'pay{"cents":500}→ok:paid 500, approved by ann'],
    [
      'deny',
      { callId: 'm1.0', decision: 'deny' },
      'pay{"cents":500}→denied:The user did not allow this call. Do not try it again unless they ask for it.',
    ],
    [
      'deny with a reason',
      { callId: 'm1.0', decision: 'deny', reason: 'too much' },
      'pay{"cents":500}→denied:The user did not allow this call: too much',
    ],
    [
      'approve other arguments',
      { callId: 'm1.0', decision: 'approve', input: { cents: 5 } },
      'pay{"cents":500}→ok:The arguments of this call were changed to {"cents":5}.\npaid 5, approved by nobody',
    ],
    ['approve arguments that are none', { callId: 'm1.0', decision: 'approve', input: { cents: 'x' } }, 'pay{"cents":500}→invalid:'],
  ])('parked by run(), answered in a fresh agent on the same store: %s', async (_name, decision, line) => {
    const place = scriptedLab([payCall, 'ok'])
    const parked = await place.clock.until(agentIn(place, { tools: [pay()] }).run('Hi', { session: 's' }))
    expect([end(parked), place.clock.monotonic(), place.clock.pending]).toEqual(['parked awaiting_approval', 0, 0])
    const fresh = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [pay()] })
    expect((await fresh.session('s').pending()).map((call) => [call.callId, call.kind])).toEqual([['m1.0', 'approval']])
    const result = await place.clock.until(fresh.resume('s', { decisions: [decision] }).result)
    expect([end(result), lines(result.messages)[1]]).toEqual(['completed completed', expect.stringContaining(`assistant: ${line}`)])
  })

  test('live: stream() waits, decide() goes on; the events in between', async () => {
    const place = scriptedLab([payCall, 'ok'])
    const ask = () => ({ risk: 'high' as const, reason: 'money', expiresInMs: 60_000 })
    const run = agentIn(place, { tools: [pay(ask)] }).stream('Hi')
    const events = collect(run)
    await place.clock.advance(10_000)
    await run.decide({ callId: 'm1.0', decision: 'approve', by: 'ann' })
    expect(end(await place.clock.until(run.result))).toBe('completed completed')
    const about = (await events).filter((event) => event.type.startsWith('approval.') || event.type.startsWith('call.st'))
    expect(about).toMatchObject([
      { type: 'approval.requested', callId: 'm1.0', risk: 'high', reason: 'money', expiresAt: place.clock.wall() + 50_000 },
      { type: 'approval.decided', callId: 'm1.0', decision: 'approve', by: 'ann' },
      { type: 'call.started', callId: 'm1.0', attempt: 1 },
    ])
  })

  test('nobody answers in time: denied, and the run goes on', async () => {
    const place = scriptedLab([payCall, 'ok'])
    const ask = () => ({ risk: 'high' as const, reason: 'money', expiresInMs: 60_000 })
    const run = agentIn(place, { tools: [pay(ask)] }).stream('Hi')
    const result = await place.clock.until(run.result)
    expect([lines(result.messages)[1], place.clock.monotonic()]).toEqual([
      'assistant: pay{"cents":500}→denied:Not run: nobody approved the call in time.',
      60_000,
    ])
  })

  test('a remembered yes does not reach for a request whose time is over, which no driver has said yet', async () => {
    const place = scriptedLab([{ calls: [5, 600].map((cents) => ({ name: 'pay', input: { cents } })) }, 'ok'])
    const tools = [pay(({ cents }) => (cents > 500 ? { expiresInMs: 60_000 } : true))]
    const agent = agentIn(place, { tools })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    await place.clock.advance(60_000)
    const decisions: Decision[] = [{ callId: 'm1.0', decision: 'approve', by: 'ann', remember: 'session' }]
    const result = await place.clock.until(agent.resume('s', { decisions }).result)
    expect(lines(result.messages)[1]).toBe(
      'assistant: pay{"cents":5}→ok:paid 5, approved by ann pay{"cents":600}→denied:Not run: nobody approved the call in time.',
    )
  })

  test('deny with stopTurn ends the run as aborted; the sibling that waited is answered too', async () => {
    const place = scriptedLab([{ calls: [payCall.calls[0]!, payCall.calls[0]!] }])
    const agent = agentIn(place, { tools: [pay()] })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const decisions: Decision[] = [{ callId: 'm1.0', decision: 'deny', stopTurn: true }]
    const result = await place.clock.until(agent.resume('s', { decisions, throwOnError: false }).result)
    expect([end(result), result.calls.map((call) => call.outcome)]).toEqual(['aborted stop_turn', ['denied', 'skipped']])
  })

  test.each([
    ['verdicts', ['call.prepared m1.0 asks', 'call.prepared m1.1', 'call.started m1.1', 'call.settled m1.1 ok']],
    ['answers', ['call.prepared m1.0 asks', 'call.prepared m1.1']],
  ] as const)('approvalTiming: %s says whether a sibling runs meanwhile', async (approvalTiming, entries) => {
    const place = scriptedLab([{ calls: [payCall.calls[0]!, { name: 'free', input: {} }] }, 'ok'])
    const agent = agentIn(place, { tools: [pay(), plainTool('free', () => 'free')], policies: { approvalTiming } })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    expect((await journal(place.store, 's')).slice(5)).toEqual(entries)
    const result = await place.clock.until(agent.resume('s', { decisions: [{ callId: 'm1.0', decision: 'approve' }] }).result)
    expect(result.calls.map((call) => call.outcome)).toEqual(['ok', 'ok'])
  })

  test.each([
    ['answer', ['skipped'], 'completed completed'],
    ['hold', ['ok'], 'completed completed'],
  ] as const)('a message while a call waits, onPending: %s', async (onPending, outcomes, how) => {
    const place = scriptedLab([payCall, 'ok'])
    const agent = agentIn(place, { tools: [pay()], onPending })
    const run = agent.stream('Hi', { session: 's' })
    const result = run.result
    await place.clock.advance(1)
    await run.send('Never mind.')
    await place.clock.advance(1)
    if (onPending === 'hold') await run.decide({ callId: 'm1.0', decision: 'approve' })
    const ended = await place.clock.until(result)
    expect([end(ended), ended.calls.map((call) => call.outcome), lines(place.model.requests[1]?.messages ?? []).at(-1)]).toEqual([
      how,
      outcomes,
      'user: Never mind.',
    ])
  })

  test("a message while a call waits, onPending: 'reject', is refused, and the call still waits", async () => {
    const place = scriptedLab([payCall, 'ok'])
    const agent = agentIn(place, { tools: [pay()], onPending: 'reject' })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    await expect(agent.session('s').send('Never mind.')).rejects.toMatchObject({ code: 'RunInvalidState' })
    expect((await agent.session('s').pending()).length).toBe(1)
  })

  test('parkAfterMs: the run waits so long for a human, then parks', async () => {
    const place = scriptedLab([payCall, 'ok'])
    const result = await place.clock.until(agentIn(place, { tools: [pay()] }).run('Hi', { parkAfterMs: 5_000 }))
    expect([end(result), place.clock.monotonic()]).toEqual(['parked awaiting_approval', 5_000])
  })
})

describe('tools that a client runs', () => {
  const pick = tool({
    name: 'pick',
    description: 'Picks',
    inputSchema: noInput,
    outputSchema: z.object({ date: z.string() }),
    toModelOutput: (output) => `date ${JSON.stringify(output)}`,
  })

  test('live: the call is deferred, its result comes by submitToolResult, shown to the model as the tool says', async () => {
    const place = scriptedLab([asks('pick'), 'ok'])
    const run = agentIn(place, { tools: [pick] }).stream('Hi', { session: 's' })
    const events = collect(run)
    await place.clock.advance(1)
    await run.submitToolResult('m1.0', { date: 'today' })
    const result = await place.clock.until(run.result)
    expect(lines(result.messages)[1]).toBe('assistant: pick{}→ok:date {"date":"today"}')
    expect((await events).filter((event) => 'callId' in event && event.type !== 'call.input.delta').map((event) => event.type)).toEqual([
      'call.announced',
      'call.deferred',
      'call.settled',
    ])
    expect((await journal(place.store, 's')).slice(5, 8)).toEqual([
      'call.prepared m1.0',
      'call.deferred m1.0 client',
      'call.settled m1.0 ok',
    ])
  })

  test('a second activation: its result is that of the whole run', async () => {
    const place = scriptedLab([asks('count'), asks('pick'), 'ok'])
    const tools = [pick, plainTool('count', () => 1)] as const
    const parked = await place.clock.until(agentIn(place, { tools }).run('Hi', { session: 's' }))
    expect([end(parked), parked.iterations, parked.calls.map((call) => call.toolName)]).toEqual([
      'parked awaiting_tool_results',
      2,
      ['count'],
    ])
    const fresh = agentIn({ ...place, store: otherProcess(place.store) }, { tools })
    const result = await place.clock.until(fresh.resume('s', { results: [{ callId: 'm2.0', output: { date: 'x' } }] }).result)
    expect([result.runId, result.iterations, result.calls.map((call) => call.toolName), result.usage.inputTokens]).toEqual([
      parked.runId,
      3,
      ['count', 'pick'],
      30,
    ])
    expect(lines(result.messages)).toEqual([
      'user: Hi',
      'assistant: count{}→ok:1',
      'assistant: pick{}→ok:date {"date":"x"}',
      'assistant: ok',
    ])
  })
})
