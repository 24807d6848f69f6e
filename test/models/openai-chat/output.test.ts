import { Agent, type ModelCapabilities, tool } from 'rondo'
import { openaiCompatible } from 'rondo/openai'
import { expect, test } from 'vitest'
import { z } from 'zod'

const city = z.object({ city: z.string() })
const look = tool({ name: 'look', description: 'Looks', effect: 'read', inputSchema: z.object({}), execute: () => 'seen' })

/** A server that gives these answers in order, and what it was sent. */
function server(answers: readonly string[], capabilities: Partial<ModelCapabilities> = {}) {
  const bodies: Record<string, unknown>[] = []
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    bodies.push(JSON.parse(await new Response(init?.body).text()))
    const message = { role: 'assistant', content: answers[bodies.length - 1] }
    return Response.json({ choices: [{ index: 0, message, finish_reason: 'stop' }] })
  }
  return { bodies, model: openaiCompatible({ baseURL: 'http://127.0.0.1:9/v1', name: 'fake', fetch, stream: false, capabilities })('m') }
}

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }

test('S4-04, S4-06 an output schema is a response_format, and no tool may be called with it', async () => {
  const { bodies, model } = server(['Well.', '{"city":"Oslo"}'])
  const result = await new Agent({ model, tools: [look], output: city }).run('Hi')
  expect(result.output).toEqual({ city: 'Oslo' })
  expect(bodies.map(({ response_format, tools, tool_choice }) => [response_format, tools !== undefined, tool_choice])).toEqual([
    [undefined, true, undefined],
    [{ type: 'json_schema', json_schema: { name: 'output', strict: true, schema } }, true, 'none'],
  ])
})

test('schemaDuringTools: both in one request (B186: chosen, never dropped in silence)', async () => {
  const { bodies, model } = server(['{"city":"Oslo"}'])
  await new Agent({ model, tools: [look], output: city, policies: { schemaDuringTools: true } }).run('Hi')
  expect(bodies[0]).toMatchObject({ response_format: { json_schema: { schema } }, tools: [{ function: { name: 'look' } }] })
})

test('B179 a list is sent as the field of an object', async () => {
  const { bodies, model } = server(['{"value":["a"]}'])
  expect((await new Agent({ model, output: z.array(z.string()) }).run('Hi')).output).toEqual(['a'])
  expect(bodies[0]).toMatchObject({ response_format: { json_schema: { schema: { type: 'object', required: ['value'] } } } })
})

test("capabilities.structuredOutput 'prompt': the schema is told in words, for servers that refuse a response_format", async () => {
  const { bodies, model } = server(['{"city":"Oslo"}'], { structuredOutput: 'prompt' })
  await new Agent({ model, instructions: 'Be brief.', output: city }).run('Hi')
  expect(bodies[0]).not.toHaveProperty('response_format')
  expect(JSON.stringify(bodies[0]?.['messages'])).toMatch(/Be brief\..*fits this JSON Schema/)
})

test('B178 an output whose schema can not be strict is sent as it is, and not as strict', async () => {
  const { bodies, model } = server(['{"counts":{"a":1}}'])
  const result = await new Agent({ model, output: z.object({ counts: z.record(z.string(), z.number()) }) }).run('Hi')
  expect(result.output).toEqual({ counts: { a: 1 } })
  expect(bodies[0]?.['response_format']).toEqual({
    type: 'json_schema',
    json_schema: {
      name: 'output',
      schema: {
        type: 'object',
        properties: { counts: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'number' } } },
        required: ['counts'],
      },
    },
  })
})

test('B178, B181 null for an optional field of a strict output is no field, null for one that can be null stays, defaults apply', async () => {
  const { bodies, model } = server(['{"city":"Oslo","note":null,"days":null,"mayor":null}'])
  const output = z.object({ city: z.string(), note: z.string().optional(), days: z.number().default(3), mayor: z.string().nullable() })
  const result = await new Agent({ model, output }).run('Hi')
  expect(result.output).toEqual({ city: 'Oslo', days: 3, mayor: null })
  expect(bodies[0]).toMatchObject({
    response_format: {
      json_schema: { strict: true, schema: { required: ['city', 'note', 'days', 'mayor'], additionalProperties: false } },
    },
  })
})
