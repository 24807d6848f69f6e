import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Assembler } from '../../../src/core/assemble.ts'
import type { ModelDelta } from '../../../src/core/model.ts'
import { added, completed, done, functionCall, message, responseTo } from './support.ts'

const encoder = new TextEncoder()

/** Reads a body that comes in these pieces. */
function read(pieces: readonly string[]) {
  const assembler = new Assembler({ n: 1 })
  const deltas: ModelDelta[] = []
  const response = responseTo({ provider: 'test' }, (delta) => {
    deltas.push(delta)
    assembler.push(delta)
  })
  response.head({ status: 200, header: (name) => (name === 'content-type' ? 'text/event-stream' : undefined) })
  for (const piece of pieces) response.chunk(encoder.encode(piece))
  response.finish()
  return { parts: assembler.finish().parts, deltas }
}

type Shape = 'named' | 'bare' | 'padded' | 'late'

/** An event as OpenAI sends it, without its name, with random padding, or with its fields in another order. */
function event(type: string, fields: object, number: number, shape: Shape): string {
  const { delta, ...rest } = fields as { readonly delta?: string }
  const padding = shape === 'padded' ? { obfuscation: 'aB3'.repeat(number % 4) } : {}
  const ordered =
    shape === 'late'
      ? { ...rest, delta, sequence_number: number, type }
      : { type, sequence_number: number, ...rest, ...(delta === undefined ? {} : { delta }), ...padding }
  return `${shape === 'bare' ? '' : `event: ${type}\n`}data: ${JSON.stringify(ordered)}\n\n`
}

const at = (kind: string) => ({ item_id: kind, output_index: kind === 'msg_1' ? 1 : 0, content_index: 0 })

const types = { text: 'response.output_text.delta', reasoning: 'response.reasoning_text.delta' } as const
const items = { text: 'msg_1', reasoning: 'rs_1' } as const

/** Text that looks like what stands around it, and all that JSON escapes. */
const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom(
    '"',
    '\\',
    '\n\n',
    '"}',
    'data: ',
    '\n\ndata: ',
    '"delta":"',
    '","sequence_number":7',
    '\u2028',
    '\ud83d\ude00',
    'msg_1',
    '',
  ),
)

const spoken = fc.record({
  shape: fc.constantFrom<Shape>('named', 'bare', 'padded', 'late'),
  pieces: fc.array(fc.tuple(fc.constantFrom('text', 'text', 'text', 'reasoning', 'other', 'comment'), words), { maxLength: 30 }),
  cuts: fc.array(fc.nat(4_000), { maxLength: 6 }),
})

function cut(body: string, places: readonly number[]): readonly string[] {
  const all = [0, ...places.map((place) => place % (body.length + 1)).sort((a, b) => a - b), body.length]
  return all.slice(1).map((to, index) => body.slice(all[index], to))
}

const end = `data: ${JSON.stringify(completed([]))}\n\n`

describe('events that are like the one before are taken as one run', () => {
  test('what comes of them is the same, wherever the body is cut and whatever the texts hold', () => {
    fc.assert(
      fc.property(spoken, ({ shape, pieces, cuts }) => {
        const begun = [`data: ${JSON.stringify(added({ type: 'reasoning', id: 'rs_1', summary: [] }))}\n\n`]
        const body = pieces.map(([kind, delta], number) => {
          if (kind === 'text' || kind === 'reasoning') return event(types[kind], { ...at(items[kind]), delta, logprobs: [] }, number, shape)
          return kind === 'other' ? event('response.in_progress', { response: {} }, number, shape) : ': ping\n\n'
        })
        const wanted = (['reasoning', 'text'] as const).flatMap((type) => {
          const text = pieces.map(([kind, piece]) => (kind === type ? piece : '')).join('')
          return text === '' ? [] : [{ type, text }]
        })
        const inPieces = cut([...begun, ...body, end].join(''), cuts)
        // Not within a pair: this is about texts, not about bytes.
        fc.pre(!inPieces.some((piece) => /\p{Surrogate}/u.test(piece)))
        const parts = read(inPieces).parts.filter((part) => 'text' in part && part.text !== '')
        expect(parts.map((part) => ('text' in part ? { type: part.type, text: part.text } : part))).toEqual(wanted)
      }),
      { numRuns: Number(process.env['RUNS'] ?? 500) },
    )
  })

  test.each<Shape>(['named', 'bare', 'padded', 'late'])('what came in one piece goes on as one delta (%s)', (shape) => {
    const text = (delta: string, number: number) => event(types.text, { ...at('msg_1'), delta, logprobs: [] }, number, shape)
    const { deltas } = read(
      ['abcd'].map((letters) => [...letters].map((letter, number) => text(letter, number + 8)).join('')).concat(text('e', 12), end),
    )
    expect(deltas.slice(0, 2)).toEqual([
      { type: 'text', part: 0, text: 'abcd' },
      { type: 'text', part: 0, text: 'e' },
    ])
  })

  test('arguments belong to the call that is open, also when another one looks the same', () => {
    const begin = (place: number) =>
      `data: ${JSON.stringify(added(functionCall({ id: `fc_${place}`, call_id: `c${place}`, arguments: '' }), place))}\n\n`
    const input = (place: number, text: string, number: number) =>
      event('response.function_call_arguments.delta', { item_id: `fc_${place}`, output_index: place, delta: text }, number, 'named')
    const all = (place: number) => [begin(place), ...[...'{"city":"Bern"}'].map((letter, number) => input(place, letter, number))].join('')
    const { parts, deltas } = read([all(0) + all(1) + end])
    expect(parts).toMatchObject([{ input: { city: 'Bern' } }, { input: { city: 'Bern' } }])
    expect(deltas).toHaveLength(4)
  })

  test('what is like the events before and no JSON is an error', () => {
    const text = (delta: string) => event(types.text, { ...at('msg_1'), delta }, 1, 'named')
    const broken = text('x').replace('"x"', '"\u0001"')
    expect(() => read([text('a') + text('b') + text('c') + broken + end])).toThrow('an event is not JSON')
    expect(() => read([text('a') + text('b') + text('c') + text('d').replace(':1,', ':01,') + end])).toThrow('an event is not JSON')
  })

  test('an event that is named an error is one, also when it looks like the text before it', () => {
    const text = (delta: string) => event(types.text, { ...at('msg_1'), delta }, 1, 'named')
    const named = text('busy').replace(/^event: .*/, 'event: error')
    expect(() => read([text('a') + text('b') + text('c') + named + end])).toThrow('failed')
  })

  test('nothing is learnt of what differs elsewhere; it is read all the same', () => {
    const text = (delta: string, n: number) => `data: ${JSON.stringify({ type: types.text, ...at('msg_1'), delta, logprobs: [{ n }] })}\n\n`
    const letters = [...'abcdefghijklmnopqrstuvwxyz']
    expect(read([letters.map(text).join('') + end]).parts).toMatchObject([{ text: letters.join('') }])
  })

  test('an item that ends and goes on once more is the same item', () => {
    const text = (delta: string, number: number) => event(types.text, { ...at('msg_1'), delta }, number, 'named')
    const whole = `data: ${JSON.stringify(done(message('abc'), 1))}\n\n`
    expect(read([text('a', 1) + text('b', 2) + text('c', 3) + whole + text('d', 4) + end]).parts).toMatchObject([{ text: 'abcd' }])
  })
})
