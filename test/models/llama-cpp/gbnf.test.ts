import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../../src/core/json.ts'
import { grammarOf } from '../../../src/models/llama-cpp/gbnf.ts'
import { Gbnf } from './gbnf-reader.ts'

/** What a schema's grammar takes of some texts. */
function taken(schema: Json, ...texts: readonly string[]): readonly string[] {
  const grammar = new Gbnf(grammarOf(schema))
  return texts.filter((text) => grammar.takes(text))
}

const object = (properties: { readonly [name: string]: Json }, required: readonly string[], more: object = {}): Json => ({
  type: 'object',
  properties,
  required,
  ...more,
})

describe('a grammar takes JSON that fits the schema, without blanks and in its order', () => {
  test.each<[rule: string, schema: Json, good: readonly string[], bad: readonly string[]]>([
    [
      'integers have no exponent and no fraction',
      { type: 'integer' },
      ['0', '-7', '123'],
      ['1e3', '1.0', '01', '-', '4e3333333333333333', '12345678901234567'],
    ],
    ['what nothing fits is left to the validation, and spoils no grammar', { enum: [] }, ['1', '{}'], ['', 'x']],
    ['a sign only where it may be', { type: 'integer', minimum: 0 }, ['0', '7'], ['-7']],
    ['numbers are finite', { type: 'number' }, ['0', '-1.5', '1e9', '2.5E-3'], ['1e999', '.5', '1.', 'NaN']],
    ['text', { type: 'string' }, ['""', '"a"', '"\\"\\u00e9\\n"', '"é😀"'], ['a', '"a', '"\n"', '"\\x"']],
    ['lengths', { type: 'string', minLength: 2, maxLength: 3 }, ['"ab"', '"abc"', '"\\n\\""'], ['"a"', '"abcd"']],
    ['lengths that no grammar should hold are left out', { type: 'string', minLength: 100_000 }, ['"a"'], []],
    ['boolean, null and lists of types', { type: ['boolean', 'null'] }, ['true', 'false', 'null'], ['0', '"true"']],
    ['constants', { const: { a: ['"\\', 1] } }, ['{"a":["\\"\\\\",1]}'], ['{}']],
    ['an enum', { enum: ['a', 1, null] }, ['"a"', '1', 'null'], ['"b"', '2']],
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'null' }] }, ['"a"', 'null'], ['1']],
    ['oneOf', { oneOf: [{ const: 1 }, { const: 2 }] }, ['1', '2'], ['3']],
    ['allOf', { allOf: [object({ a: { const: 1 } }, ['a']), object({ b: { const: 2 } }, ['b'])] }, ['{"a":1,"b":2}'], ['{"a":1}']],
    [
      'required and others',
      object({ a: { const: 1 }, b: { const: 2 }, c: { const: 3 } }, ['b']),
      ['{"b":2}', '{"a":1,"b":2}', '{"b":2,"c":3}', '{"a":1,"b":2,"c":3}'],
      ['{}', '{"a":1}', '{"a":1,"c":3}', '{"c":3,"b":2}', '{"b":2,}', '{,"b":2}', '{"b":2,"d":1}'],
    ],
    [
      'none required',
      object({ a: { const: 1 }, b: { const: 2 } }, []),
      ['{}', '{"a":1}', '{"b":2}', '{"a":1,"b":2}'],
      ['{"a":1,}', '{,"b":2}'],
    ],
    ['no properties', object({}, [], { additionalProperties: false }), ['{}'], ['{"a":1}']],
    ['any object', { type: 'object' }, ['{}', '{"a":[{"b":null}]}'], ['[]', '{"a"}']],
    [
      'more properties',
      object({ a: { const: 1 } }, ['a'], { additionalProperties: { type: 'boolean' } }),
      ['{"a":1}', '{"a":1,"x":true}'],
      ['{"x":true}', '{"a":1,"x":2}'],
    ],
    ['lists', { type: 'array', items: { const: 1 } }, ['[]', '[1]', '[1,1,1]'], ['[1,]', '[2]', '[,1]']],
    [
      'lists with bounds',
      { type: 'array', items: { const: 1 }, minItems: 2, maxItems: 3 },
      ['[1,1]', '[1,1,1]'],
      ['[]', '[1]', '[1,1,1,1]'],
    ],
    ['bounds that no grammar should hold are left out', { type: 'array', items: { const: 1 }, minItems: 5000 }, ['[]', '[1]'], []],
    ['tuples', { type: 'array', prefixItems: [{ const: 1 }, { type: 'string' }] }, ['[1,"a"]'], ['[1]', '[]']],
    ['anything', {}, ['null', '{"a":[1,"x",true]}', '"a"', '-1.5'], ['', 'a', '{"a":}']],
    [
      'B180 recursion',
      { $ref: '#/$defs/node', $defs: { node: object({ next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } }, ['next']) } },
      ['{"next":null}', '{"next":{"next":null}}'],
      ['{}', '{"next":1}'],
    ],
    [
      'a reference to the whole',
      object({ kids: { type: 'array', items: { $ref: '#' } } }, ['kids']),
      ['{"kids":[]}', '{"kids":[{"kids":[]}]}'],
      ['{"kids":[1]}'],
    ],
    ['a reference to nowhere is anything', { $ref: '#/$defs/none' }, ['1'], []],
  ])('%s', (_rule, schema, good, bad) => {
    expect(taken(schema, ...good)).toEqual(good)
    expect(taken(schema, ...bad)).toEqual([])
  })
})

test('every schema of a library gives a grammar of bounded size', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, z.string().optional()]))
  const text = grammarOf(z.toJSONSchema(z.object(many)) as Json)
  expect(text.length).toBeLessThan(50_000)
})
