import { execFile } from 'node:child_process'
import { chmodSync, cpSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Agent } from '../../../src/index.ts'
import { scripted } from '../../../src/testing/index.ts'
import { makeRoot } from '../../../src/tools/files/root.ts'
import { sandboxTools } from '../../../src/tools/index.ts'
import { findShell } from '../../../src/tools/sandbox/interpreter.ts'
import { Overlay } from '../../../src/tools/sandbox/overlay.ts'
import { failure, makeTree } from '../files/tree.ts'
import { box } from './box.ts'

test('a sandbox has the tools of readTools, writeTools and shellTool, by the same names; none asks, and all that write say what becomes of it', () => {
  const { tools } = sandboxTools({ root: makeTree({}) })
  expect(tools.map(({ name, effect }) => [name, effect])).toEqual([
    ['list_files', 'read'],
    ['find_files', 'read'],
    ['read_file', 'read'],
    ['search_text', 'read'],
    ['file_info', 'read'],
    ['write_file', 'idempotent'],
    ['edit_file', 'unsafe'],
    ['shell', 'unsafe'],
  ])
  const asks = tools.slice(5).map((tool) => {
    const { needsApproval } = tool['~definition']
    return typeof needsApproval === 'function' ? needsApproval({ command: 'rm -rf /' }, {} as never) : needsApproval
  })
  return Promise.all(asks).then((answers) => {
    expect(answers).toEqual([false, false, false])
    for (const { description } of tools.slice(5)) expect(description).toContain('lost when the program is started again')
  })
})

test('changes tells what was created, changed and deleted, with the text before and after, and nothing that is as it was', async () => {
  const root = makeTree({
    'a.txt': 'one\n',
    'gone/b.txt': 'two\n',
    'gone/c.bin': Buffer.from([0, 1]),
    'same.txt': 'same\n',
    'back.txt': 'back\n',
    run: '1\n',
  })
  for (const path of ['a.txt', 'gone/b.txt', 'gone/c.bin', 'run']) chmodSync(join(root, path), 0o644)
  symlinkSync('a.txt', join(root, 'link'))
  const sandbox = box(root)
  expect(await sandbox.changes()).toEqual({ changes: [], truncated: false })
  await sandbox.call('edit_file', { path: 'a.txt', edits: [{ old: 'one', new: 'other' }] })
  await sandbox.call('write_file', { path: 'new/d.txt', content: 'new\n' })
  await sandbox.said(
    'rm -r gone; echo same > same.txt; rm back.txt; echo back > back.txt; chmod 755 run; rm link; ln -s run link; echo x > x; rm x; mkdir empty; echo t > /tmp/t',
  )
  const file = (text: string | null, size: number, mode = 0o644) => ({ type: 'file', text, size, mode })
  expect(await sandbox.changes()).toEqual({
    truncated: false,
    changes: [
      { kind: 'changed', path: 'a.txt', before: file('one\n', 4), after: file('other\n', 6) },
      { kind: 'deleted', path: 'gone/b.txt', before: file('two\n', 4) },
      { kind: 'deleted', path: 'gone/c.bin', before: file(null, 2) },
      {
        kind: 'changed',
        path: 'link',
        before: { type: 'link', text: 'a.txt', size: 5, mode: 0o777 },
        after: { type: 'link', text: 'run', size: 3, mode: 0o777 },
      },
      { kind: 'created', path: 'new/d.txt', after: file('new\n', 4) },
      { kind: 'changed', path: 'run', before: file('1\n', 2), after: file('1\n', 2, 0o755) },
    ],
  })
})

test('changes tells no more than its limit, and says so; it stops when it is aborted', async () => {
  const sandbox = box(makeTree({ a: '1', b: '1', c: '1' }), { limits: { changes: 2 } })
  await sandbox.said('rm a b c')
  expect(await sandbox.changes()).toMatchObject({ changes: [{ path: 'a' }, { path: 'b' }], truncated: true })
  expect(await failure(sandbox.changes(AbortSignal.abort(new Error('enough'))))).toBe('enough')
})

test('what waits for a yes is planned on the files of the sandbox', async () => {
  const sandbox = box(makeTree({ 'a.txt': 'one\n' }), { needsApproval: true })
  expect(sandbox.tools[5]['~definition'].needsApproval).toBe(true)
  await sandbox.call('write_file', { path: 'a.txt', content: 'two\n' })
  const planned = await sandbox.plannedChange({ toolName: 'edit_file', input: { path: 'a.txt', edits: [{ old: 'two', new: 'three' }] } })
  expect(planned).toMatchObject({ kind: 'change', before: 'two\n', after: 'three\n' })
  expect(await sandbox.plannedChange({ toolName: 'shell', input: {} })).toBeUndefined()
})

test('a file that was changed or made since it was looked at is not written over', async () => {
  const overlay = new Overlay(makeRoot(makeTree({ 'a.txt': 'one\n' })), '/project', 1_000_000)
  const root = await overlay.openRoot()
  const opened = await overlay.openFile(root, 'a.txt')
  const seen = await opened.stat({ bigint: true })
  await opened.close()
  await overlay.put(root, 'a.txt', Buffer.from('two\n'), seen)
  const stale = { code: 'ESTALE' }
  await expect(overlay.put(root, 'a.txt', Buffer.from('three\n'), seen)).rejects.toMatchObject(stale)
  await expect(overlay.put(root, 'a.txt', Buffer.from('three\n'), undefined)).rejects.toMatchObject(stale)
  overlay.remove(root, 'a.txt')
  await expect(overlay.put(root, 'a.txt', Buffer.from('three\n'), seen)).rejects.toMatchObject(stale)
  await root.handle?.close()
})

test('what is put in a folder that was removed meanwhile is refused', async () => {
  const overlay = new Overlay(makeRoot(makeTree({ 'a/b/c.txt': 'one\n' })), '/project', 1_000_000)
  const root = await overlay.openRoot()
  const a = await overlay.openFolder(root, 'a')
  const b = await overlay.openFolder(a, 'b')
  overlay.remove(root, 'a')
  await expect(overlay.put(b, 'd.txt', Buffer.from('x'), undefined)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(overlay.touched()).toEqual({ entries: new Map(), removed: ['a'] })
  for (const { handle } of [root, a, b]) await handle?.close()
})

test('two sandboxes of one folder know nothing of each other', async () => {
  const root = makeTree({ 'a.txt': 'one\n' })
  const [first, second] = [box(root), box(root)]
  await first.said('echo two > a.txt')
  expect(await second.said('cat a.txt')).toBe('one\n')
})

test('an edit or a command that a crash has cut off has not happened where its sandbox is gone, and is known where it is not', async () => {
  const root = makeTree({ 'a.txt': 'one\n' })
  const sandbox = box(root)
  const edit = { path: 'a.txt', edits: [{ old: 'one', new: 'one more' }] }
  const told = { key: 'session:1', attempt: 1 }
  const done = await sandbox.call('edit_file', edit, told)
  expect(await sandbox.reconcile('edit_file', edit, told)).toEqual({ settled: done })
  expect(await box(root).reconcile('edit_file', edit, told)).toBe('not-started')
  const command = { command: 'sleep 0.2; echo x >> a.txt; echo done' }
  const running = sandbox.call('shell', command, { key: 'session:2' })
  expect(await sandbox.reconcile('shell', command, { key: 'session:2' })).toEqual({ settled: await running })
  expect(await box(root).reconcile('shell', command, { key: 'session:2' })).toBe('not-started')
  expect(await sandbox.call('read_file', { path: 'a.txt' })).toMatchObject({ text: 'one more\nx' })
})

test('a write that is tried again leaves the same file', async () => {
  const sandbox = box(makeTree({}))
  const input = { path: 'a.txt', content: 'x', exclusive: true }
  const first = await sandbox.call('write_file', input, { attempt: 1 })
  expect(await sandbox.call('write_file', input, { attempt: 2 })).toEqual(first)
})

test('in the built package too, and without it all else of rondo/tools is there', async () => {
  const own = fileURLToPath(new URL('../../..', import.meta.url))
  const home = makeTree({
    'package.json': readFileSync(join(own, 'package.json')),
    'node_modules/@cfworker/': '',
    // One that exports nothing: a copy in a folder further up must not be found.
    'node_modules/just-bash/package.json': '{ "name": "just-bash", "exports": {} }',
    'root/a.txt': 'one',
  })
  cpSync(realpathSync(join(own, 'dist')), join(home, 'dist'), { recursive: true })
  for (const name of ['@cfworker/json-schema', 'ignore', 'picomatch', 'unbash'])
    symlinkSync(join(own, 'node_modules', name), join(home, 'node_modules', name))
  const program = `import { readTools, sandboxTools } from './dist/tools/index.js'
    readTools({ root: 'root' })
    try { sandboxTools({ root: 'root' }) } catch ({ code, message }) { console.log(code, message) }`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd: home })
  expect(stdout).toBe('ConfigInvalid sandboxTools() needs the package just-bash for its shell: npm install just-bash@3\n')
})

test('without just-bash a sandbox is an error that names the install command', () => {
  const missing = () => {
    throw Object.assign(new Error("Cannot find module 'just-bash'"), { code: 'MODULE_NOT_FOUND' })
  }
  expect(() => findShell(missing)).toThrow('sandboxTools() needs the package just-bash for its shell: npm install just-bash@3')
})

test('options that can not work are an error that says which', () => {
  const root = makeTree({ '.git/x': '', file: '' })
  const error = (options: unknown) => {
    try {
      sandboxTools(options as never)
      return 'none'
    } catch (thrown) {
      return (thrown as Error).message
    }
  }
  expect(error(undefined)).toContain("sandboxTools({ root: '.' })")
  expect(error({ root, cwd: root })).toContain("sandboxTools(): unknown option 'cwd'; there are root,")
  expect(error({ root, shell: { runtime: {} } })).toContain("unknown option 'shell.runtime'")
  expect(error({ root, shell: { timeoutMs: 0 } })).toContain('timeoutMs must be a whole number')
  expect(error({ root, limits: { memory: 1 } })).toContain("unknown limit 'memory'")
  expect(error({ root: join(root, 'file') })).toContain('is no folder')
  expect(error({ root: join(root, '.git') })).toContain("lies in '.git'")
})

test('a root that was replaced is not reached any more, by the shell neither', async () => {
  const root = makeTree({ 'a.txt': 'one\n' })
  const sandbox = box(root)
  rmSync(root, { recursive: true })
  symlinkSync(makeTree({ 'a.txt': 'other\n' }), root)
  expect(await sandbox.said('cat a.txt')).not.toContain('other')
  expect(await failure(sandbox.call('read_file', { path: 'a.txt' }))).toContain('The root folder was replaced')
  rmSync(root)
  writeFileSync(root, '')
})

test('an agent works in a sandbox: what one call has written the next one reads, and the disk knows nothing of it', async () => {
  const root = makeTree({ 'a.txt': 'one\n' })
  const { tools, changes } = sandboxTools({ root })
  const calls = [
    { name: 'write_file', input: { path: 'b.txt', content: 'two\n' } },
    { name: 'shell', input: { command: 'cat a.txt b.txt > c.txt' } },
    { name: 'read_file', input: { path: 'c.txt' } },
  ]
  const model = scripted([...calls.map((call) => ({ calls: [call] })), { text: 'done' }])
  const { status, calls: done } = await new Agent({ model, tools }).run('work')
  expect([status, JSON.stringify(done.at(-1))]).toEqual(['completed', expect.stringContaining('one\\ntwo')])
  expect((await changes()).changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['created b.txt', 'created c.txt'])
  expect(readdirSync(root)).toEqual(['a.txt'])
})
