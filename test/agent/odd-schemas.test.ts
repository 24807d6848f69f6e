import { describe, expect, test } from 'vitest'
import { Agent, type Schema, tool } from '../../src/index.ts'
import { asks, end, lines, scriptedLab } from '../acceptance/kit.ts'

/** What is no result by the specification of Standard Schema. */
const odd: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a text', 'fine'],
  ['issues that are no list', { issues: 'bad' }],
  ['issues that are null', { issues: null, value: 1 }],
  ['an issue that is null', { issues: [null] }],
  ['an issue without a message', { issues: [{}] }],
  ['a path with a hole', { issues: [{ message: 'x', path: [null] }] }],
]
const ways = [
  ['at once', (answer: unknown) => answer],
  ['in a promise', (answer: unknown) => Promise.resolve(answer)],
] as const
const cases = odd.flatMap(([what, answer]) => ways.map(([when, give]) => [what, when, () => give(answer)] as const))

function schemaOf(validate: (value: unknown) => unknown): Schema {
  const json = () => ({ type: 'object' })
  return { '~standard': { version: 1, vendor: 'odd', validate, jsonSchema: { input: json, output: json } } } as unknown as Schema
}

describe('an answer of a schema that is no result is one that has failed, whoever asked', () => {
  const text = 'the schema has answered with neither a value nor a list of issues'

  test.each(cases)('an output schema: %s, %s', async (_what, _when, answer) => {
    const { clock, model, store, world } = scriptedLab(['{"a":1}', '{"a":2}', '{"a":3}'])
    const reported: unknown[] = []
    const agent = new Agent({ model, store, world, output: schemaOf(answer), onObserverError: (error) => reported.push(error) })
    const result = await clock.until(agent.run('Hi', { throwOnError: false }))
    expect([end(result), result.status === 'failed' && result.error.message]).toEqual([
      'failed output_decoding_failed',
      `No answer fits the output schema, after 3 tries. The answer could not be checked: ${text}.`,
    ])
    expect(reported.length).toBe(3)
  })

  test.each(cases)('the schema that an output is read with, also for listeners: %s, %s', async (_what, _when, answer) => {
    const { clock, model, store, world } = scriptedLab(['{"a":1}'])
    let asked = 0
    const agent = new Agent({ model, store, world, output: schemaOf((value) => (asked++ === 0 ? { value } : answer())) })
    const heard: string[] = []
    agent.on('run.finished', ({ result }) => heard.push(end(result)))
    const result = await clock.until(agent.run('Hi', { throwOnError: false }))
    expect([end(result), heard]).toEqual(['failed output_decoding_failed', ['failed output_decoding_failed']])
  })

  test.each(cases)('the arguments of a tool: %s, %s', async (_what, _when, answer) => {
    const { clock, model, store, world } = scriptedLab([asks('odd'), 'Then not.'])
    const reported: unknown[] = []
    const tools = [tool({ name: 'odd', description: 'o', effect: 'read', inputSchema: schemaOf(answer), execute: () => 'ran' })]
    const result = await clock.until(new Agent({ model, store, world, tools, onObserverError: (error) => reported.push(error) }).run('Hi'))
    expect(lines(result.messages)).toEqual([
      'user: Hi',
      expect.stringContaining(`The arguments of 'odd' could not be checked: ${text}`),
      'assistant: Then not.',
    ])
    expect(reported.length).toBe(1)
  })

  test.each(cases)('the result of a tool stands as it is: %s, %s', async (_what, _when, answer) => {
    const { clock, model, store, world } = scriptedLab([asks('odd'), 'Good.'])
    const reported: unknown[] = []
    const inputSchema = schemaOf((value) => ({ value }))
    const tools = [
      tool({ name: 'odd', description: 'o', effect: 'read', inputSchema, outputSchema: schemaOf(answer), execute: () => 'ran' }),
    ]
    const result = await clock.until(new Agent({ model, store, world, tools, onObserverError: (error) => reported.push(error) }).run('Hi'))
    expect(lines(result.messages)).toEqual(['user: Hi', 'assistant: odd{}→ok:ran', 'assistant: Good.'])
    expect(reported.length).toBe(1)
  })
})
