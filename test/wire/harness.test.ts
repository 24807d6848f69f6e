import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/core/message.ts'
import type { Exchange, WireApi, WireMeta } from '../setup/wire.ts'
import { type Allowance, type AnyDifference, allowanceIn, allowances } from './allowances.ts'
import { cutAtRandom, inPieces } from './cuts.ts'
import { answerDifferences } from './differences.ts'
import type { Outcome } from './outcome.ts'
import type { Answer, Reading } from './readings/reading.ts'
import { type Item, type ReadRequest, requestOf } from './readings/request.ts'
import { rebuild } from './rebuild.ts'
import { type Origin, requestDifferences } from './request-differences.ts'
import { markSaid } from './said.ts'
import { Tally } from './tally.ts'

// The harness itself: that it sees what is wrong. Everything here is authored.

const answer: Answer = {
  text: 'Here.',
  reasoning: ['First', 'then'],
  calls: [{ name: 'look', id: 'c1', input: { at: 1 } }],
  serverCalls: [{ name: 'web_search', item: { query: 'news' } }],
  opaque: [
    { kind: 'signature', value: 'sig-1' },
    { kind: 'encrypted', value: 'enc-2' },
  ],
  media: [{ mediaType: 'image/png', data: 'AAAA' }],
  rawFinish: ['tool_use'],
  finish: 'tool-calls',
  usage: { input: 10, cached: 4, output: 5 },
}

const outcome: Outcome = {
  message: {
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'First\n\nthen', providerData: { s: { signature: 'sig-1' } } },
      { type: 'text', text: 'Here.' },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      { type: 'tool-call', callId: 'm1.0', toolName: 'web_search', input: {}, providerExecuted: true, providerData: { s: ['enc-2'] } },
      { type: 'tool-call', callId: 'm1.1', toolName: 'look', providerCallId: 'c1', input: { at: 1 } },
    ],
  },
  finish: {
    finishReason: 'tool-calls',
    rawFinishReason: 'tool_use',
    usage: { inputTokens: 10, cachedInputTokens: 4, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 0, complete: true },
  },
}

describe('answers', () => {
  test('one that is as read differs in nothing', () => {
    expect(answerDifferences(outcome, { answer })).toEqual([])
  })

  const wrong: readonly [what: string, read: Partial<Answer>][] = [
    ['text', { text: 'Here' }],
    ['reasoning', { reasoning: ['First'] }],
    ['calls', { calls: [{ name: 'look', id: 'c2', input: { at: 1 } }] }],
    ['calls', { calls: [{ name: 'look', id: 'c1', input: { at: 2 } }] }],
    ['calls', { calls: [...answer.calls, ...answer.calls] }],
    ['order', { order: [{ type: 'call' }, { type: 'text', text: 'Here.' }] }],
    ['native-calls', { calls: [{ native: 'shell_call', id: 'c1', input: { run: 'ls' } }] }],
    ['server-calls', { serverCalls: [] }],
    ['server-calls', { serverCalls: [...answer.serverCalls, { name: 'web_search', item: { query: 'more news' } }] }],
    ['opaque', { opaque: [...answer.opaque, { kind: 'signature', value: 'sig-0' }] }],
    ['opaque', { opaque: [{ kind: 'signature', value: 'sig-1 ' }] }],
    ['media', { media: [] }],
    ['finish', { finish: 'length' }],
    ['raw-finish', { rawFinish: ['end_turn'] }],
    ['usage', { usage: { ...answer.usage, cached: 3 } }],
    ['usage', { usage: { input: 10 } }],
  ]
  for (const [what, read] of wrong) {
    test(`${what}: ${JSON.stringify(read)} is seen`, () => {
      const differences = answerDifferences(outcome, { answer: { ...answer, ...read } })
      expect(differences.map((one) => one.what)).toContain(what)
    })
  }

  test('an error is told by its code, its numbers (tokens) and its delay; an answer in its place is seen', () => {
    const error = {
      code: 'ModelContextOverflow',
      category: 'model',
      message: 'too long (11 tokens, limit 10 tokens)',
      retryable: false,
    } as const
    const read = (more: object): Reading => ({ error: { code: 'ModelContextOverflow', used: 11, limit: 10, ...more } })
    expect(answerDifferences({ error }, read({}))).toEqual([])
    expect(answerDifferences({ error }, read({ code: 'ModelBadRequest' }))).toHaveLength(1)
    expect(answerDifferences({ error }, read({ limit: 12 }))).toHaveLength(1)
    expect(answerDifferences({ error }, read({ retryAfterMs: 1_000 }))).toHaveLength(1)
    expect(answerDifferences(outcome, read({}))).toHaveLength(1)
    expect(answerDifferences({ error }, { answer })).toHaveLength(1)
    expect(answerDifferences({ error }, { answer, either: ['ModelContextOverflow'] })).toEqual([])
  })
})

const call = (id: string, name = 'look'): Item => ({ type: 'call', name, id, input: {} })
const result = (id: string, text: string): Item => ({ type: 'result', id, name: 'look', text, media: [], failed: false })
const text = (said: string): Item => ({ type: 'text', text: said })
const signature: Item = { type: 'opaque', kind: 'signature', value: 'sig-1' }
const item = (type: string): Item => ({ type: 'item', value: { type, is: 1 } })
const thought: Item = { type: 'reasoning', text: 'Hm.' }

function request(assistant: readonly Item[], user: readonly Item[], said = 'Hello'): ReadRequest {
  const items = [text(said)]
  return requestOf([
    { role: 'user', items },
    { role: 'assistant', items: assistant },
    { role: 'user', items: user },
  ])
}

describe('requests', () => {
  const turn = [thought, signature, text('Look:'), call('a'), call('b'), item('x')]
  const results = [result('a', 'A'), result('b', 'B')]
  const recorded = request(turn, results)
  const wrong: readonly [what: string, ours: ReadRequest][] = [
    ['request-instructions', { ...recorded, instructions: 'Other' }],
    ['request-roles', { ...recorded, turns: recorded.turns.slice(0, 2) }],
    ['request-roles', request([...turn, call('c')], results)],
    ['request-text', request(turn, results, 'Hello!')],
    ['request-text', request([thought, signature, text('Look'), call('a'), call('b'), item('x')], results)],
    ['request-order', request([thought, signature, call('a'), call('b'), item('x'), text('Look:')], results)],
    ['request-calls', request([thought, signature, text('Look:'), call('a'), call('b', 'list'), item('x')], results)],
    ['request-ids', request([thought, signature, text('Look:'), call('a'), call('c'), item('x')], [result('a', 'A'), result('c', 'B')])],
    ['request-pairing', request(turn, [result('b', 'A'), result('a', 'B')])],
    ['request-results', request(turn, [result('a', 'B'), result('b', 'A')])],
    ['request-results', request(turn, [{ ...result('a', 'A'), failed: true } as Item, result('b', 'B')])],
    ['request-results', request(turn, [{ ...result('a', 'A'), name: 'list' } as Item, result('b', 'B')])],
    ['request-media', request(turn, [...results, { type: 'media', kind: 'image', data: 'AAAA' }])],
    ['request-reasoning', request([signature, text('Look:'), call('a'), call('b'), item('x')], results)],
    [
      'request-marks',
      request([{ ...thought, field: 'other' } as Item, signature, text('Look:'), call('a'), call('b'), item('x')], results),
    ],
    ['request-opaque', request([thought, text('Look:'), call('a'), call('b'), item('x')], results)],
    ['request-items', request([...turn.slice(0, -1), item('y')], results)],
    ['request-items', request(turn.slice(0, -1), results)],
  ]

  test('one that is as recorded differs in nothing', () => {
    expect(requestDifferences(recorded, request(turn, results), () => 'own')).toEqual([])
  })

  for (const [what, ours] of wrong) {
    test(`${what} is seen`, () => {
      const differences = requestDifferences(recorded, ours, () => 'own')
      expect(differences.map((one) => one.what)).toContain(what)
      const unallowed = differences.filter((one) => allowanceIn(allowances, one, metaOf('messages')) === undefined)
      expect(unallowed.map((one) => one.what)).toContain(what)
    })
  }

  test('results that a client sends in another order, or not at all, are allowed: ours are whole and in the order of the calls', () => {
    const unallowed = (theirs: ReadRequest, ours: ReadRequest) =>
      requestDifferences(theirs, ours, () => 'own')
        .filter((one) => allowanceIn(allowances, one, metaOf('messages')) === undefined)
        .map(({ what }) => what)
    const turned = request(turn, [...results].reverse())
    expect(unallowed(turned, recorded)).toEqual([])
    expect(unallowed(turned, turned)).toEqual([])
    expect(unallowed(recorded, turned)).toEqual(['request-pairing'])
    expect(unallowed(turned, request(turn, [result('a', 'B'), result('b', 'A')]))).toEqual(['request-results'])
    expect(unallowed(request(turn, results.slice(0, 1)), recorded)).toEqual([])
    expect(unallowed(recorded, request(turn, results.slice(0, 1)))).toEqual(['request-roles'])
  })

  test('of a turn from elsewhere nothing that is opaque is compared', () => {
    const ours = request([text('Look:'), call('a'), call('b')], results)
    expect(requestDifferences(recorded, ours, () => undefined)).toEqual([])
  })

  test('system messages at the beginning are the instructions; adjacent messages and texts are one; empty ones are none', () => {
    const said = [
      { role: 'system' as const, items: [text('Be kind.')] },
      { role: 'user' as const, items: [text('Hel')] },
      { role: 'user' as const, items: [text('lo'), text('')] },
      { role: 'assistant' as const, items: [text('')] },
      { role: 'system' as const, items: [text('!')] },
    ]
    expect(requestOf(said)).toEqual({ instructions: 'Be kind.', tools: [], turns: [{ role: 'user', items: [text('Hello!')] }] })
  })
})

describe('what the provider had said', () => {
  const content = [
    { type: 'thinking', thinking: 'Hm.', signature: 'sig-1' },
    { type: 'text', text: 'Look:' },
    { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'news' } },
    { type: 'tool_use', id: 'a', name: 'look', input: {} },
  ]
  const answered = exchangeOf('messages', { type: 'message', content, stop_reason: 'tool_use' })
  const [thinking, said, searched, called]: readonly Item[] = [thought, text('Look:'), { type: 'item', value: content[2] }, call('a')]
  const whole = [thinking, signature, said, searched, called]
  const none = request([call('a')], [result('a', 'A')])

  function unsaid(items: readonly (Item | undefined)[], origin: Origin): string[] {
    const ours = request(
      items.flatMap((one) => one ?? []),
      [result('a', 'A')],
    )
    const differences = requestDifferences(none, ours, (turn) => (turn === 1 ? origin : undefined))
    const marked = markSaid(differences, (turn) => (turn === 1 ? answered : undefined), ours.turns)
    return marked.flatMap((one) => (one.said === true ? [] : [one.what]))
  }

  test('goes back, whatever the client has forgotten', () => expect(unsaid(whole, 'own')).toEqual([]))

  test('goes back in its order', () => expect(unsaid([thinking, signature, searched, said, called], 'own')).toEqual(['request-order']))

  test('goes back as it stood, and once', () => {
    expect(unsaid([thinking, signature, said, item('web_search'), called], 'own')).toEqual(['request-items'])
    expect(unsaid([thinking, signature, said, searched, searched, called], 'own')).toContain('request-items')
    expect(unsaid([thinking, { ...signature, value: 'sig-2' } as Item, said, searched, called], 'own')).toEqual(['request-opaque'])
  })

  test('has no id where the API gave none: there ours makes one, and sends no other', () => {
    const asks = {
      choices: [{ message: { tool_calls: [{ id: '', function: { name: 'look', arguments: '{}' } }] }, finish_reason: 'tool_calls' }],
    }
    const unnumbered = exchangeOf('chat-completions', asks)
    const unsaidIds = (id: string) => {
      const ours = request([call(id)], [result(id, 'A')])
      const differences = requestDifferences(none, ours, (turn) => (turn === 1 ? 'own' : undefined))
      return markSaid(differences, () => unnumbered, ours.turns).filter(({ said }) => said !== true)
    }
    expect(unsaidIds('call_m1_0')).toEqual([])
    expect(unsaidIds('call_of_another')).toHaveLength(1)
  })

  test('goes to another model as far as anybody can read it, even if it is word for word', () =>
    expect(unsaid(whole, 'foreign')).toEqual(['request-reasoning', 'request-opaque', 'request-items']))
})

describe('calls that are no functions, and results without ids', () => {
  const own = (turn: number) => (turn === 1 ? ('own' as const) : undefined)
  const native = (what: object, type: string) => ({ ...what, native: type }) as Item
  const recorded = request([native(call('a'), 'custom_tool_call')], [native(result('a', 'A'), 'custom_tool_call_output')])

  test('go back as what they were, and so do their results', () => {
    const whats = (ours: ReadRequest) => requestDifferences(recorded, ours, own).map(({ what }) => what)
    expect(whats(recorded)).toEqual([])
    expect(whats(request([call('a')], [result('a', 'A')]))).toEqual(['request-calls', 'request-results'])
  })

  test('go back to the program that called', () => {
    const asked = { ...result('a', 'A'), caller: 'p1' } as Item
    const differences = requestDifferences(request([call('a')], [asked]), request([call('a')], [result('a', 'A')]), own)
    expect(differences.map(({ what }) => what)).toEqual(['request-results'])
  })

  test('stand in the order of the calls in ours, whatever the client does', () => {
    const nameless = (name: string): Item => ({ type: 'result', name, text: 'A', media: [], failed: false })
    const calls = [call('a', 'look'), call('b', 'list')]
    const odd = request(calls, [nameless('list'), nameless('look')])
    expect(requestDifferences(odd, request(calls, [nameless('look'), nameless('list')]), own)).toEqual([])
    expect(requestDifferences(odd, odd, own).map(({ what }) => what)).toEqual(['request-pairing'])
  })
})

describe('the history for a recorded request', () => {
  const ours: Message = {
    id: 'm1',
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'Hm.', providerData: { s: 'sig-1' } },
      { type: 'tool-call', callId: 'm1.0', toolName: 'look', providerCallId: 'a', input: {} },
      { type: 'tool-call', callId: 'm1.1', toolName: 'list', providerCallId: 'b', input: {} },
    ],
  }

  test('our answer stands in the place of the recorded one, with the results on its calls', () => {
    const { messages, ours: places } = rebuild(
      request([call('a'), call('b', 'list')], [result('b', 'B'), result('a', 'A'), text('Go on')]),
      [ours],
    )
    expect([...places]).toEqual([[1, 0]])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(messages[1]?.parts[0]).toBe(ours.parts[0])
    expect(messages[1]?.parts.slice(1)).toMatchObject([
      { callId: 'm1.0', content: 'A', settlement: { outcome: 'ok' } },
      { callId: 'm1.1', content: 'B' },
    ])
  })

  test('a step that failed and was tried again has no answer in it', () => {
    const { ours: places } = rebuild(request([call('a'), call('b', 'list')], []), [undefined, ours])
    expect([...places]).toEqual([[1, 1]])
  })

  test('of calls that the client has forgotten nothing is sent', () => {
    const { messages, partly } = rebuild(request([call('b', 'list')], [result('b', 'B')]), [ours])
    expect([partly, messages[1]?.parts.length]).toEqual([1, 2])
    expect(messages[1]?.parts[1]).toMatchObject({ toolName: 'list', content: 'B' })
  })

  test('what is no answer of ours is built from the request', () => {
    const { messages, ours: places } = rebuild(request([text('Hi'), call('z', 'other')], [result('z', 'Z')]), [ours])
    expect(places.size).toBe(0)
    expect(messages[1]?.parts).toMatchObject([{ text: 'Hi' }, { toolName: 'other', providerCallId: 'z', content: 'Z' }])
  })
})

describe('allowances', () => {
  const lost: readonly [api: WireApi, difference: AnyDifference][] = [
    ['messages', { what: 'request-opaque', recorded: ['sig-1'], ours: [] }],
    ['responses', { what: 'request-opaque', recorded: ['enc-1'], ours: [] }],
    ['gemini-generate-content', { what: 'request-opaque', recorded: ['sig-1'], ours: ['sig-2'] }],
    ['responses', { what: 'request-item-ids', recorded: ['rs_1', 'fc_1'], ours: ['fc_1', 'rs_1'] }],
    ['gemini-generate-content', { what: 'request-ids', recorded: ['a'], ours: ['b'] }],
    ['messages', { what: 'request-text', recorded: 'Here', ours: '' }],
    ['messages', { what: 'request-items', recorded: undefined, ours: { type: 'made_up' } }],
    ['responses', { what: 'request-items', recorded: { type: 'x', found: 1 }, ours: { type: 'x' } }],
    ['gemini-generate-content', { what: 'request-items', recorded: { toolCall: { id: 'a' } }, ours: { toolCall: {} } }],
    ['messages', { what: 'request-order', recorded: ['call'], ours: ['call', 'text'], origin: 'own' }],
    ['gemini-generate-content', { what: 'request-ids', recorded: ['a'], ours: [null], origin: 'own' }],
    [
      'chat-completions',
      { what: 'request-opaque', recorded: ['sig_REDACTED_1', 'sig_REDACTED_2'], ours: ['sig_REDACTED_2', 'sig_REDACTED_1'] },
    ],
    ['messages', { what: 'opaque', recorded: ['sig-1'], ours: [] }],
  ]
  for (const [api, difference] of lost) {
    test(`none is for ${difference.what} of ${api} that ours has lost or changed`, () => {
      expect(allowanceIn(allowances, difference, metaOf(api))).toBeUndefined()
    })
  }
})

test('an exception that nothing falls under any more is told, and so is one that is wrongly said to be unseen', () => {
  const reason = 'it is so'
  const list: Allowance[] = [
    { api: 'any', what: 'request-text', reason },
    { api: 'any', what: 'request-calls', reason },
    { api: 'any', what: 'request-media', reason, unseen: true },
    { api: 'any', what: 'request-roles', reason, unseen: true },
  ]
  const tally = new Tally(list)
  const differences = (['request-text', 'request-roles', 'request-ids'] as const).map((what) => ({ what, recorded: 1, ours: 2 }))
  expect(tally.unallowed(differences, metaOf('messages')).map(({ what }) => what)).toEqual(['request-ids'])
  expect(tally.outdated()).toEqual(['request-calls of any: it is so', 'request-roles of any: it is so'])
})

test('the readings have nothing of the adapters: what they import is their own, or types', () => {
  const folder = fileURLToPath(new URL('readings', import.meta.url))
  const sources = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  const imports = sources.flatMap((source) => [...source.matchAll(/^import (type )?(?:[\w\s{},*]+? from )?'(.+)'$/gm)])
  expect(imports.length).toBeGreaterThan(30)
  expect(imports.filter(([, type, from]) => type === undefined && from?.startsWith('./') !== true).map(([line]) => line)).toEqual([])
  expect(sources.filter((source) => /\b(?:import|require)\(|^export .* from /m.test(source))).toEqual([])
})

test('a body is cut into pieces that are the body, at the same places each time', () => {
  const bytes = new TextEncoder().encode('data: {"a":1}\n\n'.repeat(20))
  const pieces = cutAtRandom(bytes, 12, 'a name')
  expect(pieces.length).toBeGreaterThan(6)
  expect(Buffer.concat(pieces)).toEqual(Buffer.from(bytes))
  expect(cutAtRandom(bytes, 12, 'a name')).toEqual(pieces)
  expect(cutAtRandom(bytes, 12, 'another')).not.toEqual(pieces)
  expect(inPieces(bytes, 1)).toHaveLength(bytes.length)
})

function exchangeOf(api: WireApi, body: object): Exchange {
  return {
    name: 'authored',
    meta: metaOf(api),
    request: () => undefined,
    response: () => new TextEncoder().encode(JSON.stringify(body)),
    header: () => undefined,
  }
}

function metaOf(api: WireApi): WireMeta {
  const path = { contentType: 'application/json', endpoint: '/', response: 'response.json', framing: 'authored' }
  return { provider: 'p', api, streaming: false, status: 200, request: true, provenance: 'recorded', features: [], ...path }
}
