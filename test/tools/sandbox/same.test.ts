import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readTools, writeTools } from '../../../src/tools/index.ts'
import { failure, makeTree, openHandles, project } from '../files/tree.ts'
import { box } from './box.ts'

/** The real tools on a folder, called as those of a sandbox. */
function real(root: string) {
  const tools = [...readTools({ root }), ...writeTools({ root, needsApproval: false })]
  return async (name: string, input: unknown): Promise<unknown> => {
    const tool = tools.find((one) => one.name === name)
    const signal = new AbortController().signal
    return tool?.['~definition'].execute?.(input, { signal, idempotencyKey: 'session:call', attempt: 1 } as never)
  }
}

const reads: readonly (readonly [string, object])[] = [
  ['list_files', {}],
  ['list_files', { depth: 5 }],
  ['list_files', { depth: 2, limit: 3 }],
  ['list_files', { path: 'node_modules' }],
  ['list_files', { path: 'README.md' }],
  ['list_files', { path: 'nowhere' }],
  ['list_files', { path: 'src/../..' }],
  ['list_files', { path: '/etc' }],
  ['list_files', { path: 'out' }],
  ['find_files', { glob: '*.ts' }],
  ['find_files', { glob: '**/*', sort: 'size' }],
  ['find_files', { glob: 'src/**/*.ts', sort: 'modified', limit: 1 }],
  ['read_file', { path: 'README.md' }],
  ['read_file', { path: 'src/a.ts', fromLine: 2, lines: 1 }],
  ['read_file', { path: 'src/a.ts', fromLine: 9 }],
  ['read_file', { path: 'src/deep/c.bin' }],
  ['read_file', { path: 'src' }],
  ['read_file', { path: 'inside/a.ts' }],
  ['read_file', { path: 'out/secret' }],
  ['read_file', { path: 'raedme.md' }],
  ['search_text', { pattern: 'rondo', ignoreCase: true }],
  ['search_text', { pattern: 'const [ab]', regex: true, contextLines: 1, glob: '*.ts' }],
  ['search_text', { pattern: 'rondo', path: '.git' }],
  ['search_text', { pattern: '(', regex: true }],
  ['file_info', { path: 'README.md' }],
  ['file_info', { path: 'src/deep/c.bin' }],
  ['file_info', {}],
  ['file_info', { path: 'inside' }],
]

function linkedProject(): string {
  const root = project()
  symlinkSync('src', join(root, 'inside'))
  symlinkSync(makeTree({ secret: 'outside' }), join(root, 'out'))
  return root
}

const end = (promise: Promise<unknown>) => promise.catch((error: unknown) => `failed: ${error instanceof Error ? error.message : error}`)

test('the tools that read give in a sandbox what the real ones give, errors word for word', async () => {
  const root = linkedProject()
  const sandbox = box(root)
  const disk = real(root)
  for (const [name, input] of reads)
    expect([name, input, await end(sandbox.call(name, input))]).toEqual([name, input, await end(disk(name, input))])
  if (process.platform === 'linux') expect(openHandles(root)).toEqual([])
})

const writes: readonly (readonly [string, object])[] = [
  ['write_file', { path: 'new/deep/a.txt', content: 'one\ntwo\n' }],
  ['write_file', { path: 'new/deep/a.txt', content: 'one\ntwo\n' }],
  ['write_file', { path: 'new/deep/a.txt', content: 'one\nthree\n', exclusive: true }],
  ['write_file', { path: 'README.md', content: '# Other\n' }],
  ['write_file', { path: 'README.md', content: 'x', ifSha256: '0'.repeat(64) }],
  ['write_file', { path: 'inside/a.ts', content: 'through a link\n' }],
  ['write_file', { path: 'out/secret', content: 'x' }],
  ['write_file', { path: 'out', content: 'x' }],
  ['write_file', { path: 'src', content: 'x' }],
  ['write_file', { path: '.git/config', content: 'x' }],
  ['write_file', { path: '.GIT/hooks/pre-commit', content: 'x' }],
  ['write_file', { path: '../x', content: 'x' }],
  ['write_file', { path: '/tmp/x', content: 'x' }],
  ['write_file', { path: 'bad\u0001name', content: 'x' }],
  ['write_file', { path: 'é.txt', content: 'x' }],
  ['write_file', { path: 'e\u0301.txt', content: 'x' }],
  ['edit_file', { path: 'new/deep/a.txt', edits: [{ old: 'two', new: 'four' }] }],
  ['edit_file', { path: 'new/deep/a.txt', edits: [{ old: 'seven', new: 'eight' }] }],
  ['edit_file', { path: 'src/deep/c.bin', edits: [{ old: 'a', new: 'b' }] }],
  ['edit_file', { path: 'nowhere.txt', edits: [{ old: 'a', new: 'b' }] }],
  ['read_file', { path: 'new/deep/a.txt' }],
  ['list_files', { depth: 9 }],
  ['search_text', { pattern: 'four' }],
]

test('the tools that write give in a sandbox what the real ones give, and those that read see it', async () => {
  const [mine, theirs] = [linkedProject(), linkedProject()]
  const sandbox = box(mine)
  const disk = real(theirs)
  for (const [name, input] of writes)
    expect([name, input, await end(sandbox.call(name, input))]).toEqual([name, input, await end(disk(name, input))])
})

test('a file or folder of several kinds is what it was made last, for all tools', async () => {
  const root = makeTree({ 'a/old.txt': 'old\n', 'b.txt': 'file\n' })
  const sandbox = box(root)
  await sandbox.said('rm -r a; echo now a file > a; rm b.txt; mkdir b.txt; echo in > b.txt/c')
  expect(await sandbox.call('list_files', { depth: 3 })).toMatchObject({
    entries: [
      { path: 'a', type: 'file', size: 11 },
      { path: 'b.txt', type: 'folder' },
      { path: 'b.txt/c', type: 'file', size: 3 },
    ],
  })
  await sandbox.said('rm a; mkdir a; ls -A a')
  expect(await sandbox.call('list_files', { path: 'a' })).toMatchObject({ entries: [] })
  expect(await failure(sandbox.call('read_file', { path: 'a/old.txt' }))).toContain("No file or folder 'a/old.txt'")
})

test('.gitignore holds as it is in the sandbox', async () => {
  const root = makeTree({ '.gitignore': 'secret\n', secret: 'x\n', open: 'x\n' })
  const sandbox = box(root)
  await sandbox.call('write_file', { path: '.gitignore', content: 'open\n' })
  expect(await sandbox.call('search_text', { pattern: 'x' })).toMatchObject({ matches: [{ path: 'secret' }] })
  mkdirSync(join(root, 'later'))
  expect(await sandbox.call('find_files', { glob: '*' })).toMatchObject({ count: 2 })
})
