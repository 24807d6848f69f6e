import { expect, test } from 'vitest'
import { Assembler } from '../../../src/core/assemble.ts'
import type { Message } from '../../../src/core/message.ts'
import { endOf, fuzz } from '../fakes/fuzzing.ts'
import { added, completed, done, functionCall, inputDelta, message, reasoning, responseTo, textDelta } from './support.ts'

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

function read(bytes: Uint8Array): { readonly message: Message } {
  const assembler = new Assembler({ n: 1 })
  const response = responseTo({ provider: 'fuzz' }, (delta) => void assembler.push(delta))
  response.head({ status: 200, header: () => 'text/event-stream' })
  response.chunk(bytes)
  response.finish()
  return { message: assembler.finish() }
}

test('B088 an event stream cut, doubled or damaged anywhere is whole or an error', () => {
  // B095: the last event without its blank line, or half of that.
  expect(fuzz(good, read, (input) => JSON.stringify(input) === '{"cents":4200,"to":"ACME"}')).toBe(2)
}, 60_000)

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
          endOf(() => read(new TextEncoder().encode(body)))
          count++
        }
  expect(count).toBe(types.length * fields.length * odd.length * kinds.length)
})
