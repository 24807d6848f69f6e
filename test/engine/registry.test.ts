import { describe, expect, test } from 'vitest'
import { openSessions } from '../../src/engine/registry.ts'
import { type Agent, type Decision, type Run, type Tools, tool } from '../../src/index.ts'
import { flakyStore } from '../../src/testing/index.ts'
import { agentIn, asks, collect, noInput, scriptedLab } from '../acceptance/kit.ts'

const ask = tool({ name: 'ask', description: 'Asks', inputSchema: noInput, needsApproval: true, execute: () => 'asked' })
const approve: Decision = { callId: 'm1.0', decision: 'approve' }

type Way = (agent: Agent<Tools>, id: string) => Promise<unknown>

const ways: Record<string, Way> = {
  status: (agent, id) => agent.session(id).status(),
  pending: (agent, id) => agent.session(id).pending(),
  messages: (agent, id) => collect(agent.session(id).messages()),
  entries: (agent, id) => collect(agent.session(id).entries()),
  'entries, left early': async (agent, id) => {
    for await (const _ of agent.session(id).entries()) break
  },
  'entries, beyond the end': (agent, id) => collect(agent.session(id).entries(1_000)),
  send: (agent, id) => agent.session(id).send('x'),
  abort: (agent, id) => agent.session(id).abort(),
  pause: (agent, id) => agent.session(id).pause(),
  'resume it': (agent, id) => agent.session(id).resume(),
  decide: (agent, id) => agent.session(id).decide(approve),
  'decide nothing': (agent, id) => agent.session(id).decide(),
  'decide nonsense': (agent, id) => agent.session(id).decide({ callId: 'm1.0', decision: 'maybe' } as unknown as Decision),
  submitToolResult: (agent, id) => agent.session(id).submitToolResult('m1.0', 1),
  run: (agent, id) => agent.run('x', { session: id }),
  'run with an empty input': (agent, id) => agent.run('', { session: id }),
  'run with options that can not work': async (agent, id) => agent.run('x', { session: id, limits: { maxIterations: -1 } }),
  'run with settings that can not be copied': async (agent, id) =>
    agent.run('x', { session: id, settings: { providerOptions: { x: (() => 1) as never } } }),
  'run, queued': (agent, id) => agent.run('x', { session: id, onBusy: 'queue' }),
  'run, steering': (agent, id) => agent.run('x', { session: id, onBusy: 'steer' }),
  'run, interrupting': (agent, id) => agent.run('x', { session: id, onBusy: 'interrupt' }),
  'stream, read': (agent, id) => collect(agent.stream('x', { session: id, parkAfterMs: 0 })),
  'stream, left early': async (agent, id) => {
    for await (const _ of agent.stream('x', { session: id, parkAfterMs: 0 })) break
  },
  resume: (agent, id) => agent.resume(id).result,
  'resume with an answer': (agent, id) => agent.resume(id, { decisions: [approve] }).result,
  'resume with a wrong answer': (agent, id) => agent.resume(id, { decisions: [{ callId: 'm9.9', decision: 'approve' }] }).result,
  'attach, disposed': async (agent, id) => await agent.attach(id)[Symbol.asyncDispose](),
  'attach to a run that is none': (agent, id) => agent.attach(id, { runId: 'none' }).result,
  'a run that has parked, decided': async (agent, id) => (await ended(agent, id)).decide(approve),
  'a run that has parked, aborted': async (agent, id) => (await ended(agent, id)).abort(),
  'a run that has parked, spoken to': async (agent, id) => (await ended(agent, id)).send('x'),
}

async function ended(agent: Agent<Tools>, id: string): Promise<Run<Tools>> {
  const run = agent.resume(id)
  await run.result
  return run
}

describe('nothing stays open of a session that nobody drives, writes or follows', () => {
  test.each(Object.entries(ways))('%s', async (_name, way) => {
    for (const [where, broken] of [
      ['parked', false],
      ['finished', false],
      ['unknown', false],
      ['parked', true],
    ] as const) {
      const place = scriptedLab([asks('ask'), 'One.', 'Two.', 'Three.'])
      let fails = false
      const store = flakyStore(place.store, (operation) => (fails && operation === 'load' ? 'fail-before' : 'ok'))
      const agent = agentIn({ ...place, store }, { tools: [ask] as Tools })
      if (where !== 'unknown') await place.clock.until(agent.run('Hi', { session: 's' }))
      if (where === 'finished') await place.clock.until(agent.resume('s', { decisions: [approve] }).result)
      fails = broken
      await place.clock.until(way(agent, 's').catch(() => {}))
      await place.clock.advance(5_000)
      expect(openSessions(store), `${where}${broken ? ', on a store that can not be read' : ''}`).toEqual([])
    }
  })
})
