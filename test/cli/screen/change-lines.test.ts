import { expect, test } from 'vitest'
import { changeLines } from '../../../src/cli/screen/change-lines.ts'
import type { PlannedChange } from '../../../src/tools/index.ts'

const screen = { color: false, columns: 60 }
const bound = { path: 'a.txt', content: '' }

function changed(before: string | null, after: string): PlannedChange {
  return { kind: 'change', path: 'a.txt', realPath: 'a.txt', before, sizeBefore: 7, after, bound }
}

test('a change: what goes, what comes, with the lines around', () => {
  const before = 'one\ntwo\nthree\nfour\nfive\nsix\n'
  expect(changeLines(changed(before, before.replace('five', 'FIVE')), screen)).toEqual([
    'a.txt',
    '@@ line 2',
    '     2   two',
    '     3   three',
    '     4   four',
    '     5 - five',
    '     5 + FIVE',
    '     6   six',
  ])
})

test('a new file: all of it, and the folders that come with it', () => {
  const change = { kind: 'create', path: 'x/b.txt', realPath: 'x/b.txt', newFolders: ['x'], after: 'a\nb', bound } as const
  expect(changeLines(change, screen)).toEqual([
    'new file x/b.txt',
    'new folder x',
    '     1 + a',
    '     2 + b',
    '        (no newline at the end)',
  ])
})

test('a line end that goes or comes is told', () => {
  expect(changeLines(changed('a', 'a\n'), screen)).toEqual([
    'a.txt',
    '@@ line 1',
    '     1 - a',
    '        (no newline at the end)',
    '     1 + a',
  ])
})

test('what is no text is replaced by what is shown', () => {
  expect(changeLines(changed(null, 'x\n'), screen).join('\n')).toContain('It replaces a file of 7 bytes that can')
})

test('a link: the file that is really changed is named', () => {
  expect(changeLines({ ...(changed('a\n', 'b\n') as Extract<PlannedChange, { kind: 'change' }>), realPath: 'b.txt' }, screen)[0]).toBe(
    'a.txt → b.txt',
  )
})

test('what can not be seen is spelled out, and a long line goes on further in', () => {
  const lines = changeLines(changed('', `a\u200bb\u001b[2K${'x'.repeat(60)}\n`), screen)
    .join('\n')
    .split('\n')
  expect(lines.slice(2)).toEqual([`     1 + a\\u200bb\\x1b[2K${'x'.repeat(35)}`, `         ${'x'.repeat(25)}`])
})

test('a carriage return begins no row: nothing of a file stands where a line of ours does', () => {
  const lines = changeLines(changed('', 'a\r? shell m1.0\rb\r\n'), screen)
  expect(lines.slice(2)).toEqual(['     1 + a␍? shell m1.0␍b␍'])
})

test('a call that would fail says why', () => {
  expect(changeLines({ kind: 'refused', message: 'There is no such text.' }, screen)).toEqual(['It would fail: There is no such text.'])
})

test('two large files that share nothing are compared in bounded time', () => {
  const side = (name: string) => Array.from({ length: 20_000 }, (_, index) => `${name} ${index}`).join('\n')
  const lines = changeLines(changed(side('a'), side('b')), screen)
  expect(lines.length).toBeGreaterThan(40_000)
})
