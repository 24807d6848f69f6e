import { expect, test } from 'vitest'
import { RondoError } from '../../../src/core/error.ts'
import type { Message } from '../../../src/core/message.ts'
import { call, closed, ended, opened, piece, read, start, stop, stream, text } from './support.ts'

// Bytes cut, doubled and damaged anywhere: the end is a message or a typed error, and no call that is not whole looks as if it were.

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

type End = { readonly message: Message } | { readonly error: RondoError }

function end(bytes: Uint8Array): End {
  try {
    return { message: read(bytes).message }
  } catch (error) {
    if (RondoError.is(error) && error.category === 'model') return { error }
    throw error
  }
}

/** The arguments of calls that would run. */
function runnable(found: End): unknown[] {
  if ('error' in found) return []
  return found.message.parts.flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true && part.inputError === undefined ? [part.input] : [],
  )
}

test('B088 a stream cut at any byte is whole or an error', () => {
  let complete = 0
  for (let cut = 0; cut < good.length; cut++) {
    const found = end(good.subarray(0, cut))
    for (const input of runnable(found)) expect(input).toEqual({ cents: 4200, to: 'ACME' })
    if ('message' in found) complete++
  }
  // From the last bracket of the event with the reason on.
  const last = body.lastIndexOf('\n\nevent: message_stop')
  expect(complete).toBe(good.length - Buffer.byteLength(body.slice(0, last)))
})

test('bytes that come twice, or are damaged, end in a message or a typed error', () => {
  const ends = { message: 0, error: 0 }
  for (let from = 0; from < good.length; from += 5)
    for (const length of [1, 20, 120, 400]) {
      const twice = new Uint8Array([...good.subarray(0, from + length), ...good.subarray(from)])
      ends['error' in end(twice) ? 'error' : 'message']++
    }
  let state = 1
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
  for (let round = 0; round < 3_000; round++) {
    const bytes = Uint8Array.from(good)
    for (let damage = 0; damage <= round % 4; damage++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
    ends['error' in end(bytes) ? 'error' : 'message']++
  }
  expect(Math.min(ends.message, ends.error)).toBeGreaterThan(100)
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
