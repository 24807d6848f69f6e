import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, linkSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { isGit, isOddOnWindows } from '../../../../src/tools/files/write/names.ts'
import { writeTools } from '../../../../src/tools/index.ts'
import { failure, makeTree, openHandles } from '../tree.ts'
import { contentsOf, watched, writing } from './writing.ts'

const outside = mkdtempSync(join(tmpdir(), 'rondo-outside-'))
const secrets = { data: 'folder', 'data/inner.txt': 'secret', 'secret.txt': 'secret' }
beforeEach(() => {
  rmSync(outside, { recursive: true, force: true })
  mkdirSync(join(outside, 'data'), { recursive: true })
  writeFileSync(join(outside, 'secret.txt'), 'secret')
  writeFileSync(join(outside, 'data/inner.txt'), 'secret')
})
afterAll(() => rmSync(outside, { recursive: true, force: true }))

/** Both tools at this path: their messages, after a look that nothing was touched, in the root and outside. */
async function refused(root: string, path: string): Promise<string[]> {
  const before = contentsOf(root)
  const messages: string[] = []
  for (const access of ['handles', 'paths'] as const) {
    const { write, edit } = writing(root, { access })
    messages.push(await failure(write(path, 'mine')), await failure(write(path, 'mine', { exclusive: true })))
    messages.push(await failure(edit(path, [{ old: 'secret', new: 'mine' }])))
  }
  expect(contentsOf(root)).toEqual(before)
  expect(contentsOf(outside)).toEqual(secrets)
  expect(openHandles(root)).toEqual([])
  return [...new Set(messages)]
}

function linked(links: { readonly [path: string]: string }): string {
  const root = makeTree({ 'in/a.txt': 'inside' })
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path))
  return root
}

const leadsOut = (path: string) =>
  `'${path}' leads outside the root folder, which is not allowed. Use a path inside it, relative to the root.`
const up = '../../../../../../../../../../..'

describe('nothing outside the root is made, changed or replaced', () => {
  test.each([
    ['to a file', { 'in/link': `${outside}/secret.txt` }, 'in/link'],
    ['to a file, relative', { 'in/link': `${up}${outside}/secret.txt` }, 'in/link'],
    ['to a file that is not there', { 'in/link': `${outside}/new.txt` }, 'in/link'],
    ['to a file beside the root', { link: '../new.txt' }, 'link'],
    ['to a folder', { link: outside }, 'link'],
    ['file in a linked folder', { link: outside }, 'link/secret.txt'],
    ['new file in a linked folder', { link: outside }, 'link/new.txt'],
    ['new folder in a linked folder', { link: outside }, 'link/new/new.txt'],
    ['a chain', { a: 'b', b: 'in/c', 'in/c': '../d', d: outside }, 'a/secret.txt'],
    ['out and in again', { link: `${up}` }, 'link/tmp/x.txt'],
    ['to the system', { link: '/proc/self/root' }, `link${outside}/secret.txt`],
    ['to an open descriptor', { link: '/dev/stdout' }, 'link'],
  ])('by a link: %s', async (_, links, path) => {
    expect(await refused(linked(links), path)).toEqual([leadsOut(path)])
  })

  test.each(['..', '../new.txt', 'in/../../new.txt', 'in/../a.txt', 'new/../../x', './../x', '/../x'])('by a path: %s', async (path) => {
    const [message, ...others] = await refused(linked({}), path)
    expect(others).toEqual([])
    expect([leadsOut(path), `'${path}' holds '..', which is not allowed. Write the path from the root folder.`]).toContain(message)
  })

  test('by an absolute path', async () => {
    const root = linked({})
    const system = [
      '/new.txt',
      '/proc/self/root/tmp/x',
      '/proc/self/cwd/x',
      '/proc/self/fd/1',
      '/dev/fd/1',
      '/dev/stdout',
      '//etc/x',
      '/./etc/x',
    ]
    for (const path of [
      `${outside}/secret.txt`,
      `${root}-sibling/x`,
      `${root}/../x`,
      `${root}/in/../../x`,
      `${root.toUpperCase()}/x`,
      ...system,
    ])
      expect((await refused(root, path))[0]).toMatch(/leads outside|holds '\.\.'/)
    expect(await writing(root).write(`${root}/in/new.txt`, 'x')).toMatchObject({ path: 'in/new.txt' })
  })

  test('by names that are no names', async () => {
    const root = linked({})
    const first = async (path: string) => (await refused(root, path))[0]
    expect(await first('in/a.txt\0.png')).toBe('The path holds a NUL character, which no file name can. Leave it out.')
    expect(await first('a\ud800')).toBe('The path holds half of a surrogate pair, which is no text. Write the name again.')
    expect(await first('x/'.repeat(3_000).concat('y'))).toContain('is longer than 4096 bytes, the limit.')
    expect(await first('y'.repeat(256))).toBe(`A name in '${'y'.repeat(100)}…' is too long for the file system.`)
    expect(await failure(writing(root).write(`new/${'y'.repeat(256)}`, ''))).toContain('is too long for the file system.')
    expect(contentsOf(root)).toEqual({ in: 'folder', 'in/a.txt': 'inside' })
    expect(await first('new/')).toBe("'new/' names a folder. Give the path of a file.")
    expect(await first('.')).toBe("'.' is a folder, so it is not written. Give the path of a file.")
    expect(await first('in')).toBe("'in' is a folder, so it is not written. Give the path of a file.")
    expect(await first('in/a.txt/b')).toBe("'in/a.txt' is a file, not a folder.")
    expect(await failure(writing(root).write('a\nb', ''))).toBe('"a\\nb" holds a control character. Use a name without it.')
    expect(await failure(writing(root).write('.rondo-0123456789abcdef01234567-1-0123456789ab.tmp', ''))).toContain(
      'temporary files of these tools',
    )
    expect(await writing(root).write('y'.repeat(255), 'long')).toMatchObject({ action: 'created' })
  })

  test
    .skipIf(process.platform === 'win32')
    .each([
      '%2e%2e/x',
      '..%2fx',
      '..\\x',
      'in\\..\\..\\x',
      'C:\\x',
      '\\\\?\\x',
      'file:///etc/x',
      '~/x',
      '$HOME/x',
      '.../x',
      '.. /x',
      ' ../x',
      '..;/x',
      '..\u200b/x',
      '\uff0e\uff0e/x',
      '\u2024\u2024/x',
      '\u2025/x',
      'in\u2215..\u2215..\u2215x',
      '--help',
    ])('what another system or program takes for a way out is a name here: %j', async (path) => {
    const root = linked({})
    expect(await writing(root).write(path, 'mine')).toMatchObject({ action: 'created' })
    expect(contentsOf(outside)).toEqual(secrets)
    expect(Object.values(contentsOf(root)).filter((content) => content === 'mine')).toEqual(['mine'])
    expect(readdirSync(join(root, '..')).filter((name) => ['x', 'etc'].includes(name))).toEqual([])
  })

  test.skipIf(process.platform === 'win32')('FIFOs, sockets, devices, hard links and read-only files', async () => {
    const root = linked({})
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(root, 'pipe')])
    const server = createServer().listen(join(root, 'socket'))
    await new Promise((done) => server.once('listening', done))
    for (const path of ['pipe', 'socket'])
      expect(await refused(root, path)).toEqual([`'${path}' is a FIFO, socket or device, so it is not written.`])
    server.close()
    linkSync(join(outside, 'secret.txt'), join(root, 'twin'))
    expect(await refused(root, 'twin')).toContain(
      "'twin' has 2 names (hard links); writing would part them. Nothing was written. Use another path.",
    )
    chmodSync(join(root, 'in/a.txt'), 0o444)
    expect((await refused(root, 'in/a.txt'))[0]).toContain("'in/a.txt' is read-only, so it is not written.")
  })
})

describe('nothing is written in .git', () => {
  const names = [
    '.git',
    '.GIT',
    '.Git',
    '.git.',
    '.git ',
    '.git . .',
    '.g\u200cit',
    '.git\ufeff',
    'git~1',
    'GIT~2',
    '.git:stream',
    '.git::$INDEX_ALLOCATION',
  ]

  test.each(names)('%j', async (name) => {
    const root = makeTree({ [`${name}/hooks/pre-commit`]: 'secret', 'in/a.txt': '' })
    expect(await refused(root, `${name}/hooks/pre-commit`)).toEqual([
      `Nothing is written in or to '.git' ('${name}'): it belongs to git. Use another path.`,
    ])
    expect((await refused(root, `new/${name}/x`))[0]).toContain("'.git'")
    expect((await refused(root, `in/${name}`))[0]).toContain("'.git'")
  })

  test('not by a link either, nor with a root in it', async () => {
    const root = makeTree({ '.git/config': 'secret' })
    symlinkSync('.git', join(root, 'link'))
    symlinkSync('.git/config', join(root, 'file'))
    for (const path of ['link/config', 'file', 'link/new']) expect((await refused(root, path))[0]).toContain("'.git'")
    expect(() => writeTools({ root: join(root, '.git') })).toThrow("writeTools(): root lies in '.git', which belongs to git")
  })

  test('other names are names', () => {
    const others = ['.gitignore', '.github', 'git', '.git-old', '.gitmodules', 'agit~1', '.git_', '..git', 'git~', '.gita.']
    expect(others.filter(isGit)).toEqual([])
    expect(['con', 'NUL.txt', 'a:b', 'com1', 'x.', 'x ', 'lpt¹'].every(isOddOnWindows)).toBe(true)
    expect(['console', 'a.b', 'com', '.x', 'nullable.ts'].some(isOddOnWindows)).toBe(false)
  })
})

test('a link that stays inside is written through, and stays a link', async () => {
  const root = linked({ near: 'in/a.txt', 'in/up': '../in', fresh: 'in/made.txt', deep: 'new/folder/x.txt', broken: 'no/../a.txt' })
  const { write, edit } = writing(root)
  expect(await write('near', 'one')).toMatchObject({ path: 'near', realPath: 'in/a.txt', action: 'replaced' })
  expect(await edit('in/up/a.txt', [{ old: 'one', new: 'two' }])).toMatchObject({ realPath: 'in/a.txt' })
  expect(await write('fresh', 'made')).toMatchObject({ realPath: 'in/made.txt', action: 'created' })
  expect(await write('deep', 'x')).toMatchObject({ realPath: 'new/folder/x.txt', newFolders: ['new', 'new/folder'] })
  expect(await failure(write('broken', 'x'))).toContain("No file or folder 'broken'.")
  expect(contentsOf(root)).toEqual({
    broken: '-> no/../a.txt',
    deep: '-> new/folder/x.txt',
    fresh: '-> in/made.txt',
    in: 'folder',
    'in/a.txt': 'two',
    'in/made.txt': 'made',
    'in/up': '-> ../in',
    near: '-> in/a.txt',
    new: 'folder',
    'new/folder': 'folder',
    'new/folder/x.txt': 'x',
  })
  expect(openHandles(root)).toEqual([])
})

test('a name in another Unicode form is not put beside the one that is there', async () => {
  const root = makeTree({ ['é.txt'.normalize('NFC')]: 'here' })
  const decomposed = 'é.txt'.normalize('NFD')
  expect(await failure(writing(root).write(decomposed, 'x'))).toBe(
    `'é.txt' is there already, its name in another Unicode form than in the path. Use the name as it is there: "\\u00e9.txt".`,
  )
  expect(await writing(root).write(`dir/${decomposed}`, 'x')).toMatchObject({ action: 'created' })
})

/** Swaps something just before one operation of the disk: the worst moment. */
function swappedAt(operation: string, swap: () => void) {
  let isDone = false
  return watched((name) => {
    if (name !== operation || isDone) return
    isDone = true
    swap()
  })
}

describe('the race, step by step: what is swapped between two steps leads nowhere', () => {
  const operations = ['create', 'write', 'sync', 'replace'] as const
  const swaps = {
    'the folder for a link to outside': (root: string) => {
      renameSync(join(root, 'in'), join(root, 'kept'))
      symlinkSync(outside, join(root, 'in'))
    },
    'the file for a link to outside': (root: string) => {
      rmSync(join(root, 'in/secret.txt'))
      symlinkSync(join(outside, 'secret.txt'), join(root, 'in/secret.txt'))
    },
  }
  for (const [what, swap] of Object.entries(swaps))
    test.each(operations)(`${what}, before %s`, async (operation) => {
      for (const access of ['handles', 'paths'] as const)
        for (const exists of [true, false]) {
          const root = makeTree({ 'in/secret.txt': 'inside' })
          const path = exists ? 'in/secret.txt' : 'in/new.txt'
          await failure(writing(root, { access, disk: swappedAt(operation, () => swap(root)) }).write(path, 'mine'))
          expect(contentsOf(outside)).toEqual(secrets)
          // By path alone, a file in a folder that was moved away can't be found again.
          if (access === 'handles') expect(Object.keys(contentsOf(root)).filter((name) => name.endsWith('.tmp'))).toEqual([])
        }
    })

  test('a new folder for a link to outside', async () => {
    const root = makeTree({ 'in/a.txt': '' })
    const disk = watched((name, count) => {
      if (name !== 'syncFolder' || count > 2) return
      renameSync(join(root, 'new'), join(root, 'kept'))
      symlinkSync(outside, join(root, 'new'))
    })
    expect(await failure(writing(root, { disk }).write('new/deep/x.txt', 'mine'))).toContain('leads outside the root folder')
    expect(contentsOf(outside)).toEqual(secrets)
  })

  test.skipIf(process.platform !== 'linux')('a folder that is moved out of the root while it is held open', async () => {
    const root = makeTree({ 'in/a.txt': 'inside' })
    const disk = swappedAt('write', () => renameSync(join(root, 'in'), join(outside, 'in')))
    expect(await failure(writing(root, { disk }).write('in/a.txt', 'mine'))).toBe(leadsOut('in/a.txt'))
    expect(contentsOf(outside)).toEqual({ ...secrets, in: 'folder', 'in/a.txt': 'inside' })
  })

  test('a root that was replaced is refused', async () => {
    const root = makeTree({ 'in/a.txt': 'inside' })
    const { write } = writing(root)
    renameSync(root, `${root}-old`)
    symlinkSync(outside, root)
    expect(await failure(write('new.txt', 'mine'))).toContain('The root folder was replaced or removed')
    expect(contentsOf(outside)).toEqual(secrets)
    rmSync(root)
    rmSync(`${root}-old`, { recursive: true })
  })
})

test.skipIf(process.platform !== 'linux')(
  'the race: a folder swapped for a link to outside by another process',
  async () => {
    const root = makeTree({ 'swap/data/inner.txt': 'inside', 'swap/secret.txt': 'inside' })
    const swapper = swapInChild(root)
    onTestFinished(() => void swapper.kill())
    const gone = new Promise((exited) => swapper.once('exit', exited))
    await new Promise((ready) => swapper.stdout.once('data', ready))
    const { write, edit } = writing(root)
    const unexpected: string[] = []
    const counts = { done: 0, refused: 0 }
    const once = async (work: Promise<unknown>) => {
      const message = await work.then(
        () => undefined,
        (error: Error) => error.message,
      )
      counts[message === undefined ? 'done' : 'refused']++
      if (message !== undefined && !/leads outside|No file or folder|was changed|nowhere in|is there already/.test(message))
        unexpected.push(message)
    }
    // Counted in writes that met the folder and writes that met the link, however long a busy machine takes for them.
    for (let i = 0; unexpected.length === 0 && (i < 200 || counts.done < 30 || counts.refused < 30); i++) {
      await once(write('swap/data/inner.txt', `inside ${i}`))
      await once(write('swap/secret.txt', `inside ${i}`))
      await once(write(`swap/made${i % 7}/new.txt`, `inside ${i}`))
      await once(edit('swap/secret.txt', [{ old: 'inside', new: 'inside' + '.' }]))
    }
    swapper.kill()
    await gone
    expect(unexpected).toEqual([])
    expect(contentsOf(outside)).toEqual(secrets)
    expect(Object.keys(contentsOf(root)).filter((name) => name.endsWith('.tmp'))).toEqual([])
    expect(openHandles(root)).toEqual([])
    expect(openHandles(outside)).toEqual([])
  },
  300_000,
)

function swapInChild(root: string) {
  const code = `
    const fs = require('node:fs')
    const [root, target] = process.argv.slice(1)
    process.on('SIGTERM', () => process.exit())
    console.log('ready')
    // Where nothing is in its place, a write may make a folder there.
    const insist = (work) => {
      for (;;) try { return work() } catch { try { fs.rmSync(root + '/swap', { recursive: true, force: true }) } catch {} }
    }
    const turn = () => {
      for (let i = 0; i < 20; i++) {
        fs.renameSync(root + '/swap', root + '/kept'); insist(() => fs.symlinkSync(target, root + '/swap'))
        for (let j = 0; j < i * 500; j++) {}
        fs.unlinkSync(root + '/swap'); insist(() => fs.renameSync(root + '/kept', root + '/swap'))
        for (let j = 0; j < i * 5000; j++) {}
      }
      setImmediate(turn)
    }
    turn()`
  return spawn(process.execPath, ['-e', code, root, outside], { stdio: ['ignore', 'pipe', 'inherit'] })
}
