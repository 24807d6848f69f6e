import { truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, date, failure, makeTree, modified, on, openHandles, project } from './tree.ts'

test('list_files lists one level by default, sorted by path, with types and sizes', async () => {
  expect(await call(on(project()), 'list_files', {})).toEqual({
    path: '.',
    entries: [
      { path: '.gitignore', type: 'file', size: 22 },
      { path: 'README.md', type: 'file', size: 18 },
      { path: 'empty.txt', type: 'file', size: 0 },
      { path: 'log', type: 'folder' },
      { path: 'src-old', type: 'folder' },
      { path: 'src', type: 'folder' },
    ],
    count: 6,
    skipped: 3,
    unreadable: 0,
    truncated: false,
  })
})

test('list_files goes down as far as asked, and stops at its limit', async () => {
  const tools = on(project())
  const paths = async (input: Record<string, unknown>) => (await call(tools, 'list_files', input)).entries.map(({ path }) => path)
  expect(await paths({ path: 'src/', depth: 2 })).toEqual(['src/a.ts', 'src/deep', 'src/deep/b.test.ts', 'src/deep/c.bin'])
  expect(await call(tools, 'list_files', { path: './src', depth: 9, limit: 2 })).toEqual({
    path: 'src',
    entries: [
      { path: 'src/a.ts', type: 'file', size: 38 },
      { path: 'src/deep', type: 'folder' },
    ],
    count: 2,
    skipped: 0,
    unreadable: 0,
    truncated: true,
    limitHit: 'limit',
  })
})

test('walks leave out .git, node_modules and ignored files, unless the path leads there', async () => {
  const root = project()
  const found = async (path: string, options = {}) =>
    (await call(on(root, options), 'find_files', { glob: '**', path })).files.map((file) => file.path)
  expect(await found('.')).toEqual([
    '.gitignore',
    'README.md',
    'empty.txt',
    'log/.gitignore',
    'log/keep.log',
    'src-old/x.ts',
    'src/a.ts',
    'src/deep/b.test.ts',
    'src/deep/c.bin',
  ])
  expect(await found('node_modules')).toEqual(['node_modules/p/index.js'])
  expect(await found('node_modules/p/node_modules')).toEqual(['node_modules/p/node_modules/q/index.js'])
  expect(await found('dist')).toEqual(['dist/out.js'])
  expect(await found('.git')).toEqual(['.git/config'])
  expect(await found('log')).toEqual(['log/.gitignore', 'log/keep.log'])
  expect(await found('log', { respectGitignore: false })).toEqual(['log/.gitignore', 'log/b.log', 'log/keep.log'])
})

test('find_files matches names at any depth and paths from where it starts', async () => {
  const root = project()
  const tools = on(root)
  const find = async (input: Record<string, unknown>) => (await call(tools, 'find_files', input)).files.map((file) => file.path)
  expect(await call(tools, 'find_files', { glob: '*.ts' })).toEqual({
    path: '.',
    glob: '*.ts',
    files: [
      { path: 'src-old/x.ts', size: 12, modified },
      { path: 'src/a.ts', size: 38, modified },
      { path: 'src/deep/b.test.ts', size: 5, modified },
    ],
    count: 3,
    visited: 17,
    skipped: 4,
    unreadable: 0,
    truncated: false,
  })
  expect(await find({ glob: 'deep/*.ts', path: 'src' })).toEqual(['src/deep/b.test.ts'])
  expect(await find({ glob: 'src/**/*.{ts,bin}' })).toEqual(['src/a.ts', 'src/deep/b.test.ts', 'src/deep/c.bin'])
  expect(await find({ glob: '*.ts', sort: 'size', limit: 2 })).toEqual(['src/a.ts', 'src-old/x.ts'])
  utimesSync(join(root, 'src/a.ts'), date, new Date(date.getTime() + 1_000))
  expect(await find({ glob: '*.ts', sort: 'modified' })).toEqual(['src/a.ts', 'src-old/x.ts', 'src/deep/b.test.ts'])
  expect(await failure(find({ glob: '*a*a*a*a*a*a*a*a*a*a*a' }))).toBe('The glob has more than 10 wildcards. Use a simpler one.')
  expect(await failure(find({ glob: '*', path: 'README.md' }))).toBe(
    "'README.md' is a file, not a folder. Leave path out, or give the folder to look in.",
  )
})

test('read_file gives lines, whole or in part', async () => {
  const tools = on(project())
  expect(await call(tools, 'read_file', { path: 'README.md' })).toEqual({
    path: 'README.md',
    fromLine: 1,
    toLine: 3,
    totalLines: 3,
    text: '# Title\n\nA rondo.',
    size: 18,
    truncated: false,
  })
  expect(await call(tools, 'read_file', { path: 'README.md', fromLine: 2, lines: 1 })).toEqual({
    path: 'README.md',
    fromLine: 2,
    toLine: 2,
    totalLines: 3,
    text: '',
    size: 18,
    truncated: true,
    limitHit: 'lines',
  })
  expect(await call(tools, 'read_file', { path: 'empty.txt' })).toEqual({
    path: 'empty.txt',
    fromLine: 1,
    toLine: 0,
    totalLines: 0,
    text: '',
    size: 0,
    truncated: false,
  })
  expect(await failure(call(tools, 'read_file', { path: 'README.md', fromLine: 4 }))).toBe(
    "'README.md' has 3 lines, so there is no line 4. Use a smaller fromLine.",
  )
})

test('read_file cuts long lines, flags invalid UTF-8, refuses binary files', async () => {
  const long = 'é'.repeat(3_000)
  const root = makeTree({
    'long.txt': `${long}\nend`,
    'latin.txt': Buffer.from([0x61, 0xe9, 0x62]),
    'bom.txt': '\ufefftext',
    'a.bin': Buffer.from([1, 0, 2]),
    'late.bin': Buffer.concat([Buffer.alloc(9_000, 'a'), Buffer.from([0])]),
  })
  const tools = on(root)
  expect(await call(tools, 'read_file', { path: 'long.txt' })).toEqual({
    path: 'long.txt',
    fromLine: 1,
    toLine: 2,
    totalLines: 2,
    text: `${'é'.repeat(2_000)}… [2000 more bytes in this line]\nend`,
    size: 6_004,
    cutLines: 1,
    truncated: true,
    limitHit: 'lineLength',
  })
  expect(await call(tools, 'read_file', { path: 'latin.txt' })).toMatchObject({ text: 'a\ufffdb', invalidUtf8: true, truncated: false })
  expect(await call(tools, 'read_file', { path: 'bom.txt' })).toMatchObject({ text: 'text' })
  const refused = "'a.bin' is a binary file, which read_file does not show. Use file_info for its size and hash."
  expect(await failure(call(tools, 'read_file', { path: 'a.bin' }))).toBe(refused)
  expect(await failure(call(on(root, { limits: { lineLength: 20_000 } }), 'read_file', { path: 'late.bin' }))).toContain('is a binary file')
})

test('read_file reads a huge file within its cap and little memory', async () => {
  const root = makeTree({ 'huge.txt': `${'x'.repeat(99)}\n`.repeat(20_000) })
  truncateSync(join(root, 'huge.txt'), 100 * 1024 * 1024)
  const tools = on(root)
  const before = process.memoryUsage().rss
  const { text, ...rest } = await call(tools, 'read_file', { path: 'huge.txt', lines: 100_000 })
  expect(rest).toEqual({
    path: 'huge.txt',
    fromLine: 1,
    toLine: 2_621,
    totalLines: null,
    size: 104_857_600,
    truncated: true,
    limitHit: 'bytes',
  })
  expect(text.length).toBe(262_099)
  expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024)
  expect(await failure(call(tools, 'read_file', { path: 'huge.txt', fromLine: 900_000 }))).toBe(
    "Line 900000 of 'huge.txt' lies beyond the part of a large file that read_file looks at (20001 lines).",
  )
  expect(openHandles(root)).toEqual([])
})

test('file_info tells about files and folders', async () => {
  const root = project()
  const tools = on(root)
  expect(await call(tools, 'file_info', { path: 'README.md' })).toEqual({
    path: 'README.md',
    type: 'file',
    size: 18,
    modified,
    binary: false,
    lines: 3,
    sha256: 'c8bb83fdc1abcc1ac58093468bd6687d666e256d5e2ba0e3d31aac6a451280c8',
    truncated: false,
  })
  expect(await call(tools, 'file_info', { path: 'src/deep/c.bin' })).toMatchObject({ binary: true, lines: null, size: 3 })
  writeFileSync(join(root, 'src/no-newline'), 'a\nb')
  expect(await call(tools, 'file_info', { path: 'src/no-newline' })).toMatchObject({ lines: 2 })
  utimesSync(join(root, 'src'), date, date)
  expect(await call(tools, 'file_info', { path: 'src' })).toEqual({
    path: 'src',
    type: 'folder',
    modified,
    files: 4,
    folders: 1,
    bytes: 49,
    skipped: 0,
    unreadable: 0,
    truncated: false,
  })
  expect(await call(on(root, { limits: { scanBytes: 4 } }), 'file_info', { path: 'README.md' })).toMatchObject({
    lines: null,
    sha256: null,
    truncated: true,
    limitHit: 'bytes',
  })
})

test('readTools says what is wrong with its options', async () => {
  const root = makeTree({ 'a.txt': '' })
  const message = (make: () => unknown) => {
    try {
      return `no error: ${typeof make()}`
    } catch (error) {
      return String(error)
    }
  }
  expect(message(() => on(join(root, 'none')))).toBe(`RondoError: readTools(): root '${root}/none' can't be opened`)
  expect(message(() => on(join(root, 'a.txt')))).toBe(`RondoError: readTools(): root '${root}/a.txt' is no folder`)
  expect(message(() => on(''))).toBe('RondoError: readTools(): root must be the path of a folder, not ""')
  expect(message(() => on(root, { limits: { visited: 0 } }))).toBe(
    "RondoError: readTools(): limit 'visited' must be a whole number greater than 0, not 0",
  )
  expect(message(() => on(root, { limits: JSON.parse('{"bytes":1}') }))).toMatch(/unknown limit 'bytes'; there are readBytes, /)
  expect(message(() => on(root, JSON.parse('{"cwd":"/"}')))).toBe(
    "RondoError: readTools(): unknown option 'cwd'; there are root, limits, respectGitignore",
  )
})
