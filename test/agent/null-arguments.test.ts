import { Agent, tool } from 'rondo'
import { jsonSchema } from 'rondo/json-schema'
import { scripted } from 'rondo/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

/** What a tool was run with, and what the model was told, for one call with these arguments. */
async function called(inputSchema: Parameters<typeof tool>[0]['inputSchema'], input: unknown) {
  const got: unknown[] = []
  const search = tool({
    name: 'search',
    description: 'Searches.',
    effect: 'read',
    inputSchema,
    execute: (given: unknown) => {
      got.push(given)
      return 'found'
    },
  })
  const model = scripted([{ calls: [{ name: 'search', input }] }, 'done'])
  const result = await new Agent({ model, tools: [search] }).run('Go')
  const call = result.messages.flatMap(({ parts }) => parts).find((part) => part.type === 'tool-call')
  return { got, call }
}

describe('B181 null for an optional field that can not be null is as if it was not given', () => {
  const schema = z.object({
    query: z.string(),
    limit: z.number().optional(),
    page: z.number().default(1),
    after: z.string().nullable(),
    before: z.string().nullish(),
    filter: z.object({ lang: z.string().optional() }).optional(),
  })

  test('the tool runs at the first try; defaults apply, and what can be null is null', async () => {
    const { got } = await called(schema, { query: 'cats', limit: null, page: null, after: null, before: null, filter: { lang: null } })
    expect(got).toEqual([{ query: 'cats', page: 1, after: null, before: null, filter: {} }])
  })

  test('the history keeps what the model sent', async () => {
    const { call } = await called(schema, { query: 'cats', limit: null, after: null })
    expect(call).toMatchObject({ input: { query: 'cats', limit: null, after: null }, settlement: { outcome: 'ok' } })
  })

  test('null for a required field is still told to the model', async () => {
    const { got, call } = await called(schema, { query: null, after: null })
    expect(got).toEqual([])
    expect(call).toMatchObject({ settlement: { outcome: 'invalid' } })
    expect(JSON.stringify(call)).toContain('query')
  })

  test('a coercion does not make a value of it', async () => {
    const { got } = await called(z.object({ limit: z.coerce.number().optional() }), { limit: null })
    expect(got).toEqual([{}])
  })

  test('the same with plain JSON Schema', async () => {
    const plain = jsonSchema({
      type: 'object',
      properties: { query: { type: 'string' }, limit: { type: 'integer' } },
      required: ['query'],
      additionalProperties: false,
    })
    const { got } = await called(plain, { query: 'cats', limit: null })
    expect(got).toEqual([{ query: 'cats' }])
  })
})
