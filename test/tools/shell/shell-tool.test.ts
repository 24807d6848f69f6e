import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { Agent } from '../../../src/index.ts'
import { scripted } from '../../../src/testing/index.ts'
import { shellTool } from '../../../src/tools/index.ts'
import { asked, folder, shell } from './call.ts'

afterEach(() => vi.unstubAllEnvs())

/** Whether a process lives: not gone, and no corpse that nobody has buried. */
function lives(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return spawnSync('kill', ['-0', String(pid)]).status === 0
  }
}

async function pidIn(file: string): Promise<number> {
  return await vi.waitFor(() => {
    const pid = Number(readFileSync(file, 'utf8'))
    if (!(pid > 0)) throw new Error('no pid yet')
    return pid
  })
}

test('a command is a result: its output, its exit code, its folder', async () => {
  const cwd = folder()
  expect(await shell('pwd; echo bad >&2; exit 3', { cwd })).toEqual({
    exitCode: 3,
    output: `${realpathSync(cwd)}\nbad\n`,
    bytes: realpathSync(cwd).length + 5,
  })
  expect(await shell('kill -9 $$')).toEqual({ exitCode: null, signal: 'SIGKILL', output: '', bytes: 0 })
  expect((await shell('nosuchcommand')).exitCode).toBe(127)
  expect((await shell('-x')).exitCode).toBe(127)
})

test('nothing can be read: standard input is empty', async () => {
  expect(await shell('cat; echo "end $?"')).toMatchObject({ exitCode: 0, output: 'end 0\n' })
})

test('a command finds no secrets, only what is on the list and what is added', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-secret')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  vi.stubEnv('BASH_ENV', '/tmp/x')
  vi.stubEnv('LD_PRELOAD', '')
  vi.stubEnv('LC_ALL', 'C')
  const names = (output: string) => [...output.matchAll(/^(\w+)=/gm)].map(([, name]) => name)
  const { output } = await shell('env', { env: { ADDED: '1', TERM: 'x' } })
  const known = [
    'PATH',
    'HOME',
    'USER',
    'LOGNAME',
    'LANG',
    'LC_ALL',
    'TZ',
    'TMPDIR',
    'TEMP',
    'TMP',
    'TERM',
    'NO_COLOR',
    'ADDED',
    'PWD',
    'OLDPWD',
    '_',
    'SHLVL',
  ]
  expect(names(output).filter((name) => !known.includes(name ?? ''))).toEqual([])
  expect(output).toContain('NO_COLOR=1\n')
  expect(output).toContain('TERM=x\n')
  expect(output).toContain('LC_ALL=C\n')
  expect(output).not.toContain('secret')
})

test('of much output the beginning and the end are kept, and all bytes are counted', async () => {
  const result = await shell('echo first; head -c 3000000 /dev/zero | tr "\\0" x; echo; echo last', { outputBytes: 1_000 })
  expect(result).toMatchObject({ exitCode: 0, bytes: 3_000_012, omittedBytes: 2_999_012 })
  expect(result.output).toMatch(/^first\nx{494}\n… \[2999012 bytes left out here\] …\nx{494}\nlast\n$/)
})

test.each([1, 2, 3])('a limit of %i bytes of output holds', async (outputBytes) => {
  const result = await shell('echo 12345; head -c 100000 /dev/zero | tr "\\0" x; echo 67890', { outputBytes })
  const [head, tail] = [Math.ceil(outputBytes / 2), Math.floor(outputBytes / 2)]
  expect(result).toMatchObject({ bytes: 100_012, omittedBytes: 100_012 - outputBytes })
  expect(result.output).toBe(
    `${'12345'.slice(0, head)}\n… [${100_012 - outputBytes} bytes left out here] …\n${tail === 0 ? '' : '67890\n'.slice(-tail)}`,
  )
})

test('letters are not cut in two', async () => {
  const { output } = await shell("i=0; while [ $i -lt 200 ]; do printf 'é€'; i=$((i+1)); done", { outputBytes: 101 })
  expect(output).not.toContain('\ufffd')
})

test('binary output is named, not shown', async () => {
  const result = await shell("printf 'a\\0b'")
  expect(result).toEqual({ exitCode: 0, output: '', bytes: 3, binary: true })
  const text = shellTool({ cwd: folder() })['~definition'].toModelOutput?.({ ...result })
  expect(text).toBe('[exit code 0]\n[3 bytes of binary output, not shown]')
})

test('progress tells whole lines while the command runs', async () => {
  const told: unknown[] = []
  const gate = join(folder(), 'gate')
  const running = shell(
    `echo one; printf tw; until [ -e ${gate} ]; do sleep 0.02; done; echo o; printf end`,
    {},
    { progress: (update) => told.push(update) },
  )
  await vi.waitFor(() => expect(told).toEqual([{ output: 'one\n' }]))
  writeFileSync(gate, '')
  await running
  expect(told.map((update) => (update as { output: string }).output).join('')).toBe('one\ntwo\nend\n')
})

test('a command whose time is over is ended, and what it has written is there', async () => {
  expect(await shell({ command: 'echo begun; sleep 60; echo no', timeoutMs: 200 })).toEqual({
    exitCode: null,
    signal: 'SIGTERM',
    timedOutAfterMs: 200,
    output: 'begun\n',
    bytes: 6,
  })
  await expect(shell({ command: 'ls', timeoutMs: 11 }, { timeoutMs: 10, maxTimeoutMs: 10 })).rejects.toThrow('invalid input')
})

test('what ignores SIGTERM is killed after the grace, with its children', async () => {
  const file = join(folder(), 'pid')
  const command = `trap '' TERM; sh -c 'trap "" TERM; echo $$ > ${file}; while :; do sleep 1; done' & wait; while :; do sleep 1; done`
  const begun = performance.now()
  const result = await shell({ command, timeoutMs: 300 }, { graceMs: 200 })
  expect(result).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOutAfterMs: 300 })
  expect(performance.now() - begun).toBeLessThan(3_000)
  await vi.waitFor(async () => expect(lives(await pidIn(file))).toBe(false))
})

test('an abort ends the whole group: pipes, grandchildren, background jobs', async () => {
  const file = join(folder(), 'pid')
  const abort = new AbortController()
  const running = shell(`(sh -c 'sleep 1000 & echo $! > ${file}; wait') | cat`, {}, { signal: abort.signal })
  const pid = await pidIn(file)
  abort.abort(new Error('stop'))
  await expect(running).rejects.toThrow('stop')
  await vi.waitFor(() => expect(lives(pid)).toBe(false))
  await expect(shell('echo x', {}, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before')
})

test('a background job ends with the call', async () => {
  const file = join(folder(), 'pid')
  const begun = performance.now()
  expect(await shell(`sleep 1000 & echo $! > ${file}; echo done`)).toMatchObject({ exitCode: 0, output: 'done\n' })
  expect(performance.now() - begun).toBeLessThan(2_000)
  expect(lives(await pidIn(file))).toBe(false)
})

test.skipIf(spawnSync('sh', ['-c', 'command -v setsid']).status !== 0)('a daemon that holds the pipes does not hold the call', async () => {
  const file = join(folder(), 'pid')
  const begun = performance.now()
  expect(
    await shell(`setsid sh -c 'echo $$ > ${file}; exec sleep 30' & until [ -s ${file} ]; do sleep 0.02; done; echo done`),
  ).toMatchObject({
    exitCode: 0,
    output: 'done\n',
  })
  expect(performance.now() - begun).toBeLessThan(3_000)
  process.kill(await pidIn(file), 'SIGKILL')
})

test('a call leaves no listener behind', async () => {
  const before = process.listenerCount('exit')
  await Promise.all(Array.from({ length: 12 }, () => shell('echo x')))
  expect(process.listenerCount('exit')).toBe(before)
})

test('all asks, unless it is told otherwise', async () => {
  const rules = { allow: ['ls *'], deny: ['rm *'] }
  expect(await asked('ls')).toEqual({ reason: "no rule allows 'ls'", rememberAs: 'ls', risk: 'medium' })
  expect(await asked('ls', { rules })).toBe(false)
  expect(await asked('ls $X', { rules })).toEqual({
    reason: 'it has more in it than plain commands, so no rule can allow it',
    rememberAs: false,
    risk: 'high',
  })
  expect(await asked('rm x', { rules })).toBe(false)
  expect(await asked('curl', { rules, needsApproval: false })).toBe(false)
  expect(await asked('curl', { rules, needsApproval: () => ({ reason: 'mine' }) })).toEqual({ reason: 'mine' })
  expect(await asked('npm test -- y', { rules, needsApproval: () => true })).toMatchObject({ rememberAs: 'npm test' })
})

test('what is denied does not run, whoever has said yes; what is in doubt does not run unasked', async () => {
  const rules = { deny: ['touch *'] }
  await expect(shell('touch x', { rules }, { approvedBy: 'ann' })).rejects.toThrow("a rule denies 'touch *'")
  await expect(shell('$X x', { rules })).rejects.toThrow('not all that this one would run can be seen')
  expect(await shell('$X echo x', { rules }, { approvedBy: 'ann' })).toMatchObject({ output: 'x\n' })
  expect(await shell('echo $X', { rules })).toMatchObject({ exitCode: 0 })
})

test('an agent asks, and a yes that is remembered covers the same command alone', async () => {
  const commands = ['echo a', 'echo a', 'echo b', 'touch x']
  const model = scripted([...commands.map((command) => ({ calls: [{ name: 'shell', input: { command } }] })), 'done'])
  const agent = new Agent({ model, tools: [shellTool({ cwd: folder(), rules: { deny: ['touch *'] } })] })
  let result = await agent.run('go')
  const parks: string[] = []
  while (result.status === 'parked') {
    const [pending] = result.pending
    if (pending === undefined) throw new Error('nothing waits')
    parks.push(JSON.stringify('approval' in pending ? pending.approval : pending))
    const decisions = [{ callId: pending.callId, decision: 'approve' as const, by: 'ann', remember: 'run' as const }]
    result = await agent.resume(result.sessionId, { decisions }).result
  }
  expect(parks.length).toBe(2)
  expect(result.calls.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'error'])
})

test('a runtime of yours runs the commands', async () => {
  const jobs: unknown[] = []
  const runtime = {
    run: async ({ onOutput, signal, env, ...job }: Parameters<NonNullable<Parameters<typeof shellTool>[0]['runtime']>['run']>[0]) => {
      jobs.push(job)
      onOutput(Buffer.from('hello'))
      return { exitCode: 0 }
    },
  }
  expect(await shell('x', { cwd: '/nowhere', runtime })).toEqual({ exitCode: 0, output: 'hello', bytes: 5 })
  expect(jobs).toEqual([{ command: 'x', cwd: '/nowhere', graceMs: 2_000 }])
})

test('options that can not work are refused, all at once', () => {
  const cwd = join(folder(), 'nowhere')
  const wrong = { cwd, timeoutMs: 0, shel: 'x', env: { 'a b': '1' }, needsApproval: 'no' } as never
  expect(() => shellTool(wrong)).toThrow(/unknown option 'shel'.*nowhere' is no folder.*timeoutMs.*needsApproval.*env\.a b/)
  expect(() => shellTool({ cwd: '.', shell: '/bin/zsh', rules: { allow: ['ls'] } })).toThrow("not of '/bin/zsh'")
})

test('a folder or a shell that is gone is told', async () => {
  const cwd = join(folder(), 'a')
  mkdirSync(cwd)
  const tool = shellTool({ cwd, needsApproval: false })
  rmSync(cwd, { recursive: true })
  const call = { signal: new AbortController().signal, progress: () => undefined } as never
  await expect(tool['~definition'].execute?.({ command: 'ls' }, call)).rejects.toThrow('is not there any more')
  await expect(shell('ls', { shell: '/bin/nosuch' })).rejects.toThrow('could not be begun: ENOENT')
})
