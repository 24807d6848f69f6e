import { describe, expect, test } from 'vitest'
import {
  added,
  completed,
  decode,
  decodeWhole,
  done,
  functionCall,
  inputDelta,
  message,
  reasoning,
  response,
  textDelta,
  usage,
} from './support.ts'

const created = { type: 'response.created', response: { ...response([]), status: 'in_progress', usage: null } }
const empty = { content: [], status: 'in_progress' }

/** What a stream of OpenAI says of one message, four times over. */
function streamedMessage(pieces: readonly string[]): readonly object[] {
  const text = pieces.join('')
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  return [
    created,
    added(message('', empty)),
    { type: 'response.content_part.added', ...at, part: { type: 'output_text', text: '', annotations: [] } },
    ...pieces.map((piece) => textDelta(piece)),
    { type: 'response.output_text.done', ...at, text },
    { type: 'response.content_part.done', ...at, part: { type: 'output_text', text, annotations: [] } },
    done(message(text)),
    completed([message(text)]),
  ]
}

const inMessage = { s: { message: { id: 'msg_1' } } }

describe('text', () => {
  test('B092 text that is told four times is in the message once', () => {
    const { parts, deltas } = decode(streamedMessage(['o', 'k']))
    expect(parts).toEqual([{ type: 'text', text: 'ok', providerData: inMessage }])
    expect(deltas).toEqual([
      { type: 'text', part: 0, text: 'o' },
      { type: 'text', part: 0, text: 'k' },
      { type: 'data', part: 0, providerData: inMessage },
    ])
  })

  test.each([
    ['its own text event', { type: 'response.output_text.done', item_id: 'msg_1', output_index: 0, content_index: 0, text: 'all of it' }],
    ['its item', done(message('all of it'))],
    ['the last snapshot', completed([message('all of it')])],
  ])('B035 text that only comes in %s is told once', (_, event) => {
    const { parts } = decode([created, added(message('', empty)), event, done(message('all of it')), completed([message('all of it')])])
    expect(parts).toMatchObject([{ type: 'text', text: 'all of it' }])
  })

  test('B092 where its events count the texts of all items, a text is told once all the same', () => {
    const piece = (content_index: number, delta: string) => ({ ...textDelta(delta), content_index })
    expect(
      decode([added(message('', empty)), piece(1, 'o'), piece(1, 'k'), done(message('ok')), completed([message('ok')])]).parts,
    ).toEqual([{ type: 'text', text: 'ok', providerData: inMessage }])
    const two = { ...message('one'), content: ['one', 'two'].map((text) => ({ type: 'output_text', text, annotations: [] })) }
    const both = decode([added(message('', empty)), piece(3, 'one'), piece(4, 'tw'), done(two), completed([two])])
    expect(both.parts).toMatchObject([{ text: 'one' }, { text: 'two' }])
  })

  test('the rest of a text that deltas have begun is added, and one that says something else replaces it', () => {
    expect(decode([textDelta('half'), done(message('half of it')), completed([message('half of it')])]).parts).toMatchObject([
      { text: 'half of it' },
    ])
    expect(decode([textDelta('wrong'), done(message('right')), completed([message('right')])]).parts).toMatchObject([{ text: 'right' }])
  })

  test('a server that sends deltas and the end only, which repeats nothing, is understood', () => {
    const { parts, finish } = decode([
      { type: 'response.output_text.delta', delta: 'Hel' },
      { type: 'response.output_text.delta', delta: 'lo' },
      completed([]),
    ])
    expect(parts).toMatchObject([{ type: 'text', text: 'Hello' }])
    expect(finish.finishReason).toBe('stop')
  })

  test('items that interleave, and one that ends after another, keep their order', () => {
    const thought = { type: 'response.reasoning_text.delta', item_id: 'rs_1', output_index: 0, content_index: 0 }
    const open = reasoning({ encrypted_content: undefined, content: [{ type: 'reasoning_text', text: 'hm, well' }] })
    const { parts } = decode([
      added(reasoning({ encrypted_content: undefined })),
      { ...thought, delta: 'hm' },
      added(message('', empty), 1),
      textDelta('4', 1),
      { ...thought, delta: ', well' },
      done(message('4'), 1),
      done(open),
      completed([open, message('4')]),
    ])
    expect(parts).toMatchObject([
      { type: 'reasoning', text: 'hm, well' },
      { type: 'text', text: '4', providerData: { s: { after: 'rs_1' } } },
    ])
  })

  test('the phase of a message is kept, and two messages stay two', () => {
    const first = message('Looking.', { id: 'msg_a', phase: 'commentary' })
    const last = message('Found.', { id: 'msg_b', phase: 'final_answer' })
    expect(decode([done(first), done(last, 1), completed([first, last])]).parts).toEqual([
      { type: 'text', text: 'Looking.', providerData: { s: { message: { id: 'msg_a', phase: 'commentary' } } } },
      { type: 'text', text: 'Found.', providerData: { s: { message: { id: 'msg_b', phase: 'final_answer' } } } },
    ])
  })

  test('B057 a refusal is text and ends the response as one', () => {
    const item = message('', { content: [{ type: 'refusal', refusal: 'I will not.' }] })
    const pieces = ['I will', ' not.'].map((delta) => ({
      type: 'response.refusal.delta',
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta,
    }))
    for (const events of [[...pieces, done(item)], [done(item)], []]) {
      const { parts, finish } = decode([...events, completed([item])])
      expect(parts).toEqual([{ type: 'text', text: 'I will not.', providerData: { s: { message: { id: 'msg_1' }, refusal: true } } }])
      expect(finish).toMatchObject({ finishReason: 'refusal', rawFinishReason: 'completed' })
    }
  })

  test('pages and files that are cited are sources, each once, and what the text says of them is kept', () => {
    const page = { type: 'url_citation', url: 'https://example.org/a', title: 'A', start_index: 0, end_index: 2 }
    const file = { type: 'file_citation', file_id: 'file-1', filename: 'notes.txt', index: 3 }
    const item = message('a, b', { content: [{ type: 'output_text', text: 'a, b', annotations: [page, page, file] }] })
    const told = { type: 'response.output_text.annotation.added', item_id: 'msg_1', output_index: 0, annotation: page }
    expect(decode([textDelta('a, b'), told, done(item), completed([item])]).parts).toEqual([
      { type: 'text', text: 'a, b', providerData: { s: { message: { id: 'msg_1' }, annotations: [page, page, file] } } },
      { type: 'source', url: 'https://example.org/a', title: 'A' },
      { type: 'source', url: 'openai:file-1', title: 'notes.txt' },
    ])
  })

  test('an empty message is kept: reasoning may have to be followed by it', () => {
    expect(decode([done(reasoning()), done(message(''), 1), completed([reasoning(), message('')])]).parts).toMatchObject([
      { type: 'reasoning', text: '' },
      { type: 'text', text: '', providerData: { s: { message: { id: 'msg_1' }, after: 'rs_1' } } },
    ])
  })
})

describe('reasoning', () => {
  const summaries = [
    { type: 'summary_text', text: 'First.' },
    { type: 'summary_text', text: 'Second.' },
  ]
  const piece = (summary_index: number, delta: string) => ({
    type: 'response.reasoning_summary_text.delta',
    item_id: 'rs_1',
    output_index: 0,
    summary_index,
    delta,
  })

  test('each summary is a part; the item is kept on the first as it came', () => {
    const item = reasoning({ summary: summaries })
    const events = [added(reasoning()), piece(0, 'Fir'), piece(0, 'st.'), piece(1, 'Second.'), done(item), completed([item])]
    const parts = [
      { type: 'reasoning', text: 'First.', providerData: { s: { item } } },
      { type: 'reasoning', text: 'Second.' },
    ]
    expect(decode(events).parts).toEqual(parts)
    expect(decodeWhole(response([item])).parts).toEqual(parts)
  })

  test('encrypted content of the last snapshot counts: it differs from that of the item itself', () => {
    const last = reasoning({ encrypted_content: 'gBBB' })
    expect(decode([done(reasoning()), completed([last])]).parts).toEqual([
      { type: 'reasoning', text: '', providerData: { s: { item: last } } },
    ])
  })

  test('an id that the server makes up anew with each event makes no second item', () => {
    const item = (id: string) => reasoning({ id, content: [{ type: 'reasoning_text', text: 'hm' }] })
    const thought = { type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, item_id: 'rs_b', delta: 'hm' }
    expect(decode([added(reasoning({ id: 'rs_a' })), thought, done(item('rs_c')), completed([item('rs_d')])]).parts).toMatchObject([
      { type: 'reasoning', text: 'hm', providerData: { s: { item: { id: 'rs_d' } } } },
    ])
  })

  test.each(['response.reasoning.delta', 'response.reasoning_summary.delta'])('%s of older servers is reasoning too', (type) => {
    expect(decode([{ type, item_id: 'r', output_index: 0, delta: { text: 'hm' } }, completed([])]).parts).toEqual([
      { type: 'reasoning', text: 'hm' },
    ])
  })

  test('reasoning that stands beside the output of a body comes first', () => {
    expect(decodeWhole(response([message('ok')], { reasoning: 'hm' })).parts).toMatchObject([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'ok' },
    ])
  })
})

describe('calls', () => {
  const bare = functionCall({ arguments: '', status: 'in_progress' })
  const told = {
    type: 'tool-call',
    callId: 'm1.0',
    providerCallId: 'call_1',
    toolName: 'weather',
    input: { city: 'Bern' },
    providerData: { s: { item: { id: 'fc_1', type: 'function_call', status: 'completed' } } },
  }

  test.each([
    ['deltas', [added(bare), inputDelta('{"city":'), inputDelta('"Bern"}'), done(functionCall())]],
    [
      'its arguments event and its item',
      [added(bare), { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"city":"Bern"}' }, done(functionCall())],
    ],
    ['its item only', [done(functionCall())]],
    ['the last snapshot only', []],
  ])('B035 a call that comes in %s is told once and whole', (_, events) => {
    const { parts, finish } = decode([...events, completed([functionCall()])])
    expect(parts).toEqual([told])
    expect(finish).toMatchObject({ finishReason: 'tool-calls', rawFinishReason: 'completed' })
  })

  test('two calls in the same place are two: their ids tell', () => {
    const second = functionCall({ id: 'fc_2', call_id: 'call_2' })
    const { parts } = decode([
      added(bare),
      added({ ...second, arguments: '' }),
      inputDelta('{"city":"Bern"}'),
      inputDelta('{"city":"Bern"}', 0, 'fc_2'),
      done(functionCall()),
      done(second),
      completed([functionCall(), second]),
    ])
    expect(parts).toMatchObject([{ providerCallId: 'call_1' }, { providerCallId: 'call_2' }])
    expect(parts).toHaveLength(2)
  })

  test('events that name neither place nor id belong to the item that is open', () => {
    const events = [
      { type: 'response.output_item.added', item: bare },
      { type: 'response.function_call_arguments.delta', delta: '{"city":"Bern"}' },
    ]
    expect(decode([...events, { type: 'response.output_item.done', item: functionCall() }, completed([functionCall()])]).parts).toEqual([
      told,
    ])
  })

  test('what the whole item says counts, where it is something else than its pieces; how it is spelt does not', () => {
    const zurich = functionCall({ arguments: '{"city":"Zürich"}' })
    expect(decode([added(bare), inputDelta('{"city":"Bern"}'), done(zurich), completed([zurich])]).parts).toMatchObject([
      { input: { city: 'Zürich' } },
    ])
    const spaced = functionCall({ arguments: '{ "city": "Bern" }' })
    expect(decode([added(bare), inputDelta('{"city":"Bern"}'), done(spaced), completed([spaced])]).parts).toEqual([told])
  })

  test('arguments that are a value and not a text are taken (B030)', () => {
    expect(decodeWhole(response([functionCall({ arguments: { city: 'Bern' } })])).parts).toEqual([told])
  })

  test('B031 a call that the limit has cut is not usable, not even where what came of it is JSON', () => {
    for (const written of ['{"city":"Be', '{"city":"Bern"}']) {
      const cut = functionCall({ arguments: written, status: 'incomplete' })
      const end = {
        ...completed([cut], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
        type: 'response.incomplete',
      }
      const { parts, finish } = decode([added(bare), inputDelta(written), done(cut), end])
      expect(parts).toMatchObject([{ input: {}, rawInput: written, inputError: expect.stringContaining('cannot be used') }])
      expect(finish).toMatchObject({ finishReason: 'length', rawFinishReason: 'max_output_tokens' })
    }
  })

  test('a call without a name is garbled', () => {
    expect(() => decode([inputDelta('{}'), completed([])])).toThrow('a tool call has no name')
  })

  test('who called it, and in which namespace, is kept', () => {
    const item = functionCall({ caller: { type: 'program', caller_id: 'call_p' }, namespace: 'crm' })
    expect(decodeWhole(response([item])).parts).toMatchObject([
      { providerData: { s: { item: { caller: { type: 'program', caller_id: 'call_p' }, namespace: 'crm' } } } },
    ])
  })
})

describe('calls of other kinds that run here', () => {
  test('the text of a custom tool streams as its one argument', () => {
    const item = { id: 'ctc_1', type: 'custom_tool_call', status: 'completed', call_id: 'call_1', name: 'note', input: 'say "hi"\n😀' }
    const piece = (delta: string) => ({ type: 'response.custom_tool_call_input.delta', item_id: 'ctc_1', output_index: 0, delta })
    const [high, low] = ['😀'.slice(0, 1), '😀'.slice(1)]
    const told = {
      type: 'tool-call',
      callId: 'm1.0',
      providerCallId: 'call_1',
      toolName: 'note',
      input: { input: 'say "hi"\n😀' },
      providerData: { s: { item: { id: 'ctc_1', type: 'custom_tool_call', status: 'completed' } } },
    }
    const streamed = [added({ ...item, input: '' }), piece('say "hi"'), piece(`\n${high}`), piece(low)]
    expect(decode([...streamed, done(item), completed([item])]).parts).toEqual([told])
    expect(decode([...streamed, completed([])]).parts).toMatchObject([{ input: { input: 'say "hi"\n😀' } }])
    expect(decodeWhole(response([item])).parts).toEqual([told])
  })

  test.each([
    ['local_shell', { type: 'local_shell_call', action: { type: 'exec', command: ['ls'] } }, { type: 'exec', command: ['ls'] }],
    ['shell', { type: 'shell_call', action: { commands: ['ls'] } }, { commands: ['ls'] }],
    ['apply_patch', { type: 'apply_patch_call', operation: { type: 'delete_file', path: 'a' } }, { type: 'delete_file', path: 'a' }],
    [
      'computer',
      { type: 'computer_call', action: { type: 'wait' }, pending_safety_checks: [] },
      { action: { type: 'wait' }, pending_safety_checks: [] },
    ],
    ['tool_search', { type: 'tool_search_call', execution: 'client', arguments: { queries: ['a'] } }, { queries: ['a'] }],
  ])('a call of %s is a call of the tool of that name', (toolName, kind, input) => {
    const item = { id: 'x_1', call_id: 'call_1', status: 'completed', ...kind }
    const { parts, finish } = decode([added({ ...item, status: 'in_progress' }), done(item), completed([item])])
    expect(parts).toMatchObject([
      { type: 'tool-call', toolName, input, providerCallId: 'call_1', providerData: { s: { item: { id: 'x_1' } } } },
    ])
    expect(parts[0]).not.toHaveProperty('providerExecuted')
    expect(finish.finishReason).toBe('tool-calls')
  })

  test('a request to approve a call of an MCP server is a call too', () => {
    const item = { id: 'mcpr_1', type: 'mcp_approval_request', server_label: 'zip', name: 'make', arguments: '{"url":"u"}' }
    expect(decodeWhole(response([item])).parts).toMatchObject([
      { toolName: 'mcp_approval_request', providerCallId: 'mcpr_1', input: { server_label: 'zip', name: 'make', arguments: { url: 'u' } } },
    ])
  })
})

describe('what the server has done', () => {
  test.each([
    [{ type: 'web_search_call', action: { type: 'search', query: 'q' } }, 'web_search', { type: 'search', query: 'q' }, null],
    [{ type: 'file_search_call', queries: ['q'], results: [{ text: 'r' }] }, 'file_search', { queries: ['q'] }, [{ text: 'r' }]],
    [
      { type: 'code_interpreter_call', name: 'code_execution', arguments: '{"code":"1"}', call_id: '' },
      'code_interpreter',
      { code: '1' },
      null,
    ],
    [
      { type: 'code_interpreter_call', code: '1', container_id: 'c', outputs: [] },
      'code_interpreter',
      { code: '1', container_id: 'c' },
      [],
    ],
    [{ type: 'mcp_call', name: 'ask', server_label: 'wiki', arguments: '{"q":1}', output: 'yes', error: null }, 'ask', { q: 1 }, 'yes'],
    [{ type: 'tool_search_call', execution: 'server', call_id: null, arguments: { paths: ['a'] } }, 'tool_search', { paths: ['a'] }, null],
    [{ type: 'program', call_id: 'call_p', code: '1', fingerprint: 'f' }, 'program', { code: '1' }, null],
    [{ type: 'x_search_call', call_id: '', arguments: '{"q":1}' }, 'x_search', { q: 1 }, null],
    [
      { type: 'shell_call', call_id: 'call_1', action: { commands: [] }, environment: { type: 'container_reference' } },
      'shell',
      { commands: [] },
      null,
    ],
  ])('%j is a call that is settled', (kind, toolName, input, output) => {
    const item = { id: 'i_1', status: 'completed', ...kind }
    for (const { parts, finish } of [
      decode([added(item), done(item), completed([item, message('ok')])]),
      decodeWhole(response([item, message('ok')])),
    ]) {
      expect(parts).toMatchObject([
        {
          type: 'tool-call',
          toolName,
          input,
          providerExecuted: true,
          settlement: { outcome: 'ok', output },
          providerData: { s: { item } },
        },
        { type: 'text', text: 'ok' },
      ])
      expect(finish.finishReason).toBe('stop')
    }
  })

  test('one that failed says why', () => {
    const item = {
      id: 'm',
      type: 'mcp_call',
      name: 'ask',
      arguments: '{}',
      status: 'failed',
      error: { type: 'http_error', code: 500, message: 'no' },
    }
    expect(decodeWhole(response([item])).parts).toMatchObject([
      { settlement: { outcome: 'error', error: { code: 'ToolExecutionError', message: 'no' } } },
    ])
  })

  test('a picture is a part, and its base64 is kept once', () => {
    const item = { id: 'ig_1', type: 'image_generation_call', status: 'completed', output_format: 'webp', result: 'UklG' }
    const { result: _result, ...kept } = item
    expect(decode([done(item), completed([item])]).parts).toMatchObject([
      { type: 'tool-call', toolName: 'image_generation', providerExecuted: true, settlement: { outcome: 'ok' } },
      { type: 'image', mediaType: 'image/webp', data: 'UklG', providerData: { s: { item: kept } } },
    ])
  })

  test.each(['mcp_list_tools', 'tool_search_output', 'program_output', 'compaction', 'never_heard_of'])(
    'an item of kind %s is kept in its place and shows nothing',
    (type) => {
      const item = { id: 'i_1', type, execution: 'server', encrypted_content: 'x' }
      const { parts, finish } = decode([added(item), done(item), done(message('ok'), 1), completed([item, message('ok')])])
      expect(parts).toMatchObject([{ type: 'reasoning', text: '', providerData: { s: { item } } }, { text: 'ok' }])
      expect(finish.finishReason).toBe('stop')
    },
  )

  test('custom calls of names that nobody offers are the server’s own, where it has such', () => {
    const item = { id: 'c', type: 'custom_tool_call', call_id: 'x', name: 'x_keyword_search', input: '{}', status: 'completed' }
    const mine = { ...item, id: 'd', call_id: 'y', name: 'note' }
    expect(decodeWhole(response([item, mine]), { customTools: new Set(['note']) }).parts).toMatchObject([
      { toolName: 'x_keyword_search', providerExecuted: true },
      { toolName: 'note', providerCallId: 'y' },
    ])
  })
})

describe('the end', () => {
  test('usage is what the last snapshot says', () => {
    expect(decode(streamedMessage(['ok'])).finish.usage).toEqual({
      inputTokens: 100,
      cachedInputTokens: 60,
      cacheWriteTokens: 5,
      outputTokens: 40,
      reasoningTokens: 30,
      complete: true,
    })
    expect(decodeWhole(response([message('ok')], { usage: null })).finish.usage.complete).toBe(false)
    expect(decodeWhole(response([], { usage: { input_tokens: 3 } })).finish.usage).toMatchObject({ inputTokens: 3, complete: false })
  })

  test('what a response cost is told in US dollars, or in ticks of which 10^10 are one', () => {
    expect(decodeWhole(response([], { usage: { ...usage, cost: 0.5 } })).finish.usage.costUsd).toBe(0.5)
    expect(decodeWhole(response([], { usage: { ...usage, cost_in_usd_ticks: 37_756_000 } })).finish.usage.costUsd).toBeCloseTo(
      0.0037756,
      10,
    )
  })

  test.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content-filter'],
    ['something_new', 'other'],
  ])('B057 incomplete for %s is %s, in a stream and at once', (reason, finishReason) => {
    const more = { status: 'incomplete', incomplete_details: { reason } }
    const streamed = decode([{ type: 'response.incomplete', response: response([], more) }]).finish
    for (const finish of [streamed, decodeWhole(response([], more)).finish])
      expect(finish).toMatchObject({ finishReason, rawFinishReason: reason })
  })

  test('nothing is read after the last event', () => {
    expect(decode([...streamedMessage(['ok']), '[DONE]', 'no JSON', textDelta('more')]).parts).toMatchObject([{ text: 'ok' }])
  })

  test.each([
    ['nothing at all', [], 'acme answered with nothing'],
    ['no last event', streamedMessage(['ok']).slice(0, -1), 'ended without its last event:'],
    ['a sentinel in its place', [textDelta('ok'), '[DONE]'], 'ended without its last event:'],
    ['a call that is open', [added(functionCall({ arguments: '' })), inputDelta('{"ci')], 'in the middle of a tool call'],
  ])('B088 %s is no response', (_, events, says) => {
    expect(() => decode(events)).toThrow(says)
  })

  test('B084 B107 errors in the stream are classified by what they say, in whatever shape they come', () => {
    const quota = { code: 'insufficient_quota', message: 'You exceeded your current quota.' }
    for (const event of [
      { type: 'error', sequence_number: 2, ...quota, param: null },
      { type: 'error', error: { type: 'insufficient_quota', ...quota } },
      { type: 'response.failed', response: response([], { status: 'failed', error: quota }) },
      { error: quota },
      completed([], { status: 'failed', error: quota }),
    ])
      expect(() => decode([created, textDelta('x'), event])).toThrow(
        expect.objectContaining({ code: 'ModelQuotaExceeded', retryable: false }),
      )
    expect(() => decodeWhole(response([], { status: 'failed', error: quota }))).toThrow(
      expect.objectContaining({ code: 'ModelQuotaExceeded' }),
    )
    const limit = { type: 'error', code: 'rate_limit_exceeded', message: 'Rate limit reached for requests', param: null }
    expect(() => decode([limit])).toThrow(expect.objectContaining({ code: 'ModelRateLimited', retryable: true }))
  })

  test('a response that was put in the background is none yet, and is not asked for again', () => {
    expect(() => decodeWhole(response([], { status: 'queued', background: true }))).toThrow(
      expect.objectContaining({ code: 'ModelServerError', retryable: false, message: expect.stringContaining("leave 'background' out") }),
    )
    const queued = { type: 'response.queued', response: response([], { status: 'queued' }) }
    expect(decode([queued, ...streamedMessage(['ok'])]).parts).toMatchObject([{ text: 'ok' }])
  })

  test('a response that runs on without end is stopped', () => {
    const events = Array.from({ length: 5_001 }, (_, place) => added(message('', { id: `m${place}` }), place))
    expect(() => decode(events)).toThrow(
      expect.objectContaining({ retryable: false, message: expect.stringContaining('more than 5,000 items') }),
    )
  })

  test('the id of the response is kept on its first part when it is gone on with', () => {
    expect(decode([done(functionCall()), completed([functionCall()])], { keepsId: true }).parts).toMatchObject([
      { providerData: { s: { item: { id: 'fc_1' }, response: 'resp_1' } } },
    ])
  })
})
