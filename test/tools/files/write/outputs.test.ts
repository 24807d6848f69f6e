import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { RondoError } from '../../../../src/core/error.ts'
import { plannedChange, writeTools } from '../../../../src/tools/index.ts'
import { failure, makeTree } from '../tree.ts'
import { contentsOf, writing } from './writing.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('write_file says what it has made', async () => {
  const root = makeTree({ 'a.txt': 'one\ntwo\nthree\n' })
  const { write } = writing(root)
  expect(await write('src/new/b.txt', 'x\ny')).toEqual({
    path: 'src/new/b.txt',
    action: 'created',
    bytes: 3,
    lines: 2,
    sha256: sha256('x\ny'),
    newFolders: ['src', 'src/new'],
  })
  expect(await write('a.txt', 'one\n2\nzwei\nthree\n')).toMatchObject({
    action: 'replaced',
    changed: { fromLine: 2, removed: 1, added: 2 },
  })
  expect(await write('a.txt', 'one\n2\nzwei\nthree')).toMatchObject({ changed: { fromLine: 4, removed: 1, added: 1 }, lines: 4 })
  expect(await write('./a.txt', 'one\n2\nzwei\nthree')).toMatchObject({ path: 'a.txt', action: 'unchanged' })
  expect(await write('a.txt', '')).toMatchObject({ bytes: 0, lines: 0, changed: { fromLine: 1, removed: 4, added: 0 } })
  writeFileSync(join(root, 'binary'), Buffer.from([0, 255, 1]))
  const replaced = await write('binary', 'text')
  expect(replaced).toMatchObject({ action: 'replaced' })
  expect(replaced).not.toHaveProperty('changed')
})

test('edit_file says what it has changed', async () => {
  const root = makeTree({ 'a.txt': 'one\ntwo\nthree\ntwo\n' })
  const { edit } = writing(root)
  const edits = [
    { old: 'one', new: 'eins' },
    { old: 'two', new: 'zwei', all: true },
  ]
  expect(await edit('a.txt', edits)).toEqual({
    path: 'a.txt',
    replacements: 3,
    changed: { fromLine: 1, removed: 4, added: 4 },
    bytes: 21,
    lines: 4,
    sha256: sha256('eins\nzwei\nthree\nzwei\n'),
  })
  // `$&` and the like are text.
  await edit('a.txt', [{ old: 'three', new: '$& $1 $$' }])
  await edit('a.txt', [{ old: 'zwei', new: "$'", all: true }])
  expect(contentsOf(root)).toEqual({ 'a.txt': "eins\n$'\n$& $1 $$\n$'\n" })
})

test('line endings and the byte order mark stay', async () => {
  const root = makeTree({ crlf: '\ufeffone\r\ntwo\r\n', lf: 'one\ntwo\n', mixed: 'one\r\ntwo\nthree\n', 'lone-cr': 'a\rb\n' })
  const { edit } = writing(root)
  await edit('crlf', [{ old: 'one\ntwo', new: 'one\nand\r\ntwo' }])
  await edit('crlf', [{ old: 'and\r\n', new: 'und\n' }])
  await edit('lf', [{ old: 'one\n', new: 'one\n\n' }])
  await edit('mixed', [{ old: 'two\nthree', new: 'two\nand\nthree' }])
  await edit('lone-cr', [{ old: 'a', new: 'c\nc' }])
  expect(contentsOf(root)).toEqual({
    crlf: '\ufeffone\r\nund\r\ntwo\r\n',
    lf: 'one\n\ntwo\n',
    mixed: 'one\r\ntwo\nand\nthree\n',
    'lone-cr': 'c\nc\rb\n',
  })
})

describe('a file that was changed since it was read', () => {
  const root = makeTree({ 'a.txt': 'now' })
  const { write, edit } = writing(root, { limits: { fileBytes: 100 } })
  const since = "'a.txt' was changed since: its SHA-256 is not the one in 'ifSha256'. Nothing was written. Read it again before you write."

  test('is not written', async () => {
    const ifSha256 = sha256('then')
    expect(await failure(write('a.txt', 'mine', { ifSha256 }))).toBe(since)
    expect(await failure(edit('a.txt', [{ old: 'now', new: 'mine' }], { ifSha256 }))).toBe(since)
    expect(await failure(write('gone.txt', 'mine', { ifSha256 }))).toContain('is not there any more')
    writeFileSync(join(root, 'large'), 'x'.repeat(101))
    expect(await failure(write('large', 'mine', { ifSha256 }))).toContain('is too large to be compared')
  })

  test('is written when it is the same', async () => {
    expect(await edit('a.txt', [{ old: 'now', new: 'later' }], { ifSha256: sha256('now').toUpperCase() })).toMatchObject({
      replacements: 1,
    })
    expect(await write('a.txt', 'end', { ifSha256: sha256('later') })).toMatchObject({ action: 'replaced' })
    // A later attempt finds what an earlier one has made.
    expect(await write('a.txt', 'end', { ifSha256: sha256('later') }, { attempt: 2 })).toMatchObject({ action: 'unchanged' })
  })
})

test('limits: bytes, edits, new folders', async () => {
  const root = makeTree({ 'large.txt': 'x'.repeat(101), 'a.txt': 'x' })
  const { write, edit } = writing(root, { limits: { fileBytes: 100, edits: 2, newFolders: 2 } })
  expect(await failure(write('b.txt', 'é'.repeat(51)))).toBe(
    "'b.txt' would have 102 bytes; the limit is 100. Nothing was written. Write less.",
  )
  expect(await failure(edit('a.txt', [{ old: 'x', new: 'é'.repeat(51) }]))).toContain('would have 102 bytes')
  expect(await failure(edit('a.txt', [{ old: 'x', new: 'y'.repeat(101) }]))).toContain('larger than 100 bytes, the limit')
  expect(await failure(edit('large.txt', [{ old: 'x', new: 'y', all: true }]))).toBe(
    "'large.txt' has 101 bytes; edit_file takes files of at most 100. Nothing was written.",
  )
  expect(await failure(write('1/2/3/x', ''))).toBe("'1/2/3/x' needs more than 2 new folders, the limit. Use a path with fewer.")
  expect(await failure(edit('a.txt', Array(3).fill({ old: 'x', new: 'y' })))).toContain('invalid input')
  expect(await write('large.txt', 'small')).toMatchObject({ action: 'replaced' })
  expect(contentsOf(root)).toEqual({ 'large.txt': 'small', 'a.txt': 'x' })
})

test('what is no text is refused', async () => {
  const root = makeTree({ binary: Buffer.from([97, 0, 98]), latin: Buffer.from([97, 0xe9]), 'a.txt': 'a' })
  const { write, edit } = writing(root)
  const before = readFileSync(join(root, 'latin'))
  for (const path of ['binary', 'latin'])
    expect(await failure(edit(path, [{ old: 'a', new: 'b' }]))).toBe(
      `'${path}' is no text in UTF-8, so edit_file would damage it. Nothing was written.`,
    )
  expect(readFileSync(join(root, 'latin'))).toEqual(before)
  expect(await failure(write('b', 'a\0'))).toBe("'content' holds a NUL character, which no text file does. Leave it out.")
  expect(await failure(write('b', 'a\udc00'))).toBe("'content' holds half of a surrogate pair, which is no text. Write it again.")
  expect(await failure(edit('a.txt', [{ old: 'a', new: '\0' }]))).toContain("'new' of edit 1 holds a NUL")
})

describe('plannedChange says what a call would do, and does nothing', () => {
  const root = makeTree({ 'a.txt': 'one\ntwo\n', 'in/x': '', binary: Buffer.from([0]) })
  const plan = (toolName: string, input: unknown) => plannedChange({ root }, { toolName, input })

  test.each([
    [
      'a new file',
      { path: 'in/new/b.txt', content: 'b' },
      {
        kind: 'create',
        path: 'in/new/b.txt',
        realPath: 'in/new/b.txt',
        newFolders: ['in/new'],
        after: 'b',
        bound: { path: 'in/new/b.txt', content: 'b', exclusive: true },
      },
    ],
    [
      'another content',
      { path: './a.txt', content: 'three' },
      {
        kind: 'change',
        path: 'a.txt',
        realPath: 'a.txt',
        before: 'one\ntwo\n',
        sizeBefore: 8,
        after: 'three',
        bound: { path: './a.txt', content: 'three', ifSha256: sha256('one\ntwo\n') },
      },
    ],
    ['in the place of no text', { path: 'binary', content: 'text' }, { kind: 'change', before: null, sizeBefore: 1, after: 'text' }],
    [
      'B181 with null for what is optional',
      { path: 'a.txt', content: 'one\ntwo\n', exclusive: null, ifSha256: null },
      { kind: 'none', path: 'a.txt', realPath: 'a.txt' },
    ],
    ['the same', { path: 'a.txt', content: 'one\ntwo\n' }, { kind: 'none', path: 'a.txt', realPath: 'a.txt' }],
    [
      'one that is there, exclusive',
      { path: 'a.txt', content: '', exclusive: true },
      { kind: 'refused', message: expect.stringContaining('is there already') },
    ],
    ['out of the root', { path: '../x', content: '' }, { kind: 'refused', message: expect.stringContaining("holds '..'") }],
    ['in .git', { path: 'new/.git/x', content: '' }, { kind: 'refused', message: expect.stringContaining("'.git'") }],
    ['no input', { path: 'a.txt' }, { kind: 'refused', message: expect.stringContaining('The input is not valid: ') }],
  ])('write_file: %s', async (_, input, planned) => {
    const before = contentsOf(root)
    expect(await plan('write_file', input)).toMatchObject(planned)
    expect(contentsOf(root)).toEqual(before)
  })

  test('edit_file', async () => {
    const edits = [{ old: 'two', new: 'zwei' }]
    expect(await plan('edit_file', { path: 'a.txt', edits })).toEqual({
      kind: 'change',
      path: 'a.txt',
      realPath: 'a.txt',
      before: 'one\ntwo\n',
      sizeBefore: 8,
      after: 'one\nzwei\n',
      bound: { path: 'a.txt', edits, ifSha256: sha256('one\ntwo\n') },
    })
    expect(await plan('edit_file', { path: 'a.txt', edits: [{ old: 'four', new: 'vier' }] })).toMatchObject({ kind: 'refused' })
    expect(await plan('edit_file', { path: 'b.txt', edits })).toMatchObject({
      message: "No file or folder 'b.txt'. Similar names: 'a.txt'.",
    })
    expect(await plan('edit_file', { path: 'a.txt', edits: [] })).toMatchObject({ kind: 'refused' })
  })

  test('other tools are none of its business; an abort is one', async () => {
    expect(await plan('read_file', { path: 'a.txt' })).toBeUndefined()
    const call = { toolName: 'write_file', input: { path: 'a.txt', content: '' } }
    expect(await failure(plannedChange({ root }, call, AbortSignal.abort(new Error('stop'))))).toBe('stop')
  })

  test('what it shows is what a bound call makes, or nothing', async () => {
    const { write } = writing(root)
    const planned = await plan('write_file', { path: 'fresh.txt', content: 'mine' })
    if (planned?.kind !== 'create') throw new Error('create was expected')
    writeFileSync(join(root, 'fresh.txt'), 'theirs')
    const { path, content, ...more } = planned.bound
    expect(await failure(write(path, content, more))).toContain('is there already')
  })
})

test('options that can not work are refused', () => {
  const root = makeTree({ 'a.txt': '' })
  const wrong = (options: object) => {
    try {
      writeTools({ root, ...options })
      return 'nothing'
    } catch (error) {
      return RondoError.is(error) ? `${error.code}: ${error.message}` : error
    }
  }
  expect(wrong({ limit: {} })).toBe("ConfigInvalid: writeTools(): unknown option 'limit'; there are root, limits, needsApproval")
  expect(wrong({ limits: { bytes: 1 } })).toBe("ConfigInvalid: writeTools(): unknown limit 'bytes'; there are fileBytes, edits, newFolders")
  expect(wrong({ limits: { edits: 0 } })).toBe("ConfigInvalid: writeTools(): limit 'edits' must be a whole number greater than 0, not 0")
  expect(wrong({ root: join(root, 'a.txt') })).toContain('writeTools(): root')
  expect(wrong({ needsApproval: 'yes' })).toContain('needsApproval must be true, false or a function')
  expect(writeTools({ root }).map(({ name, effect, '~definition': { needsApproval } }) => [name, effect, needsApproval])).toEqual([
    ['write_file', 'idempotent', true],
    ['edit_file', 'unsafe', true],
  ])
})
