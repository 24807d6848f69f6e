import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closed, ended, opened, piece, read, start, stop, stream } from './support.ts'

/** Text that looks like what stands around it, and all that JSON escapes. */
const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('"', '\\', '\n\n', '"}', '"}}', '} }', ' ', 'event: content_block_delta\ndata: ', '"}}\n\n', '\u2028', '😀', 'text', ''),
)

const kinds = {
  text: [{ type: 'text', text: '' }, 'text_delta', 'text'],
  reasoning: [{ type: 'thinking', thinking: '', signature: '' }, 'thinking_delta', 'thinking'],
} as const

const spoken = fc.record({
  blocks: fc.array(
    fc.record({
      kind: fc.constantFrom('text', 'reasoning'),
      texts: fc.array(words, { maxLength: 12 }),
      index: fc.nat(2),
      ping: fc.nat(12),
    }),
    { maxLength: 5 },
  ),
  padding: fc.array(fc.nat(14), { minLength: 1, maxLength: 9 }),
  names: fc.boolean(),
  cuts: fc.array(fc.nat(3_000), { maxLength: 6 }),
})

describe('events that are like the one before are taken as one run', () => {
  test('what comes of them is the same, wherever the body is cut, whatever the texts hold and however it is padded', () => {
    fc.assert(
      fc.property(spoken, ({ blocks, padding, names, cuts }) => {
        const wanted: { type: string; text: string }[] = []
        const events: { type: string }[] = [start]
        for (const { kind, texts, index, ping } of blocks) {
          const [block, type, field] = kinds[kind as keyof typeof kinds]
          const deltas: { type: string }[] = texts.map((text) => piece(index, { type, [field]: text }))
          deltas.splice(ping, 0, { type: 'ping' })
          events.push(opened(index, block), ...deltas, closed(index))
          const text = texts.join('')
          if (text !== '') wanted.push({ type: kind, text })
        }
        const body = [...events, ended('end_turn'), stop].map((event, n) => {
          const text = names ? stream(event) : stream(event).replace(/^event: .*\n/, '')
          return text.replace(/\}(?=\n\n$)/, `${' '.repeat(padding[n % padding.length] ?? 0)}}`)
        })
        const bytes = new TextEncoder().encode(body.join(''))
        for (const size of [1, ...cuts.map((cut) => cut + 1), 1_000_000])
          expect(
            read(bytes, 'text/event-stream', size).message.parts.map(({ type, ...part }) => ({ type, text: Reflect.get(part, 'text') })),
          ).toEqual(wanted)
      }),
      { numRuns: Number(process.env['RUNS'] ?? 150) },
    )
  })

  test('what came in one piece goes on as one delta', () => {
    const texts = 'abcdefgh'.split('').map((text) => piece(0, { type: 'text_delta', text }))
    const { deltas } = read(stream(start, opened(0, { type: 'text', text: '' }), ...texts, closed(0), ended('end_turn'), stop))
    expect(deltas).toEqual([{ type: 'text', part: 0, text: 'abcdefgh' }])
  })

  test('arguments go on with the call that is open, and with no other', () => {
    const inputs = (index: number, texts: readonly string[]) =>
      texts.map((text) => piece(index, { type: 'input_json_delta', partial_json: text }))
    const tool = (index: number) => opened(index, { type: 'tool_use', id: `t${index}`, name: 'x', input: {} })
    const one = inputs(0, ['{"', 'a', 'b', 'c', 'd', '"', ':', '1', '}'])
    const two = inputs(1, ['{"', 'e', 'f', 'g', 'h', '"', ':', '2', '}'])
    const mixed = one.flatMap((event, n) => [event, two[n] ?? event])
    for (const events of [
      [tool(0), ...one, closed(0), tool(1), ...two, closed(1)],
      [tool(0), tool(1), ...mixed, closed(0), closed(1)],
    ])
      expect(read(stream(start, ...events, ended('tool_use'), stop)).message.parts).toMatchObject([
        { input: { abcd: 1 } },
        { input: { efgh: 2 } },
      ])
  })
})
