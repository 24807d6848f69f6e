import { expect, test } from 'vitest'
import { Assembler } from '../../../src/core/assemble.ts'
import { RondoError } from '../../../src/core/error.ts'
import type { Message } from '../../../src/core/message.ts'
import { added, completed, done, functionCall, inputDelta, message, reasoning, responseTo, textDelta } from './support.ts'

// Bytes cut, doubled and damaged anywhere: the end is a message or a typed error, and no call that is not whole looks as if it were.

const pay = functionCall({ name: 'pay', arguments: '{"cents":4200,"to":"ACME"}' })
const events = [
  { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
  added(reasoning()),
  done(reasoning()),
  added(message('', { content: [] }), 1),
  textDelta('Grüße ', 1),
  textDelta('😀 dir', 1),
  done(message('Grüße 😀 dir'), 1),
  added({ ...pay, arguments: '' }, 2),
  inputDelta('{"cents":42', 2),
  inputDelta('00,"to":"ACME"}', 2),
  done(pay, 2),
  completed([reasoning(), message('Grüße 😀 dir'), pay]),
]
const text = events.map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
const good = new TextEncoder().encode(text)

type End = { readonly message: Message } | { readonly error: RondoError }

function read(bytes: Uint8Array): End {
  const assembler = new Assembler({ n: 1 })
  const response = responseTo({ provider: 'fuzz' }, (delta) => void assembler.push(delta))
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
  // B095: the last event without its blank line, or half of that.
  expect(complete).toBe(2)
})

test('bytes that come twice end in a message or a typed error', () => {
  const ends = { message: 0, error: 0 }
  for (let from = 0; from < good.length; from += 17)
    for (const length of [1, 20, 120, 400]) {
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
  for (let round = 0; round < 1_500; round++) {
    const bytes = Uint8Array.from(good)
    for (let damage = 0; damage <= round % 4; damage++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
    ends['error' in read(bytes) ? 'error' : 'message']++
  }
  expect(Math.min(ends.message, ends.error)).toBeGreaterThan(100)
})

test('events of any shape end in a message or a typed error', () => {
  const odd: readonly unknown[] = [null, 0, 'x', [null], { text: 1 }]
  const types = [
    'response.output_item.added',
    'response.output_item.done',
    'response.output_text.delta',
    'response.function_call_arguments.delta',
    'response.custom_tool_call_input.delta',
    'response.output_text.annotation.added',
    'response.completed',
    'response.failed',
    'error',
    '',
  ]
  const kinds = [
    'message',
    'reasoning',
    'function_call',
    'custom_tool_call',
    'shell_call',
    'image_generation_call',
    'mcp_call',
    'x_call',
    1,
  ]
  const fields = [
    'item',
    'response',
    'delta',
    'output_index',
    'item_id',
    'annotation',
    'error',
    'output',
    'content',
    'summary',
    'call_id',
    'name',
    'arguments',
    'status',
  ]
  let count = 0
  for (const type of types)
    for (const field of fields)
      for (const value of odd)
        for (const kind of kinds) {
          const item = { type: kind, name: 'a', call_id: 'c', [field]: value }
          const event = { type, item, response: { output: [item], [field]: value }, [field]: value }
          const body = `data: ${JSON.stringify(event)}\n\ndata: ${JSON.stringify(completed([item]))}\n\n`
          read(new TextEncoder().encode(body))
          count++
        }
  expect(count).toBe(types.length * fields.length * odd.length * kinds.length)
})
