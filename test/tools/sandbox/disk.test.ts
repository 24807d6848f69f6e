import { chmodSync, linkSync, lstatSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { failure, makeTree, openHandles } from '../files/tree.ts'
import { contentsOf } from '../files/write/writing.ts'
import { box } from './box.ts'

/** All that could be seen of a change: content, kind, mode, owner, times, number. */
function stateOf(folder: string): unknown {
  const contents = contentsOf(folder)
  const stats = (path: string) => {
    const { ino, mode, uid, gid, nlink, size, mtimeNs, ctimeNs } = lstatSync(join(folder, path), { bigint: true })
    return [ino, mode, uid, gid, nlink, size, mtimeNs, ctimeNs].join(' ')
  }
  return Object.entries({ '': '', ...contents }).map(([path, content]) => [path, content, stats(path)])
}

/** A root with links of every kind that lead out, and what they lead to. */
function world(): { root: string; outside: string } {
  const outside = makeTree({ secret: 'OUTSIDE', 'deep/secret': 'OUTSIDE' })
  const root = makeTree({ 'a.txt': 'inside\n', 'src/b.txt': 'inside\n', '.git/config': 'git\n', 'ro.txt': 'inside\n' })
  symlinkSync(outside, join(root, 'folder'))
  symlinkSync(join(outside, 'secret'), join(root, 'file'))
  symlinkSync(`../${outside.split('/').at(-1)}`, join(root, 'relative'))
  symlinkSync('folder/deep', join(root, 'chain'))
  symlinkSync('../..', join(root, 'src', 'up'))
  symlinkSync('/', join(root, 'slash'))
  symlinkSync('/proc/self', join(root, 'proc'))
  symlinkSync('loop', join(root, 'loop'))
  chmodSync(join(root, 'ro.txt'), 0o444)
  return { root, outside }
}

const hostile = (root: string, outside: string): readonly string[] => [
  'rm -rf * .git .* /; rm -rf .',
  `rm -rf ${root}; mv ${root} /tmp/gone; mv /tmp /gone; rm -rf /tmp`,
  'echo x > a.txt; echo x >> src/b.txt; echo x > ro.txt; sed -i s/i/o/ src/b.txt; tee src/b.txt < a.txt',
  `echo x > file; echo x > folder/secret; echo x > folder/new; echo x > relative/secret; echo x > chain/secret; echo x > src/up/new`,
  `echo x > ${outside}/secret; echo x > ../new; echo x > ../../new; rm ${outside}/secret; mkdir -p ${outside}/made`,
  `echo x > slash${outside}/secret; echo x > proc/cwd/new; echo x > /proc/self/cwd/new; echo x > /dev/shm/new; echo x > /etc/new`,
  `ln -s ${outside} mine; echo x > mine/secret; cp a.txt mine/secret; mv a.txt mine/; ln -sf / root; echo x > root${outside}/secret`,
  'ln a.txt hard; echo x >> hard; chmod 777 a.txt ro.txt src .; touch -d 2001-01-01 a.txt src; chmod -R 000 .',
  'mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; rm -r .git',
  'cp -r . /tmp/copy; mv src moved; tar cf all.tar moved; tar xf all.tar -C /tmp; gzip all.tar; split -b 1 a.txt',
  `cat file folder/secret relative/secret chain/secret slash${outside}/secret proc/cwd/secret; cp -rL . /tmp/copy; rg OUTSIDE / | wc -l`,
  'cat loop; echo x > loop; cd loop; ls -R .; find / -type f; rg inside /; cat $(find / -name secret)',
]

test('after a hostile session the disk is byte for byte as it was, inside and outside of the root', async () => {
  const { root, outside } = world()
  const before = [stateOf(root), stateOf(outside)]
  // Each in a sandbox of its own: what one removes would be out of reach for the next.
  for (const command of hostile(root, outside)) {
    const { output } = await box(root).shell(command)
    expect([command, output.includes('OUTSIDE')]).toEqual([command, false])
  }
  const sandbox = box(root)
  for (const path of ['a.txt', 'new/x', 'folder/secret', 'file', '.git/config', `${outside}/secret`, '../x', 'slash/tmp/x']) {
    await sandbox.call('write_file', { path, content: 'x' }).catch(() => undefined)
    await sandbox.call('edit_file', { path, edits: [{ old: 'x', new: 'y' }] }).catch(() => undefined)
  }
  await sandbox.changes()
  expect([stateOf(root), stateOf(outside)]).toEqual(before)
  if (process.platform === 'linux') expect([...openHandles(root), ...openHandles(outside)]).toEqual([])
}, 60_000)

test('what lies outside is not read by any path: links, .., absolute, other letters, through what a command has made', async () => {
  const { root, outside } = world()
  const sandbox = box(root)
  const paths = [
    'file',
    'folder/secret',
    'relative/secret',
    'chain/secret',
    `src/up/${outside.split('/').at(-1)}/secret`,
    `slash${outside}/secret`,
    'proc/environ',
    `${outside}/secret`,
    `../${outside.split('/').at(-1)}/secret`,
    `．．/${outside.split('/').at(-1)}/secret`,
    `${root}/../${outside.split('/').at(-1)}/secret`,
    `${root.toUpperCase()}/a.txt`,
  ]
  const { output } = await sandbox.shell(`for path in ${paths.map((path) => `'${path}'`).join(' ')}; do cat "$path"; echo $?; done`)
  expect(output.replace(/^cat: .*: (?:No such file or directory|Not a directory)$/gimu, 'nothing')).toBe(
    `${'1\n'.repeat(paths.length)}${'nothing\n'.repeat(paths.length)}`,
  )
  for (const path of paths)
    expect(await failure(sandbox.call('read_file', { path }))).toMatch(/leads outside|holds '\.\.'|No file or folder/)
  await sandbox.shell(`ln -s ${outside} made; ln -s ../.. src/made; ln -s ${root}/file again`)
  for (const path of ['made/secret', 'again', `src/made/${outside.split('/').at(-1)}/secret`])
    expect(await failure(sandbox.call('read_file', { path }))).toMatch(/leads outside/)
  expect(await sandbox.said('cat made/secret again src/made/*/secret')).not.toContain('OUTSIDE')
})

test('a link in the root leads through for the shell as for the file tools, and is written through', async () => {
  const root = makeTree({ 'a.txt': 'one\n', 'src/b.txt': 'two\n' })
  symlinkSync('a.txt', join(root, 'link'))
  symlinkSync(join(root, 'src'), join(root, 'folder'))
  const sandbox = box(root)
  expect(await sandbox.said('cat link folder/b.txt; echo new > link; cat a.txt; readlink link; [ -L link ] && echo link')).toBe(
    'one\ntwo\nnew\na.txt\nlink\n',
  )
  expect(await sandbox.call('read_file', { path: 'link' })).toMatchObject({ text: 'new' })
  expect((await sandbox.changes()).changes.map(({ path }) => path)).toEqual(['a.txt'])
  expect([readFileSync(join(root, 'a.txt'), 'utf8'), readlinkSync(join(root, 'link'))]).toEqual(['one\n', 'a.txt'])
})

test('a file with a second name outside is copied before it is written', async () => {
  const outside = makeTree({ shared: 'outside\n' })
  const root = makeTree({})
  linkSync(join(outside, 'shared'), join(root, 'shared'))
  const sandbox = box(root)
  expect(await sandbox.said('echo x >> shared; cat shared')).toBe('outside\nx\n')
  expect(readFileSync(join(outside, 'shared'), 'utf8')).toBe('outside\n')
})

test('what is changed on the disk meanwhile is seen, where the sandbox has not changed it itself', async () => {
  const root = makeTree({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
  const sandbox = box(root)
  await sandbox.said('echo mine > a.txt')
  writeFileSync(join(root, 'a.txt'), 'theirs\n')
  writeFileSync(join(root, 'b.txt'), 'theirs\n')
  expect(await sandbox.said('cat a.txt b.txt')).toBe('mine\ntheirs\n')
})

test('a root whose own path the shell needs for itself, and one that was given through a link, lead to the same files', async () => {
  const root = makeTree({ 'a.txt': 'one\n' })
  const given = join(makeTree({}), 'given')
  symlinkSync(root, given)
  symlinkSync(join(given, 'a.txt'), join(root, 'absolute'))
  const sandbox = box(given)
  expect(await sandbox.said(`cat absolute ${given}/a.txt ${root}/a.txt`)).toBe('one\none\none\n')
  expect(await sandbox.call('read_file', { path: join(given, 'a.txt') })).toMatchObject({ text: 'one' })
  const system = box('/usr')
  expect(await system.said('pwd; ls -d bin; echo x > mine; cat /project/mine')).toBe('/project\nbin\nx\n')
  expect(await system.call('read_file', { path: '/project/mine' })).toMatchObject({ path: 'mine', text: 'x' })
})
