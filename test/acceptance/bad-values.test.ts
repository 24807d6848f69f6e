import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { content, done, tool } from '../../src/index.ts'
import { agentIn, asks, collect, end, lines, noInput, plainTool, scriptedLab } from './kit.ts'

const look = plainTool('look', () => 1)

describe('values', () => {
  test.each([
    ['a text', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['a text of arrays', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a text that never closes', '['.repeat(100_000)],
  ])('arguments 100,000 levels deep, %s: invalid, the model is told, the run goes on', async (_name, rawInput) => {
    const place = scriptedLab([{ calls: [{ name: 'look', input: {}, rawInput }] }, 'ok'])
    const result = await place.clock.until(agentIn(place, { tools: [look] }).run('Hi'))
    expect([end(result), result.calls[0]?.outcome === 'invalid' && result.calls[0].error.message]).toEqual([
      'completed completed',
      'The arguments of this call cannot be used: they are nested deeper than 200 levels.',
    ])
  })

  test('a call that comes whole with arguments 100,000 levels deep is invalid too', async () => {
    let input = {}
    for (let level = 0; level < 100_000; level++) input = { a: input }
    const place = scriptedLab([
      { deltas: [{ type: 'part', part: 0, value: { type: 'tool-call', callId: '', toolName: 'look', input } }] },
      'ok',
    ])
    const result = await place.clock.until(agentIn(place, { tools: [look] }).run('Hi'))
    expect([end(result), result.calls[0]?.outcome]).toEqual(['completed completed', 'invalid'])
  })

  const fifty = 'x'.repeat(50 * 1024 * 1024)
  test.each<[string, () => unknown]>([
    ['returned', () => fifty],
    ['returned in an object', () => ({ text: fifty })],
    ['given by done()', () => done(fifty)],
    ['given by content()', () => content([{ type: 'text', text: fifty }])],
    ['given by content() as an error', () => content([{ type: 'text', text: fifty }], { isError: true })],
    ['thrown', () => Promise.reject(new Error(fifty))],
  ])('a 50 MB result, %s: the model sees an excerpt, the journal stays small, what is cut says so', async (_name, execute) => {
    const place = scriptedLab([asks('big'), 'ok'])
    // Hashing takes real time, which a virtual clock does not wait for.
    const result = await agentIn(place, { tools: [plainTool('big', execute)] }).run('Hi', { session: 's' })
    expect(result.status).toBe('completed')
    expect(JSON.stringify(await collect(place.store.load('s'))).length).toBeLessThan(300_000)
    expect(lines(result.messages)[1]).toMatch(/bytes left out|…$/)
  })

  test.each<[string, () => unknown]>([
    ['returned', () => 'x'.repeat(200_000)],
    [
      'given by content()',
      () =>
        content([
          { type: 'text', text: 'x'.repeat(100_000) },
          { type: 'text', text: 'y'.repeat(100_000) },
        ]),
    ],
  ])('a 200 KB result, %s: kept whole, and the model sees an excerpt of at most 50 KB', async (_name, execute) => {
    const place = scriptedLab([asks('big'), 'ok'])
    const result = await place.clock.until(agentIn(place, { tools: [plainTool('big', execute)] }).run('Hi'))
    expect(String(result.calls[0]?.output).length).toBe(200_000)
    expect(lines(place.model.requests[1]?.messages ?? [])[1]?.length).toBeLessThan(52_000)
  })

  const kept = (text: string) => !text.includes('sha256:')
  test.each([
    ['as many bytes as the limit, in half as many characters', 'é'.repeat(100), true],
    ['one byte over the limit, in characters of two', `a${'é'.repeat(100)}`, false],
    ['over the limit, in characters of four', '😀'.repeat(51), false],
    ['as many characters as bytes', 'a'.repeat(200), true],
    ['one character too many', 'a'.repeat(201), false],
  ])('maxStoredBytes counts bytes of UTF-8: %s', async (_name, text, inline) => {
    const place = scriptedLab([asks('plain', 'parts'), 'ok'])
    const tools = [plainTool('plain', () => text), plainTool('parts', () => content([{ type: 'text', text }]))]
    const run = agentIn(place, { tools, policies: { toolResult: { maxStoredBytes: 200 } } }).run('Hi')
    expect((await run).calls.map(({ output }) => kept(String(output)))).toEqual([inline, inline])
  })

  test('a 50 MB result from a client is kept within the same limits, and nothing of it is lost', async () => {
    const place = scriptedLab([asks('outside'), 'ok'])
    const agent = agentIn(place, { tools: [tool({ name: 'outside', description: 'Outside', inputSchema: noInput })] })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    // Hashing takes real time, which a virtual clock does not wait for.
    const result = await agent.resume('s', { results: [{ callId: 'm1.0', output: fifty }] }).result
    expect(JSON.stringify(await collect(place.store.load('s'))).length).toBeLessThan(300_000)
    const ref = /sha256:[0-9a-f]+/.exec(lines(result.messages)[1] ?? '')?.[0] ?? ''
    expect((await place.store.blobs.get(ref))?.length).toBe(fifty.length)
  })

  test('tiny and huge numbers in limits and inputs', async () => {
    const place = scriptedLab([{ text: 'ok', usage: { inputTokens: Number.MAX_SAFE_INTEGER } }])
    const limits = {
      maxIterations: Number.MIN_VALUE,
      maxTokens: Number.MAX_VALUE,
      maxDurationMs: Number.POSITIVE_INFINITY,
      onLimit: 'incomplete',
    } as const
    expect(end(await place.clock.until(agentIn(place, { limits: { ...limits, maxIterations: 1 } }).run('x'.repeat(1_000_000))))).toBe(
      'completed completed',
    )
    const schema = z.object({ n: z.number() })
    const take = tool({ name: 'take', description: 'Takes', inputSchema: schema, execute: ({ n }) => n })
    const other = scriptedLab([
      {
        calls: [
          { name: 'take', input: {}, rawInput: '{"n":5e-324}' },
          { name: 'take', input: {}, rawInput: '{"n":1e400}' },
        ],
      },
      'ok',
    ])
    const result = await other.clock.until(agentIn(other, { tools: [take] }).run('Hi'))
    expect(result.calls.map((settled) => settled.outcome)).toEqual(['ok', 'invalid'])
  })
})
