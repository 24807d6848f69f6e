import { expect, test } from 'vitest'
import { NdjsonDecoder } from '../../../src/models/transport/ndjson.ts'

function decode(pieces: readonly Uint8Array[], limits?: { maxLineChars?: number }): (string | { left: string })[] {
  const found: (string | { left: string })[] = []
  const decoder = new NdjsonDecoder((line) => found.push(line), limits)
  for (const piece of pieces) decoder.push(piece)
  const left = decoder.end()
  if (left !== undefined) found.push({ left })
  return found
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

test.each([
  ['lines', '{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']],
  [
    'B097 an error line and a line that is no JSON are handed on as they are',
    '{"a":1}\n{"error":"x"}\nnot json\n',
    ['{"a":1}', '{"error":"x"}', 'not json'],
  ],
  ['B095 the last line without a line feed is offered at the end', '{"a":1}\n{"done":true}', ['{"a":1}', { left: '{"done":true}' }]],
  ['CRLF', '{"a":1}\r\n{"b":2}\r\n', ['{"a":1}', '{"b":2}']],
  ['blank lines, also of white space', '\n\r\n{"a":1}\n \t\n\n{"b":2}\n\n', ['{"a":1}', '{"b":2}']],
  ['B078 characters of several bytes, U+2028 and a byte order mark', '\ufeff{"a":"é漢😀\u2028"}\n', ['{"a":"é漢😀\u2028"}']],
  ['an empty body', '', []],
])('NDJSON %s', (_title, body, lines) => {
  const bytes = bytesOf(body)
  expect(decode([bytes])).toEqual(lines)
  expect(decode(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(lines)
  for (let at = 0; at < bytes.length; at++) expect(decode([bytes.slice(0, at), bytes.slice(at)])).toEqual(lines)
})

test('NDJSON B140 a line without end is a typed error', () => {
  const piece = new Uint8Array(65_536).fill(97)
  const decoder = new NdjsonDecoder(() => {}, { maxLineChars: 100_000 })
  decoder.push(piece)
  expect(() => decoder.push(piece)).toThrow(
    expect.objectContaining({
      code: 'ModelServerError',
      message: 'One line of the answer is longer than 100,000 characters (limit maxLineChars).',
    }),
  )
})

test('NDJSON B201 a line of 300,000 pieces takes time in proportion', () => {
  const one = Uint8Array.of(97)
  expect(decode(Array.from({ length: 300_000 }, () => one))).toEqual([{ left: 'a'.repeat(300_000) }])
})
