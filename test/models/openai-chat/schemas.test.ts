import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type Tool, tool } from '../../../src/index.ts'
import { jsonSchema } from '../../../src/json-schema/index.ts'
import { openaiChat, openaiCompatible } from '../../../src/models/openai/index.ts'
import { fakeOpenAIChat } from '../../../src/testing/fake/chat/index.ts'

const noop = (name: string, inputSchema: Parameters<typeof tool>[0]['inputSchema']): Tool =>
  tool({ name, description: 'Does.', effect: 'read', inputSchema, execute: (input: unknown) => JSON.stringify(input) })

const shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), radius: z.number() }),
  z.object({ kind: z.literal('box'), width: z.number().optional() }),
])
const tree = jsonSchema({
  type: 'object',
  properties: { value: { type: 'string' }, left: { $ref: '#' }, right: { $ref: '#' } },
  required: ['value'],
})
const tools = [
  noop('shape', shape),
  noop('tree', tree),
  noop('none', z.object({})),
  noop('record', z.object({ r: z.record(z.string(), z.number()) })),
]

interface SentTool {
  readonly function: { readonly name: string; readonly strict?: boolean; readonly parameters: unknown }
}
const sentTools = (body: unknown) => (body as { tools: SentTool[] }).tools.map((one) => one.function)

test('B179, B180 tools with a union or a recursion are taken by a server that refuses both at the root, and run with what was meant', async () => {
  await using server = await fakeOpenAIChat([
    {
      calls: [
        { name: 'shape', input: { kind: 'box', width: null } },
        { name: 'tree', input: { value: 'a', left: { value: 'b' } } },
      ],
    },
    'done',
  ])
  const result = await new Agent({ model: openaiCompatible({ baseURL: server.url })('fake'), tools }).run('hi')
  expect([server.violations, result.status]).toEqual([[], 'completed'])
  const outputs = result.messages.flatMap(({ parts }) => parts).flatMap((part) => (part.type === 'tool-call' ? [part.settlement] : []))
  expect(outputs).toMatchObject([{ output: '{"kind":"box"}' }, { output: '{"value":"a","left":{"value":"b"}}' }])
  expect(sentTools(server.requests[0]?.body)[0]).toEqual({
    name: 'shape',
    description: 'Does.',
    parameters: {
      type: 'object',
      description: '(fields that go together: {kind "circle", radius} or {kind "box", optional width})',
      properties: { kind: { type: 'string', enum: ['circle', 'box'] }, radius: { type: 'number' }, width: { type: 'number' } },
      required: ['kind'],
    },
  })
})

test('B178 strictTools: those that can be are strict, by the rules of the server; the others are sent as ever', async () => {
  await using server = await fakeOpenAIChat([{ calls: [{ name: 'shape', input: { kind: 'box', radius: null, width: null } }] }, 'done'])
  const model = openaiCompatible({ baseURL: server.url, strictTools: true })('fake')
  const result = await new Agent({ model, tools }).run('hi')
  expect([server.violations, result.status]).toEqual([[], 'completed'])
  expect(sentTools(server.requests[0]?.body).map(({ name, strict }) => [name, strict])).toEqual([
    ['shape', true],
    ['tree', true],
    ['none', true],
    ['record', undefined],
  ])
  expect(result.messages.flatMap(({ parts }) => parts).find((part) => part.type === 'tool-call')).toMatchObject({
    settlement: { output: '{"kind":"box"}' },
  })
})

test('B200, promise 10: requests of a session say their tools with the same bytes', async () => {
  await using server = await fakeOpenAIChat([{ calls: [{ name: 'none', input: {} }] }, 'done'])
  await new Agent({ model: openaiCompatible({ baseURL: server.url, strictTools: true })('fake'), tools }).run('hi')
  const tails = server.requests.map(({ bytes }) => Buffer.from(bytes).toString().split('],"stream"')[1])
  expect(tails[0]).toContain('"strict":true')
  expect(tails[1]).toBe(tails[0])
})

test('B202 more tools than OpenAI takes are an error before anything is sent; other servers have no known limit', async () => {
  const many = Array.from({ length: 129 }, (_, i) => noop(`t${i}`, z.object({})))
  await using server = await fakeOpenAIChat(['never'], { apiKey: 'k' })
  const model = openaiChat('gpt', { baseURL: server.url, apiKey: 'k' })
  await expect(new Agent({ model, tools: many }).run('hi')).rejects.toThrow(
    '129 tools are given, and openai takes at most 128 in one request',
  )
  expect(server.requests).toEqual([])
  const fetch = async () => Response.json({ choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }] })
  const other = openaiCompatible({ baseURL: 'http://127.0.0.1:9/v1', fetch, stream: false })('m')
  expect((await new Agent({ model: other, tools: many }).run('hi')).status).toBe('completed')
})
