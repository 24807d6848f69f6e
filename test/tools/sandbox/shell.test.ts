import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeRoot } from '../../../src/tools/files/root.ts'
import { interpreter } from '../../../src/tools/sandbox/interpreter.ts'
import { sandboxLimits } from '../../../src/tools/sandbox/limits.ts'
import { Overlay } from '../../../src/tools/sandbox/overlay.ts'
import { asRequest } from '../../../src/tools/sandbox/requests.ts'
import { ShellFiles } from '../../../src/tools/sandbox/shell-files.ts'
import { failure, makeTree } from '../files/tree.ts'
import { box } from './box.ts'

test('the shell and the file tools see each other’s changes, and commands those of earlier ones, outside the root too', async () => {
  const root = makeTree({ 'a.txt': 'one\n' })
  const sandbox = box(root)
  await sandbox.call('edit_file', { path: 'a.txt', edits: [{ old: 'one', new: 'two' }] })
  expect(await sandbox.shell('cat a.txt; echo three >> a.txt; echo kept > /tmp/kept')).toEqual({ exitCode: 0, output: 'two\n', bytes: 4 })
  expect(await sandbox.call('read_file', { path: 'a.txt' })).toMatchObject({ text: 'two\nthree' })
  expect(await sandbox.said('cat /tmp/kept; pwd; pwd -P')).toBe(`kept\n${root}\n${root}\n`)
})

test('a shell has pipes, globs, scripts and exit codes; its errors come after its output', async () => {
  const sandbox = box(makeTree({ 'a.txt': 'b\na\n', 'b.md': '', 'run.sh': 'echo "run $1"\n' }))
  expect(await sandbox.shell('sort < a.txt | tr a-z A-Z; echo *.md; bash run.sh now; echo wrong >&2; exit 3')).toEqual({
    exitCode: 3,
    output: 'A\nB\nb.md\nrun now\nwrong\n',
    bytes: 23,
  })
  expect(await sandbox.said('mkdir -p x/y && cp a.txt x && mv x z && find z | sort && rm -r z && ls')).toBe(
    'z\nz/a.txt\nz/y\na.txt\nb.md\nrun.sh\n',
  )
  expect(await sandbox.said('sed -i s/a/é/ a.txt && cat a.txt; tar cf t.tar a.txt && mkdir o && tar xf t.tar -C o && cat o/a.txt')).toBe(
    'b\né\nb\né\n',
  )
})

test('nothing of this process and this machine is seen: no variables, no /proc, no /etc, no devices, no name', async () => {
  process.env['RONDO_TEST_SECRET'] = 'of the host'
  const sandbox = box(makeTree({}), { shell: { env: { MINE: 'given' } } })
  const seen = await sandbox.said(
    'env; printenv RONDO_TEST_SECRET; echo $RONDO_TEST_SECRET; cat /proc/self/environ /proc/1/environ /etc/passwd /etc/hostname; ls / /dev; whoami; hostname; echo $$',
  )
  expect(seen).toContain('MINE=given')
  expect(seen).not.toContain('of the host')
  for (const name of ['/proc/self/environ', '/proc/1/environ', '/etc/passwd', '/etc/hostname'])
    expect(seen).toContain(`cat: ${name}: No such file or directory`)
  expect(seen).toContain('/:\ndev\nhome\ntmp\n\n/dev:\nnull\nuser\nlocalhost\n1\n')
  delete process.env['RONDO_TEST_SECRET']
})

test('there is no network and no program of this machine', async () => {
  let requests = 0
  const server = createServer((_, response) => response.end(String(++requests))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sandbox = box(makeTree({ 'run.js': '1' }))
  const commands = [
    `curl http://127.0.0.1:${port}/`,
    `wget http://127.0.0.1:${port}/`,
    'node run.js',
    '/bin/sh -c ls',
    '/usr/bin/env node',
    'git init',
  ]
  for (const command of commands) expect(await sandbox.shell(command)).toMatchObject({ exitCode: 127 })
  const redirected = await sandbox.shell(`echo GET / > /dev/tcp/127.0.0.1/${port}; exec 3<>/dev/tcp/127.0.0.1/${port}; cat <&3`)
  expect(redirected.output).not.toContain('HTTP')
  expect(requests).toBe(0)
  server.close()
})

const hostile: readonly (readonly [string, string])[] = [
  ['while true; do :; done', 'too many commands executed'],
  [':(){ :|:& };:', 'maximum recursion depth'],
  ['f() { f; }; f', 'maximum recursion depth'],
  ['x=x; while true; do x=$x$x; done', 'string length limit exceeded'],
  ['awk "BEGIN { while (1) {} }"', 'exceeded maximum iterations'],
  ['printf "%1000000000d" 1', 'limit exceeded'],
  ['jq -n "[range(1e9)]"', 'limit exceeded'],
]

test.for(hostile)('a command that would never end, or take all memory, is ended and says why: %s', async ([command, why]) => {
  const { exitCode, output } = await box(makeTree({})).shell(command)
  expect(exitCode).toBe(126)
  expect(output).toContain(why)
})

test('patterns that take other engines for ever are matched in no time', async () => {
  const sandbox = box(makeTree({ line: `${'a'.repeat(50)}!\n` }))
  expect(await sandbox.said(`grep -cE '(a+)+$' line; sed -E 's/(a|a)*$/x/' line | wc -l; [[ $(cat line) =~ ^(a+)+$ ]]; echo $?`)).toBe(
    '0\n1\n1\n',
  )
})

test('what a command writes is bounded, in its result and in all', async () => {
  const sandbox = box(makeTree({ big: 'x'.repeat(3_000_000) }), { shell: { outputBytes: 1_000 } })
  expect(await sandbox.shell('cat big')).toMatchObject({ exitCode: 0, bytes: 3_000_000, omittedBytes: 2_999_000 })
  const much = await sandbox.shell('cat big big; cat big')
  expect(much.exitCode).toBe(126)
  expect(much.output).toContain('output size')
})

function fits(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

test('the memory that a sandbox holds is bounded: what is beyond fails, says so, and leaves what was there', async () => {
  const sandbox = box(makeTree({ big: 'x'.repeat(100_000) }), { limits: { memoryBytes: 300_000 } })
  const { exitCode, output } = await sandbox.shell('cp big one; cp big two; cp big three; echo after')
  expect({ exitCode, output }).toEqual({
    exitCode: 0,
    output: expect.stringContaining('sandbox: the sandbox is full: 300000 bytes at most\n'),
  })
  expect(await failure(sandbox.call('write_file', { path: 'four', content: 'x'.repeat(150_000) }))).toContain('The sandbox is full')
  expect(await sandbox.said('ls; rm one; cp big three; ls')).toBe('big\none\ntwo\nbig\nthree\ntwo\n')
  const full = new Overlay(makeRoot(makeTree({ a: '' })), '/project', 4_000)
  const root = await full.openRoot()
  const before = full.touched()
  expect(() => full.place(root, 'b', full.newFile(Buffer.alloc(4_000), 0o644))).toThrow('ENOSPC')
  while (fits(() => full.place(root, String(full.touched().entries.size), full.newFile(Buffer.alloc(10), 0o644))));
  expect(() => full.remove(root, 'a')).toThrow('ENOSPC')
  for (let at = full.touched().entries.size - 1; at >= 0; at--) full.remove(root, String(at))
  full.remove(root, 'a')
  expect([before.entries.size, full.touched().entries.size, full.touched().removed.includes('a')]).toEqual([0, 0, true])
  await root.handle?.close()
})

test('a file that is larger than the shell takes is not read or written, and the shell says so', async () => {
  const sandbox = box(makeTree({ big: 'x'.repeat(100_001), small: 'x'.repeat(60_000) }), { limits: { shellFileBytes: 100_000 } })
  const told = 'sandbox: file too large: the shell of the sandbox takes files of 100000 bytes at most\n'
  expect(await sandbox.said('cat big')).toContain(told)
  expect(await sandbox.said('cat small small > both')).toContain(told)
  expect(await sandbox.said('for i in 1 2 3; do cat small >> more; done')).toContain(told)
})

test('an abort ends a command soon, what it has changed by then stays, and the next one works', async () => {
  const sandbox = box(makeTree({}))
  const abort = new AbortController()
  const running = sandbox.shell('echo begun > begun; sleep 1000; echo never > never', {}, { signal: abort.signal })
  while (!JSON.stringify(await sandbox.call('list_files', {})).includes('begun')) await new Promise(setImmediate)
  const at = performance.now()
  abort.abort(new Error('enough'))
  expect(await failure(running)).toBe('enough')
  expect(performance.now() - at).toBeLessThan(3_000)
  expect(await sandbox.said('ls')).toBe('begun\n')
})

test('a command whose time is over ends as a result that says so', async () => {
  const sandbox = box(makeTree({}))
  expect(await sandbox.shell('sleep 1000', { timeoutMs: 50 })).toMatchObject({ exitCode: null, signal: 'SIGTERM', timedOutAfterMs: 50 })
})

/** A shell that does what no limit of its own stops. */
const library = (body: string) => {
  const path = join(makeTree({}), 'library.cjs')
  writeFileSync(path, `exports.getCommandNames = () => []\nexports.Bash = class { async exec() { ${body} } }`)
  return path
}

async function endOf(body: string, signal: AbortSignal, graceMs: number) {
  const overlay = new Overlay(makeRoot(makeTree({})), '/project', 1_000_000)
  let output = ''
  const onOutput = (bytes: Uint8Array) => {
    output += Buffer.from(bytes).toString()
  }
  const runtime = interpreter({ library: library(body), overlay, limits: sandboxLimits, env: {}, memoryMb: 64 })
  const exit = await runtime.run({ command: '', cwd: '', env: {}, signal, graceMs, onOutput })
  return { ...exit, output }
}

test('a shell that hears nothing is stopped from outside when its grace is over', async () => {
  expect(await endOf('for (;;) {}', AbortSignal.timeout(100), 50)).toEqual({ exitCode: null, signal: 'SIGKILL', output: '' })
  const slow = "for (;;) /^(a+)+$/.test('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!')"
  expect(await endOf(slow, AbortSignal.timeout(100), 50)).toEqual({ exitCode: null, signal: 'SIGKILL', output: '' })
})

test('a shell that takes all memory is stopped, and this process goes on', async () => {
  expect(await endOf('const held = []; for (;;) held.push(new Array(1e6).fill(held))', new AbortController().signal, 50)).toEqual({
    exitCode: null,
    signal: 'SIGKILL',
    output: 'sandbox: ended, as it took more than 64 MB of memory\n',
  })
})

test('what a thread asks for is checked as what comes from outside', async () => {
  const overlay = new Overlay(makeRoot(makeTree({})), '/project', 1_000_000)
  const files = new ShellFiles(overlay, sandboxLimits, new AbortController().signal)
  for (const [method, ...args] of [
    ['constructor', '/a'],
    ['readFile', {}],
    ['writeFile', '/a', 'text'],
    ['readFile', 'a'],
    ['readFile', '/a\0b'],
    ['chmod', '/tmp', 'x'],
    ['utimes', '/tmp', 1],
    ['utimes', '/tmp', new Date(Number.NaN)],
  ] as const)
    expect(await failure(asRequest({ id: 1, method, args }).work(files))).toBe('EINVAL: invalid argument')
  for (const message of [undefined, 'text', {}, { id: 1 }, { id: {}, args: ['/a'] }]) expect(() => asRequest(message)).toThrow('EINVAL')
  // It stays: what it says of its end could else come before what it asks for.
  const asks = "require('node:worker_threads').parentPort.postMessage(7); await new Promise((done) => setTimeout(done, 60_000))"
  expect(await failure(endOf(asks, new AbortController().signal, 50))).toContain('EINVAL')
})

test('a shell that can not be loaded is an error that names the version that can', async () => {
  expect(
    await failure(
      endOf("process.nextTick(() => { throw new Error('/home/secret') }); await new Promise(() => {})", new AbortController().signal, 50),
    ),
  ).toBe("The shell of the sandbox can't run. Is just-bash of version 3.4.2, or a later 3, installed?")
})
