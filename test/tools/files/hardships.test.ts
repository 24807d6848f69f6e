import { chmodSync, linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withPath } from '../../../src/tools/files/resolve.ts'
import { makeRoot } from '../../../src/tools/files/root.ts'
import { newCounts, walk } from '../../../src/tools/files/walk.ts'
import { call, failure, makeTree, on, openHandles } from './tree.ts'

test('a path that leads nowhere is answered with similar names', async () => {
  const tools = on(makeTree({ 'src/main.ts': '', 'src/Makefile': '', 'src/other.css': '', 'docs/café.md': '' }))
  const read = (path: string) => failure(call(tools, 'read_file', { path }))
  expect(await read('src/mian.ts')).toBe("No file or folder 'src/mian.ts'. Similar names: 'src/main.ts'.")
  expect(await read('src/makefile')).toBe("No file or folder 'src/makefile'. Similar names: 'src/Makefile'.")
  expect(await read('src2/main.ts')).toBe("No file or folder 'src2/main.ts'. Similar names: 'src'.")
  expect(await read('quite/else')).toBe("No file or folder 'quite/else'. Use list_files to see what the root folder holds.")
  expect(await read('src/xyz')).toBe("No file or folder 'src/xyz'. Use list_files to see what 'src' holds.")
  const decomposed = 'docs/café.md'.normalize('NFD')
  expect(await read(decomposed)).toBe(`No file or folder '${decomposed}'. Similar names: 'docs/café.md'.`)
  expect(await read('src/main.ts/x')).toBe("'src/main.ts' is a file, not a folder.")
  expect(await read('src')).toBe("'src' is a folder. Use list_files to see what it holds.")
  expect(await failure(call(tools, 'list_files', { path: 'src/main.ts' }))).toBe(
    "'src/main.ts' is a file, not a folder. Use read_file or file_info.",
  )
})

test('names that can not be are refused with the reason', async () => {
  const root = makeTree({ 'a.txt': '' })
  const tools = on(root)
  const read = (path: string) => failure(call(tools, 'read_file', { path }))
  expect(await read('a\0b')).toBe('The path holds a NUL character, which no file name can. Leave it out.')
  expect(await read('a\ud800')).toBe('The path holds half of a surrogate pair, which is no text. Write the name again.')
  expect(await read('x/'.repeat(3_000))).toBe(`The path '${'x/'.repeat(100)}…' is longer than 4096 bytes, the limit.`)
  expect(await read('y'.repeat(300))).toBe(`A name in '${'y'.repeat(100)}…' is too long for the file system.`)
  expect(openHandles(root)).toEqual([])
})

test('special names are names', async () => {
  const names = [' lead', '-rf', '..x', 'a b.txt', 'back\\slash', 'line\nbreak', 'ünï🎵.txt', '...', '%41', '#x', '__proto__']
  const root = makeTree(Object.fromEntries(names.map((name) => [`dir/${name}`, 'text'])))
  const tools = on(root)
  const paths = names.map((name) => `dir/${name}`).sort()
  expect((await call(tools, 'list_files', { path: 'dir' })).entries).toEqual(paths.map((path) => ({ path, type: 'file', size: 4 })))
  expect((await call(tools, 'search_text', { pattern: 'text' })).matches).toEqual(paths.map((path) => ({ path, line: 1, text: 'text' })))
  for (const path of paths) expect(await call(tools, 'read_file', { path })).toMatchObject({ path, text: 'text' })
})

test.skipIf(process.platform !== 'linux')('a name that is no UTF-8 is listed and can not be read', async () => {
  const root = makeTree({ 'a.txt': 'text' })
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x62, 0xff])]), 'text')
  const tools = on(root)
  expect((await call(tools, 'list_files', {})).entries).toEqual([
    { path: 'a.txt', type: 'file', size: 4 },
    { path: 'b\ufffd', type: 'file' },
  ])
  expect(await call(tools, 'search_text', { pattern: 'text' })).toMatchObject({ count: 1, filesSearched: 1, filesSkipped: 1 })
})

test('a folder of 20,000 files is walked in order and in bounds', async () => {
  const root = makeTree({ 'big/': '', 'a.txt': '' })
  for (let i = 0; i < 20_000; i++) linkSync(join(root, 'a.txt'), join(root, `big/${String(i).padStart(5, '0')}`))
  const tools = on(root)
  const listed = await call(tools, 'list_files', { path: 'big', limit: 1_000 })
  expect([listed.count, listed.entries[0]?.path, listed.entries[999]?.path, listed.limitHit]).toEqual([
    1_000,
    'big/00000',
    'big/00999',
    'limit',
  ])
  expect(await call(tools, 'file_info', {})).toMatchObject({ files: 20_001, folders: 1, bytes: 0, truncated: false })
  const small = on(root, { limits: { visited: 5_000 } })
  expect(await call(small, 'file_info', {})).toMatchObject({ files: 4_999, truncated: true, limitHit: 'visited' })
  expect(await call(small, 'find_files', { glob: 'none' })).toMatchObject({
    count: 0,
    visited: 5_000,
    truncated: true,
    limitHit: 'visited',
  })
  expect(openHandles(root)).toEqual([])
})

test('folders deeper than the limit are not entered, and that is said', async () => {
  const root = makeTree({ [`${'d/'.repeat(70)}x.txt`]: 'text', 'a.txt': 'text' })
  expect(await call(on(root), 'search_text', { pattern: 'text' })).toMatchObject({ count: 1, truncated: true, limitHit: 'depth' })
  expect(await call(on(root), 'read_file', { path: `${'d/'.repeat(70)}x.txt` })).toMatchObject({ text: 'text' })
  expect(openHandles(root)).toEqual([])
})

test('a path through more folders than may be held open at once is refused', async () => {
  const root = makeTree({ [`${'d/'.repeat(300)}x.txt`]: 'text' })
  const tools = on(root)
  const path = `${'d/'.repeat(300)}x.txt`
  expect(await failure(call(tools, 'read_file', { path }))).toBe(
    `'${'d/'.repeat(100)}…' lies deeper than 256 folders, the limit. Use a path with fewer.`,
  )
  expect(await failure(call(tools, 'list_files', { path: 'd/'.repeat(257) }))).toContain('deeper than 256 folders')
  expect(await call(tools, 'list_files', { path: 'd/'.repeat(256) })).toMatchObject({ count: 1 })
  expect(openHandles(root)).toEqual([])
})

test('an abort ends every tool within milliseconds and closes what is open', async () => {
  const root = makeTree({ 'huge.txt': 'x'.repeat(20_000_000) })
  for (let i = 0; i < 20; i++) {
    mkdirSync(join(root, `d${i}`))
    for (let j = 0; j < 50; j++) writeFileSync(join(root, `d${i}/${j}`), 'text\n'.repeat(100))
  }
  const tools = on(root)
  const inputs = {
    list_files: { depth: 5, limit: 1_000 },
    find_files: { glob: '**', sort: 'size' },
    search_text: { pattern: 'none' },
    file_info: {},
    read_file: { path: 'huge.txt' },
  }
  for (const [name, input] of Object.entries(inputs)) {
    const already = AbortSignal.abort(new Error('early'))
    expect(await failure(call(tools, name as 'list_files', input, already))).toBe('early')
    const controller = new AbortController()
    const running = failure(call(tools, name as 'list_files', input, controller.signal))
    await new Promise((done) => setImmediate(done))
    const before = performance.now()
    controller.abort(new Error('stop'))
    expect([name, await running]).toEqual([name, 'stop'])
    expect(performance.now() - before).toBeLessThan(100)
  }
  expect(openHandles(root)).toEqual([])
})

test('a walk that is left early closes its folders', async () => {
  const base = makeTree({ 'a/b/c/x.txt': '' })
  const root = makeRoot(base)
  const { signal } = new AbortController()
  const options = {
    signal,
    respectGitignore: true,
    depth: 9,
    below: 'limit',
    visited: 100,
    wanted: () => true,
    load: async () => 1,
  } as const
  await withPath(root, '', signal, async (opened) => {
    for await (const { path } of walk(root, opened, options, newCounts())) if (path === 'a/b/c/x.txt') break
  })
  expect(openHandles(base)).toEqual([])
})

const isRoot = process.getuid?.() === 0

test.skipIf(isRoot || process.platform === 'win32')(
  'what may not be read is said (skipped for the root user, who may read all)',
  async () => {
    const root = makeTree({ 'a.txt': 'text', 'dir/b.txt': 'text' })
    chmodSync(join(root, 'a.txt'), 0)
    chmodSync(join(root, 'dir'), 0)
    const tools = on(root)
    expect(await failure(call(tools, 'read_file', { path: 'a.txt' }))).toBe("'a.txt' may not be read: permission denied. Try another one.")
    expect(await call(tools, 'search_text', { pattern: 'text' })).toMatchObject({ count: 0, filesSkipped: 1 })
    chmodSync(join(root, 'dir'), 0o700)
  },
)

test('an error of the file system loses its absolute path', async () => {
  const root = makeTree({ 'a.txt': 'text' })
  const tools = on(root)
  const denied = Object.assign(new Error(`EACCES: permission denied, open '${root}/a.txt'`), { code: 'EACCES' })
  const message = await failure(
    withPath(makeRoot(root), 'a.txt', new AbortController().signal, async () => {
      throw denied
    }),
  )
  expect(message).toBe("'a.txt' may not be read: permission denied. Try another one.")
  expect(tools.map((tool) => [tool.name, tool.effect])).toEqual([
    ['list_files', 'read'],
    ['find_files', 'read'],
    ['read_file', 'read'],
    ['search_text', 'read'],
    ['file_info', 'read'],
  ])
})
