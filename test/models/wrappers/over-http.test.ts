import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, fallback, limited, tool } from '../../../src/index.ts'
import { openaiCompatible } from '../../../src/models/openai/index.ts'
import { fakeOpenAIChat } from '../../../src/testing/fake/chat/index.ts'

const look = tool({ name: 'look', description: 'Looks', inputSchema: z.object({}), effect: 'read', execute: () => 'a door' })
const quick = { settings: { maxRetries: 2 }, policies: { retry: { baseMs: 1 } }, limits: { maxIterations: 10 } }

test('over HTTP: a session goes from one server to another and back; no server refuses what it is sent', async () => {
  const overloaded = { status: 503, body: '{"error":{"message":"overloaded"}}' }
  const cut = { text: ['Half ', 'an '], breaks: { after: 1, with: 'reset' as const } }
  await using one = await fakeOpenAIChat([{ calls: [{ name: 'look' }, { name: 'look' }], reasoning: 'hm' }, overloaded, 'From one.'], {
    rules: { extraMessageFields: ['reasoning_content'] },
  })
  await using two = await fakeOpenAIChat([{ calls: [{ name: 'look' }] }, cut, 'Never.'])
  await using three = await fakeOpenAIChat(['From three.'])
  const models = [one, two, three].map(({ url }, index) => openaiCompatible({ baseURL: url, name: `server${index + 1}` })('m'))
  const model = limited(fallback(models, { cooldownMs: 600_000 }), { concurrency: 1 })
  const agent = new Agent({ ...quick, model, tools: [look] })
  const run = agent.stream('What is there?', { session: 's' })
  const answered: (string | undefined)[] = []
  for await (const event of run) if (event.type === 'model.finished') answered.push(event.model)
  const result = await run.result
  expect([result.status, result.text, result.calls.length]).toEqual(['completed', 'From three.', 3])
  expect(answered).toEqual(['server1:m', 'server2:m', 'server3:m'])
  for (const { violations } of [one, two, three]) expect(violations).toEqual([])
  expect([model.running, model.waiting]).toEqual([0, 0])
})

test('over HTTP: an abort in the line leaves the server alone', async () => {
  await using server = await fakeOpenAIChat([{ text: 'One.', delayMs: Number.POSITIVE_INFINITY }])
  const model = limited(openaiCompatible({ baseURL: server.url })('m'), { concurrency: 1 })
  const agent = new Agent({ ...quick, model })
  const first = agent.stream('first')
  const ended = [first.result]
  while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const second = agent.stream('second')
  ended.push(second.result)
  while (model.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
  await second.abort('Enough.')
  await first.abort('Enough.')
  expect((await Promise.all(ended)).map(({ status }) => status)).toEqual(['aborted', 'aborted'])
  while (model.running > 0) await new Promise((resolve) => setImmediate(resolve))
  expect(server.requests).toHaveLength(1)
})
