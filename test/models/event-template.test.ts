import { describe, expect, test } from 'vitest'
import { EventTemplate } from '../../src/models/event-template.ts'

const textIn = (event: unknown) => (event as { delta?: { text?: unknown } } | undefined)?.delta?.text

const event = (text: string, padding = '') => `{"type":"delta","index":0,"delta":{"type":"text","text":${JSON.stringify(text)}}${padding}}`
const line = (text: string, padding = '', name = 'delta') => `event: ${name}\ndata: ${event(text, padding)}\n\n`

function learnt(padding = '', ...[name]: readonly [name?: string]) {
  const template = new EventTemplate<'text'>()
  expect(template.learn(event('a', padding), 'text', 'a', textIn, name)).toBe(true)
  return template
}

describe('events with a name', () => {
  test('are taken as a run, name and all', () => {
    const piece = line('b') + line('c"}}') + line('d', '', 'other')
    expect(learnt('', 'delta').run(piece, 0)).toEqual({ text: 'bc"}}', end: (line('b') + line('c"}}')).length })
  })

  test('and those without one are not like them', () => {
    const piece = `data: ${event('b')}\n\n`
    expect(learnt('', 'delta').run(piece, 0)).toEqual({ text: '', end: 0 })
    expect(learnt('').run(line('b'), 0)).toEqual({ text: '', end: 0 })
  })
})

describe('blanks between the last brackets', () => {
  test.each(['', ' ', '          '])('mean nothing, be they in the event that is known (%j) or in the next', (known) => {
    for (const padding of ['', ' ', '      ', known]) {
      expect(learnt(known, 'delta').match(event('b} ', padding))).toBe('b} ')
      expect(learnt(known, 'delta').run(line('b"} }', padding), 0)).toEqual({ text: 'b"} }', end: line('b"} }', padding).length })
    }
  })

  test('but all brackets must be there, and nothing else', () => {
    for (const other of [
      event('b').slice(0, -1),
      `${event('b')}}`,
      event('b', ',"x":1'),
      event('b', ',"x":"y"'),
      event('b', '\t'),
      event('b').replace('"text":"b"', '"text":"b","more":"c"'),
      event('b').replace('"index":0', '"index":1'),
    ])
      expect(learnt('  ', 'delta').match(other)).toBeUndefined()
  })

  test('an event that is not whole yet is left', () => {
    const whole = line('b')
    for (let cut = 0; cut < whole.length; cut++) expect(learnt('', 'delta').run(whole.slice(0, cut), 0)).toEqual({ text: '', end: 0 })
  })
})
