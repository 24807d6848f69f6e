import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { withPath } from '../../../src/tools/files/resolve.ts'
import { makeRoot, type OpenFile, openFile, openFolder, openRoot } from '../../../src/tools/files/root.ts'
import { call, failure, makeTree, on, openHandles } from './tree.ts'

const outside = mkdtempSync(join(tmpdir(), 'rondo-outside-'))
mkdirSync(join(outside, 'data'))
writeFileSync(join(outside, 'secret.txt'), 'secret')
writeFileSync(join(outside, 'data/inner.txt'), 'secret')
afterAll(() => rmSync(outside, { recursive: true, force: true }))

const signal = new AbortController().signal
const leadsOut = (path: string) =>
  `'${path}' leads outside the root folder, which is not allowed. Use a path inside it, relative to the root.`

/** Every tool, asked for this path. */
async function everyTool(root: string, path: string): Promise<string[]> {
  const tools = on(root)
  return [
    await failure(call(tools, 'read_file', { path })),
    await failure(call(tools, 'list_files', { path })),
    await failure(call(tools, 'find_files', { path, glob: '**' })),
    await failure(call(tools, 'search_text', { path, pattern: 'secret' })),
    await failure(call(tools, 'file_info', { path })),
  ]
}

function linked(links: { readonly [path: string]: string }, files: { readonly [path: string]: string } = { 'in/a.txt': 'inside' }): string {
  const root = makeTree(files)
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path))
  return root
}

describe('nothing leads out of the root', () => {
  test.each([
    ['file', { 'in/link': `${outside}/secret.txt` }, 'in/link'],
    ['relative file', { 'in/link': '../../../../../../../../../../../etc/passwd' }, 'in/link'],
    ['folder', { link: outside }, 'link'],
    ['file in a linked folder', { link: outside }, 'link/secret.txt'],
    ['folder in a linked folder', { link: outside }, 'link/data'],
    ['chain', { a: 'b', b: 'in/c', 'in/c': '../d', d: outside }, 'a/secret.txt'],
    ['out and in again', { link: '../../../../../../../../../../../..' }, 'link/etc'],
  ])('by a link: %s', async (_, links, path) => {
    const root = linked(links)
    expect(await everyTool(root, path)).toEqual(Array(5).fill(leadsOut(path)))
    expect(openHandles(root)).toEqual([])
  })

  test('by a path', async () => {
    const root = linked({})
    expect(await everyTool(root, '/etc/passwd')).toEqual(Array(5).fill(leadsOut('/etc/passwd')))
    expect(await everyTool(root, `${root}-sibling`)).toEqual(Array(5).fill(leadsOut(`${root}-sibling`)))
    for (const path of ['..', '../x', 'in/../../x', 'in/..', `${root}/in/../in/a.txt`])
      expect(await everyTool(root, path)).toEqual(
        Array(5).fill(`'${path}' holds '..', which is not allowed. Write the path from the root folder.`),
      )
  })

  test('walks name links that lead out, and do not follow them', async () => {
    const tools = on(linked({ out: outside, 'in/secret': `${outside}/secret.txt` }))
    expect((await call(tools, 'list_files', { depth: 5 })).entries).toEqual([
      { path: 'in', type: 'folder' },
      { path: 'in/a.txt', type: 'file', size: 6 },
      { path: 'in/secret', type: 'link' },
      { path: 'out', type: 'link' },
    ])
    expect(await call(tools, 'search_text', { pattern: 'secret' })).toMatchObject({ count: 0, filesSearched: 1 })
    expect((await call(tools, 'find_files', { glob: '**' })).files.map(({ path }) => path)).toEqual(['in/a.txt'])
  })

  test('a .gitignore that is a link does not count', async () => {
    writeFileSync(join(outside, 'rules'), '*.txt\n')
    const root = linked({ '.gitignore': `${outside}/rules` })
    expect((await call(on(root), 'find_files', { glob: '*.txt' })).files.map(({ path }) => path)).toEqual(['in/a.txt'])
  })
})

test('links that stay inside are followed, absolute ones too', async () => {
  const root = linked({ near: 'in/a.txt', 'in/up': '../in', 'in/circle': 'circle' })
  symlinkSync(join(root, 'in'), join(root, 'absolute'))
  const tools = on(root)
  for (const path of ['near', 'in/up/a.txt', 'in/up/up/up/a.txt', 'absolute/a.txt', 'absolute/up/a.txt', `${root}/near`])
    expect(await call(tools, 'read_file', { path })).toMatchObject({ text: 'inside', path: path.replace(`${root}/`, '') })
  expect((await call(tools, 'list_files', { path: 'absolute' })).entries[0]).toEqual({ path: 'absolute/a.txt', type: 'file', size: 6 })
  expect(await failure(call(tools, 'read_file', { path: 'in/circle' }))).toBe(
    "'in/circle' leads through more than 40 links, perhaps in a circle.",
  )
})

test('a root that is a link is resolved once; another folder in its place is refused', async () => {
  const base = makeTree({ 'real/a.txt': 'inside', 'other/a.txt': 'other' })
  symlinkSync('real', join(base, 'root'))
  const tools = on(join(base, 'root'))
  expect(await call(tools, 'read_file', { path: join(base, 'root/a.txt') })).toMatchObject({ text: 'inside' })
  rmSync(join(base, 'root'))
  symlinkSync('other', join(base, 'root'))
  expect(await call(tools, 'read_file', { path: 'a.txt' })).toMatchObject({ text: 'inside' })
  renameSync(join(base, 'real'), join(base, 'gone'))
  symlinkSync('other', join(base, 'real'))
  const replaced = 'The root folder was replaced or removed since the tools were made, so nothing in it can be reached.'
  expect(await failure(call(tools, 'read_file', { path: 'a.txt' }))).toBe(replaced)
  rmSync(join(base, 'real'))
  renameSync(join(base, 'other'), join(base, 'real'))
  expect(await failure(call(tools, 'read_file', { path: 'a.txt' }))).toBe(replaced)
})

test.skipIf(process.platform !== 'linux')(
  'the race: a folder that is swapped for a link to outside never gives outside content',
  async () => {
    const root = makeTree({ 'swap/data/inner.txt': 'inside', 'swap/secret.txt': 'inside' })
    // Another process, so that the swaps fall between the system calls of one read.
    const swapper = swapInChild(root, outside)
    onTestFinished(() => void swapper.kill())
    await new Promise((ready) => swapper.stdout.once('data', ready))
    const tools = on(root)
    let reads = 0
    let inside = 0
    const unexpected: unknown[] = []
    const readOnce = async (path: string) => {
      const found = await call(tools, 'read_file', { path }).catch((error: Error) => error)
      reads++
      if (found instanceof Error) {
        if (!/leads outside|No file or folder|was changed/.test(found.message)) unexpected.push(found.message)
      } else if (found.text === 'inside') inside++
      else unexpected.push(found)
    }
    const walkOnce = async () => {
      const { matches } = await call(tools, 'search_text', { pattern: 'secret' })
      if (matches.length > 0) unexpected.push(matches)
    }
    // Counted in reads that met the folder and reads that met the link, however long a busy machine takes for them.
    while (unexpected.length === 0 && (reads < 600 || inside < 30 || reads - inside < 30))
      await Promise.all([readOnce('swap/data/inner.txt'), readOnce('swap/secret.txt'), walkOnce()])
    swapper.kill()
    expect(unexpected).toEqual([])
    expect(openHandles(root)).toEqual([])
    expect(openHandles(outside)).toEqual([])
  },
  300_000,
)

function swapInChild(root: string, target: string) {
  const code = `
    const fs = require('node:fs')
    const [root, target] = process.argv.slice(1)
    process.on('SIGTERM', () => process.exit())
    console.log('ready')
    const turn = () => {
      for (let i = 0; i < 20; i++) {
        fs.renameSync(root + '/swap', root + '/kept'); fs.symlinkSync(target, root + '/swap')
        for (let j = 0; j < i * 500; j++) {}
        fs.unlinkSync(root + '/swap'); fs.renameSync(root + '/kept', root + '/swap')
        for (let j = 0; j < i * 500; j++) {}
      }
      setImmediate(turn)
    }
    turn()`
  return spawn(process.execPath, ['-e', code, root, target], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function textOf(file: OpenFile): Promise<string> {
  const buffer = Buffer.alloc(100)
  const { bytesRead } = await file.read(buffer, 0, 100, 0)
  return buffer.toString('utf8', 0, bytesRead)
}

test('the race, step by step: what is opened inside an open folder stays inside it', async () => {
  const base = makeTree({ 'swap/secret.txt': 'inside', 'swap/data/inner.txt': 'inside' })
  const root = makeRoot(base)
  const top = await openRoot(root)
  const folder = await openFolder(root, top, 'swap')
  renameSync(join(base, 'swap'), join(base, 'kept'))
  symlinkSync(outside, join(base, 'swap'))
  const file = await openFile(root, folder, 'secret.txt')
  expect(await textOf(file)).toBe('inside')
  const data = await openFolder(root, folder, 'data')
  await expect(openFolder(root, top, 'swap')).rejects.toMatchObject({ code: expect.stringMatching(/ELOOP|ENOTDIR/) })
  for (const { handle } of [top, folder, data]) await handle?.close()
  await file.close()
})

test('where folders can not be held open, what was opened is checked afterwards', async () => {
  const base = linked({ out: outside, 'in/up': '../in' })
  const root = makeRoot(base, 'paths')
  const read = (path: string) =>
    withPath(root, path, signal, async (opened) => (opened.kind === 'file' ? textOf(opened.handle) : opened.kind))
  expect(await read('in/up/a.txt')).toBe('inside')
  expect(await read('in')).toBe('folder')
  expect(await failure(read('out/secret.txt'))).toBe(leadsOut('out/secret.txt'))
  // A link that was swapped in behind the look at the path.
  const top = await openRoot(root)
  const swapped = { ...top, reach: join(base, 'out') }
  expect(await failure(openFile(root, swapped, 'secret.txt'))).toContain('leads outside')
  expect(await failure(openFolder(root, swapped, 'data'))).toContain('leads outside')
  expect(openHandles(outside)).toEqual([])
})

test.skipIf(process.platform === 'win32')('FIFOs, sockets and devices are refused at once', async () => {
  const root = makeTree({ 'a.txt': 'text' })
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(root, 'pipe')])
  const server = createServer().listen(join(root, 'socket'))
  await new Promise((done) => server.once('listening', done))
  const tools = on(root)
  for (const path of ['pipe', 'socket'])
    for (const name of ['read_file', 'file_info', 'search_text'] as const)
      expect(await failure(call(tools, name, name === 'search_text' ? { path, pattern: 'x' } : { path }))).toBe(
        `'${path}' is a FIFO, socket or device, so it is not read.`,
      )
  expect((await call(tools, 'list_files', {})).entries).toEqual([
    { path: 'a.txt', type: 'file', size: 4 },
    { path: 'pipe', type: 'other' },
    { path: 'socket', type: 'other' },
  ])
  expect(await call(tools, 'search_text', { pattern: 'text' })).toMatchObject({ count: 1, filesSearched: 1 })
  // A FIFO that takes a file's place between the look and the opening: opening does not wait for a writer.
  const top = await openRoot(makeRoot(root))
  expect(await failure(openFile(makeRoot(root), top, 'pipe'))).toBe("'pipe' is no regular file, so it is not read.")
  await top.handle?.close()
  server.close()
})
