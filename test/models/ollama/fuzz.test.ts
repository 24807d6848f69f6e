import { expect, test } from 'vitest'
import { fuzz } from '../fakes/fuzzing.ts'
import { end, line, lines, readBody } from './support.ts'

const values = [
  line({ thinking: 'hm' }),
  line({ content: 'Grüße ' }),
  line({ content: '😀 dir' }),
  line({ content: ' heute' }),
  line({ tool_calls: [{ id: 'call_1', function: { name: 'pay', arguments: { cents: 4200, to: 'ACME' } } }] }),
  end(),
]

test('B088 B097 lines cut, doubled or damaged anywhere are whole or an error', () => {
  const good = new TextEncoder().encode(lines(values))
  const isWhole = (input: unknown) => JSON.stringify(input) === '{"cents":4200,"to":"ACME"}'
  // Whole is what lacks its last line feed only.
  expect(fuzz(good, (bytes) => readBody([bytes]), isWhole)).toBe(1)
})

test('bytes that are no JSON, no UTF-8, or nothing at all', () => {
  for (const bytes of [
    new Uint8Array(0),
    Uint8Array.from([0xff, 0xfe, 0x00]),
    Uint8Array.from({ length: 5_000 }, (_, i) => (i * 31) % 256),
  ])
    for (const type of ['application/x-ndjson', 'application/json', 'text/html', ''])
      expect(() => readBody([bytes], type)).toThrow(expect.objectContaining({ category: 'model' }))
})
