import { describe, expect, test } from 'vitest'
import { agentIn, asks, end, journal, lines, plainTool, scriptedLab } from '../kit.ts'

describe('a response without anything', () => {
  const silent = { deltas: [] }

  test('B060 nothing after tool results: asked again, then an end that says so, and never a silent success', async () => {
    const place = scriptedLab([asks('act'), silent, silent, silent])
    const result = await place.clock.until(agentIn(place, { tools: [plainTool('act', () => 'done')] }).run('Hi'))
    expect([end(result), result.iterations, lines(result.messages)]).toEqual([
      'incomplete empty_response',
      1,
      ['user: Hi', 'assistant: act{}→ok:done'],
    ])
    place.model.assertDone()
  })

  test.each([
    ['white space', { text: ' \n' }],
    ['reasoning alone', { reasoning: 'Let me think.' }],
    ['an empty text', { deltas: [{ type: 'text', part: 0, text: '' }] as const }],
  ])('B060 %s is nothing too', async (_name, reply) => {
    const place = scriptedLab([reply, 'Here I am.'])
    const result = await place.clock.until(agentIn(place).run('Hi'))
    expect([end(result), result.text, result.iterations]).toEqual(['completed completed', 'Here I am.', 1])
  })

  test.each([
    ['retries: 0', { retries: 0 }, 'incomplete empty_response', 1],
    ["end: 'error'", { end: 'error' as const }, 'failed empty_response', 3],
  ])('B060 is configurable (%s)', async (_name, emptyResponse, how, asked) => {
    const place = scriptedLab([silent, silent, silent])
    const result = await place.clock.until(agentIn(place, { policies: { emptyResponse } }).run('Hi', { throwOnError: false }))
    expect([end(result), place.model.requests.length]).toEqual([how, asked])
  })

  test('B061 nothing to add after a side effect is no model error: no failure, no backoff', async () => {
    const place = scriptedLab([asks('act'), silent, silent, silent])
    const result = await place.clock.until(agentIn(place, { tools: [plainTool('act', () => undefined)] }).run('Hi', { session: 's' }))
    expect([end(result), result.text, place.clock.monotonic()]).toEqual(['incomplete empty_response', '', 0])
    expect((await journal(place.store, 's')).filter((entry) => entry.startsWith('model.failed'))).toEqual([])
  })
})
