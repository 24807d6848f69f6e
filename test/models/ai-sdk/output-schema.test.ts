import { expect, test } from 'vitest'
import { looseOptions, outputSchemaOf, strictNamesOf } from '../../../src/models/ai-sdk/output-schema.ts'
import { mockModel, type Version } from './mock.ts'

const text = { type: 'string' }

test('objects are closed at every depth where nothing is said of other fields; the given schema stays as it is', () => {
  const given = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { $ref: '#/$defs/item' } },
      one: { anyOf: [{ type: 'object', properties: {}, required: [] }, { type: 'null' }] },
    },
    required: ['list', 'one'],
    $defs: { item: { type: 'object', properties: { name: text }, required: ['name'] } },
  }
  const before = JSON.stringify(given)
  const { schema, isStrict } = outputSchemaOf(given)
  expect([JSON.stringify(given), isStrict]).toEqual([before, true])
  expect(schema).toMatchObject({
    additionalProperties: false,
    properties: { one: { anyOf: [{ additionalProperties: false }, {}] } },
    $defs: { item: { additionalProperties: false } },
  })
})

test.each([
  ['a field that may be absent', { type: 'object', properties: { a: text }, required: [] }],
  ['the same deep inside', { type: 'array', items: { type: 'object', properties: { a: text } } }],
  ['other fields', { type: 'object', properties: { a: text }, required: ['a'], additionalProperties: true }],
  ['fields of any name', { type: 'object', additionalProperties: text }],
])('B178 %s is nothing that the strict form can say', (_, schema) => {
  expect(outputSchemaOf(schema)).toEqual({ schema: expect.objectContaining({ type: schema.type }), isStrict: false })
})

test('a package that asks for the strict form is told under its name and that of OpenAI; what the user said stands', () => {
  const namesOf = (version: Version, provider: string) => strictNamesOf(mockModel(version, [], { provider }).model)
  expect([
    namesOf('v4', 'openai.chat'),
    namesOf('v3', 'groq.chat'),
    namesOf('v2', 'openai.chat'),
    namesOf('v4', 'anthropic.messages'),
  ]).toEqual([['openai', 'openai'], ['groq', 'openai'], [], []])
  expect(looseOptions(['groq', 'openai'], undefined)).toEqual({ groq: { strictJsonSchema: false }, openai: { strictJsonSchema: false } })
  expect(looseOptions(['openai'], { openai: { user: 'u' } })).toEqual({ openai: { strictJsonSchema: false } })
  expect(looseOptions(['openai'], { openai: { strictJsonSchema: true } })).toEqual({})
})
