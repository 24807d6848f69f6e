import { expect, test } from 'vitest'
import { fuzz } from '../fakes/fuzzing.ts'
import { call, closed, ended, opened, piece, read, start, stop, stream, text } from './support.ts'

const body = stream(
  start,
  opened(0, { type: 'thinking', thinking: '', signature: '' }),
  piece(0, { type: 'thinking_delta', thinking: 'Hm.' }),
  piece(0, { type: 'signature_delta', signature: 'c2ln' }),
  closed(0),
  ...text(1, 'Grüße ', '😀 dir'),
  opened(2, { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} }),
  piece(2, { type: 'input_json_delta', partial_json: '{"query":"x"}' }),
  closed(2),
  opened(3, { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] }),
  closed(3),
  ...call(4, 'toolu_1', 'pay', '{"cents":42', '00,"to":"ACME"}'),
  ended('tool_use'),
  stop,
)
const good = new TextEncoder().encode(body)

test('B088 an event stream cut, doubled or damaged anywhere is whole or an error', () => {
  const complete = fuzz(good, read, (input) => JSON.stringify(input) === '{"cents":4200,"to":"ACME"}')
  // From the last bracket of the event with the reason on.
  const last = body.lastIndexOf('\n\nevent: message_stop')
  expect(complete).toBe(good.length - Buffer.byteLength(body.slice(0, last)))
})

test('B201 a long call in small pieces takes time in proportion', () => {
  const pieces = Array.from({ length: 20_000 }, (_, n) => piece(0, { type: 'input_json_delta', partial_json: `${n % 10}`.repeat(5) }))
  const whole = stream(
    start,
    opened(0, { type: 'tool_use', id: 'a', name: 'x', input: {} }),
    piece(0, { type: 'input_json_delta', partial_json: '{"n":"' }),
    ...pieces,
    piece(0, { type: 'input_json_delta', partial_json: '"}' }),
    closed(0),
    ended('tool_use'),
    stop,
  )
  const [part] = read(whole, 'text/event-stream', 4_096).message.parts
  expect(part?.type === 'tool-call' && JSON.stringify(part.input).length).toBe(100_000 + '{"n":""}'.length)
})
