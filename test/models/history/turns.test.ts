import { expect, test } from 'vitest'
import type { Part } from '../../../src/core/message.ts'
import { anyIds } from '../../../src/models/history/ids.ts'
import { turnsOf } from '../../../src/models/history/turns.ts'

const text = (said: string, data?: object): Part => ({
  type: 'text',
  text: said,
  ...(data === undefined ? {} : { providerData: { s: { ...data } } }),
})
const call: Part = { type: 'tool-call', callId: 'm1.0', toolName: 't', input: {}, settlement: { outcome: 'ok', output: 'x' } }
const source: Part = { type: 'source', url: 'https://example.org' }

/** The texts of an answer as they are sent; `-` for what is none. */
function texts(...parts: Part[]): readonly string[] {
  const { turns } = turnsOf({ role: 'assistant', parts }, new Set(), { scope: 's', ids: anyIds })
  return turns.flatMap((turn) => (turn.role === 'assistant' ? turn.items.map((item) => (item.type === 'text' ? item.text : '-')) : []))
}

test('B070 a blank text is left out; one between two texts is of the first, so that their words do not run together', () => {
  expect(texts(text('One.'), text(' '), text('Two.'))).toEqual(['One. ', 'Two.'])
  expect(texts(text('One.', { citations: [] }), source, text(' '), text('\n'), text('Two.'))).toEqual(['One. \n', 'Two.'])
  expect(texts(text(' '), text('One.'))).toEqual(['One.'])
  expect(texts(text('One.'), text(' '))).toEqual(['One.'])
  expect(texts(text('One.'), text(' '), call, text('Two.'))).toEqual(['One.', '-', 'Two.'])
  expect(texts(text('\n'))).toEqual([])
  // What holds data and says nothing is no text that could be followed.
  expect(texts(text('', { item: {} }), text(' '), text('Two.'))).toEqual(['', 'Two.'])
})
