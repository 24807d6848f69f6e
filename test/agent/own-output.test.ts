import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type AgentOptions, type Schema, type Store, type Tools, tool } from '../../src/index.ts'
import { asks, collect, end, otherProcess, refusal, type ScriptedLab, scriptedLab } from '../acceptance/kit.ts'
import { checked } from '../setup/checks.ts'

const city = () => z.object({ city: z.string() })
const other = z.object({ town: z.string() })
const good = '{"city":"Oslo"}'
const asking = tool({
  name: 'ask',
  description: 'Asks',
  effect: 'read',
  needsApproval: true,
  inputSchema: z.object({}),
  execute: () => 'yes',
})
const approve = { callId: 'm1.0', decision: 'approve' } as const

function agentOn<const S extends Schema | undefined = undefined>(place: ScriptedLab, store: Store, output?: S) {
  const { model, world } = place
  const options = { model, world: checked(world), store, tools: [asking], ...(output === undefined ? {} : { output }) }
  return new Agent(options as unknown as AgentOptions<Tools, S, unknown>)
}

/** A run with a schema of its own, parked; what follows is done in another process. */
async function parked(given: { readonly output?: Schema | undefined }, agentOutput?: Schema) {
  const place = scriptedLab([asks('ask'), 'Well.', good])
  const agent = agentOn(place, place.store, agentOutput)
  await place.clock.until(agent.run('Hi', { session: 's', ...given }))
  return { place, agent, elsewhere: <const S extends Schema | undefined>(output?: S) => agentOn(place, otherProcess(place.store), output) }
}

async function overrides(store: Store) {
  const entries = await collect(store.load('s'))
  return entries.flatMap((entry) => (entry.kind === 'run.requested' ? [entry.data.overrides] : []))[0]
}

describe('decision 0024: the output schema of a run, elsewhere', () => {
  test('the journal has its JSON Schema, and its name among what only a process can keep', async () => {
    const { place } = await parked({ output: city() })
    expect(await overrides(place.store)).toEqual({
      output: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      own: { tools: [], options: ['output'] },
    })
  })

  test("that of an agent is none of a run's own: nothing stands in the journal", async () => {
    const { place } = await parked({}, city())
    expect(await overrides(place.store)).toBeUndefined()
  })

  test.each<[string, Schema | undefined]>([
    ['no schema', undefined],
    ['another one', other],
  ])('a resume by an agent with %s is refused and records nothing', async (_name, output) => {
    const { place, elsewhere } = await parked({ output: city() })
    const before = await collect(place.store.load('s'))
    const error = await refusal(elsewhere(output).resume('s', { decisions: [approve] }).result)
    expect([error.code, error.message]).toEqual([
      'ConfigInvalid',
      "resume: the run '" +
        String(before[1]?.runId) +
        "' of session 's' needs what this resume lacks: its output schema. Give it again with agent.resume('s', { context, extraTools, output }), or by an agent that has it. Nothing was recorded.",
    ])
    expect(await collect(place.store.load('s'))).toEqual(before)
  })

  test('the resume may bring it', async () => {
    const { place, elsewhere } = await parked({ output: city() })
    const run = elsewhere().resume('s', { decisions: [approve], output: city() })
    const result = await place.clock.until(run.result)
    expect([end(result), result.output]).toEqual(['completed completed', { city: 'Oslo' }])
  })

  test('or the agent may have the same one: also for session.decide() and a sweep', async () => {
    for (const way of ['resume', 'decide', 'sweep'] as const) {
      const { place, elsewhere } = await parked({ output: city() })
      const agent = elsewhere(city())
      if (way === 'resume') await place.clock.until(agent.resume('s', { decisions: [approve] }).result)
      else await (way === 'decide' ? agent : elsewhere()).session('s').decide(approve)
      await place.clock.advance(10)
      if (way === 'sweep') await place.clock.until(agent.sweep())
      expect((await place.clock.until(agent.attach('s').result)).output).toEqual({ city: 'Oslo' })
    }
  })

  test('without it an answer through the session is recorded, and the run stays', async () => {
    const { place, elsewhere } = await parked({ output: city() })
    await elsewhere().session('s').decide(approve)
    await place.clock.advance(10)
    expect((await collect(place.store.load('s'))).at(-1)?.kind).toBe('approval.decided')
    const [swept] = await place.clock.until(elsewhere().sweep())
    expect(swept).toMatchObject({ status: 'left', reason: 'its run needs what this process lacks: its output schema' })
  })

  test('a resume may give another one, and it holds from then on', async () => {
    const { place, elsewhere } = await parked({ output: city() })
    const town = '{"town":"Oslo"}'
    const next = scriptedLab(['Well.', town])
    const agent = agentOn({ ...place, model: next.model }, otherProcess(place.store))
    const result = await place.clock.until(agent.resume('s', { decisions: [approve], output: other }).result)
    expect(result.output).toEqual({ town: 'Oslo' })
    const claims = (await collect(place.store.load('s'))).flatMap((entry) => (entry.kind === 'run.claimed' ? [entry.data.own] : []))
    const said = claims.filter((own) => own !== undefined)
    expect(said).toMatchObject([{ options: ['output'], data: { output: { required: ['town'] } } }])
    expect((await place.clock.until(elsewhere(city()).attach('s').result)).status).toBe('failed')
  })

  test('a run that was to have none has none elsewhere', async () => {
    const { place, elsewhere } = await parked({ output: undefined }, city())
    const result = await place.clock.until(elsewhere(city()).resume('s', { decisions: [approve] }).result)
    expect([end(result), result.output]).toEqual(['completed completed', 'Well.'])
  })

  test('machine 2: an output that does not fit the schema it is read with is told as a failure, with its text', async () => {
    const { place, agent, elsewhere } = await parked({}, city())
    await place.clock.until(agent.resume('s', { decisions: [approve] }).result)
    const result = await place.clock.until(elsewhere(other).attach('s').result)
    expect([end(result), result.text]).toEqual(['failed output_decoding_failed', good])
    expect(result.status === 'failed' && result.error.message).toMatch(/does not fit the schema that it is read with\. town: /)
  })

  test('decision 0010: a schema that never answers holds no reader up', async () => {
    const { place, agent, elsewhere } = await parked({}, city())
    await place.clock.until(agent.resume('s', { decisions: [approve] }).result)
    const never = city().refine(() => new Promise<boolean>(() => {}))
    const result = await place.clock.until(elsewhere(never).attach('s').result)
    expect(result.status === 'failed' && result.error.message).toContain('the schema has not answered within 30000 ms')
  })
})
