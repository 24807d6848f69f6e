import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { RondoError } from '../../src/core/error.ts'
import type { ToolCallInfo } from '../../src/core/tool.ts'
import { jsonSchema } from '../../src/json-schema/index.ts'
import { tool } from '../../src/tools/tool.ts'

const inputSchema = jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] })
const good = { name: 'weather', description: 'Weather of a city', inputSchema, execute: () => 1 }

/** What `tool()` throws for these options; they are made of JSON and functions, as from JavaScript. */
function refusal(options: object): string {
  try {
    Reflect.apply(tool, undefined, [options])
    return 'accepted'
  } catch (error) {
    expect(RondoError.is(error) && error.code).toBe('ConfigInvalid')
    return error instanceof Error ? error.message : String(error)
  }
}

const noHalves =
  'inputSchema must have both standard halves (validation and JSON Schema): zod >= 4.2, arktype, valibot through ' +
  "toStandardJsonSchema(), or jsonSchema() from 'rondo/json-schema'"

describe('tool() says what is wrong with its options', () => {
  test.each<[string, object, string]>([
    ['an unknown option', { ...good, colour: 'red' }, "unknown option 'colour'"],
    ['a name of Object.prototype', { ...good, constructor: 1 }, "unknown option 'constructor'"],
    [
      'a bad name',
      { ...good, name: 'get weather' },
      `name "get weather" must be 1 to 64 letters, digits, '_' or '-' (providers refuse others)`,
    ],
    ['an empty name', { ...good, name: '' }, `name "" must be 1 to 64 letters, digits, '_' or '-' (providers refuse others)`],
    ['no description', { ...good, description: undefined }, 'description is missing: the model needs a text that says what the tool does'],
    ['a schema without the JSON Schema half', { ...good, inputSchema: v.object({ city: v.string() }) }, noHalves],
    ['plain JSON Schema', { ...good, inputSchema: { type: 'object' } }, noHalves],
    ['no schema', { ...good, inputSchema: undefined }, noHalves],
    ['an unknown effect', { ...good, effect: 'write' }, "effect 'write' must be 'read', 'idempotent' or 'unsafe'"],
    ['a time limit of nothing', { ...good, timeoutMs: 0 }, 'timeoutMs must be a positive number, not 0 (leave it out for the default)'],
    [
      'a grace time that is no number',
      { ...good, graceMs: '5' },
      'graceMs must be a positive number, not 5 (leave it out for the default)',
    ],
    [
      'a count that is no number',
      { ...good, maxCallsPerRun: Number.NaN },
      'maxCallsPerRun must be a positive number, not NaN (leave it out for the default)',
    ],
    [
      'an endless time limit',
      { ...good, timeoutMs: 1 / 0 },
      'timeoutMs must be a positive number, not Infinity (leave it out for the default)',
    ],
    ['an approval that is a word', { ...good, needsApproval: 'always' }, 'needsApproval must be true, false or a function'],
    ['exclusive as a word', { ...good, exclusive: 'yes' }, 'exclusive must be true or false'],
    [
      'an output schema that is none',
      { ...good, outputSchema: { type: 'string' } },
      'outputSchema must have both standard halves, as inputSchema',
    ],
    ['execute that is no function', { ...good, execute: 'rm' }, 'execute must be a function'],
    [
      'reconcile of a tool that needs none',
      { ...good, effect: 'read', reconcile: () => 'unknown' },
      "'reconcile' is asked about unsafe calls only; one of effect 'read' simply runs again",
    ],
    ['reconcile that is no function', { ...good, reconcile: true }, 'reconcile must be a function'],
    ['toModelOutput that is no function', { ...good, toModelOutput: {} }, 'toModelOutput must be a function'],
  ])('%s', (_, options, why) => {
    const name = 'name' in options ? String(options.name) : ''
    expect(refusal(options)).toBe(`tool '${name}': ${why}`)
  })

  test.each([
    ['parameters', 'inputSchema'],
    ['schema', 'inputSchema'],
    ['input_schema', 'inputSchema'],
    ['args', 'inputSchema'],
    ['run', 'execute'],
    ['handler', 'execute'],
    ['invoke', 'execute'],
    ['func', 'execute'],
    ['timeout', 'timeoutMs'],
    ['requireApproval', 'needsApproval'],
    ['requiresApproval', 'needsApproval'],
  ])("a peer's word '%s' is answered with ours", (word, ours) => {
    expect(refusal({ ...good, [word]: 1 })).toBe(`tool 'weather': unknown option '${word}': here it is called '${ours}'`)
  })

  test('no options at all', () => {
    expect(() => Reflect.apply(tool, undefined, [])).toThrow('tool() takes an object of options, not undefined')
  })

  test('everything at once', () => {
    expect(refusal({ name: 'a b', parameters: {}, description: 'd' })).toBe(
      `tool 'a b': unknown option 'parameters': here it is called 'inputSchema'; name "a b" must be 1 to 64 letters, digits, '_' or '-' ` +
        `(providers refuse others); ${noHalves}`,
    )
  })

  test('a field that has no JSON Schema is named, with the way out', () => {
    const wayOut = 'Describe what the model sends as JSON and transform it: a date, for example, as a string in ISO format.'
    const flat = refusal({ ...good, inputSchema: z.object({ city: z.string(), day: z.date() }) })
    expect(flat).toMatch(/^tool 'weather': inputSchema\.day has no JSON Schema \(Date/)
    expect(flat.endsWith(wayOut)).toBe(true)
    expect(refusal({ ...good, inputSchema: z.object({ trip: z.object({ from: z.string(), day: z.date() }) }) })).toContain(
      'inputSchema.trip.day has no JSON Schema',
    )
  })

  test.each<[string, object, string]>([
    ['zod', z.string(), '"string"'],
    ['an array', z.array(z.string()), '"array"'],
    ['jsonSchema', jsonSchema({ type: ['object', 'null'] }), '["object","null"]'],
    ['arktype', type('number'), '"number"'],
  ])('an input that is no object: %s', (_, schema, said) => {
    expect(refusal({ ...good, inputSchema: schema })).toBe(
      `tool 'weather': inputSchema must describe an object (it says ${said}); wrap the value in a field`,
    )
  })
})

describe('schemas of every library become the same JSON Schema', () => {
  const expected = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'number' } }, required: ['city'] }

  test.each([
    ['zod', z.object({ city: z.string(), days: z.number().optional() })],
    ['arktype', type({ city: 'string', 'days?': 'number' })],
    ['valibot', toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) }))],
    ['jsonSchema', jsonSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...expected })],
  ])('%s', async (_, schema) => {
    const made = tool({ name: 'weather', description: 'd', inputSchema: schema, execute: () => 1 })
    expect(made.inputJsonSchema).toEqual(expected)
    expect(made.inputSchema).toBe(schema)
    expect(await made.inputSchema['~standard'].validate({ city: 'Paris' })).toMatchObject({ value: { city: 'Paris' } })
    expect((await made.inputSchema['~standard'].validate({ city: 1 })).issues).toHaveLength(1)
  })

  test('the model is told what goes in, not what a transform makes of it', () => {
    const day = z.object({ day: z.iso.date().transform((text) => new Date(text)), unit: z.string().default('c') })
    expect(tool({ name: 'plan', description: 'd', inputSchema: day, execute: ({ day }) => day.getTime() }).inputJsonSchema).toMatchObject({
      properties: { day: { type: 'string', format: 'date' }, unit: { default: 'c' } },
      required: ['day'],
    })
  })
})

describe('the tool', () => {
  test('frozen options are taken and not changed', () => {
    const options = Object.freeze({ ...good, inputSchema: Object.freeze(inputSchema) })
    const before = Object.entries(options)
    const made = tool(options)
    expect(Object.entries(options)).toEqual(before)
    expect([Object.isFrozen(made), Object.isFrozen(made['~definition'])]).toEqual([true, true])
  })

  test('it is unsafe unless said otherwise, and keeps what makes it run', () => {
    const made = tool({ ...good, timeoutMs: 5, exclusive: true, execute: ({ city }) => city.length })
    expect({ ...made, '~definition': Object.keys(made['~definition']).sort() }).toEqual({
      name: 'weather',
      description: 'Weather of a city',
      inputSchema,
      inputJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      effect: 'unsafe',
      '~definition': ['describe', 'exclusive', 'execute', 'timeoutMs'],
    })
    expect(made['~definition'].execute?.({ city: 'Paris' }, {} as ToolCallInfo)).toBe(5)
    const dynamic = tool.for<{ user: string }>()({ ...good, effect: 'read', description: ({ context }) => `for ${context.user}` })
    expect([dynamic.description, dynamic.effect, typeof dynamic['~definition'].describe]).toEqual(['', 'read', 'function'])
  })
})
