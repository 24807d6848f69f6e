// The demo as a process, as it is called: what it prints, what it leaves behind, how it ends.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { abort } from '../../src/cli/demo/abort.ts'
import type { Stage } from '../../src/cli/demo/act.ts'
import { Crew } from '../../src/cli/demo/crew.ts'
import { demoCommand } from '../../src/cli/demo/demo-command.ts'
import { hello } from '../../src/cli/demo/hello.ts'
import { payment } from '../../src/cli/demo/payment.ts'
import { question } from '../../src/cli/demo/question.ts'
import { memory } from '../../src/index.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { flakyStore } from '../../src/testing/index.ts'
import { masked } from './demo-text.ts'
import { fakeTerminal, hasNodeSqlite } from './fake-terminal.ts'
import { newFolder } from './folders.ts'
import { withoutPeer } from './without-peer.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const main = join(root, 'dist', 'cli', 'main.js')
const harbour = {
  'README.md': '# Harbour lights\n\n## Tides\n\nHigh at noon.\n',
  'lights.ts': '// TODO: the red one\nexport const lights = []\n',
  'tides.csv': 'hour,metres\n12,4.1\n',
}

beforeAll(() => {
  if (!existsSync(main)) throw new Error('dist is missing: run npm run build first')
})

interface Setting {
  readonly cwd?: string
  readonly env?: { readonly [name: string]: string }
  readonly home?: string
  readonly command?: string
  /** Sees all of stdout so far, whenever something comes. */
  onOut?(so: string, child: ChildProcess): void
}

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly home: string
  /** What it has put into the system's temporary folder. */
  readonly temporary: readonly string[]
  readonly tookMs: number
}

function demo(args: readonly string[], setting: Setting = {}): Promise<Ended> {
  const { cwd = newFolder(harbour), home = newFolder(), command = main } = setting
  const startedAt = performance.now()
  const temporary = newFolder()
  const env = { PATH: process.env['PATH'], RONDO_HOME: home, TMPDIR: temporary, ...setting.env }
  const child = spawn(process.execPath, [command, 'demo', ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    setting.onOut?.(out, child)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  return new Promise((resolve) =>
    child.on('close', (code) =>
      resolve({ code, out, err, home, temporary: readdirSync(temporary), tookMs: performance.now() - startedAt }),
    ),
  )
}

const golden = readFileSync(fileURLToPath(new URL('golden/demo.txt', import.meta.url)), 'utf8')

describe('rondo demo', () => {
  test('the whole of it: in a minute, in plain text, nothing left but its folder', { timeout: 90_000 }, async () => {
    const { code, out, err, home, temporary, tookMs } = await demo(['--seed', '77'])
    expect(masked(out, home)).toBe(golden)
    expect([code, err, temporary, tookMs < 60_000, out.includes('\u001b')]).toEqual([0, '', [], true, false])
    const [folder = '', ...others] = readdirSync(home)
    const files = readdirSync(join(home, folder)).filter((name) => !/-(wal|shm)$/.test(name))
    expect([others, files]).toEqual([[], ['ledger-approval.jsonl', 'ledger-payment.jsonl', 'sessions.db']])
  })

  test('an empty folder: the answer names no file', async () => {
    const { code, out } = await demo(['--act', '1'], { cwd: newFolder() })
    expect([code, out]).toEqual([0, expect.stringContaining('There is no file here, and it names none.')])
    expect(out).toContain('\n1 of 1 act showed what it claims, in ')
  })

  test('FORCE_COLOR colours, NO_COLOR does not', async () => {
    const outs = await Promise.all([{ FORCE_COLOR: '1' }, { NO_COLOR: '1' }].map(async (env) => (await demo(['--act', '4'], { env })).out))
    expect(outs.map((out) => out.includes('\u001b['))).toEqual([true, false])
  })

  test('Ctrl-C: 130 at once, its processes are gone, and it says what is left', async () => {
    let started: readonly number[] = []
    let isLooking = false
    const onOut = (out: string, child: ChildProcess) => {
      if (isLooking || !out.includes('a process of its own.')) return
      isLooking = true
      // The process of the first loop starts after these words.
      const look = setInterval(() => {
        started = childrenOf(child.pid ?? 0)
        if (started.length === 0) return
        clearInterval(look)
        child.kill('SIGINT')
      }, 20)
    }
    const { code, err, home, temporary } = await demo(['--act', '5'], { onOut })
    expect([code, err, temporary]).toEqual([130, `\nStopped. What was written lies in ${join(home, readdirSync(home)[0] ?? '')}\n`, []])
    await expect.poll(() => started.filter(isThere)).toEqual([])
    expect(started).toHaveLength(1)
  })

  test('a reader that leaves (| head) ends it without a word', async () => {
    const { code, err } = await demo(['--act', '4'], { onOut: (_, child) => child.stdout?.destroy() })
    expect([code, err]).toEqual([130, ''])
  })

  test('two in one second have a folder each', async () => {
    const home = newFolder()
    await Promise.all([1, 2, 3].map(() => demo(['--act', '4'], { home })))
    expect(readdirSync(home)).toHaveLength(3)
  })

  test('no folder can be made: 2, and what to do', async () => {
    const { code, out, err } = await demo([], { home: join(newFolder({ file: '' }), 'file') })
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(/^rondo: The demo keeps .* RONDO_HOME names another place\.\n$/)])
  })

  // A newer Node has SQLite built in: there is no driver to miss.
  test.skipIf(hasNodeSqlite())('without SQLite: says what is missing, shows what it can, keeps nothing', { timeout: 90_000 }, async () => {
    const { home, command } = withoutPeer()
    const acts = await Promise.all(['1', '2', '3', '4'].map((act) => demo(['--act', act], { command, home })))
    expect(acts.map(({ code }) => code)).toEqual([0, 1, 1, 0])
    for (const { out } of acts) expect(out).toMatch(/\nNothing was kept\.\n$/)
    const missing = acts[1]?.out.replace(/\s+/g, ' ')
    expect(missing).toContain('✗ Not shown, for several processes must share a file. sqlite() needs Node 22.13')
    expect(missing).toContain('npm install @photostructure/sqlite@1')
    expect(readdirSync(home)).toEqual(['sessions.db'])
  })
})

describe('act 2', () => {
  const stageFor = (seed: number, program = main): { readonly stage: Stage; readonly said: () => string } => {
    const folder = newFolder()
    const terminal = fakeTerminal({ program, env: { PATH: process.env['PATH'] } })
    const stage = { terminal, folder, store: sqlite(join(folder, 'sessions.db')), crew: new Crew(terminal), seed }
    return { stage, said: () => terminal.out }
  }

  test('twenty seeds: one charge each, without a wait', { timeout: 90_000 }, async () => {
    const seeds = Array.from({ length: 20 }, (_, index) => index + 1)
    const failures: string[] = []
    const times: number[] = []
    const places = new Set<string | undefined>()
    const worker = async () => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        const { stage, said } = stageFor(seed)
        const startedAt = performance.now()
        const { shown, text } = await payment.play(stage)
        times.push(performance.now() - startedAt)
        places.add(/after step (\d+)/.exec(said())?.[1])
        await stage.store.close()
        if (!shown) failures.push(`seed ${seed}: ${said()}${text}`)
      }
    }
    await Promise.all([worker(), worker()])
    expect(failures).toEqual([])
    expect([times.length, places.size > 5]).toEqual([20, true])
    // The usual time is well below two seconds; where a lease is waited for it is above fifteen. Machines that run tests are busy.
    expect(times.sort((one, other) => one - other)[10]).toBeLessThan(5_000)
  })

  test('the process tells 18 steps, the last one when it is done; and it ends when nobody waits for it any more', async () => {
    const child = spawn(process.execPath, [main, 'demo-part', 'pay', newFolder()], { stdio: ['pipe', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (out.endsWith('the run is over\n')) child.stdin.end()
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect([code, out.trimEnd().split('\n').length]).toEqual([1, 18])
  })

  test('one charge too many, or a run that nobody ends: the verdict names what is not as claimed', async () => {
    const pretend = (what: string) => `import { appendFileSync } from 'node:fs'
      const [, , , part, folder] = process.argv
      // Killed before it has done anything.
      if (part === 'pay') await new Promise(() => setInterval(console.log, 20, 'the run is over'))
      const pay = () => appendFileSync(folder + '/ledger-payment.jsonl', JSON.stringify({ key: 'k', to: 'ACME', cents: 4200 }) + '\\n')
      if (part === 'pay-on') ${what}
      await import(${JSON.stringify(main)})`
    const verdictOn = async (what: string) => {
      const { stage } = stageFor(1, join(newFolder({ 'program.mjs': pretend(what) }), 'program.mjs'))
      const { shown, text } = await payment.play(stage)
      await stage.store.close()
      return [shown, text]
    }
    const claim = 'Not as claimed: '
    expect(await verdictOn('pay()')).toEqual([false, `${claim}2 charges in the ledger: 42.00 EUR to ACME, 42.00 EUR to ACME.`])
    expect(await verdictOn('process.exit(0)')).toEqual([
      false,
      `${claim}0 charges in the ledger; the payment is on record as made; the run is complete.`,
    ])
  })

  test('what it claims is not shown: it says so, exit code 1', async () => {
    const program = join(newFolder({ 'broken.mjs': 'console.error("out of order")\nprocess.exit(3)\n' }), 'broken.mjs')
    const terminal = fakeTerminal({ program, env: { PATH: process.env['PATH'], RONDO_HOME: newFolder() } })
    expect(await demoCommand({ act: 2 }, terminal)).toBe(1)
    expect(terminal.out).toMatch(/\n {3}✗ process \d+ \(pay\) ended with exit code 3: out of order\n/)
    expect(terminal.out).toContain('\n0 of 1 act showed what it claims')
  })
})

describe('act 1', () => {
  const play = async (cwd: string, folder: string, wall = () => Date.now()) => {
    const terminal = { ...fakeTerminal({ cwd }), wall }
    const store = sqlite(join(folder, 'sessions.db'))
    const verdict = await question.play({ terminal, folder, store, crew: new Crew(terminal), seed: 1 })
    await store.close()
    return verdict
  }
  const now = Date.now()

  test('its own journal lies in the folder that it is asked about, and grows meanwhile', async () => {
    const folder = newFolder()
    const { shown, text } = await play(folder, folder)
    expect([shown, text]).toEqual([
      true,
      expect.stringMatching(/ \d of \d files have the size that the answer says; 1 other was written to meanwhile\.$/),
    ])
  })

  test('a size that is not that of the file is not shown: the file has not been written to', async () => {
    const folder = newFolder()
    const { shown, text } = await play(folder, folder, () => now + 3_600_000)
    expect([shown, text]).toEqual([false, expect.stringMatching(/have the size that the answer says\.$/)])
  })
})

test('act 4: a run that the abort does not end is not waited for; it says that it was not cut', async () => {
  let isAtWork = false
  const wait = async () => {
    isAtWork = true
  }
  const terminal = { ...fakeTerminal(), wait }
  // Once its tool is at work, nothing is recorded any more.
  const store = flakyStore(memory(), (operation) => (isAtWork && operation === 'append' ? 'hang-before' : 'ok'))
  const { shown, text } = await abort.play({ terminal, folder: '', store, crew: new Crew(terminal), seed: 1 })
  expect([shown, text]).toEqual([false, 'Not cut: 4,000 ms after the abort the run has not ended (the promise: 2,000 ms).'])
})

test('the program at its end is examples/hello.ts, 12 lines', () => {
  expect(`${hello.join('\n')}\n`).toBe(readFileSync(join(root, 'examples', 'hello.ts'), 'utf8'))
  expect(hello).toHaveLength(12)
})

function childrenOf(pid: number): readonly number[] {
  return processes().flatMap(({ pid: child, parent }) => (parent === pid ? [child] : []))
}

/** One that is dead and that nobody has asked about is no process any more. */
function isThere(pid: number): boolean {
  return processes().some((one) => one.pid === pid && !one.state.startsWith('Z'))
}

function processes(): readonly { readonly pid: number; readonly parent: number; readonly state: string }[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,state='], { encoding: 'utf8' }).trim().split('\n')
  return rows.map((row) => {
    const [pid, parent, state = ''] = row.trim().split(/\s+/)
    return { pid: Number(pid), parent: Number(parent), state }
  })
}
