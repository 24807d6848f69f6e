import { afterEach, describe, expect, test } from 'vitest'
import type { ChatAnswer, ChatQuirks } from '../../../src/testing/fake/chat/quirks.ts'
import { ask, chunksOf, closeServers, deltasOf, head, start } from './fake-client.ts'

afterEach(closeServers)

/** The body of one streamed answer. */
async function bytes(answer: ChatAnswer, quirks: ChatQuirks = {}): Promise<string> {
  const { url } = await start([answer], { quirks })
  return (await ask(url, { stream: true })).text
}

const callsIn = async (quirks: ChatQuirks) => (await deltasOf(twoCalls, quirks)).flatMap((delta) => delta['tool_calls'])
const twoCalls: ChatAnswer = {
  calls: [
    { name: 'a', input: { x: 1 }, id: 'c1' },
    { name: 'b', rawInput: '{}', id: 'c2' },
  ],
}
describe('quirks have the bytes that they say', () => {
  test.each([1, 7, Number.POSITIVE_INFINITY])('%d bytes per write', async (size) => {
    const { url } = await start([{ text: 'é\u{1f600}' }], { quirks: { bytesPerWrite: size } })
    const { chunks, text } = await ask(url, { stream: true })
    const length = Buffer.byteLength(text)
    const whole = Math.floor(length / size)
    expect(chunks.map((chunk) => chunk.length)).toEqual([...Array(whole).fill(size), ...(length % size === 0 ? [] : [length % size])])
    expect(text).toContain('"content":"é\u{1f600}"')
  })

  test('line ends, byte order mark, comments, no space, several data lines, an open end, no [DONE]', async () => {
    const plain = await bytes({ text: 'x' })
    expect(await bytes({ text: 'x' }, { newline: '\r\n' })).toBe(plain.replaceAll('\n', '\r\n'))
    expect(await bytes({ text: 'x' }, { newline: '\r' })).toBe(plain.replaceAll('\n', '\r'))
    expect(await bytes({ text: 'x' }, { bom: true })).toBe(`\ufeff${plain}`)
    expect(await bytes({ text: 'x' }, { comment: ': PROCESSING' })).toBe(plain.replaceAll('data: ', ': PROCESSING\n\ndata: '))
    expect(await bytes({ text: 'x' }, { comment: ':' })).toBe(plain.replaceAll('data: ', ':\n\ndata: '))
    expect(await bytes({ text: 'x' }, { noSpace: true })).toBe(plain.replaceAll('data: ', 'data:'))
    expect(await bytes({ text: 'x' }, { openEnd: true })).toBe(plain.replace(/\n\n$/, ''))
    expect(await bytes({ text: 'x' }, { noDone: true })).toBe(plain.replace('data: [DONE]\n\n', ''))
    const lines = await bytes({ text: 'x' }, { multiline: true })
    expect(lines).toMatch(/^data: \{\ndata: {2}"id": /)
    const joined = lines.split('\n\n').map((event) => event.replace(/^data: /gm, ''))
    expect(JSON.parse(joined[1] ?? '')).toMatchObject({ choices: [{ delta: { content: 'x' } }] })
  })

  test('the role in the first delta, or nowhere; a preamble without choices; another field for reasoning', async () => {
    const deltas = async (quirks: ChatQuirks) =>
      (await chunksOf({ text: ['x', 'y'] }, quirks)).map(({ choices: [choice] }) => choice?.delta)
    expect(await deltas({ role: 'first' })).toEqual([{ role: 'assistant', content: 'x' }, { content: 'y' }, {}, undefined])
    expect(await deltas({ role: 'none' })).toEqual([{ content: 'x' }, { content: 'y' }, {}, undefined])
    expect((await chunksOf({ text: 'x' }, { filterPreamble: true }))[0]).toEqual({
      ...head,
      id: '',
      choices: [],
      prompt_filter_results: [],
    })
    expect(await deltasOf({ reasoning: 'x' }, { reasoningField: 'reasoning' })).toEqual([{ reasoning: 'x' }])
  })

  test('B018, B020, B021: numbers of calls', async () => {
    const numbers = async (index: NonNullable<ChatQuirks['index']>) =>
      (await callsIn({ index })).map((call) => Reflect.get(Object(call), 'index'))
    expect(await numbers('right')).toEqual([0, 0, 1, 1])
    expect(await numbers('zero')).toEqual([0, 0, 0, 0])
    expect(await numbers('drifting')).toEqual([0, 1, 2, 3])
    expect((await callsIn({ index: 'none' })).map((call) => 'index' in Object(call))).toEqual([false, false, false, false])
  })

  test('B014, B015: ids of calls', async () => {
    const ids = async (quirk: NonNullable<ChatQuirks['ids']>) =>
      (await callsIn({ ids: quirk })).map((call) => Reflect.get(Object(call), 'id'))
    expect(await ids('once')).toEqual(['c1', undefined, 'c2', undefined])
    expect(await ids('every')).toEqual(['c1', 'c1', 'c2', 'c2'])
    expect(await ids('none')).toEqual([undefined, undefined, undefined, undefined])
    expect(await ids('empty')).toEqual(['', undefined, '', undefined])
    expect(await ids('same')).toEqual(['call_0', undefined, 'call_0', undefined])
  })

  test('B030: arguments whole, as an object, as JSON in JSON', async () => {
    const args = async (form: NonNullable<ChatQuirks['arguments']>) =>
      (await callsIn({ arguments: form })).map((call) => Reflect.get(Object(call), 'function'))
    expect(await args('whole')).toEqual([
      { name: 'a', arguments: '{"x":1}' },
      { name: 'b', arguments: '{}' },
    ])
    expect(await args('object')).toEqual([
      { name: 'a', arguments: { x: 1 } },
      { name: 'b', arguments: {} },
    ])
    expect(await args('twice')).toEqual([
      { name: 'a', arguments: '"{\\"x\\":1}"' },
      { name: 'b', arguments: '"{}"' },
    ])
  })

  test('B098: usage', async () => {
    const where = async (quirk: NonNullable<ChatQuirks['usage']>, more?: object) =>
      (await chunksOf({ text: ['x', 'y'], usage: { outputTokens: 4 } }, { usage: quirk }, more)).map((chunk) => [
        chunk.choices.length,
        chunk.usage === undefined ? undefined : Reflect.get(chunk.usage, 'completion_tokens'),
      ])
    const none = [1, undefined]
    expect(await where('asked')).toEqual([none, none, none, none, [0, 4]])
    expect(await where('asked', { stream: true })).toEqual([none, none, none, none])
    expect(await where('last', { stream: true })).toEqual([none, none, none, none, [0, 4]])
    expect(await where('finish')).toEqual([none, none, none, [1, 4]])
    expect(await where('every')).toEqual([
      [1, 0],
      [1, 2],
      [1, 4],
      [1, 4],
    ])
    expect(await where('none')).toEqual([none, none, none, none])
    expect((await chunksOf({ text: 'x', usage: null })).every((chunk) => chunk.usage === undefined)).toBe(true)
  })

  test('B090: a form that was not asked for', async () => {
    const { url } = await start([
      { text: 'x', quirks: { form: 'json' } },
      { text: 'x', quirks: { form: 'sse' } },
    ])
    expect((await ask(url, { stream: true })).contentType).toBe('application/json')
    expect((await ask(url, {})).contentType).toBe('text/event-stream; charset=utf-8')
  })
})
