import { Agent, tool } from 'rondo'
import { scripted } from 'rondo/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { alwaysSuspend, testWorld } from '../setup/checks.ts'

const add = tool({ name: 'add', description: 'd', effect: 'read', inputSchema: z.object({ n: z.number() }), execute: ({ n }) => n })

test('stopWhen sees every call of the run so far, in order, and each is put together once', async () => {
  const world = testWorld()
  const steps = 40
  const seen: number[][] = []
  const lists = new Set<unknown>()
  const model = scripted(Array.from({ length: steps }, (_, n) => ({ calls: [{ name: 'add', input: { n } }] })))
  const agent = new Agent({
    model,
    tools: [add],
    world,
    stopWhen: ({ calls }) => {
      lists.add(calls)
      seen.push(calls.flatMap((call) => (!call.dynamic && call.outcome === 'ok' ? [call.output] : [])))
      return calls.length === steps
    },
  })
  const result = await world.clock.until(agent.run('x'))
  expect([result.status, result.reason]).toEqual(['incomplete', 'stopped'])
  expect(seen.at(-1)).toEqual(Array.from({ length: steps }, (_, n) => n))
  expect(seen.every((outputs, index) => index === 0 || outputs.length >= (seen[index - 1]?.length ?? 0))).toBe(true)
  if (!alwaysSuspend) expect(lists.size).toBe(1)
})
