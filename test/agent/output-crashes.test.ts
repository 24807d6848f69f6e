import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type RunResult, tool } from '../../src/index.ts'
import { type CrashPorts, crashEverywhere, type Script, scripted } from '../../src/testing/index.ts'
import { end } from '../acceptance/kit.ts'
import { checked } from '../setup/checks.ts'

const output = z.object({ n: z.number().transform((n) => n + 1) })
const good = '{"n":1}'
const made = { n: 2 }

const look = () => tool({ name: 'look', description: 'Looks', effect: 'read', inputSchema: z.object({}), execute: () => 'seen' })
const asksLook = { calls: [{ name: 'look', input: {} }] }

interface Play {
  readonly script: Script
  readonly withTools: boolean
  readonly maxIterations?: number
}

/** A program that may be started again: it begins the run, goes on with it, or reads its end. */
async function program({ store, world, inProcess }: CrashPorts, { script, withTools, maxIterations = 50 }: Play): Promise<RunResult> {
  const tools = withTools ? [look()] : []
  const options = inProcess({ model: scripted(script, { by: 'turn' }), tools, output, limits: { maxIterations } })
  const agent = new Agent({ ...options, world: checked(world) })
  const begun = (await store.list()).length > 0
  if (!begun) return (await agent.run('Hi', { session: 's', throwOnError: false })) as RunResult
  const isOver = !['preparing', 'model_running', 'tool_running'].includes(await agent.session('s').status())
  return (await (isOver ? agent.attach('s') : agent.resume('s')).result) as RunResult
}

describe('promise 12: a process may die anywhere while an output is asked for', () => {
  test.each<[string, Play, string]>([
    ['S4-05 in two phases', { script: [asksLook, 'Well.', good], withTools: true }, 'completed completed 3'],
    ['S4-06 in one', { script: [good], withTools: false }, 'completed completed 1'],
    ['S4-08 with answers that do not fit', { script: ['Well.', 'no', '{"n":"x"}', good], withTools: true }, 'completed completed 4'],
    ['with a stray call', { script: ['Well.', asksLook, good], withTools: true }, 'completed completed 3'],
  ])('%s', async (_name, play, due) => {
    const { crashes } = await crashEverywhere(
      (ports) => program(ports, play),
      (result) => expect([`${end(result)} ${result.iterations}`, result.output]).toEqual([due, made]),
    )
    expect(crashes).toBeGreaterThan(15)
  })

  test('C25 a run that fails so fails so: no try is counted twice', async () => {
    const play = { script: ['Well.', 'no', 'no, no', 'never'], withTools: true }
    await crashEverywhere(
      (ports) => program(ports, play),
      (result) => expect([end(result), result.iterations, result.text]).toEqual(['failed output_decoding_failed', 4, 'never']),
    )
  })

  test('a wrap-up has two attempts, crashes included: its output, or the fixed text', async () => {
    const play = { script: [asksLook, good], withTools: true, maxIterations: 1 }
    const seen = new Set<string>()
    await crashEverywhere(
      (ports) => program(ports, play),
      (result) => {
        expect(end(result)).toBe('incomplete max_iterations')
        seen.add(JSON.stringify(result.output ?? result.text))
      },
    )
    expect([...seen]).toEqual([JSON.stringify(made)])
  })
})
