import { chmodSync, chownSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Disk } from '../../../../src/tools/files/write/disk.ts'
import { failure, makeTree, openHandles } from '../tree.ts'
import { contentsOf, dyingAt, failing, watched, writing } from './writing.ts'

const temporaries = (root: string) => Object.keys(contentsOf(root)).filter((path) => path.endsWith('.tmp'))
const without = (contents: { readonly [path: string]: string }) =>
  Object.fromEntries(Object.entries(contents).filter(([path]) => !path.endsWith('.tmp')))

/** How many operations of the disk a piece of work takes. */
async function operationsOf(work: (disk: Disk) => Promise<unknown>): Promise<readonly string[]> {
  const names: string[] = []
  await work(watched((name) => void names.push(name)))
  return names
}

test('a write is: a temporary file, its bytes, its mode, to the disk, the name, the folder to the disk', async () => {
  const root = makeTree({ 'a.txt': 'old' })
  expect(await operationsOf((disk) => writing(root, { disk }).write('a.txt', 'new'))).toEqual([
    'create',
    'write',
    'setMode',
    'sync',
    'replace',
    'syncFolder',
  ])
  expect(await operationsOf((disk) => writing(root, { disk }).write('x/y.txt', 'new', { exclusive: true }))).toEqual([
    'makeFolder',
    'syncFolder',
    'create',
    'write',
    'sync',
    'addName',
    'removeFile',
    'syncFolder',
  ])
  expect(await operationsOf((disk) => writing(root, { disk }).write('a.txt', 'new'))).toEqual([])
})

describe('a process that dies before any operation of the disk', () => {
  const edits = [{ old: 'line', new: 'line\nline two' }]

  test.each([1, 2, 3, 4, 5, 6, 7])('write_file over a file: old or new, and the next attempt clears up: operation %d', async (at) => {
    const root = makeTree({ 'a.txt': 'old' })
    const end = await failure(writing(root, { disk: dyingAt(at) }).write('a.txt', 'new'))
    expect(without(contentsOf(root))).toEqual({ 'a.txt': at <= 5 ? 'old' : 'new' })
    expect(end).toEqual(at <= 5 ? expect.stringContaining("'a.txt' can't be written") : expect.stringContaining('"action":"replaced"'))
    expect(temporaries(root).length).toBe(at > 1 && at <= 5 ? 1 : 0)
    expect(await writing(root).write('a.txt', 'new', {}, { attempt: 2 })).toMatchObject({ action: at <= 5 ? 'replaced' : 'unchanged' })
    expect(contentsOf(root)).toEqual({ 'a.txt': 'new' })
    expect(openHandles(root)).toEqual([])
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('write_file, exclusive, in a new folder: operation %d', async (at) => {
    const root = makeTree({})
    await failure(writing(root, { disk: dyingAt(at) }).write('x/y.txt', 'new', { exclusive: true }))
    const isThere = at > 6
    expect(without(contentsOf(root))).toEqual({ ...(at > 1 ? { x: 'folder' } : {}), ...(isThere ? { 'x/y.txt': 'new' } : {}) })
    expect(await writing(root).write('x/y.txt', 'new', { exclusive: true }, { attempt: 2 })).toMatchObject({ action: 'created', bytes: 3 })
    expect(contentsOf(root)).toEqual({ x: 'folder', 'x/y.txt': 'new' })
    expect(statSync(join(root, 'x/y.txt')).nlink).toBe(1)
    // Another call does not take it for its own.
    expect(await failure(writing(root).write('x/y.txt', 'new', { exclusive: true }))).toContain('is there already')
    writeFileSync(join(root, 'x/y.txt'), 'theirs')
    expect(await failure(writing(root).write('x/y.txt', 'new', { exclusive: true }, { attempt: 2 }))).toContain('is there already')
  })

  test.each([1, 2, 3, 4, 5, 6, 7])('edit_file: what the next process can find out: operation %d', async (at) => {
    const root = makeTree({ 'a.txt': 'line\n' })
    await failure(writing(root, { disk: dyingAt(at) }).edit('a.txt', edits))
    const next = writing(root)
    const answer = await next.reconcile('a.txt', edits)
    // Before the temporary file is there, or once it has the name, nothing tells.
    expect(answer).toBe(at > 1 && at <= 5 ? 'not-started' : 'unknown')
    expect(temporaries(root)).toEqual([])
    if (answer === 'not-started') await next.edit('a.txt', edits, {}, { attempt: 2 })
    expect(contentsOf(root)).toEqual({ 'a.txt': at === 1 ? 'line\n' : 'line\nline two\n' })
  })
})

test("'not-started' holds: a process that was only asleep can't make its edit any more", async () => {
  for (const operation of ['write', 'sync', 'replace'] as const) {
    const root = makeTree({ 'a.txt': 'line\n' })
    const edits = [{ old: 'line', new: 'line, line' }]
    let wake = () => {}
    const asleep = new Promise<void>((done) => {
      wake = done
    })
    let reached = () => {}
    const fallsAsleep = new Promise<void>((done) => {
      reached = done
    })
    const disk = watched((name) => {
      if (name !== operation) return undefined
      reached()
      return asleep
    })
    const end = failure(writing(root, { disk }).edit('a.txt', edits))
    await fallsAsleep
    const next = writing(root)
    expect(await next.reconcile('a.txt', edits)).toBe('not-started')
    wake()
    expect(await end).toMatch(/No file or folder|was changed/)
    expect(contentsOf(root)).toEqual({ 'a.txt': 'line\n' })
    await next.edit('a.txt', edits, {}, { attempt: 2 })
    expect(contentsOf(root)).toEqual({ 'a.txt': 'line, line\n' })
  }
})

test('what an earlier attempt left, or did, says nothing of a later one', async () => {
  const root = makeTree({ 'a.txt': 'line\n' })
  const edits = [{ old: 'line', new: 'line, line' }]
  // The first attempt fails, and what it has written can't be removed; the second one is done, and its process dies.
  const stuck = watched((name) => {
    if (name === 'sync' || name === 'removeFile') throw Object.assign(new Error('EIO'), { code: 'EIO' })
  })
  const first = writing(root, { disk: stuck })
  await failure(first.edit('a.txt', edits))
  expect(temporaries(root).length).toBe(1)
  await writing(root).edit('a.txt', edits, {}, { attempt: 2 })
  expect(await first.reconcile('a.txt', edits, { attempt: 1 })).toBe('not-started')
  expect(await writing(root).reconcile('a.txt', edits, { attempt: 2 })).toBe('unknown')
  expect(contentsOf(root)).toEqual({ 'a.txt': 'line, line\n' })
})

test('a call of this process that was given up for lost has ended: that is known', async () => {
  const root = makeTree({ 'a.txt': 'line\n' })
  const tools = writing(root)
  const edits = [{ old: 'line', new: 'line, line' }]
  const output = await tools.edit('a.txt', edits, {}, { key: 'done' })
  expect(await tools.reconcile('a.txt', edits, { key: 'done' })).toEqual({ settled: output })
  await failure(tools.edit('a.txt', edits, {}, { key: 'aborted', signal: AbortSignal.abort(new Error('stop')) }))
  expect(await tools.reconcile('a.txt', edits, { key: 'aborted' })).toBe('not-started')
  expect(await tools.reconcile('a.txt', edits, { key: 'other' })).toBe('unknown')
  for (let i = 0; i < 500; i++) await failure(tools.edit('none', edits, {}, { key: `filler ${i}` }))
  expect(await tools.reconcile('a.txt', edits, { key: 'done' })).toBe('unknown')
})

test('an abort before the file has its name leaves it as it was, with no temporary file and no new folder', async () => {
  for (const operation of ['makeFolder', 'create', 'write', 'sync', 'replace', 'syncFolder'] as const) {
    const root = makeTree({ 'a.txt': 'old' })
    const controller = new AbortController()
    const disk = watched((name) => {
      if (name === operation) controller.abort(new Error('stop'))
    })
    const { signal } = controller
    const path = operation === 'makeFolder' ? 'x/y/z.txt' : 'a.txt'
    const end = await failure(writing(root, { disk }).write(path, 'new', {}, { signal }))
    const isLate = operation === 'replace' || operation === 'syncFolder'
    expect([operation, end]).toEqual([operation, isLate ? expect.stringContaining('"action":"replaced"') : 'stop'])
    expect(contentsOf(root)).toEqual({ 'a.txt': isLate ? 'new' : 'old' })
    expect(openHandles(root)).toEqual([])
  }
})

describe('what the disk refuses is told, and the file is as it was', () => {
  const cases: readonly (readonly [keyof Disk, string, string])[] = [
    ['create', 'EACCES', "'x/a.txt' may not be written: permission denied. Try another one."],
    ['create', 'EROFS', "'x/a.txt' can't be written: the file system is read-only."],
    ['create', 'EMFILE', "'x/a.txt' can't be opened now: too many files are open. Try again later."],
    ['write', 'ENOSPC', "'x/a.txt' can't be written: the disk is full. Nothing was changed."],
    ['write', 'EDQUOT', "'x/a.txt' can't be written: the disk is full. Nothing was changed."],
    ['write', 'EFBIG', "'x/a.txt' can't be written: it would be larger than the file system takes. Nothing was changed."],
    ['sync', 'EIO', "'x/a.txt' can't be written (EIO)."],
    ['replace', 'EBUSY', "'x/a.txt' is in use and can't be replaced. Nothing was changed."],
    ['replace', 'EISDIR', "'x/a.txt' was changed while it was being opened. Try again."],
  ]

  test.each(cases)('%s: %s', async (operation, code, message) => {
    const root = makeTree({ 'x/a.txt': 'old' })
    const tools = writing(root, { disk: failing(operation, code) })
    expect(await failure(tools.write('x/a.txt', 'new'))).toBe(message)
    expect(await failure(tools.edit('x/a.txt', [{ old: 'old', new: 'new' }]))).toBe(message)
    expect(contentsOf(root)).toEqual({ x: 'folder', 'x/a.txt': 'old' })
    expect(openHandles(root)).toEqual([])
  })

  test('folders that were made for a file that could not be are removed', async () => {
    const root = makeTree({ 'a.txt': 'old' })
    expect(await failure(writing(root, { disk: failing('write', 'ENOSPC') }).write('x/y/z.txt', 'new'))).toContain('the disk is full')
    expect(contentsOf(root)).toEqual({ 'a.txt': 'old' })
  })

  test('a file system without hard links can not do exclusive', async () => {
    const root = makeTree({})
    expect(await failure(writing(root, { disk: failing('addName', 'EPERM') }).write('z.txt', 'new', { exclusive: true }))).toBe(
      "'z.txt' lies on a file system that can't do 'exclusive'. Nothing was written. Leave it out.",
    )
    expect(contentsOf(root)).toEqual({})
  })

  test('what fails after the file has its name is no failure', async () => {
    const root = makeTree({ 'a.txt': 'old' })
    expect(await writing(root, { disk: failing('syncFolder', 'EIO') }).write('a.txt', 'new')).toMatchObject({ action: 'replaced' })
  })
})

test.skipIf(process.platform !== 'linux')('a disk that is full, in earnest', async () => {
  // /dev/full stands in for the disk: what is written to it fails with ENOSPC by the system itself.
  const root = makeTree({ 'a.txt': 'old' })
  const full = await open('/dev/full', 'w')
  const disk: Disk = { ...watched(() => {}), write: (_, bytes) => full.writeFile(bytes) }
  expect(await failure(writing(root, { disk }).write('a.txt', 'new'))).toContain('the disk is full')
  await full.close()
  expect(contentsOf(root)).toEqual({ 'a.txt': 'old' })
})

test.skipIf(process.platform === 'win32')('mode and owner are kept; a secret is never readable meanwhile', async () => {
  const root = makeTree({ 'run.sh': '#!/bin/sh\n', secret: 'x' })
  chmodSync(join(root, 'run.sh'), 0o750)
  chmodSync(join(root, 'secret'), 0o600)
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(join(root, 'run.sh'), 12_345, 12_346)
  const modes: number[] = []
  const disk = watched((name) => {
    if (name === 'write') for (const one of readdirSync(root)) if (one.endsWith('.tmp')) modes.push(statSync(join(root, one)).mode & 0o777)
  })
  const { write } = writing(root, { disk })
  await write('run.sh', '#!/bin/sh\ntrue\n')
  await write('secret', 'y')
  expect(modes).toEqual([0o600, 0o600])
  const { mode, uid, gid } = statSync(join(root, 'run.sh'))
  expect([mode & 0o7777, uid, gid]).toEqual([0o750, ...(isRoot ? [12_345, 12_346] : [process.getuid?.(), process.getgid?.()])])
  // An owner that can't be kept takes its special bits along.
  chmodSync(join(root, 'run.sh'), 0o4755)
  if (isRoot) {
    await writing(root, { disk: failing('setOwner', 'EPERM') }).write('run.sh', 'other')
    expect(statSync(join(root, 'run.sh')).mode & 0o7777).toBe(0o755)
  }
})

describe('somebody else meanwhile', () => {
  const edits = [{ old: 'old', new: 'new' }]
  test('a file that is changed while a call works is left as it is', async () => {
    const root = makeTree({ 'a.txt': 'old' })
    const disk = watched((name) => {
      if (name === 'sync') writeFileSync(join(root, 'a.txt'), 'OLD')
    })
    const meanwhile = "'a.txt' was changed by somebody else meanwhile. Nothing was written. Read it again before you write."
    expect(await failure(writing(root, { disk }).edit('a.txt', edits))).toBe(meanwhile)
    writeFileSync(join(root, 'a.txt'), 'old')
    expect(await failure(writing(root, { disk }).write('a.txt', 'new'))).toBe(meanwhile)
    expect(contentsOf(root)).toEqual({ 'a.txt': 'OLD' })
  })

  test('a file that is made while another is to be made there', async () => {
    const root = makeTree({})
    const make = (operation: keyof Disk) =>
      watched((name) => {
        if (name === operation) writeFileSync(join(root, 'a.txt'), 'theirs')
      })
    expect(await failure(writing(root, { disk: make('sync') }).write('a.txt', 'mine'))).toContain('was changed by somebody else')
    rmSync(join(root, 'a.txt'))
    expect(await failure(writing(root, { disk: make('addName') }).write('a.txt', 'mine', { exclusive: true }))).toBe(
      "'a.txt' was made by somebody else meanwhile, and 'exclusive' was asked for. Nothing was written.",
    )
    expect(contentsOf(root)).toEqual({ 'a.txt': 'theirs' })
  })
})

test('edits of one file at the same time all count, by whatever path and tools they come', async () => {
  const root = makeTree({ 'in/a.txt': '0 1 2 3 4 5 6 7 8 9' })
  symlinkSync('in', join(root, 'link'))
  const sets = [writing(root), writing(root)]
  await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      sets[i % 2]!.edit(
        i % 3 === 0 ? 'link/a.txt' : 'in/a.txt',
        [{ old: `${i}`, new: `<${String.fromCharCode(97 + i)}>` }],
        {},
        { key: `k${i}` },
      ),
    ),
  )
  expect(readFileSync(join(root, 'in/a.txt'), 'utf8')).toBe('<a> <b> <c> <d> <e> <f> <g> <h> <i> <j>')
  const made = await Promise.allSettled([1, 2, 3].map((i) => sets[0]!.write('new.txt', `by ${i}`, { exclusive: true }, { key: `x${i}` })))
  expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(temporaries(root)).toEqual([])
})

test('who waits for their turn and is aborted leaves at once', async () => {
  const root = makeTree({ 'a.txt': 'old' })
  let go = () => {}
  const held = new Promise<void>((done) => {
    go = done
  })
  const slow = writing(root, { disk: watched((name) => (name === 'write' ? held : undefined)) }).write('a.txt', 'slow')
  const controller = new AbortController()
  const waiting = failure(writing(root).write('a.txt', 'never', {}, { signal: controller.signal }))
  const after = writing(root).write('b.txt', 'after')
  await new Promise((done) => setImmediate(done))
  controller.abort(new Error('stop'))
  expect(await waiting).toBe('stop')
  go()
  await Promise.all([slow, after])
  expect(contentsOf(root)).toEqual({ 'a.txt': 'slow', 'b.txt': 'after' })
})
