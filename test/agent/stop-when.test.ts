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

test('also those that went on in the background: each when its outcome is there, and once', async () => {
  const world = testWorld()
  const later = tool({
    name: 'later',
    description: 'd',
    effect: 'read',
    background: true,
    inputSchema: z.object({ n: z.number() }),
    execute: ({ n }) => n,
  })
  const names = ['later', 'add', 'later', 'add', 'later', 'add']
  const seen: string[] = []
  const agent = new Agent({
    model: scripted([...names.map((name, n) => ({ calls: [{ name, input: { n } }] })), 'Done.']),
    tools: [add, later],
    world,
    stopWhen: ({ calls }) => {
      seen.push(calls.map((call) => call.callId).join(' '))
    },
  })
  const { calls } = await world.clock.until(agent.run('x'))
  expect(seen.at(-1)?.split(' ').sort()).toEqual(calls.map((call) => call.callId).sort())
  expect(seen.every((ids) => new Set(ids.split(' ')).size === ids.split(' ').length)).toBe(true)
})
