import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Assembler } from '../../../src/core/assemble.ts'
import { RondoError } from '../../../src/core/error.ts'
import type { ModelDelta } from '../../../src/core/model.ts'
import { chatResponse } from './support.ts'

const encoder = new TextEncoder()

/** Reads a body that comes in these pieces. */
function read(pieces: readonly string[]) {
  const assembler = new Assembler({ n: 1 })
  const deltas: ModelDelta[] = []
  const response = chatResponse({ provider: 'test' }, (delta) => {
    deltas.push(delta)
    assembler.push(delta)
  })
  response.head({ status: 200, header: (name) => (name === 'content-type' ? 'text/event-stream' : undefined) })
  for (const piece of pieces) response.chunk(encoder.encode(piece))
  const finish = response.finish()
  return { parts: assembler.finish().parts, deltas, finish }
}

function event(delta: object, more: object = {}): string {
  return `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`
}

const content = (text: string) => event({ content: text })
const reasoning = (text: string) => event({ reasoning_content: text })
const input = (text: string, index = 0) => event({ tool_calls: [{ index, function: { arguments: text } }] })
const call = (name: string, index = 0, id = `i${index}`) => event({ tool_calls: [{ index, id, function: { name, arguments: '' } }] })
const stop = `${event({}, { finish_reason: 'stop' })}data: [DONE]\n\n`

/** Text that looks like what stands around it, and all that JSON escapes. */
const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('"', '\\', '\n\n', '"}', 'data: ', '\n\ndata: ', '"},"finish_reason":null}]}', '\u2028', '\ud83d\ude00', 'content', ''),
)

const spoken = fc.record({
  pieces: fc.array(fc.tuple(fc.constantFrom('content', 'content', 'content', 'reasoning', 'other', 'comment'), words), { maxLength: 30 }),
  cuts: fc.array(fc.nat(2_000), { maxLength: 6 }),
})

function cut(body: string, at: readonly number[]): readonly string[] {
  const places = [0, ...[...at].map((place) => place % (body.length + 1)).sort((a, b) => a - b), body.length]
  return places.slice(1).map((to, index) => body.slice(places[index], to))
}

describe('events that are like the one before are taken as one run', () => {
  test('what comes of them is the same, wherever the body is cut and whatever the texts hold', () => {
    fc.assert(
      fc.property(spoken, ({ pieces, cuts }) => {
        const body = pieces.map(([kind, text]) => {
          if (kind === 'content') return content(text)
          if (kind === 'reasoning') return reasoning(text)
          return kind === 'other' ? event({ role: 'assistant' }) : ': ping\n\n'
        })
        const wanted: { type: string; text: string }[] = []
        for (const [kind, text] of pieces) {
          const type = kind === 'content' ? 'text' : 'reasoning'
          if ((kind !== 'content' && kind !== 'reasoning') || text === '') continue
          const last = wanted.at(-1)
          if (last?.type === type) last.text += text
          else wanted.push({ type, text })
        }
        const inPieces = cut([...body, stop].join(''), cuts)
        // Not within a pair: this is about texts, not about bytes.
        fc.pre(!inPieces.some((piece) => /\p{Surrogate}/u.test(piece)))
        expect(read(inPieces).parts).toEqual(wanted)
      }),
      { numRuns: Number(process.env['RUNS'] ?? 500) },
    )
  })

  test('what came in one piece goes on as one delta', () => {
    const { deltas } = read([content('a') + content('b') + content('c') + reasoning('d') + reasoning('e'), content('f') + stop])
    expect(deltas).toEqual([
      { type: 'text', part: 0, text: 'abc' },
      { type: 'reasoning', part: 1, text: 'de' },
      { type: 'text', part: 2, text: 'f' },
    ])
  })

  test('arguments belong to the call that is open, also when another one looks the same', () => {
    const body = [
      call('a'),
      input('{"x":'),
      input('"1'),
      input('"'),
      input('}'),
      call('b', 1),
      input('{"y":', 1),
      input('2', 1),
      input('}', 1),
      stop,
    ]
    for (const pieces of [[body.join('')], body]) {
      expect(read(pieces).parts).toMatchObject([
        { type: 'tool-call', toolName: 'a', input: { x: '1' } },
        { type: 'tool-call', toolName: 'b', input: { y: 2 } },
      ])
    }
  })

  test('a server that counts every call as 0: the arguments of the second are not those of the first', () => {
    const body = [call('a'), input('{"x":'), input('1'), input('}'), call('b', 0, 'i1'), input('{"x":'), input('2'), input('}'), stop]
    expect(read([body.join('')]).parts).toMatchObject([{ input: { x: 1 } }, { input: { x: 2 } }])
  })

  test('an empty text is read as what it is: the reasoning may stand in another field then', () => {
    const both = (a: string, b: string) => event({ reasoning_content: a, reasoning: b })
    const pieces = [[both('ab', 'ab'), both('cd', 'cd'), both('', 'ef'), content('!'), stop].join('')]
    expect(read(pieces).parts).toEqual([
      { type: 'reasoning', text: 'abcdef' },
      { type: 'text', text: '!' },
    ])
  })

  test('usage in an event with text is read, under whatever name', () => {
    const groq = (text: string, tokens: number) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }], x_groq: { usage: { prompt_tokens: 1, completion_tokens: tokens } } })}\n\n`
    const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 5 } })}\n\n`
    const { finish } = read([groq('a', 1) + groq('b', 1) + usage + groq('c', 1) + stop])
    expect(finish.usage).toMatchObject({ outputTokens: 1 })
  })

  test('an event that is named an error is one, also when it looks like the text before it', () => {
    const deltas: ModelDelta[] = []
    const response = chatResponse({ provider: 'test' }, (delta) => deltas.push(delta))
    response.head({ status: 200, header: () => 'text/event-stream' })
    expect(() => response.chunk(encoder.encode(`${content('a')}${content('b')}event: error\n${content('c')}`))).toThrow(RondoError)
    expect(deltas).toEqual([{ type: 'text', part: 0, text: 'ab' }])
  })

  test('of a whole completion that can not be read to its end, what was read is told', () => {
    const deltas: ModelDelta[] = []
    const response = chatResponse({ provider: 'test' }, (delta) => deltas.push(delta))
    response.head({ status: 200, header: () => 'application/json' })
    const message = { content: 'hello', tool_calls: [{ function: { arguments: '{}' } }] }
    response.chunk(encoder.encode(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] })))
    expect(() => response.finish()).toThrow('no name')
    expect(deltas).toEqual([{ type: 'text', part: 0, text: 'hello' }])
  })

  test('what was said before an error in the same piece is told', () => {
    const deltas: ModelDelta[] = []
    const response = chatResponse({ provider: 'test' }, (delta) => deltas.push(delta))
    response.head({ status: 200, header: () => 'text/event-stream' })
    expect(() => response.chunk(encoder.encode(`${content('a')}${content('b')}data: {"error":{"message":"busy"}}\n\n`))).toThrow('busy')
    expect(deltas).toEqual([{ type: 'text', part: 0, text: 'ab' }])
  })
})
