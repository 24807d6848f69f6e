import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import type { Message, Part, Settlement, ToolCallPart } from '../../../src/core/message.ts'
import { Conversation } from '../../../src/models/http/conversation.ts'
import { type HistoryOptions, responsesWriting } from '../../../src/models/openai-responses/encode.ts'
import { added, completed, decode, decodeWhole, done, functionCall, message, reasoning, response } from './support.ts'

const options: HistoryOptions = { scope: 's', store: false, mediaInResults: true }
const sunny: Settlement<string> = { outcome: 'ok', output: 'sunny' }

function encoded(messages: readonly Message[], more: Partial<HistoryOptions> = {}): unknown {
  const bytes = new Conversation(responsesWriting({ ...options, ...more })).encode(messages)
  return JSON.parse(`[${Buffer.concat(bytes).toString().slice(1)}]`)
}

/** What the model has said, as the engine keeps it once its calls are settled. */
function said(output: readonly object[], settlement: ToolCallPart['settlement'] = sunny): Message {
  return settled({ id: 'm1', role: 'assistant', parts: decodeWhole(response(output)).parts }, settlement)
}

function settled(answer: Message, settlement: ToolCallPart['settlement'], more: Partial<ToolCallPart> = {}): Message {
  const parts = answer.parts.map((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true ? { ...part, settlement: settlement ?? sunny, ...more } : part,
  )
  return { ...answer, parts }
}

const user = (...parts: Part[]): Message => ({ role: 'user', parts })
const output = (call_id: string, text = 'sunny') => ({ type: 'function_call_output', call_id, output: text })

/** An item as the API takes it back: without what is of no use in a request. */
function back(item: object): JsonObject {
  return JSON.parse(JSON.stringify(item))
}

describe('what the user says', () => {
  test('what the API does not take is told in words', () => {
    const parts: Part[] = [
      { type: 'file', mediaType: 'IMAGE/PNG', data: 'AAAA' },
      { type: 'image', mediaType: 'image/svg+xml', data: 'AAAA' },
      { type: 'image', mediaType: 'image/tiff', data: 'AAAA' },
      { type: 'file', mediaType: 'Audio/MPEG', data: 'AAAA' },
      { type: 'file', mediaType: 'application/pdf', data: 'gs://a/b.pdf' },
    ]
    expect(encoded([user(...parts)])).toMatchObject([
      {
        content: [
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
          { type: 'input_file', file_data: 'data:image/svg+xml;base64,AAAA' },
          { type: 'input_text', text: expect.stringContaining('image/tiff') },
          { type: 'input_text', text: expect.stringContaining('Audio/MPEG') },
          { type: 'input_text', text: expect.stringContaining('application/pdf') },
        ],
      },
    ])
  })

  test('is a text, or parts when there is more than text', () => {
    const parts: Part[] = [
      { type: 'text', text: 'look' },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      { type: 'image', mediaType: 'image/png', data: 'https://example.org/a.png' },
      { type: 'file', mediaType: 'application/pdf', data: 'JVBE', name: 'a\ud83d.pdf' },
      { type: 'file', mediaType: 'text/csv', data: 'YSxi' },
      { type: 'file', mediaType: 'application/pdf', data: 'https://example.org/b.pdf' },
    ]
    expect(encoded([user({ type: 'text', text: 'hello' }), user(...parts)])).toEqual([
      { role: 'user', content: 'hello' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'look' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
          { type: 'input_image', image_url: 'https://example.org/a.png', detail: 'auto' },
          { type: 'input_file', filename: 'a\ufffd.pdf', file_data: 'data:application/pdf;base64,JVBE' },
          { type: 'input_file', filename: 'file.csv', file_data: 'data:text/csv;base64,YSxi' },
          { type: 'input_file', file_url: 'https://example.org/b.pdf' },
        ],
      },
    ])
  })
})

describe('what the model said', () => {
  test('goes back as it came: reasoning, message and call, with their ids', () => {
    const items = [reasoning(), message('Let me see.', { phase: 'commentary' }), functionCall()]
    expect(encoded([said(items)])).toEqual([
      back(reasoning()),
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'Let me see.', annotations: [] }],
      },
      back(functionCall()),
      output('call_1'),
    ])
  })

  test('an open model’s reasoning goes back as the text that it is', () => {
    const item = reasoning({ encrypted_content: null, status: null, content: [{ type: 'reasoning_text', text: 'hm' }] })
    expect(encoded([said([item, functionCall()])])).toMatchObject([
      { type: 'reasoning', encrypted_content: null, content: [{ text: 'hm' }] },
      {},
      {},
    ])
    expect(encoded([said([item, functionCall()])])).not.toHaveProperty('0.status')
  })

  test('what a server tells as null where OpenAI takes none is left out, of every kind of item', () => {
    const nothing = { status: null, namespace: null }
    const search = { id: 'ws_1', type: 'web_search_call', action: { type: 'search', query: 'q' }, ...nothing }
    const items = [reasoning({ ...nothing, content: null }), search, functionCall(nothing), message('a', { status: null })]
    const back = encoded([said(items)]) as readonly object[]
    expect(back).toMatchObject([{ type: 'reasoning' }, { id: 'ws_1' }, { id: 'fc_1' }, { id: 'msg_1', status: 'completed' }, {}])
    expect(JSON.stringify(back)).not.toContain('null')
  })

  test('of another model it goes as text and calls, without reasoning, ids and opaque items', () => {
    const compaction = { id: 'cmp_1', type: 'compaction', encrypted_content: 'x' }
    expect(encoded([said([reasoning(), message('Hm.', { phase: 'commentary' }), compaction, functionCall()])], { scope: 'other' })).toEqual(
      [
        { role: 'assistant', content: 'Hm.' },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' },
        output('call_1'),
      ],
    )
  })

  test('a refusal and what a text cites go back as such', () => {
    const page = { type: 'url_citation', url: 'https://example.org', title: 'A', start_index: 0, end_index: 1 }
    const content = [
      { type: 'output_text', text: 'a', annotations: [page] },
      { type: 'refusal', refusal: 'no' },
    ]
    expect(encoded([said([message('', { content })])])).toEqual([
      { type: 'message', role: 'assistant', id: 'msg_1', status: 'completed', content },
    ])
  })

  test('a blank message is left out, save where reasoning is followed by it', () => {
    expect(encoded([said([message('')])])).toEqual([])
    expect(encoded([said([reasoning(), message('')])])).toMatchObject([{ type: 'reasoning' }, { id: 'msg_1', content: [{ text: '' }] }])
  })
})

describe('reasoning and what follows it are one unit', () => {
  const stored = reasoning({ encrypted_content: undefined })
  const callWithoutId = { type: 'function_call', status: 'completed', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' }

  test('B067 reasoning that nothing follows is left out', () => {
    expect(encoded([said([reasoning()])])).toEqual([])
    expect(encoded([said([message('a'), reasoning()])])).toMatchObject([{ type: 'message' }])
    expect(encoded([said([reasoning(), reasoning({ id: 'rs_2' })])])).toEqual([])
  })

  test('B067 and so is reasoning whose follower was dropped, or has lost its id', () => {
    const answer = said([reasoning(), functionCall(), message('a')])
    const [first, , last] = answer.parts
    if (first === undefined || last === undefined) throw new Error('it has three parts')
    expect(encoded([{ ...answer, parts: [first] }])).toEqual([])
    expect(encoded([{ ...answer, parts: [first, { type: 'text', text: 'edited' }] }])).toEqual([{ role: 'assistant', content: 'edited' }])
  })

  test('B068 what came after reasoning that is not sent goes without its id', () => {
    const answer = said([reasoning(), functionCall(), message('a')])
    expect(encoded([{ ...answer, parts: answer.parts.slice(1) }])).toEqual([
      callWithoutId,
      { role: 'assistant', content: 'a' },
      output('call_1'),
    ])
  })

  test('what a server did not keep is not referred to: reasoning by its id alone is sent only where it is kept', () => {
    expect(encoded([said([stored, functionCall()])])).toEqual([callWithoutId, output('call_1')])
    expect(encoded([said([stored, functionCall()])], { store: true })).toEqual([back(stored), back(functionCall()), output('call_1')])
  })

  test('a search that came after reasoning that is not sent is left out with it', () => {
    const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } }
    expect(encoded([said([stored, search, message('found')])])).toEqual([{ role: 'assistant', content: 'found' }])
    expect(encoded([said([reasoning(), search, message('found')])])).toMatchObject([
      { type: 'reasoning' },
      search,
      { type: 'message', id: 'msg_1' },
    ])
  })

  test('B067 they are one also where the server makes up another id with each event (Copilot)', () => {
    const thought = (id: string) => reasoning({ id, encrypted_content: `of ${id}` })
    const said = (item_id: string) => ({ type: 'response.reasoning_text.delta', item_id, output_index: 0, content_index: 0, delta: 'a' })
    const events = [
      added(reasoning({ id: 'rs_a' })),
      ...['+/', '/+', '=='].map(said),
      done(thought('rs_b')),
      added(message('', { id: 'msg_a' }), 1),
    ]
    const last = [thought('rs_c'), message('ok', { id: 'msg_c' })]
    const { parts } = decode([...events, done(message('ok', { id: 'msg_b' }), 1), completed(last)])
    expect(encoded([{ id: 'm1', role: 'assistant', parts }])).toMatchObject([back(thought('rs_c')), { type: 'message', id: 'msg_b' }])
    // Its pieces may be many thousands: their ids are not kept.
    expect(parts[0]?.providerData).toEqual({ s: { item: thought('rs_c'), firstId: 'rs_a' } })
  })

  test('each unit stands for itself', () => {
    const items = [stored, functionCall(), reasoning({ id: 'rs_2' }), message('a')]
    expect(encoded([said(items)])).toEqual([
      callWithoutId,
      back(reasoning({ id: 'rs_2' })),
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        content: [{ type: 'output_text', text: 'a', annotations: [] }],
      },
      output('call_1'),
    ])
  })
})

describe('B012 every kind of call is paired with its answer', () => {
  const item = (type: string, more: object) => ({ id: 'x_1', status: 'completed', call_id: 'call_1', type, ...more })
  const failed: Settlement<never> = {
    outcome: 'error',
    error: { code: 'ToolExecutionError', category: 'tool', message: 'no such file', retryable: false },
  }

  test.each([
    [item('custom_tool_call', { name: 'note', input: 'a\nb' }), { type: 'custom_tool_call_output', output: 'sunny' }],
    [item('local_shell_call', { action: { type: 'exec', command: ['ls'] } }), { type: 'local_shell_call_output', output: 'sunny' }],
    [
      item('shell_call', { action: { commands: ['ls'], max_output_length: 9 } }),
      {
        type: 'shell_call_output',
        output: [{ stdout: 'sunny', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
        max_output_length: 9,
      },
    ],
    [
      item('apply_patch_call', { operation: { type: 'update_file', path: 'a', diff: '+' } }),
      { type: 'apply_patch_call_output', status: 'completed', output: 'sunny' },
    ],
    [
      item('tool_search_call', { execution: 'client', arguments: { q: 1 } }),
      { type: 'tool_search_output', execution: 'client', status: 'completed', tools: [] },
    ],
  ])('%j', (call, answer) => {
    expect(encoded([said([reasoning(), call])])).toEqual([back(reasoning()), call, { call_id: 'call_1', ...answer }])
  })

  test('what failed is told as such', () => {
    const patch = item('apply_patch_call', { operation: { type: 'delete_file', path: 'a' } })
    expect(encoded([said([patch], failed)])).toMatchObject([{}, { status: 'failed', output: 'no such file' }])
    const shell = item('shell_call', { action: { commands: ['ls'] } })
    expect(encoded([said([shell], failed)])).toMatchObject([
      {},
      { output: [{ stdout: '', stderr: 'no such file', outcome: { type: 'exit', exit_code: 1 } }] },
    ])
  })

  test('the outputs of several commands go as a tool gives them', () => {
    const told = [{ stdout: 'a', stderr: '', outcome: { type: 'timeout' } }]
    const shell = item('shell_call', { action: { commands: ['ls'] } })
    expect(encoded([said([shell], { outcome: 'ok', output: told })])).toMatchObject([{}, { output: told }])
  })

  test('an action on a computer is answered by a picture, always; what was warned of is acknowledged when it ran', () => {
    const checks = [{ id: 'c1', code: 'malicious', message: 'careful' }]
    const act = item('computer_call', { action: { type: 'wait' }, pending_safety_checks: checks })
    const answer = said([act])
    const screen: Part = { type: 'image', mediaType: 'image/png', data: 'AAAA' }
    expect(encoded([settled(answer, sunny, { content: [screen] })])).toMatchObject([
      act,
      {
        type: 'computer_call_output',
        call_id: 'call_1',
        output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AAAA' },
        acknowledged_safety_checks: checks,
      },
    ])
    const [, refused] = encoded([said([act], failed)]) as readonly object[]
    expect(refused).toMatchObject({ output: { image_url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) } })
    expect(refused).not.toHaveProperty('acknowledged_safety_checks')
  })

  test('an MCP call is approved by a tool that settles well, and refused by one that does not or says no', () => {
    const ask = { id: 'mcpr_1', type: 'mcp_approval_request', server_label: 'zip', name: 'make', arguments: '{"url":"u"}' }
    const answered = (settlement: Settlement<never> | Settlement<boolean>) => encoded([said([ask], settlement)])
    expect(answered({ outcome: 'ok', output: true })).toEqual([
      ask,
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
    ])
    expect(answered({ outcome: 'ok', output: false })).toMatchObject([{}, { approve: false }])
    expect(answered(failed)).toMatchObject([{}, { approve: false, reason: 'no such file' }])
    // Its id is what the answer names: it stays where others go.
    expect(encoded([said([reasoning({ encrypted_content: undefined }), ask], failed)])).toMatchObject([ask, {}])
  })

  test('a call that a program made is answered to the program', () => {
    const caller = { type: 'program', caller_id: 'call_p' }
    const program = { id: 'cm_1', type: 'program', call_id: 'call_p', code: '1', fingerprint: 'f' }
    const result = { id: 'cmo_1', type: 'program_output', status: 'completed', call_id: 'call_p', result: '1' }
    const called = functionCall({ caller, status: 'in_progress' })
    const answer = { ...output('call_1'), caller }
    expect(encoded([said([reasoning(), program, called]), { ...said([result, message('a')]), id: 'm2' }])).toMatchObject([
      { type: 'reasoning' },
      program,
      called,
      answer,
      result,
      { type: 'message' },
    ])
    // Without the program nobody takes its output.
    expect(encoded([said([result, message('a')])])).toMatchObject([{ type: 'message' }])
  })

  test('an unknown call that nobody has answered is left out, and so is an answer without its call', () => {
    const call = item('robot_call', { arguments: '{}' })
    const answer = item('robot_call_output', { id: 'y_1', output: 'done' })
    expect(encoded([said([call, message('a')])])).toMatchObject([{ type: 'message' }])
    expect(encoded([said([answer, message('a')])])).toMatchObject([{ type: 'message' }])
    expect(encoded([said([call, answer, message('a')])])).toMatchObject([call, answer, { type: 'message' }])
  })
})

describe('what tools give', () => {
  test('B048 nothing is an empty text', () => {
    expect(encoded([said([functionCall()], { outcome: 'ok', output: '' })])).toMatchObject([{}, output('call_1', '')])
  })

  test('B193 B211 pictures and files stand in the result, or behind all results where it may hold none', () => {
    const answer = said([functionCall(), functionCall({ id: 'fc_2', call_id: 'call_2' })])
    const content: Part[] = [
      { type: 'text', text: 'here' },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
    ]
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' }
    const shown = settled(answer, sunny, { content })
    expect(encoded([shown])).toMatchObject([
      {},
      {},
      { call_id: 'call_1', output: [{ type: 'input_text', text: 'here' }, image] },
      { call_id: 'call_2', output: [{ type: 'input_text', text: 'here' }, image] },
    ])
    expect(encoded([shown], { mediaInResults: false })).toMatchObject([
      {},
      {},
      output('call_1', 'here'),
      output('call_2', 'here'),
      { role: 'user', content: [{ type: 'input_text' }, image, { type: 'input_text' }, image] },
    ])
  })

  test('B014 B016 ids that repeat or are too long become ours, in the call and in its answer', () => {
    const first = said([functionCall({ call_id: 'call_0' })])
    const second = { ...said([functionCall({ call_id: 'call_0' })]), id: 'm2' }
    const parts = second.parts.map((part) => ({ ...part, callId: 'm2.0' }))
    expect(encoded([first, { ...second, parts }])).toMatchObject([
      { call_id: 'call_0' },
      { call_id: 'call_0' },
      { call_id: 'call_m2_0' },
      { call_id: 'call_m2_0' },
    ])
    expect(encoded([said([functionCall({ call_id: 'x'.repeat(65) })])])).toMatchObject([{ call_id: 'call_m1_0' }, { call_id: 'call_m1_0' }])
  })
})

test('a picture that the model made goes back to it, and to nobody else', () => {
  const made = { id: 'ig_1', type: 'image_generation_call', status: 'completed', output_format: 'png', result: 'AAAA' }
  const answer = said([reasoning(), made])
  expect(encoded([answer])).toEqual([back(reasoning()), made])
  expect(encoded([answer], { scope: 'other' })).toEqual([])
  const asUrl = answer.parts.map((part) => (part.type === 'image' ? { ...part, data: 'data:image/png;base64,AAAA' } : part))
  expect(encoded([{ ...answer, parts: asUrl }])).toEqual([back(reasoning()), made])
})

test('B200 the same message gives the same bytes, and is not changed', () => {
  const answer = said([reasoning(), message('a'), functionCall()])
  const frozen = JSON.stringify(answer)
  expect(encoded([answer])).toEqual(encoded([answer]))
  expect(JSON.stringify(answer)).toBe(frozen)
})
