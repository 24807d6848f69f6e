import { describe, expect, test } from 'vitest'
import type { Message, Part, Settlement, ToolCallPart } from '../../../src/core/message.ts'
import { messagesWriting } from '../../../src/models/anthropic/encode.ts'
import { Conversation } from '../../../src/models/http/conversation.ts'
import { scope, user, written } from './support.ts'

const data = (notes: object) => ({ providerData: { [scope]: notes } }) as Pick<Part, 'providerData'>
const ok = (output: string): Settlement<never> => ({ outcome: 'ok', output }) as unknown as Settlement<never>

function assistant(...parts: readonly Part[]): Message {
  return { role: 'assistant', parts }
}

function called(index: number, more: Partial<ToolCallPart> = {}): ToolCallPart {
  const callId = `m3.${index}`
  return { type: 'tool-call', callId, providerCallId: `toolu_${index}`, toolName: 't', input: { a: 1 }, settlement: ok('fine'), ...more }
}

const said = (text: string) => ({ type: 'text', text })
const words = (text: string): Part => ({ type: 'text', text })

const go = user('go')
const went = { role: 'user', content: [said('go')] }
const png = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const
const pngBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }

describe('who speaks', () => {
  test('messages of one role that follow each other are one, and a summary is the user’s', () => {
    expect(
      written([{ role: 'summary', parts: [{ type: 'text', text: 'so far' }] }, user('a', 'b'), user('c'), assistant(words('x'))]),
    ).toEqual([
      { role: 'user', content: [said('so far'), said('a'), said('b'), said('c')] },
      { role: 'assistant', content: [said('x')] },
    ])
  })

  test('the first message is the user’s', () => {
    const [first, second] = written([assistant(words('hello')), user('hi')]) as { role: string; content: unknown[] }[]
    expect([first?.role, first?.content.length, second?.content]).toEqual(['user', 1, [said('hello')]])
  })

  test('B190 what is blank is left out, and a message of it too', () => {
    expect(written([user('go', '', ' \n'), assistant(words('\n\n'), called(0)), user(' '), user('more')])).toEqual([
      went,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_0', name: 't', input: { a: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_0', content: 'fine' }, said('more')] },
    ])
  })

  test('B191 the blank end of a last answer is not sent where the model goes on with it; what is kept is as it was', () => {
    const answer = assistant(words('So: \n\t\u00a0\u2028 '))
    const conversation = new Conversation(messagesWriting(scope, true))
    const list = (messages: readonly Message[]) => JSON.parse(`[${Buffer.concat(conversation.encode(messages)).toString().slice(1)}]`)
    expect(list([go, answer])[1]).toEqual({ role: 'assistant', content: [said('So:')] })
    expect(list([go, answer, user('and?')])[1]).toEqual({ role: 'assistant', content: [said('So: \n\t\u00a0\u2028 ')] })
    expect(list([go, answer, assistant(words('more'))])[1].content).toEqual([said('So: \n\t\u00a0\u2028 '), said('more')])
  })

  test('B191 it is cut off a text that cites too, and off nothing else', () => {
    const citations = [{ type: 'char_location', cited_text: 'c' }]
    const cited = { ...words('So it is. '), ...data({ citations }) } as Part
    const paused = { ...words('\n'), ...data({ paused: true }) } as Part
    const last = (...parts: readonly Part[]) => written([go, assistant(...parts)], { prefill: true })[1]
    expect(last(cited)).toEqual({ role: 'assistant', content: [{ ...said('So it is.'), citations }] })
    expect(last(words('Hello'), paused)).toEqual({ role: 'assistant', content: [said('Hello')] })
    expect(last(words('Hello '), paused)).toEqual({ role: 'assistant', content: [said('Hello')] })
  })

  test('where the model does not go on with an answer, one that follows another was asked for', () => {
    const roles = (messages: unknown[]) => messages.map((message) => (message as { role: string }).role)
    const history = [go, assistant(words('a')), assistant(words('b')), user('c')]
    expect(roles(written(history))).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
    expect(roles(written(history, { prefill: true }))).toEqual(['user', 'assistant', 'user'])
    expect(roles(written([go, assistant(called(0)), assistant(words('b'))]))).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  test('B196 texts are well-formed', () => {
    expect(written([user('cut \ud83d')])).toEqual([{ role: 'user', content: [said('cut \ufffd')] }])
  })
})

describe('calls and results', () => {
  test('B193 all results stand in the next message, in call order, before any text, with their images inside', () => {
    const content = [{ type: 'text', text: 'see' } as const, png]
    const failed = {
      outcome: 'error',
      error: { code: 'ToolExecutionError', category: 'tool', message: 'broken', retryable: false },
    } as const
    const answer = assistant(words('I look.'), called(0, { content }), called(1, { settlement: failed }), called(2, { settlement: ok('') }))
    expect(written([go, answer, user('also this')])).toEqual([
      went,
      {
        role: 'assistant',
        content: [said('I look.'), ...[0, 1, 2].map((n) => ({ type: 'tool_use', id: `toolu_${n}`, name: 't', input: { a: 1 } }))],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_0', content: [said('see'), pngBlock] },
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'broken', is_error: true },
          { type: 'tool_result', tool_use_id: 'toolu_2' },
          said('also this'),
        ],
      },
    ])
  })

  test('a failure that says nothing has words all the same: the API wants some', () => {
    const error = { code: 'ToolExecutionError', category: 'tool', message: '', retryable: false } as const
    const [, , results] = written([go, assistant(called(0, { settlement: { outcome: 'error', error } }))])
    expect(results).toMatchObject({ content: [{ content: expect.stringMatching(/\w/), is_error: true }] })
  })

  test('what no result can hold is told behind all of them', () => {
    const content = [{ type: 'file', mediaType: 'audio/wav', data: 'AAAA', name: 'hum.wav' } as const]
    const list = written([go, assistant(called(0, { content }), called(1))])
    expect(list[2]).toMatchObject({
      role: 'user',
      content: [{ tool_use_id: 'toolu_0' }, { tool_use_id: 'toolu_1' }, { type: 'text' }, { text: expect.stringContaining('audio/wav') }],
    })
  })

  test('B014 B015 B016 ids that would be refused are others, in the call as in its result', () => {
    const pair = (ids: readonly (string | undefined)[]) => {
      const parts = ids.map((id, index) => {
        const { providerCallId: _, ...call } = called(index)
        return id === undefined ? call : { ...call, providerCallId: id }
      })
      const [, calls, results] = written([go, assistant(...parts)]) as { content: { id?: string; tool_use_id?: string }[] }[]
      return [calls?.content.map(({ id }) => id), results?.content.map(({ tool_use_id: id }) => id)]
    }
    for (const ids of [
      ['a|b', 'c'],
      ['same', 'same'],
      ['', 'x'],
      [undefined, 'x'],
      ['x'.repeat(65), 'y'],
      ['a.b', 'c'],
    ])
      expect(pair(ids)).toEqual([
        ['call_m3_0', 'call_m3_1'],
        ['call_m3_0', 'call_m3_1'],
      ])
    const [, , , again] = written([go, assistant(called(0)), assistant({ ...called(0), callId: 'm4.0' })]) as {
      content: { id?: string }[]
    }[]
    expect(again?.content[0]?.id).toBe('call_m4_0')
  })

  test('B034 arguments that could not be used go back as none, and a name that no tool has is a legal one', () => {
    const call = called(0, { input: {}, rawInput: '{"half', inputError: 'cut', toolName: 'functions.read file' })
    expect(written([go, assistant(call)])[1]).toMatchObject({
      content: [{ name: expect.stringMatching(/^functions_read_file_\w+$/), input: {} }],
    })
  })
})

describe('what came with an answer goes back as it came', () => {
  const redacted = { type: 'redacted_thinking', data: 'ENC' }
  const thought = { type: 'reasoning', text: 'hm', ...data({ signature: 'SIG' }) } as Part

  test('B070 thinking in its place, with its signature; what has none, or is another’s, is left out', () => {
    const foreign = { type: 'reasoning', text: 'theirs', providerData: { 'openai/responses/gpt-5': { signature: 'X' } } } as Part
    const answer = assistant(
      thought,
      { type: 'reasoning', text: '', ...data({ item: redacted }) },
      { type: 'reasoning', text: '', ...data({ signature: 'OMITTED' }) },
      { type: 'reasoning', text: 'unsigned' },
      foreign,
      called(0),
    )
    expect(written([go, answer])[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'SIG' },
        redacted,
        { type: 'thinking', thinking: '', signature: 'OMITTED' },
        { type: 'tool_use', id: 'toolu_0', name: 't', input: { a: 1 } },
      ],
    })
  })

  test('an answer of which nothing may be sent is none', () => {
    expect(written([go, assistant({ type: 'reasoning', text: 'unsigned' }), user('and?')])).toEqual([
      { role: 'user', content: [said('go'), said('and?')] },
    ])
  })

  test('citations stand on their text; sources are for people', () => {
    const citations = [{ type: 'web_search_result_location', url: 'u', encrypted_index: 'I' }]
    const parts = [{ type: 'text', text: 'so', ...data({ citations }) } as Part, { type: 'source', url: 'u' } as const]
    expect(written([go, assistant(...parts)])[1]).toEqual({ role: 'assistant', content: [{ ...said('so'), citations }] })
  })

  test('the same history is the same bytes, and a longer one begins with them', () => {
    const history = [go, assistant(thought, words('ä'), called(0)), user('b'), assistant(words('😀'), called(1)), user('c')]
    const conversation = new Conversation(messagesWriting(scope, false))
    let before = ''
    for (let count = 1; count <= history.length; count++) {
      const bytes = Buffer.concat(conversation.encode(history.slice(0, count))).toString()
      expect(bytes.startsWith(before)).toBe(true)
      expect(bytes).toBe(Buffer.concat(new Conversation(messagesWriting(scope, false)).encode(history.slice(0, count))).toString())
      // What may still become more: the end of the last message.
      before = bytes.slice(0, -2)
    }
  })
})

describe('what the provider ran', () => {
  const use = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'q' } }
  const result = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] }
  const missing = { type: 'web_search_tool_result_error', error_code: 'unavailable' }
  const started = (notes: object = {}, item: object = use): Part => ({
    type: 'tool-call',
    callId: 'm1.0',
    toolName: 'web_search',
    input: {},
    providerExecuted: true,
    ...data({ item, ...notes }),
  })
  const kept = (item: object): Part => ({ type: 'text', text: '', ...data({ item }) })

  test('a call and its result stand where they stood; another’s are left out', () => {
    const other = { ...started(), providerData: { 'openai/responses/gpt-5': { item: use } } }
    expect(written([go, assistant(words('a'), started(), kept(result), words('b'), other)])[1]).toEqual({
      role: 'assistant',
      content: [said('a'), use, result, said('b')],
    })
  })

  test('B055 an answer that paused goes back with its open call, and what follows is the same message', () => {
    const paused = assistant(words('a'), started({ paused: true }))
    expect(written([go, paused])).toEqual([went, { role: 'assistant', content: [said('a'), use] }])
    expect(written([go, paused, assistant(kept(result), words('b'))])).toEqual([
      went,
      { role: 'assistant', content: [said('a'), use, result, said('b')] },
    ])
  })

  test('an open call gets a result when the conversation goes on in another way', () => {
    const paused = assistant(words('a'), started({ paused: true }))
    const closed = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: missing }
    for (const last of [user('stop that'), assistant(words('b'))]) {
      const [, answer] = written([go, paused, last]) as { content: unknown[] }[]
      expect(answer?.content.slice(0, 3)).toEqual([said('a'), use, closed])
    }
  })

  test('a call whose result never came, in an answer that ended, is left out, and a result without its call too', () => {
    const orphan = { ...result, tool_use_id: 'srv_9' }
    expect(written([go, assistant(words('a'), started(), kept(orphan))])[1]).toEqual({ role: 'assistant', content: [said('a')] })
  })

  test.each([
    [
      { type: 'mcp_tool_use', id: 'srv_1', name: 'ask', server_name: 's', input: {} },
      { type: 'mcp_tool_result', is_error: true },
    ],
    [{ ...use, name: 'tool_search_tool_bm25' }, { type: 'tool_search_tool_result' }],
    [{ ...use, name: 'bash_code_execution' }, { type: 'bash_code_execution_tool_result' }],
  ])('a missing result has the form of its tool (%#)', (item, form) => {
    const [, answer] = written([go, assistant(started({ paused: true }, item)), user('x')]) as { content: unknown[] }[]
    expect(answer?.content[1]).toMatchObject({ ...form, tool_use_id: 'srv_1' })
  })

  test('a program that waits for calls of ours goes on after their results', () => {
    const program = { ...use, name: 'code_execution' }
    const done = { type: 'code_execution_tool_result', tool_use_id: 'srv_1', content: {} }
    const caller = { type: 'code_execution_20250825', tool_id: 'srv_1' }
    const first = assistant(started({}, program), called(0, data({ caller })))
    const second = assistant({ ...called(1, data({ caller })), callId: 'm4.0' })
    expect(written([go, first, second, assistant(kept(done), words('b'))])).toEqual([
      went,
      { role: 'assistant', content: [program, { type: 'tool_use', id: 'toolu_0', name: 't', input: { a: 1 }, caller }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_0', content: 'fine' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 't', input: { a: 1 }, caller }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'fine' }] },
      { role: 'assistant', content: [done, said('b')] },
    ])
    const closed = { type: 'code_execution_tool_result', tool_use_id: 'srv_1', content: { error_code: 'unavailable' } }
    expect(written([go, first, user('stop')]).slice(3)).toMatchObject([
      { role: 'assistant', content: [closed] },
      { role: 'user', content: [said('stop')] },
    ])
  })
})

describe('media', () => {
  const shown = (part: Part) => (written([{ role: 'user', parts: [part] }])[0] as { content: unknown[] }).content[0]
  const file = (mediaType: string, data: string, name?: string): Part => ({
    type: 'file',
    mediaType,
    data,
    ...(name === undefined ? {} : { name }),
  })

  test.each([
    [png, pngBlock],
    [
      { ...png, mediaType: 'image/jpg', data: 'data:image/jpg;base64,BBBB' },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'BBBB' } },
    ],
    [
      { ...png, data: 'https://a.test/x.png' },
      { type: 'image', source: { type: 'url', url: 'https://a.test/x.png' } },
    ],
    [
      file('application/pdf', 'JVBE', 'a.pdf'),
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }, title: 'a.pdf' },
    ],
    [file('application/pdf', 'https://a.test/x.pdf'), { type: 'document', source: { type: 'url', url: 'https://a.test/x.pdf' } }],
    [
      { ...png, mediaType: 'image/svg+xml', data: 'PHN2Zy8+' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '<svg/>' } },
    ],
    [file('IMAGE/PNG', 'AAAA'), pngBlock],
    [
      { ...png, data: '/9j/4A==' },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/4A==' } },
    ],
    [file('text/csv; charset=utf-8', 'w6Q='), { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ä' } }],
    [
      file('application/json', 'data:application/json,%7B%7D'),
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '{}' } },
    ],
  ])('%#', (part, block) => expect(shown(part as Part)).toEqual(block))

  test.each([
    file('audio/wav', 'AAAA', 'hum.wav'),
    file('application/zip', 'AAAA'),
    file('text/csv', 'https://a.test/x.csv'),
    { ...png, mediaType: 'image/tiff' },
    { ...png, data: 'http://a.test/x.png' },
    { ...png, data: 'gs://a/x.png' },
    { ...png, mediaType: 'image/svg+xml', data: 'https://a.test/x.svg' },
    { ...png, data: '' },
    { ...png, data: 'no base64!' },
  ])('what the API has no block for is told in words (%#)', (part) =>
    expect(shown(part)).toEqual({ type: 'text', text: expect.stringContaining((part as { mediaType: string }).mediaType) }),
  )

  test('an image in an answer is told in words too', () => {
    expect(written([go, assistant(png)])[1]).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: expect.stringContaining('image/png') }],
    })
  })
})

test('the mark of the cache stands on the last block, unless that is an answer’s', () => {
  const mark = ',"cache_control":{"type":"ephemeral"}'
  const cached = { cache_control: { type: 'ephemeral' } }
  expect(written([user('a', 'b')], { mark })).toEqual([{ role: 'user', content: [said('a'), { ...said('b'), ...cached }] }])
  expect(written([go, assistant(called(0))], { mark })[2]).toMatchObject({ content: [{ type: 'tool_result', ...cached }] })
  expect(JSON.stringify(written([go, assistant(words('x'))], { mark }))).not.toContain('cache_control')
})
