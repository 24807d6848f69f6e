import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resumeCommand } from '../../src/cli/resume-command.ts'
import { type RunFlags, runCommand } from '../../src/cli/run-command.ts'
import { type Script, scripted } from '../../src/testing/index.ts'
import { fakeTerminal, settled } from './fake-terminal.ts'
import { newFolder } from './folders.ts'

const write = (path: string) => ({ name: 'write_file', input: { path, content: 'new\n' } })
const shell = (command: string) => ({ name: 'shell', input: { command } })

async function run(script: Script, { home = newFolder(), ...flags }: RunFlags & { readonly home?: string }) {
  const cwd = newFolder({ 'a.txt': 'old\n' })
  const terminal = fakeTerminal({ cwd, columns: 80, env: { RONDO_HOME: home }, outIsTTY: true })
  const code = await runCommand(['work'], flags, terminal, scripted(script))
  return { code, err: settled(terminal.err), cwd, home }
}

test('--sandbox: nothing is asked, nothing on the disk is changed, and what was changed in memory is told', async () => {
  const calls = { calls: [write('a.txt'), write('b/c.txt'), shell('cat a.txt > d.txt; rm a.txt')] }
  const { code, err, cwd } = await run([calls, 'Done.'], { sandbox: true })
  expect([code, readdirSync(cwd), readFileSync(join(cwd, 'a.txt'), 'utf8')]).toEqual([0, ['a.txt'], 'old\n'])
  expect(err.split('\n').slice(-6)).toEqual([
    'session s_ID · rondo show s_ID',
    'Changed in the sandbox, not on the disk: 3 files.',
    '  - a.txt',
    '  + b/c.txt',
    '  + d.txt',
    '',
  ])
})

test('--deny-command holds in a sandbox too', async () => {
  const calls = { calls: [shell('cat a.txt > d.txt'), shell('cp a.txt e.txt')] }
  const { code, err } = await run([calls, 'Done.'], { sandbox: true, denyCommand: ['cp *'] })
  expect(code).toBe(0)
  expect(err).toContain("Not run: a rule denies 'cp *'.")
  expect(err).toContain('+ d.txt')
  expect(err).not.toContain('e.txt\n')
})

test('the same without it parks: it would change the disk', async () => {
  const { code, cwd } = await run([{ calls: [write('a.txt')] }], {})
  expect([code, readFileSync(join(cwd, 'a.txt'), 'utf8')]).toEqual([4, 'old\n'])
})

test('a session that began in a sandbox goes on in one, whoever goes on with it and however', async () => {
  const { home } = await run([{ calls: [write('a.txt')] }, 'So far.'], { sandbox: true, session: 'notes', maxIterations: 1 })
  const next = await run([{ calls: [write('a.txt')] }, 'Done.'], { home, session: 'notes', maxIterations: 1 })
  expect([next.code, readFileSync(join(next.cwd, 'a.txt'), 'utf8')]).toEqual([3, 'old\n'])
  expect(next.err).toContain('The session began in a sandbox and goes on in a new one')
  const cwd = newFolder({ 'a.txt': 'old\n' })
  const terminal = fakeTerminal({ cwd, env: { RONDO_HOME: home }, outIsTTY: true })
  expect(await resumeCommand('notes', { cwd }, terminal, scripted([{ calls: [write('a.txt')] }, 'Done.']))).toBe(0)
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('old\n')
  expect(terminal.err).toContain('~ a.txt')
})
