import { Agent, done, tool } from 'rondo'
import { scripted } from 'rondo/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { testWorld } from '../setup/checks.ts'

const date = z.object({ date: z.string() })

test('a result that does not fit the outputSchema of its tool is an error that names tool and field', async () => {
  const clock = tool({
    name: 'clock',
    description: 'd',
    effect: 'read',
    inputSchema: z.object({ right: z.boolean() }),
    outputSchema: date,
    execute: ({ right }): unknown => (right ? { date: '2026-01-01' } : { date: 5 }),
  })
  const world = testWorld()
  const model = scripted([
    {
      calls: [
        { name: 'clock', input: { right: true } },
        { name: 'clock', input: { right: false } },
      ],
    },
    'done',
  ])
  const result = await world.clock.until(new Agent({ model, tools: [clock], world }).run('x'))
  expect(result.calls.map(({ outcome }) => outcome)).toEqual(['ok', 'error'])
  expect(result.calls[1]?.outcome === 'error' && result.calls[1].error.message).toMatch(/'clock' ran, but .* outputSchema. date: /)
})

test('a done tool whose output does not fit does not end the run', async () => {
  const finish = tool({
    name: 'finish',
    description: 'd',
    inputSchema: z.object({ date: z.unknown() }),
    outputSchema: date,
    execute: (input): unknown => done({ date: input.date as string }),
  })
  const world = testWorld()
  const call = (value: unknown) => ({ calls: [{ name: 'finish', input: { date: value } }] })
  const model = scripted([call(5), call('2026-01-01')])
  const result = await world.clock.until(new Agent({ model, tools: [finish], world }).run('x'))
  expect([result.status, result.reason, result.output]).toEqual(['completed', 'done_tool', { date: '2026-01-01' }])
})

test("a client's result that does not fit is refused, and the right one is taken after it", async () => {
  const pick = tool({ name: 'pick', description: 'd', inputSchema: z.object({}), outputSchema: date })
  const world = testWorld()
  const agent = new Agent({ model: scripted([{ calls: [{ name: 'pick', input: {} }] }, 'done']), tools: [pick], world })
  const parked = await world.clock.until(agent.run('x', { session: 's' }))
  expect(parked.status).toBe('parked')
  const session = agent.session('s')
  await expect(world.clock.until(session.submitToolResult('m1.0', { day: 1 }))).rejects.toMatchObject({ code: 'ContextInvalidInput' })
  const run = agent.resume('s', { results: [{ callId: 'm1.0', output: { date: '2026-01-01' } }] })
  const result = await world.clock.until(run.result)
  expect([result.status, result.calls[0]?.output]).toEqual(['completed', { date: '2026-01-01' }])
})
