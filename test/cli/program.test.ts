import { describe, expect, test } from 'vitest'
import { rondo } from '../../src/cli/program.ts'
import { fakeTerminal } from './fake-terminal.ts'
import { newFolder } from './folders.ts'
import { parked, readTides } from './parked.ts'

async function call(...args: string[]) {
  const terminal = fakeTerminal({ columns: 80, env: { RONDO_HOME: newFolder() }, cwd: newFolder({ 'a.txt': 'a\n' }) })
  const code = await rondo(args, '1.2.3', terminal)
  return { code, out: terminal.out, err: terminal.err }
}

describe('usage', () => {
  test('--version and -v', async () => {
    for (const flag of ['--version', '-v']) expect(await call(flag)).toEqual({ code: 0, out: '1.2.3\n', err: '' })
  })

  test('--help of each command has examples and exit codes, in 80 columns', async () => {
    for (const args of [
      ['--help'],
      ['run', '--help'],
      ['show', '--help'],
      ['sessions', '--help'],
      ['export', '--help'],
      ['import', '--help'],
      ['delete', '--help'],
      ['resume', '--help'],
      ['approvals', '--help'],
      ['demo', '--help'],
      ['help', 'run'],
    ]) {
      const { code, out, err } = await call(...args)
      expect([code, err]).toEqual([0, ''])
      expect(out).toMatch(/^Usage: rondo .+\nExamples:\n {2}rondo /s)
      if (args.length > 1) expect(out).toMatch(/\nExit codes:\n {2}0 /)
      const lines = out.split('\n').filter((line) => !line.startsWith('Sessions are kept in') && !line.startsWith('Each demo leaves'))
      expect(lines.filter((line) => line.length > 80)).toEqual([])
    }
  })

  test('nothing at all: the help, on stderr, exit code 2', async () => {
    const { code, out, err } = await call()
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/^Usage: rondo /)
  })

  test('what is not understood: exit code 2, a line that says why, the help named', async () => {
    const rows: [readonly string[], string][] = [
      [['resume'], "rondo: missing required argument 'session'\n(--help shows the usage)\n"],
      [['resume', 'x', '--approve'], "rondo: option '--approve <call>' argument missing\n(--help shows the usage)\n"],
      [['run', '--jsn', 'x'], "rondo: unknown option '--jsn'\n(Did you mean --json?)\n(--help shows the usage)\n"],
      [['rnu', 'x'], "rondo: unknown command 'rnu'\n(Did you mean run?)\n(--help shows the usage)\n"],
      [['show', '--run'], "rondo: option '--run <id>' argument missing\n(--help shows the usage)\n"],
      [['run', '--\u001b[2J'], "rondo: unknown option '--\\x1b[2J'\n(--help shows the usage)\n"],
      [['run', '--session'], "rondo: option '--session <id>' argument missing\n(--help shows the usage)\n"],
    ]
    for (const [args, message] of rows) expect(await call(...args)).toEqual({ code: 2, out: '', err: message })
  })

  test('--max-iterations takes whole numbers from 1 to 1,000,000', async () => {
    for (const text of ['0', '-1', '1.5', 'x', '1e3', '1000001', '']) {
      const { code, err } = await call('run', '--max-iterations', text, 'x')
      expect([text, code, err]).toEqual([text, 2, expect.stringContaining('It must be a whole number from 1 to 1,000,000.')])
    }
  })

  test('demo: --act takes 1 to 5, --seed 0 to 999,999', async () => {
    for (const [flag, text, range] of [
      ['--act', '0', '1 to 5'],
      ['--act', '6', '1 to 5'],
      ['--act', 'two', '1 to 5'],
      ['--seed', '-1', '0 to 999,999'],
      ['--seed', '1000000', '0 to 999,999'],
    ] as const) {
      const { code, out, err } = await call('demo', flag, text)
      expect([code, out, err]).toEqual([2, '', expect.stringContaining(`It must be a whole number from ${range}.`)])
    }
  })

  test('a refusal is one line and exit code 2', async () => {
    expect(await call('run', '')).toEqual({
      code: 2,
      out: '',
      err: 'rondo: There is no task. Say what to do: rondo run "find the largest files"\n',
    })
  })
})

test('--approve, --deny and --result may be given several times', async () => {
  const home = await parked({ calls: [readTides, readTides, readTides, readTides, { name: 'search_text', input: { path: 'a' } }] })
  const terminal = fakeTerminal({ env: { RONDO_HOME: home, RONDO_MODEL: 'offline' }, cwd: newFolder(), outIsTTY: true })
  const words = 'resume notes --approve m1.0 --deny m1.1 --approve m1.2 --deny m1.3 --result m1.4=1 --reason no --by bea'
  expect([await rondo(words.split(' '), '1.2.3', terminal), terminal.err.match(/(approve|deny) by \w+/g)]).toEqual([
    0,
    ['approve by bea', 'approve by bea', 'deny by bea', 'deny by bea'],
  ])
})

test('words without quotes are the task, options may stand anywhere', async () => {
  const { code, out } = await call('run', 'list', '--max-iterations', '5', 'the', 'files')
  expect([code, out]).toEqual([0, expect.stringContaining('- a.txt: 2 bytes')])
})

test('a folder without files: there is nothing to read', async () => {
  const { code, out } = await call('run', '--cwd', newFolder(), 'list the files')
  expect([code, out]).toEqual([0, expect.stringContaining('there is nothing to read')])
})
