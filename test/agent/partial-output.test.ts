import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type RunEvent, tool } from '../../src/index.ts'
import { type Script, scripted } from '../../src/testing/index.ts'
import { collect, lab } from '../acceptance/kit.ts'
import { checked } from '../setup/checks.ts'

const output = z.object({ title: z.string(), n: z.number() })
const good = '{"title":"Oslo","n":12}'
const look = tool({ name: 'look', description: 'Looks', effect: 'read', inputSchema: z.object({}), execute: () => 'seen' })

function place(script: Script, withTools = false) {
  const { world, clock, store } = lab()
  const model = scripted(script, { clock })
  return {
    clock,
    agent: new Agent({ model, store, world: checked(world), output, tools: withTools ? [look] : [], settings: { maxRetries: 1 } }),
  }
}

function partialsOf(events: readonly RunEvent[]): unknown[] {
  return events.flatMap((event) => (event.type === 'output.partial' ? [event.output] : []))
}

const whole = { title: 'Oslo', n: 12 }

test('partialOutputStream: the value as it grows, to the whole of it', async () => {
  const { clock, agent } = place([{ text: good, chunk: 6 }])
  const seen = await clock.until(collect(agent.stream('Hi').partialOutputStream))
  expect(seen).toEqual([{}, { title: 'Os' }, { title: 'Oslo' }, whole])
})

test('output.partial follows the piece of text it comes from; each is one of its own', async () => {
  const { clock, agent } = place([{ text: good, chunk: 12 }])
  const events = await clock.until(collect(agent.stream('Hi')))
  const types = events.map(({ type }) => type).filter((type) => type === 'text.delta' || type === 'output.partial')
  expect(types).toEqual(['text.delta', 'output.partial', 'text.delta', 'output.partial'])
  const listened: unknown[] = []
  const other = place([{ text: good, chunk: 12 }])
  other.agent.on('output.partial', (event) => listened.push(event.output))
  await other.clock.until(other.agent.run('Hi'))
  expect(listened).toEqual(partialsOf(events))
})

test('S4-05 what is said while tools are there is no output', async () => {
  const { clock, agent } = place(['{"title":"no"}', good], true)
  expect(partialsOf(await clock.until(collect(agent.stream('Hi'))))).toEqual([whole])
})

test('S4-08 an answer that does not fit is shown too, and the next one from the start', async () => {
  const { clock, agent } = place(['{"title":1,"n":1}', good])
  expect(await clock.until(collect(agent.stream('Hi').partialOutputStream))).toEqual([{ title: 1, n: 1 }, whole])
})

test('a model call that is tried again begins anew', async () => {
  const { clock, agent } = place([{ text: good, chunk: 12, fail: { code: 'ModelServerError' }, failAfter: 1 }, good])
  expect(await clock.until(collect(agent.stream('Hi').partialOutputStream))).toEqual([{ title: 'Os' }, whole])
})

test('who begins to listen in the middle misses nothing of the value', async () => {
  const { clock, agent } = place([{ text: good, chunk: 12 }])
  const run = agent.stream('Hi')
  const late: unknown[] = []
  const texts: string[] = []
  for await (const text of run.textStream) {
    texts.push(text)
    if (texts.length === 1) agent.on('output.partial', (event) => late.push(event.output))
  }
  await clock.until(run.result)
  expect(texts.join('')).toBe(good)
  expect(late.slice(-1)).toEqual(late.length === 0 ? [] : [whole])
})

test('C25 it throws RunError at the end of a run that has failed', async () => {
  const { clock, agent } = place(['no', 'no', 'no'])
  const error = await clock.until(collect(agent.stream('Hi').partialOutputStream).catch((thrown: unknown) => thrown))
  expect(error).toMatchObject({ name: 'RunError', code: 'OutputDecodingFailed' })
})
