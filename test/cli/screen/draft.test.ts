import { describe, expect, test } from 'vitest'
import { type Draft, draftOf, edited, emptyDraft, movedLine } from '../../../src/cli/screen/draft.ts'
import { draftPart } from '../../../src/cli/screen/draft-lines.ts'
import type { Key } from '../../../src/cli/screen/keys.ts'

/** `a|b`: the cursor stands before b. */
function at(text: string): Draft {
  return { text: text.replace('|', ''), at: text.indexOf('|') }
}

function shown({ text, at: place }: Draft): string {
  return `${text.slice(0, place)}|${text.slice(place)}`
}

function pressed(draft: string, ...names: string[]): string {
  return shown(names.reduce((so, name) => edited(so, { kind: 'key', name }) ?? so, at(draft)))
}

describe('keys for writing', () => {
  test('characters and pastes go in at the cursor', () => {
    const typed: Key[] = [
      { kind: 'text', text: 'ab' },
      { kind: 'key', name: 'left' },
      { kind: 'paste', text: '1\n2' },
    ]
    expect(shown(typed.reduce((draft, key) => edited(draft, key) ?? draft, emptyDraft))).toBe('a1\n2|b')
  })

  test.each([
    ['left', 'ab|', 'a|b'],
    ['ctrl-b', '|ab', '|ab'],
    ['right', 'a|b', 'ab|'],
    ['ctrl-f', 'ab|', 'ab|'],
    ['alt-b', 'one two-three|', 'one two-|three'],
    ['ctrl-left', 'one   |', '|one   '],
    ['alt-f', '|one two', 'one| two'],
    ['ctrl-right', 'one| two', 'one two|'],
    ['home', 'a\nbc|d', 'a\n|bcd'],
    ['ctrl-a', '|a', '|a'],
    ['end', 'a|b\nc', 'ab|\nc'],
    ['ctrl-e', 'a|b', 'ab|'],
    ['backspace', 'ab|c', 'a|c'],
    ['ctrl-h', 'a\n|b', 'a|b'],
    ['delete', 'a|bc', 'a|c'],
    ['ctrl-w', 'one two|', 'one |'],
    ['alt-backspace', 'one two | x', 'one | x'],
    ['alt-d', 'one| two x', 'one| x'],
    ['ctrl-u', 'a\nbc|d', 'a\n|d'],
    ['ctrl-k', 'a|bc\nd', 'a|\nd'],
    ['ctrl-k', 'a|\nd', 'a|d'],
    ['alt-enter', 'a|b', 'a\n|b'],
    ['ctrl-j', 'a|b', 'a\n|b'],
  ])('%s: %j becomes %j', (name, before, after) => {
    expect(pressed(before, name)).toBe(after)
  })

  test('what is one character to the eye is one to the keys', () => {
    expect(pressed('a👨‍👩‍👧|', 'backspace')).toBe('a|')
    expect(pressed('|👨‍👩‍👧b', 'right')).toBe('👨‍👩‍👧|b')
    expect(pressed('e\u0301|', 'left')).toBe('|e\u0301')
  })

  test('a key that writes nothing is not for the draft', () => {
    expect(edited(emptyDraft, { kind: 'key', name: 'f5' })).toBeUndefined()
  })
})

describe('lines of a draft', () => {
  test('up and down keep the column where the line is so long', () => {
    expect(shown(movedLine(at('abcd\nx\nefgh|'), -1) ?? emptyDraft)).toBe('abcd\nx|\nefgh')
    expect(shown(movedLine(at('ab|cd\nx\nefgh'), 1) ?? emptyDraft)).toBe('abcd\nx|\nefgh')
    expect(shown(movedLine(at('日本|\nabcdef'), 1) ?? emptyDraft)).toBe('日本\nabcd|ef')
  })

  test('there is none above the first and below the last', () => {
    expect([movedLine(at('a|\nb'), -1), movedLine(at('a\nb|'), 1)]).toEqual([undefined, undefined])
  })
})

describe('a draft on the screen', () => {
  const marks = { first: '> ', rest: '  ', columns: 2 }

  test('long lines are broken, and the cursor stands where it is in the text', () => {
    expect(draftPart(at('abcdefghijk|l'), 10, marks)).toEqual({ lines: ['> abcdefgh', '  ijkl'], cursor: { row: 1, column: 5 } })
    expect(draftPart(at('one\n|two'), 80, marks)).toEqual({ lines: ['> one', '  two'], cursor: { row: 1, column: 2 } })
  })

  test('behind a full row the cursor stands in the next one', () => {
    expect(draftPart(at('abcdefgh|'), 10, marks)).toEqual({ lines: ['> abcdefgh', '  '], cursor: { row: 1, column: 2 } })
    expect(draftPart(at('abcdefgh|ij'), 10, marks)).toEqual({ lines: ['> abcdefgh', '  ij'], cursor: { row: 1, column: 2 } })
  })

  test('of a long one only the rows around the cursor are there', () => {
    const text = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n')
    const part = draftPart(draftOf(text), 80, marks, 4)
    expect(part.lines).toEqual(['  line 26', '  line 27', '  line 28', '  line 29'])
    expect(part.cursor).toEqual({ row: 3, column: 9 })
    expect(draftPart({ text, at: 0 }, 80, marks, 4).lines[0]).toBe('> line 0')
  })

  test('an empty first line is a row', () => {
    expect(draftPart(at('\na|'), 80, marks).lines).toEqual(['> ', '  a'])
  })

  test('a pasted control character is spelled out', () => {
    expect(draftPart(draftOf('a\u001b[2Jb'), 80, marks)).toEqual({ lines: ['> a\\x1b[2Jb'], cursor: { row: 0, column: 11 } })
  })
})

describe('a million characters that were pasted', () => {
  const marks = { first: '> ', rest: '  ', columns: 2 }

  test.each([
    ['in one word', 'x'.repeat(1_000_000)],
    ['in one word of another script', '日'.repeat(1_000_000)],
    ['in words', 'two words '.repeat(100_000)],
    ['in lines', 'line\n'.repeat(200_000)],
    ['in two lines', `${'é'.repeat(500_000)}\n${'é'.repeat(500_000)}`],
  ])('%s: every key is for the few that are near', (_name, text) => {
    let draft = draftOf(`${text} end`)
    for (const name of ['ctrl-w', 'left', 'ctrl-w', 'alt-f', 'backspace', 'home', 'alt-d', 'end', 'right'])
      draft = edited(draft, { kind: 'key', name }) ?? draft
    draft = movedLine(draft, -1) ?? draft
    for (let drawn = 0; drawn < 50; drawn++) expect(draftPart(draft, 80, marks, 5).lines.length).toBeLessThanOrEqual(5)
  })

  test('its rows are those that a short one has', () => {
    const text = `${'日'.repeat(20_000)}\nlast`
    expect(draftPart(draftOf(text), 80, marks, 2).lines).toEqual(['  日日日日', '  last'].map((line) => expect.stringMatching(`^${line}`)))
    expect(draftPart({ text, at: 0 }, 80, marks, 2).lines[0]).toBe(`> ${'日'.repeat(39)}`)
  })
})
