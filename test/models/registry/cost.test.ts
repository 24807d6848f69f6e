import { expect, test } from 'vitest'
import { z } from 'zod'
import { addUsage, noUsage, type Usage } from '../../../src/core/usage.ts'
import { Agent, type Model, tool } from '../../../src/index.ts'
import { costOf, defineModels, type ModelPrices, priced } from '../../../src/models/registry/index.ts'
import { memory } from '../../../src/stores/memory.ts'
import { type Script, scripted } from '../../../src/testing/index.ts'

const prices: ModelPrices = {
  input: 2,
  output: 10,
  cachedInput: 0.2,
  cacheWrite: 2.5,
  longCacheWrite: 4,
  tiers: [
    { above: 200_000, input: 8, output: 30, cachedInput: 0.8, cacheWrite: 10 },
    { above: 100_000, input: 4, output: 15, cachedInput: 0.4 },
  ],
}

const used = (usage: Partial<Usage>): Usage => ({ ...noUsage, ...usage })

test.each([
  ['input and output', { inputTokens: 1_000, outputTokens: 500 }, 0.007],
  ['reasoning as output, which has it in it', { inputTokens: 1_000, outputTokens: 500, reasoningTokens: 400 }, 0.007],
  ['cached input and cache writes apart', { inputTokens: 1_000, cachedInputTokens: 600, cacheWriteTokens: 300 }, 0.00107],
  ['cache writes for an hour at their own rate', { inputTokens: 1_000, cacheWriteTokens: 300, longCacheWriteTokens: 200 }, 0.00245],
  ['exactly at the bound of a tier still the lower rates', { inputTokens: 100_000 }, 0.2],
  ['beyond it the whole request', { inputTokens: 100_001 }, 0.400004],
  ['of two tiers the higher, in whatever order they stand', { inputTokens: 200_001, outputTokens: 1_000 }, 1.630008],
  ['nothing for nothing', {}, 0],
  ['no error of binary fractions', { inputTokens: 3, outputTokens: 1 }, 0.000016],
  ['unknown where a count was not told', { inputTokens: 1_000, complete: false }, undefined],
  ['unknown where a rate is not known', { inputTokens: 150_000, cacheWriteTokens: 1 }, undefined],
  ['unknown where the rate for an hour is not known', { inputTokens: 250_000, cacheWriteTokens: 1, longCacheWriteTokens: 1 }, undefined],
  ['unknown where more is kept for an hour than is written', { inputTokens: 10, cacheWriteTokens: 1, longCacheWriteTokens: 2 }, undefined],
  ['unknown where a count is none', { inputTokens: 10, outputTokens: Number.NaN }, undefined],
  ['unknown where a count is negative', { inputTokens: 10, outputTokens: -5 }, undefined],
  ['unknown where cached tokens are no part of the input', { inputTokens: 10, cachedInputTokens: 11 }, undefined],
])('a call costs %s', (_, usage, cost) => {
  expect(costOf(used(usage), prices)).toBe(cost)
})

test('a rate that no token needs need not be known', () => {
  expect(costOf(used({ inputTokens: 1_000 }), { input: 1, output: 1 })).toBe(0.001)
  expect(costOf(used({ inputTokens: 1_000, cachedInputTokens: 1 }), { input: 1, output: 1 })).toBeUndefined()
})

test('a sum of usages has what is kept for an hour of both, and nothing where there is none', () => {
  const long = used({ cacheWriteTokens: 5, longCacheWriteTokens: 3 })
  expect(addUsage(addUsage(noUsage, long), long)).toMatchObject({ cacheWriteTokens: 10, longCacheWriteTokens: 6 })
  expect(addUsage(noUsage, used({}))).not.toHaveProperty('longCacheWriteTokens')
})

const look = tool({ name: 'look', description: 'Looks.', inputSchema: z.object({}), execute: () => 'nothing' })
const calls = (usage: Partial<Usage>) => ({ calls: [{ name: 'look', input: {} }], usage })
const thousand = { inputTokens: 1_000, outputTokens: 100 }

function agentOf(script: Script, by: Parameters<typeof priced>[1] = { input: 1, output: 10 }, store = memory()) {
  return new Agent({ model: priced(scripted(script, { provider: 'acme', id: 'm' }), by), tools: [look], store })
}

test('a priced model tells what each call costs, and the run has their sum', async () => {
  const result = await agentOf([calls(thousand), { text: 'Done.', usage: thousand }]).run('go')
  expect(result.usage).toEqual({ ...noUsage, inputTokens: 2_000, outputTokens: 200, costUsd: 0.004 })
})

/** A model that is another one from its second call on, as one that falls back is. */
function inTurn(first: Model, second: Model): Model {
  let calls = 0
  return { ...first, capabilities: first.capabilities, stream: (...args) => (calls++ === 0 ? first : second).stream(...args) }
}

test('a run over several models has the sum of what each costs, and none when one of them is not known', async () => {
  const cheap = () => priced(scripted([calls(thousand)], { id: 'cheap' }), { input: 1, output: 10 })
  const dear = scripted(
    [
      { text: 'Done.', usage: thousand },
      { text: 'Done.', usage: thousand },
    ],
    { id: 'dear' },
  )
  const sum = await new Agent({ model: inTurn(cheap(), priced(dear, { input: 100, output: 1_000 })), tools: [look] }).run('go')
  expect(sum.usage.costUsd).toBe(0.202)
  const unknown = await new Agent({ model: inTurn(cheap(), dear), tools: [look] }).run('go')
  expect(unknown.usage).toEqual({ ...noUsage, inputTokens: 2_000, outputTokens: 200 })
})

test('what the server tells stands', async () => {
  const result = await agentOf([calls({ ...thousand, costUsd: 0.5 }), { text: 'Done.', usage: thousand }]).run('go')
  expect(result.usage.costUsd).toBe(0.502)
})

test('one call of unknown cost makes the total unknown, and never zero', async () => {
  const result = await agentOf([calls(thousand), { text: 'Done.', usage: { ...thousand, complete: false } }]).run('go')
  expect(result.usage).toEqual({ ...noUsage, inputTokens: 2_000, outputTokens: 200, complete: false })
  expect(addUsage(used({ costUsd: 1 }), used({}))).not.toHaveProperty('costUsd')
})

test('maxCostUsd stops a priced model before the call that would come after it', async () => {
  const agent = agentOf([calls(thousand), calls(thousand), calls(thousand)])
  const result = await agent.run('go', { limits: { maxCostUsd: 0.004, onLimit: 'incomplete' } })
  expect([result.status, result.reason, result.iterations, result.usage.costUsd]).toEqual(['incomplete', 'budget_exceeded', 2, 0.004])
})

test('maxCostUsd counts what is known where a call is of unknown cost', async () => {
  const agent = agentOf([calls(thousand), calls({ complete: false }), calls(thousand), calls(thousand)])
  const result = await agent.run('go', { limits: { maxCostUsd: 0.004, onLimit: 'incomplete' } })
  expect([result.reason, result.iterations, result.usage.costUsd]).toEqual(['budget_exceeded', 3, undefined])
})

test('the cost is in the journal with the response: other prices later change nothing', async () => {
  const store = memory()
  const { sessionId } = await agentOf([{ text: 'One.', usage: thousand }], undefined, store).run('go')
  await agentOf([{ text: 'Two.', usage: thousand }], { input: 100, output: 100 }, store).run('go', { session: sessionId })
  const costs: unknown[] = []
  for await (const entry of store.load(sessionId)) if (entry.kind === 'model.responded') costs.push(entry.data.usage.costUsd)
  expect(costs).toEqual([0.002, 0.11])
})

test('a catalogue gives the prices of the model by provider and id; one without is handed back as it is', () => {
  const model = scripted([], { provider: 'acme', id: 'm-2026-01-31' })
  const catalogue = defineModels({ 'acme:m': { prices: { input: 1, output: 1 } }, 'acme:unpriced': { contextWindow: 5 } })
  const wrapped = priced(model, catalogue)
  expect(wrapped).not.toBe(model)
  expect([wrapped.provider, wrapped.id, wrapped.capabilities]).toEqual(['acme', 'm-2026-01-31', model.capabilities])
  const unpriced = scripted([], { provider: 'acme', id: 'unpriced' })
  expect(priced(unpriced, catalogue)).toBe(unpriced)
  expect(priced(model)).toBe(model)
})

test.each([undefined, null, {}, { finishReason: 'stop', usage: null }])('what is no finish (%j) is handed on as it is', async (finish) => {
  const odd = { ...scripted([]), stream: () => Promise.resolve(finish as never) }
  const signal = new AbortController().signal
  expect(await priced(odd, { input: 1, output: 1 }).stream({} as never, () => {}, { signal, sessionId: 's' })).toBe(finish)
})

test('the signal of a call reaches the model through it', async () => {
  const model = scripted([{ text: 'late', delayMs: 60_000 }])
  const agent = new Agent({ model: priced(model, { input: 1, output: 1 }) })
  const controller = new AbortController()
  const run = agent.stream('go', { signal: controller.signal })
  for await (const event of run) if (event.type === 'model.started') controller.abort()
  expect((await run.result).status).toBe('aborted')
})

const rate = 'it must be US dollars for a million tokens, 0 or more'

test.each<[unknown, string]>([
  [{ inputs: 3 }, `priced: unknown option 'inputs': did you mean 'input'?; input is missing: ${rate}; output is missing: ${rate}.`],
  [{ input: -1, output: 1 }, 'priced: input must be US dollars for a million tokens, 0 or more, not -1.'],
  [{ input: 1, output: 1, tiers: [{ above: 5 }] }, `priced: tiers[0].input is missing: ${rate}; tiers[0].output is missing: ${rate}.`],
  ['gpt-5', 'priced: the prices must be an object, as { input: 0.25, output: 2 }, or a catalogue.'],
  [null, 'priced: the prices must be an object, as { input: 0.25, output: 2 }, or a catalogue.'],
])('prices that can not be used (%j) are refused when they are given', (wrong, message) => {
  const of = () => priced(scripted([]), wrong as ModelPrices)
  expect(of).toThrow(expect.objectContaining({ code: 'ConfigInvalid', message }))
})
