import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { hasColor } from '../../src/cli/terminal.ts'
import {
  columnsOf,
  count,
  dateAndTime,
  duration,
  jsonLine,
  oneLine,
  plain,
  roughly,
  row,
  shellWord,
  shorten,
  styled,
  wrapped,
} from '../../src/cli/text.ts'

describe('text of others', () => {
  test('plain: controls, C1 controls and reordering characters are shown, not sent; newlines and tabs stay', () => {
    const hostile = 'a\u001b[31mb\u0007c\u009b2Jd\u007fe\u202ef\u2028g\u0000\th\n'
    expect(plain(hostile)).toBe('a\\x1b[31mb\\x07c\\x9b2Jd\\x7fe\\u202ef\\u2028g\\x00\th\n')
  })

  test('plain: every line end becomes a newline, so that nothing overwrites a line', () => {
    expect(plain('a\r\nb\rc')).toBe('a\nb\nc')
  })

  test('plain: text in any script stays as it is', () => {
    for (const text of ['Grüße', 'שלום\u200f', '日本語', '👩‍👩‍👧 é', '\u061cعربي']) expect(plain(text)).toBe(text)
  })

  test('oneLine: white space of any kind is one space', () => {
    expect(oneLine('  a\r\n\tb\u001b  c \n')).toBe('a b\\x1b c')
  })

  test('jsonLine: a line that is safe to show and reads back as the same value', () => {
    const value = { text: 'a\u001b\u009b\u202e\u2028\u007f"\n' }
    const line = jsonLine(value)
    expect(line).toBe('{"text":"a\\u001b\\u009b\\u202e\\u2028\\u007f\\"\\n"}\n')
    expect(JSON.parse(line)).toEqual(value)
  })
})

describe('columns', () => {
  test('columnsOf counts what a screen shows', () => {
    const texts = ['', 'abc', 'é', 'e\u0301', '日本', '👩‍👩‍👧', '✓', '…', '한', 'ａ']
    expect(texts.map(columnsOf)).toEqual([0, 3, 1, 1, 4, 2, 1, 1, 2, 2])
  })

  test('shorten cuts between characters and never takes more columns than it may', () => {
    expect(shorten('abcdef', 6)).toBe('abcdef')
    expect(shorten('abcdefg', 6)).toBe('abcde…')
    expect(shorten('日本語日本語', 6)).toBe('日本…')
    expect(shorten('ab cdef', 4)).toBe('ab…')
    expect(shorten(`${'👩‍👩‍👧'.repeat(50)}`, 5)).toBe('👩‍👩‍👧👩‍👩‍👧…')
    expect(shorten('x'.repeat(1_000_000), 5)).toBe('xxxx…')
  })
})

test('duration has one unit that fits, and two above a minute', () => {
  const times = [0, 0.4, 999, 999.6, 1000, 59_949, 59_951, 125_000, 3_599_600, 3_720_000]
  expect(times.map(duration)).toEqual([
    '0 ms',
    '0 ms',
    '999 ms',
    '1.0 s',
    '1.0 s',
    '59.9 s',
    '1 min 00 s',
    '2 min 05 s',
    '1 h 00 min',
    '1 h 02 min',
  ])
})

test('count says one and many', () => {
  expect([count(1, 'match', 'matches'), count(0, 'file'), count(1234, 'token')]).toEqual(['1 match', '0 files', '1,234 tokens'])
})

test('dateAndTime is local time', () => {
  expect(dateAndTime(new Date(2026, 10, 8, 0, 31, 6).getTime())).toBe('2026-11-08 00:31:06')
})

test('shellWord quotes what a shell would take apart', () => {
  expect(['notes', 's_1', "it's", 'a b', '$(rm)'].map(shellWord)).toEqual(['notes', 's_1', "'it'\\''s'", "'a b'", "'$(rm)'"])
})

test('shellWord: what can not be shown is spelled as the shell reads it', () => {
  const hostile = "a\u001b[31m'\\\n\tb\u009b\u202e"
  const word = shellWord(hostile)
  expect(word).toBe("$'a\\x1b[31m\\'\\\\\\x0a\\x09b\\u009b\\u202e'")
  expect(
    execFileSync('bash', ['--norc', '-c', `printf %s ${word}`], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
    }),
  ).toBe(hostile)
})

test('styled colours only where colour is shown', () => {
  expect([styled('a', 'red', { color: true }), styled('a', 'red', { color: false })]).toEqual(['\u001b[31ma\u001b[39m', 'a'])
})

test('colour: FORCE_COLOR, then NO_COLOR, then whether it is a screen', () => {
  const rows: [Record<string, string>, boolean, boolean][] = [
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
  ]
  for (const [env, isTTY, color] of rows) expect([env, isTTY, hasColor(env, isTTY)]).toEqual([env, isTTY, color])
})

test('wrapped: lines break at spaces, a long word anywhere, and begin with the indent; in a pipe nothing breaks', () => {
  const rows: [string, number | undefined, string][] = [
    ['one two three four five', 18, '  one two three\n  four five\n'],
    ['a'.repeat(35), 18, `  ${'a'.repeat(16)}\n  ${'a'.repeat(16)}\n  aaa\n`],
    [`x ${'日本'.repeat(5)}`, 18, '  x\n  日本日本日本日本\n  日本\n'],
    ['one two three', 5, '  one two three\n'],
    ['word '.repeat(99).trim(), undefined, `  ${'word '.repeat(99).trim()}\n`],
    ['', 18, '  \n'],
  ]
  for (const [text, columns, lines] of rows) expect([text, wrapped(text, columns, '  ')]).toEqual([text, lines])
})

test('row: pieces stand in a row with dots between; one that does not fit begins an indented line', () => {
  const pieces = [{ text: 'one' }, { text: 'two', style: 'red' as const }, { text: 'three' }]
  expect(row(pieces, { color: false, columns: undefined }, '  ')).toBe('one · two · three\n')
  expect(row(pieces, { color: false, columns: 17 }, '  ')).toBe('one · two · three\n')
  expect(row(pieces, { color: false, columns: 16 }, '  ')).toBe('one · two\n  three\n')
  expect(row(pieces, { color: false, columns: 8 }, '  ')).toBe('one\n  two\n  three\n')
  expect(row(pieces, { color: true, columns: 8 }, '  ')).toBe('one\n  \u001b[31mtwo\u001b[39m\n  three\n')
  const long = [{ text: 'x'.repeat(20) }, { text: 'y'.repeat(20) }, { text: 'z' }]
  expect(row(long, { color: false, columns: 20 }, '  ')).toBe(`${'x'.repeat(18)}\n  xx\n  ${'y'.repeat(18)}\n  yy · z\n`)
})

test('roughly: what has time', () => {
  const rows: [number, string][] = [
    [-5, '0 s'],
    [119_999, '119 s'],
    [120_000, '2 min'],
    [7_199_999, '119 min'],
    [7_200_000, '2 h'],
    [172_799_999, '47 h'],
    [172_800_000, '2 days'],
  ]
  for (const [ms, text] of rows) expect(roughly(ms)).toBe(text)
})
