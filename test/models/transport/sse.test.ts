import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SseDecoder } from '../../../src/models/transport/sse.ts'

type Event = readonly [data: string, event?: string]

/** What the pieces decode to, in order; what `end()` returns comes last, marked. */
function decode(pieces: readonly (string | Uint8Array)[], limits?: { maxEventChars?: number }): (Event | { left: string })[] {
  const found: (Event | { left: string })[] = []
  const decoder = new SseDecoder((data, event) => found.push(event === undefined ? [data] : [data, event]), limits)
  for (const piece of pieces) decoder.push(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
  const left = decoder.end()
  if (left !== undefined) found.push({ left })
  return found
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const byByte = (text: string) => Array.from(bytesOf(text), (byte) => Uint8Array.of(byte))

/** Every way to read it: at once, byte by byte, and cut in two at each place. */
function everyCut(text: string): (string | Uint8Array)[][] {
  const bytes = bytesOf(text)
  const twos = Array.from(bytes, (_, at) => [bytes.slice(0, at), bytes.slice(at)])
  return [[text], byByte(text), ...twos]
}

const rules: readonly (readonly [title: string, stream: string, events: readonly (Event | { left: string })[]])[] = [
  ['B076 LF', 'data: 1\n\ndata: 2\n\n', [['1'], ['2']]],
  ['B076 CRLF', 'data: 1\r\n\r\ndata: 2\r\n\r\n', [['1'], ['2']]],
  ['B076 CR', 'data: 1\r\rdata: 2\r\r', [['1'], ['2']]],
  ['B076 line ends mixed in one stream', 'data: 1\r\n\ndata: 2\n\r\ndata: 3\r\r\ndata: 4\n\n', [['1'], ['2'], ['3'], ['4']]],
  ['B077 CRLF in an event of several lines is one line end wherever it is cut', 'event: e\r\ndata: a\r\ndata: b\r\n\r\n', [['a\nb', 'e']]],
  ['B078 characters of two, three and four bytes', 'data: é漢😀\n\n', [['é漢😀']]],
  ['B080 comments, also a bare colon, before, in and between events', ': PROCESSING\n\n:\n\ndata: a\n: x\ndata: b\n\n:\n', [['a\nb']]],
  ['B082 empty data, with and without a colon', 'event: ping\ndata:\n\nevent: ping\ndata: \n\ndata\n\n', []],
  ['B082 no data: the name of the event is forgotten', 'event: ping\n\nid: 7\n: x\n\ndata: a\n\n', [['a']]],
  ['B094 pretty JSON over lines', 'data: {\ndata:   "a": 1\ndata: }\n\n', [['{\n  "a": 1\n}']]],
  ['B094 one space after the colon is no part of the value, a second one is', 'data:a\n\ndata: b\n\ndata:  c\n\n', [['a'], ['b'], [' c']]],
  ['B094 a data field without a colon is an empty line', 'data\ndata: a\ndata\n\n', [['\na\n']]],
  ['B095 no blank line at the end', 'data: 1\n\nevent: e\ndata: {"finish":true}\n', [['1'], { left: '{"finish":true}' }]],
  ['B095 no line end at the end', 'data: 1\n\ndata: {"finish":true}', [['1'], { left: '{"finish":true}' }]],
  ['B095 a cut event is offered as it is', 'data: {"fini', [{ left: '{"fini' }]],
  ['B095 nothing is left of a comment, a name or an empty field', 'data: 1\n\nevent: e\n: x\ndata:', [['1']]],
  ['B095 a CR may end the last line', 'data: 1\r', [{ left: '1' }]],
  ['the last name counts, and holds for one event', 'event: a\nevent: b\ndata: 1\n\ndata: 2\n\n', [['1', 'b'], ['2']]],
  ['an empty name is none', 'event: a\nevent:\ndata: 1\n\n', [['1']]],
  ['a byte order mark at the start, once', '\ufeffdata: 1\n\n', [['1']]],
  ['a second byte order mark makes another field of it', '\ufeff\ufeffdata: 1\n\ndata: 2\n\n', [['2']]],
  ['a byte order mark inside stays', 'data: \ufeff1\n\n', [['\ufeff1']]],
  ['field names are matched as they are', 'Data: 1\n data: 2\ndata : 3\ndatax: 4\n\ndata: 5\n\n', [['5']]],
  ['a colon in the value', 'data: a: b\n\n', [['a: b']]],
  ['blank lines between events', '\n\n\ndata: 1\n\n\n\ndata: 2\n\n', [['1'], ['2']]],
  ['NUL and U+2028 are characters like others', 'data: a\0b\u2028c\n\n', [['a\0b\u2028c']]],
  ['id and retry mean nothing', 'id: 1\nretry: 10\ndata: 1\n\n', [['1']]],
]

describe('SSE', () => {
  test.each(rules)('%s', (_title, stream, events) => {
    for (const pieces of everyCut(stream)) expect(decode(pieces)).toEqual(events)
  })

  test('B078 bytes that are no UTF-8 become U+FFFD, in any cut as at once', () => {
    const broken = [0xe2, 0x82, 0x41, 0xff, 0xf0, 0x9f, 0x98, 0x80, 0xc3, 0xe0, 0x80, 0x80]
    const stream = Uint8Array.from([...bytesOf('data: '), ...broken, ...bytesOf('\n\n')])
    const data = new TextDecoder().decode(Uint8Array.from(broken))
    expect(decode([stream])).toEqual([[data]])
    for (let at = 0; at < stream.length; at++) expect(decode([stream.slice(0, at), stream.slice(at)])).toEqual([[data]])
    expect(decode(Array.from(stream, (byte) => Uint8Array.of(byte)))).toEqual([[data]])
  })

  test('B078 a character that the end of the body cuts', () => {
    expect(decode([bytesOf('data: a'), Uint8Array.of(0xf0, 0x9f)])).toEqual([{ left: 'a\ufffd' }])
  })

  test('a piece may be overwritten after push', () => {
    const found: string[] = []
    const decoder = new SseDecoder((data) => found.push(data))
    const buffer = new Uint8Array(4)
    for (const byte of bytesOf('data: 漢😀\n\n')) decoder.push(buffer.fill(byte).subarray(0, 1))
    expect(found).toEqual(['漢😀'])
  })

  test('an empty piece changes nothing', () => {
    expect(decode(['data: 1\r', '', '\n\r\n'])).toEqual([['1']])
  })

  test('what onEvent throws goes through push', () => {
    const decoder = new SseDecoder(() => {
      throw new Error('enough')
    })
    expect(() => decoder.push(bytesOf('data: 1\n\n'))).toThrow('enough')
  })

  test('B140 a line without end fails with a typed error before it fills the memory', () => {
    const decoder = new SseDecoder(() => {}, { maxEventChars: 1_000_000 })
    const piece = new Uint8Array(65_536).fill(97)
    decoder.push(bytesOf('data: '))
    let pieces = 0
    const error = caught(() => {
      for (; pieces < 3_200; pieces++) decoder.push(piece) // 200 MB
    })
    expect([error, pieces]).toEqual([
      expect.objectContaining({
        code: 'ModelServerError',
        message: expect.stringContaining('longer than 1,000,000 characters (limit maxEventChars)'),
      }),
      15,
    ])
  })

  test('B140 so does an event of endless data lines', () => {
    const decoder = new SseDecoder(() => {}, { maxEventChars: 1_000_000 })
    const piece = bytesOf('data: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n'.repeat(1_000))
    const error = caught(() => {
      for (let pieces = 0; pieces < 4_000; pieces++) decoder.push(piece)
    })
    expect(error).toMatchObject({ code: 'ModelServerError' })
  })

  test('B140 the default lets an event of 16 MiB through', () => {
    const long = 'x'.repeat(16_777_216 - 10)
    expect(decode([`data: ${long}`, '\n\n'])).toEqual([[long]])
  })

  test('B201 300,000 events and a line of 300,000 pieces take time in proportion', () => {
    const events = bytesOf(`data: {"d":"x"}\n\n`.repeat(300_000))
    const pieces = Array.from({ length: Math.ceil(events.length / 40) }, (_, index) => events.subarray(index * 40, index * 40 + 40))
    const startedAt = performance.now()
    expect(decode(pieces)).toHaveLength(300_000)
    const one = Uint8Array.of(97)
    const decoder = new SseDecoder(() => {})
    decoder.push(bytesOf('data: '))
    for (let index = 0; index < 300_000; index++) decoder.push(one)
    expect(decoder.end()).toHaveLength(300_000)
    expect(performance.now() - startedAt).toBeLessThan(15_000) // under 1 s; quadratic would be minutes
  })
})

describe('SSE against eventsource-parser', () => {
  // Lines of the grammar, near misses of it, and raw text.
  const value = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom('', ' ', ' a', ':', '{"a":1}', '\ufeff', '\0'))
  const line = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.constantFrom('data: ', 'data:', 'event: ', 'event:', ':', 'id: ', 'retry: '), value).map(([a, b]) => a + b),
    },
    { weight: 3, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom('data', 'event', 'dat', 'datax: 1', ' data: 1', 'DATA: 1') },
    { weight: 1, arbitrary: value },
  )
  const end = fc.constantFrom('\n', '\n', '\r\n', '\r')
  const stream = fc.tuple(
    fc.constantFrom('', '\ufeff'),
    fc.array(
      fc.tuple(line, end).map((parts) => parts.join('')),
      { maxLength: 30 },
    ),
    line,
  )

  test('the same events from any stream in any cut', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 20 }), ([mark, lines, last], cuts) => {
        const bytes = bytesOf(mark + lines.join('') + last)
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
        const pieces = places.slice(1).map((place, index) => bytes.slice(places[index], place))
        const events = decode(pieces).filter((found) => Array.isArray(found))
        // It reads text, and is fed at once: its own cuts are not what is tested.
        const expected: Event[] = []
        const parser = createParser({
          onEvent: ({ data, event }) => data !== '' && expected.push(event === undefined ? [data] : [data, event]),
        })
        parser.feed(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
        // It keeps a CR at the very end back, as half of a line end; here the line has ended.
        parser.feed('\n'.repeat(bytes.at(-1) === 13 ? 1 : 0))
        expect(events).toEqual(expected)
      }),
      { numRuns: 3_000 },
    )
  })

  test('where it differs: B082 empty data is dispatched by it, as the standard says', () => {
    const theirs: string[] = []
    createParser({ onEvent: ({ data }) => theirs.push(data) }).feed('data:\n\n')
    expect([theirs, decode(['data:\n\n'])]).toEqual([[''], []])
  })

  test('where it differs: a first character U+FEFF from the text of raw bytes EF BB BF', () => {
    // It takes the three characters "ï»¿" for a byte order mark too, for callers that decode bytes as Latin-1; here they are text.
    const theirs: string[] = []
    createParser({ onEvent: ({ data }) => theirs.push(data) }).feed('\u00ef\u00bb\u00bfdata: 1\n\n')
    expect([theirs, decode(['\u00ef\u00bb\u00bfdata: 1\n\n'])]).toEqual([['1'], []])
  })
})

function caught(action: () => void): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  return undefined
}
