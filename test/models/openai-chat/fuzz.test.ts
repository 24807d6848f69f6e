import { expect, test } from 'vitest'
import { Assembler } from '../../../src/core/assemble.ts'
import { RondoError } from '../../../src/core/error.ts'
import type { Message } from '../../../src/core/message.ts'
import { chatResponse } from './support.ts'

// Bytes cut, doubled and damaged anywhere: the end is a message or a typed error, and no call that is not whole looks as if it were.

const events = [
  { delta: { role: 'assistant', content: '' } },
  { delta: { content: 'Grüße ' } },
  { delta: { content: '😀 dir' } },
  { delta: { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'pay', arguments: '' } }] } },
  { delta: { tool_calls: [{ index: 0, function: { arguments: '{"cents":42' } }] } },
  { delta: { tool_calls: [{ index: 0, function: { arguments: '00,"to":"ACME"}' } }] } },
  { delta: {}, finish_reason: 'tool_calls' },
]
const text = `${events.map((choice) => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, ...choice }] })}\n\n`).join('')}data: [DONE]\n\n`
const good = new TextEncoder().encode(text)

type End = { readonly message: Message } | { readonly error: RondoError }

function read(bytes: Uint8Array): End {
  const assembler = new Assembler({ n: 1 })
  const response = chatResponse({ provider: 'fuzz' }, (delta) => void assembler.push(delta))
  try {
    response.head({ status: 200, header: () => 'text/event-stream' })
    response.chunk(bytes)
    response.finish()
    return { message: assembler.finish() }
  } catch (error) {
    if (RondoError.is(error) && error.category === 'model') return { error }
    throw error
  }
}

/** The arguments of calls that would run. */
function runnable(end: End): unknown[] {
  if ('error' in end) return []
  return end.message.parts.flatMap((part) => (part.type === 'tool-call' && part.inputError === undefined ? [part.input] : []))
}

const whole = { cents: 4200, to: 'ACME' }

test('B088 a stream cut at any byte is whole or an error', () => {
  let complete = 0
  for (let cut = 0; cut < good.length; cut++) {
    const end = read(good.subarray(0, cut))
    for (const input of runnable(end)) expect(input).toEqual(whole)
    if ('message' in end) complete++
  }
  // From the last bracket of the event with the finish reason on.
  expect(complete).toBe(good.length - text.lastIndexOf('\n\ndata: [DONE]') - Buffer.byteLength(text) + text.length)
})

test('bytes that come twice end in a message or a typed error', () => {
  const ends = { message: 0, error: 0 }
  for (let from = 0; from < good.length; from += 3)
    for (const length of [1, 20, 120]) {
      const twice = new Uint8Array([...good.subarray(0, from + length), ...good.subarray(from)])
      ends['error' in read(twice) ? 'error' : 'message']++
    }
  expect(Math.min(ends.message, ends.error)).toBeGreaterThan(100)
})

test('damaged bytes end in a message or a typed error', () => {
  let state = 1
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
  const ends = { message: 0, error: 0 }
  for (let round = 0; round < 3_000; round++) {
    const bytes = Uint8Array.from(good)
    for (let damage = 0; damage <= round % 4; damage++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
    ends['error' in read(bytes) ? 'error' : 'message']++
  }
  expect(Math.min(ends.message, ends.error)).toBeGreaterThan(100)
})
