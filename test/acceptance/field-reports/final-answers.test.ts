import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { done, tool } from '../../../src/index.ts'
import { agentIn, end, noInput, plainTool, scriptedLab } from '../kit.ts'

describe('a final answer beside other calls', () => {
  const finish = tool({
    name: 'finish',
    description: 'The final answer',
    inputSchema: z.object({ answer: z.string() }),
    execute: ({ answer }) => done(answer),
  })
  const invalid = { name: 'finish', input: {} }
  const valid = { name: 'finish', input: { answer: '42' } }
  const later = { name: 'finish', input: { answer: '43' } }
  const other = { name: 'other', input: {} }

  test.each([
    ['invalid, valid', [invalid, valid], ['invalid', 'ok'], 'completed done_tool'],
    ['valid, invalid', [valid, invalid], ['ok', 'invalid'], 'completed done_tool'],
    ['valid, another valid: the first in order is the answer', [valid, later], ['ok', 'ok'], 'completed done_tool'],
    ['valid, unknown tool', [valid, { name: 'nope', input: {} }], ['ok', 'invalid'], 'completed done_tool'],
  ])('B044 two final answers in one turn (%s): every call has a result, the next request is whole', async (_name, calls, outcomes, how) => {
    const place = scriptedLab([{ calls }, 'next'])
    const agent = agentIn(place, { tools: [finish] })
    const result = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect([result.calls.map((call) => call.outcome), end(result), result.output]).toEqual([outcomes, how, '42'])
    await place.clock.until(agent.run('And now?', { session: 's' }))
    const sent = [...(place.model.requests[1]?.messages ?? [])].flatMap(({ parts }) => parts)
    expect(sent.filter((part) => part.type === 'tool-call').every((part) => part.settlement !== undefined)).toBe(true)
  })

  test('B044 of two that one runs after the other, the second is answered as not used', async () => {
    const place = scriptedLab([{ calls: [valid, later] }])
    const result = await place.clock.until(agentIn(place, { tools: [finish], maxParallel: 1 }).run('Hi'))
    expect([result.calls.map((call) => call.outcome), result.output]).toEqual([['ok', 'skipped'], '42'])
  })

  test.each([
    ['before it', [other, valid]],
    ['after it', [valid, other]],
  ])('B045 a sibling that fails %s is in the result, and effects come in the order of the calls', async (_name, calls) => {
    const order: string[] = []
    const place = scriptedLab([{ calls }])
    const broken = plainTool('other', () => {
      order.push('other')
      throw new Error('broken')
    })
    const noted = tool({
      name: 'finish',
      description: 'The final answer',
      inputSchema: z.object({ answer: z.string() }),
      execute: ({ answer }) => {
        order.push('finish')
        return done(answer)
      },
    })
    const result = await place.clock.until(agentIn(place, { tools: [noted, broken] }).run('Hi'))
    const names = calls.map(({ name }) => name)
    expect(result.calls.map((call) => [call.toolName, call.outcome])).toEqual(
      names.map((name) => [name, name === 'other' ? 'error' : 'ok']),
    )
    expect([end(result), result.output, order]).toEqual(['completed done_tool', '42', names])
  })

  test.each([
    ['before it', [other, valid], ['open', 'ok'], 'parked awaiting_approval'],
    ['after it', [valid, other], ['ok', 'skipped'], 'completed done_tool'],
  ])('B045 a sibling that needs an approval, %s', async (_name, calls, outcomes, how) => {
    const place = scriptedLab([{ calls }])
    const asking = tool({ name: 'other', description: 'Asks', inputSchema: noInput, needsApproval: true, execute: () => 'ran' })
    const agent = agentIn(place, { tools: [finish, asking] })
    const result = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect(end(result)).toBe(how)
    if (result.status !== 'parked') return expect(result.calls.map((call) => call.outcome)).toEqual(outcomes)
    const ended = await place.clock.until(agent.resume('s', { decisions: [{ callId: 'm1.0', decision: 'approve' }] }).result)
    expect([ended.calls.map((call) => call.outcome), end(ended), ended.output]).toEqual([['ok', 'ok'], 'completed done_tool', '42'])
  })

  test.each([
    ['one after another', { maxParallel: 1 }, ['ok', 'skipped'], 0],
    ['one after another, drained', { maxParallel: 1, policies: { doneDrain: 'finish' as const } }, ['ok', 'ok'], 1],
  ])('B045 a later sibling, %s', async (_name, options, outcomes, expected) => {
    let runs = 0
    const place = scriptedLab([{ calls: [valid, other] }])
    const agent = agentIn(place, { ...options, tools: [finish, plainTool('other', () => ++runs)] })
    const result = await place.clock.until(agent.run('Hi'))
    expect([result.calls.map((call) => call.outcome), runs, end(result)]).toEqual([outcomes, expected, 'completed done_tool'])
  })
})
