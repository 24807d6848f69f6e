import { expect, test } from 'vitest'
import { fuzz } from '../fakes/fuzzing.ts'
import { event, readBody, sse } from './support.ts'

const usage = (n: number) => ({ usageMetadata: { promptTokenCount: 8, candidatesTokenCount: n, totalTokenCount: 8 + n } })
const more = (piece: object) => event([{ functionCall: { partialArgs: [piece], willContinue: true } }])
const events = [
  event([{ text: 'Grüße ' }], {}, usage(1)),
  event([{ text: '😀 dir' }], {}, usage(4)),
  event([{ text: ' heute' }], {}, usage(12)),
  event([{ functionCall: { name: 'pay', willContinue: true }, thoughtSignature: 'c2ln' }]),
  more({ jsonPath: '$.cents', numberValue: 4200 }),
  more({ jsonPath: '$.to', stringValue: 'AC', willContinue: true }),
  more({ jsonPath: '$.to', stringValue: 'ME' }),
  event([{ functionCall: {} }], { finishReason: 'STOP' }, usage(20)),
]
const isWhole = (input: unknown) => JSON.stringify(input) === '{"cents":4200,"to":"ACME"}'

test('B088 an event stream cut, doubled or damaged anywhere is whole or an error', () => {
  const good = new TextEncoder().encode(sse(events))
  // Whole is what has the last bracket of its last event.
  expect(fuzz(good, (bytes) => readBody([bytes]), isWhole)).toBe('\r\n\r\n'.length)
})

test('B088 a JSON list cut, doubled or damaged anywhere is whole or an error', () => {
  const good = new TextEncoder().encode(JSON.stringify(events, undefined, 1))
  const complete = fuzz(good, (bytes) => readBody([bytes], 'application/json'), isWhole)
  // Also without no more than its bracket it is cut.
  expect(complete).toBe(0)
})

test('bytes that are no JSON, no UTF-8, or nothing at all', () => {
  for (const bytes of [
    new Uint8Array(0),
    Uint8Array.from([0xff, 0xfe, 0x00]),
    Uint8Array.from({ length: 5_000 }, (_, i) => (i * 31) % 256),
  ])
    for (const type of ['text/event-stream', 'application/json', 'text/html', ''])
      expect(() => readBody([bytes], type)).toThrow(expect.objectContaining({ category: 'model' }))
})
