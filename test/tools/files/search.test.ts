import { expect, test } from 'vitest'
import { call, failure, makeTree, on, project } from './tree.ts'

test('search_text finds lines, by text or regex, with context', async () => {
  const tools = on(project())
  expect(await call(tools, 'search_text', { pattern: 'rondo' })).toEqual({
    path: '.',
    matches: [{ path: 'README.md', line: 3, text: 'A rondo.' }],
    count: 1,
    filesSearched: 8,
    filesSkipped: 1,
    filesCut: 0,
    skipped: 4,
    truncated: false,
  })
  expect(await call(tools, 'search_text', { pattern: 'CONST [ab]', regex: true, ignoreCase: true, glob: '*.ts', contextLines: 1 })).toEqual(
    {
      path: '.',
      matches: [
        { path: 'src-old/x.ts', line: 1, text: 'const A = 1', before: [], after: [] },
        { path: 'src/a.ts', line: 1, text: 'export const a = 1', before: [], after: ['export const b = 2'] },
        { path: 'src/a.ts', line: 2, text: 'export const b = 2', before: ['export const a = 1'], after: [] },
      ],
      count: 3,
      filesSearched: 3,
      filesSkipped: 0,
      filesCut: 0,
      skipped: 4,
      truncated: false,
    },
  )
  const lines = async (input: Record<string, unknown>) =>
    (await call(tools, 'search_text', input)).matches.map(({ path, line }) => `${path}:${line}`)
  expect(await lines({ pattern: 'A = ', path: 'src/a.ts', ignoreCase: true })).toEqual(['src/a.ts:1'])
  expect(await lines({ pattern: '[ab]' })).toEqual([])
  expect(await lines({ pattern: 'a = 1', path: 'src-old' })).toEqual([])
  expect(await call(tools, 'search_text', { pattern: 'const', limit: 1 })).toMatchObject({ count: 1, truncated: true, limitHit: 'limit' })
})

test('search_text refuses what can not work, and survives a regex that never ends', async () => {
  const root = makeTree({ 'a.txt': `${'a'.repeat(50)}!\n`, 'wide.txt': `${'-'.repeat(5_000)}needle${'-'.repeat(5_000)}` })
  const tools = on(root)
  const search = (input: Record<string, unknown>) => failure(call(tools, 'search_text', input))
  expect(await search({ pattern: '(', regex: true })).toBe(
    'Invalid regular expression: /(/: Unterminated group. Correct it, or leave regex out to search for the text as it is.',
  )
  expect(await search({ pattern: 'x'.repeat(501) })).toBe('The pattern has 501 characters; the limit is 500. Use a shorter one.')
  expect(await search({ pattern: 'a\nb' })).toBe(
    'The pattern holds a line break, but lines are searched one by one. Search for one line of it.',
  )
  expect(await search({ pattern: '^(a+)+$', regex: true })).toBe(
    'The pattern takes too long on some line, probably by nested repetition such as (a+)+. Use a simpler one.',
  )
  const [match] = (await call(tools, 'search_text', { pattern: 'needle' })).matches
  expect(match?.text).toMatch(/^…-+needle-+…$/)
  expect(match?.text.length).toBe(2_002)
})

test('search_text says which limit of size or time it hit', async () => {
  const root = makeTree({ 'a.txt': `${'x'.repeat(99)}\n`.repeat(100), 'b.txt': 'x\n' })
  expect(await call(on(root, { limits: { searchBytes: 1_000 } }), 'search_text', { pattern: 'y' })).toMatchObject({
    filesSearched: 2,
    filesCut: 1,
    truncated: true,
    limitHit: 'bytes',
  })
  const many = makeTree(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${i}.txt`, 'x\n'])))
  expect(await call(on(many, { limits: { searchMs: 1 } }), 'search_text', { pattern: 'y' })).toMatchObject({
    truncated: true,
    limitHit: 'time',
  })
})
