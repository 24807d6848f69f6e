// The command as a process: signals, pipes, exit codes, and what is kept between two of them.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { sqlite } from '../../src/stores/sqlite.ts'
import { loadDriver } from '../../src/stores/sqlite-driver.ts'
import { hasNodeSqlite, settled } from './fake-terminal.ts'
import { newFolder } from './folders.ts'
import { withoutPeer } from './without-peer.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const main = join(root, 'dist', 'cli', 'main.js')

beforeAll(() => {
  if (!existsSync(main)) throw new Error('dist is missing: run npm run build first')
})

interface Setting {
  readonly cwd?: string
  readonly env?: { readonly [name: string]: string }
  /** Where sessions lie. Default: a new folder. */
  readonly home?: string
  readonly command?: string
  /** Sees all of stdout or stderr so far, whenever something comes. */
  onOut?(so: string, child: ChildProcess): void
  onErr?(so: string, child: ChildProcess): void
}

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function rondo(args: readonly string[], setting: Setting = {}): Promise<Ended> {
  const { cwd = newFolder({ 'tides.csv': 'hour,metres\n12,4.1\n' }), home = newFolder(), command = main } = setting
  const env = { PATH: process.env['PATH'], HOME: home, RONDO_HOME: home, RONDO_MODEL: 'offline', ...setting.env }
  const child = spawn(process.execPath, [command, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    setting.onOut?.(out, child)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
    setting.onErr?.(err, child)
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })))
}

/** Slow enough that the run is at work when a test acts, never so slow that one waits for it. */
const slow = { RONDO_OFFLINE_DELAY_MS: '60000' }

describe('the command', () => {
  test('answers about the folder it stands in: into a pipe goes the answer, and not a word beside it', async () => {
    expect(await rondo(['run', 'list', 'the', 'files'])).toEqual({
      code: 0,
      out: expect.stringContaining('- tides.csv: 19 bytes'),
      err: '',
    })
  })

  test('-v: a log beside it, in a pipe too; nothing of it is coloured there', async () => {
    const { code, out, err } = await rondo(['run', '-v', 'list', 'the', 'files'])
    expect([code, out]).toEqual([0, expect.stringContaining('- tides.csv: 19 bytes')])
    expect(settled(err).split('\n')).toEqual([
      '[INIT] Model: offline (no network and no language model; RONDO_MODEL names it)',
      '[AGENT] Task: list the files',
      '[LLM] Asking rondo:offline (iteration 1, attempt 1)',
      '[LLM] Response stop_reason: tool_use',
      '[LLM] Tokens: 0 in, 0 out',
      '[ACT] Executing tool: list_files',
      '[ACT] Arguments: {"depth":1,"limit":1000}',
      expect.stringMatching(/^\[OBSERVE\] Result preview: \{.*tides\.csv/),
      '[LLM] Asking rondo:offline (iteration 2, attempt 1)',
      '[LLM] Response stop_reason: end_turn',
      '[LLM] Tokens: 0 in, 0 out',
      expect.stringMatching(/^\[LLM\] Text: /),
      '[THINK] No tools were asked for, ending loop',
      'completed · 2 iterations · 1 tool call · 0 tokens · TIME',
      'session s_ID · rondo show s_ID',
      '',
    ])
  })

  test('FORCE_COLOR colours, NO_COLOR does not', async () => {
    const colours = await rondo(['run', '-v', 'list the files'], { env: { FORCE_COLOR: '1' } })
    const none = await rondo(['run', '-v', 'list the files'], { env: { NO_COLOR: '1' } })
    expect([colours.err, none.err].map((err) => err.includes('\u001b['))).toEqual([true, false])
  })

  test('--json: each line is an event, the last one run.finished, stderr is empty', async () => {
    const { code, out, err } = await rondo(['run', '--json', 'list the files'])
    const types = out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)
    expect([code, err, types[0], types.at(-1)]).toEqual([0, '', 'run.started', 'run.finished'])
  })

  test('an empty folder: there is nothing to read', async () => {
    const { code, out } = await rondo(['run', 'list the files'], { cwd: newFolder() })
    expect([code, out]).toEqual([0, expect.stringContaining('there is nothing to read')])
  })

  test('exit codes: 2 for wrong usage and what can not begin, 3 for a limit', async () => {
    const codes = [
      ['run', '--jsn', 'x'],
      ['run', '--cwd', 'nowhere', 'x'],
      ['show', 'none'],
      ['run', '--max-iterations', '1', 'list the files'],
    ]
    expect(await Promise.all(codes.map(async (args) => (await rondo(args)).code))).toEqual([2, 2, 2, 3])
  })

  test('a session is kept: a second process goes on with it, a third shows it', async () => {
    const home = newFolder()
    const cwd = newFolder({ 'a.txt': 'a' })
    await rondo(['run', '--session', 'notes', 'list the files'], { home, cwd })
    const second = await rondo(['run', '--session', 'notes', 'what', 'is', 'in', 'a.txt?'], { home, cwd })
    expect([second.code, second.err]).toEqual([0, expect.not.stringContaining('is new')])
    const { code, out } = await rondo(['show', 'notes'], { home })
    expect([code, out.match(/^> .*$/gm)]).toEqual([0, ['> list the files', '> what is in a.txt?']])
  })
})

describe('a session that waits for an approval', () => {
  /** A program with a tool of the command's name that asks first. */
  const program = `
    import { Agent, tool } from ${JSON.stringify(join(root, 'dist', 'index.js'))}
    import { jsonSchema } from ${JSON.stringify(join(root, 'dist', 'json-schema', 'index.js'))}
    import { sqlite } from ${JSON.stringify(join(root, 'dist', 'stores', 'sqlite.js'))}
    import { scripted } from ${JSON.stringify(join(root, 'dist', 'testing', 'index.js'))}
    const inputSchema = jsonSchema({ type: 'object' })
    const tools = [tool({ name: 'read_file', description: 'Reads', inputSchema, effect: 'read', needsApproval: true, execute: () => 1 })]
    const model = scripted([{ calls: [{ name: 'read_file', input: { path: 'tides.csv' } }] }])
    const agent = new Agent({ name: 'rondo', model, tools, store: sqlite(process.argv[2]) })
    const { status } = await agent.run('list the files', { session: 'notes', metadata: { folder: process.argv[3] } })
    await agent.store.close()
    console.log(status)`

  test('one process parks it, a second lists what waits, a third approves and finishes it', async () => {
    const home = newFolder()
    const folder = newFolder({ 'tides.csv': 'hour,metres\n12,4.1\n' })
    const command = join(newFolder({ 'park.mjs': program }), 'park.mjs')
    expect(await rondo([join(home, 'sessions.db'), folder], { command })).toEqual({ code: 0, out: 'parked\n', err: '' })
    const list = await rondo(['approvals', '--json'], { home })
    expect(JSON.parse(list.out)).toMatchObject({
      sessionId: 'notes',
      callId: 'm1.0',
      toolName: 'read_file',
      input: { path: 'tides.csv' },
      folder,
    })
    const waits = await rondo(['resume', 'notes'], { home })
    expect([waits.code, waits.err]).toEqual([4, expect.stringContaining('\n  rondo resume notes --approve m1.0\n')])
    const { code, err } = await rondo(['resume', 'notes', '-v', '--approve', 'm1.0', '--by', 'ann'], { home })
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/\n\[ACT\] read_file m1\.0: approve by ann\n\[ACT\] Executing tool: read_file\n/),
    ])
    expect(await rondo(['approvals'], { home })).toEqual({ code: 0, out: 'No call waits for an approval.\n', err: '' })
  })

  test('a process that is killed leaves a session that another one takes up once its lease is over', async () => {
    const home = newFolder()
    const cwd = newFolder({ 'a.txt': 'a' })
    const onOut = (out: string, child: ChildProcess) => out.includes('"model.started"') && child.kill('SIGKILL')
    const killed = await rondo(['run', '--json', '--session', 'notes', 'list the files'], { home, cwd, env: slow, onOut })
    expect(killed.code).toBe(null)
    // The lease of the dead process is over for a store whose clock is a minute ahead.
    const store = sqlite(join(home, 'sessions.db'), { clock: () => Date.now() + 60_000 })
    const lease = await store.acquire('notes', { owner: 'test', ttlMs: 1 })
    await store.release('notes', { epoch: lease?.epoch ?? 0, expectedSeq: 0 })
    await store.close()
    const { code, out } = await rondo(['resume', 'notes'], { home })
    expect([code, out]).toEqual([0, expect.stringContaining('- a.txt')])
  })
})

describe('a session that moves', () => {
  test('one process exports it into the next, which imports it; a third shows it', async () => {
    const home = newFolder()
    await rondo(['run', '--session', 'notes', 'list the files'], { home })
    const there = newFolder()
    const script = '"$0" "$1" export notes | RONDO_HOME="$2" "$0" "$1" import -'
    const piped = spawnSync('sh', ['-c', script, process.execPath, main, there], {
      env: { PATH: process.env['PATH'], RONDO_HOME: home },
      encoding: 'utf8',
    })
    expect(piped).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Session notes is imported: \d+ entries\./), stderr: '' })
    const shown = await rondo(['show'], { home: there })
    expect(shown).toEqual(await rondo(['show'], { home }))
    expect((await rondo(['sessions', '--json'], { home: there })).out).toBe((await rondo(['sessions', '--json'], { home })).out)
  })

  test('an import that is killed in the middle, wherever that is, is completed by the next one', async () => {
    const home = newFolder()
    let at = 0
    const entries = Array.from({ length: 1500 }, (_, index) => ({
      v: 1 as const,
      id: `e${index}`,
      seq: index + 1,
      kind: 'custom' as const,
      data: { type: 'x', data: 'y'.repeat(50) },
    }))
    const store = sqlite(join(home, 'sessions.db'), { clock: () => at, synchronous: 'normal' })
    for (const [index, entry] of entries.entries()) {
      at = index
      const head = { status: 'idle', pending: 0 } as const
      await store.append('notes', [entry], { expectedSeq: index, ...(index === 1499 ? { head } : {}) })
    }
    await store.close()
    const file = join(newFolder(), 'notes.jsonl')
    expect((await rondo(['export', 'notes', file], { home })).code).toBe(0)
    const there = newFolder()
    const empty = sqlite(join(there, 'sessions.db'))
    await empty.list()
    await empty.close()
    const { DatabaseSync } = loadDriver()
    const database = new DatabaseSync(join(there, 'sessions.db'))
    const count = database.prepare('select count(*) as entries from entries')
    const killed = spawn(process.execPath, [main, 'import', file], {
      env: { PATH: process.env['PATH'], RONDO_HOME: there },
      stdio: 'ignore',
    })
    const gone = new Promise((resolve) => killed.on('close', resolve))
    while (Number(count.get()?.entries) < 1) await new Promise((resolve) => setImmediate(resolve))
    killed.kill('SIGKILL')
    await gone
    expect(Number(count.get()?.entries)).toBeLessThan(1500)
    database.close()
    expect((await rondo(['import', file], { home: there })).code).toBe(0)
    const again = await rondo(['export', 'notes'], { home: there })
    expect(again.out).toBe((await rondo(['export', 'notes'], { home })).out)
  })
})

describe('the end of a process', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    test(`${signal} aborts cleanly: exit code 130, and the session can go on`, async () => {
      const home = newFolder()
      const onErr = (err: string, child: ChildProcess) => err.endsWith('(iteration 1, attempt 1)\n') && child.kill(signal)
      const { code, err } = await rondo(['run', '-v', '--session', 'notes', 'list the files'], { home, env: slow, onErr })
      expect([code, err]).toEqual([
        130,
        expect.stringMatching(/\n\[AGENT\] aborting …\n\[ERROR\] .*\naborted · .*\n.*\nsession notes · rondo show notes\n$/),
      ])
      expect((await rondo(['run', '--session', 'notes', 'list the files'], { home })).code).toBe(0)
    })

  test('a reader that leaves (| head) ends it without a word', async () => {
    const env = { RONDO_OFFLINE_DELAY_MS: '20' }
    const json = await rondo(['run', '--json', 'list the files'], { env, onOut: (_, child) => child.stdout?.destroy() })
    expect([json.code, json.err]).toEqual([130, ''])
    const screen = await rondo(['run', '-v', 'list the files'], { onErr: (_, child) => child.stdout?.destroy() })
    expect([screen.code, screen.err]).toEqual([0, expect.stringContaining('completed')])
  })

  test('a reader that leaves ends sessions, show and export without a word; an export that was not read says so by its exit code', async () => {
    const home = newFolder()
    const store = sqlite(join(home, 'sessions.db'), { synchronous: 'normal' })
    const text = 'word '.repeat(2000)
    const input = [{ role: 'user', parts: [{ type: 'text', text }] }] as const
    for (let n = 0; n < 300; n++) {
      const data = { agent: { name: 'rondo' }, input, task: 'run' } as const
      await store.append('notes', [{ v: 1, id: `e${n}`, seq: n + 1, kind: 'run.requested', runId: `r${n}`, data }], { expectedSeq: n })
      await store.append(`s${n}`, [{ v: 1, id: 'e1', seq: 1, kind: 'run.requested', runId: 'r', data }], { expectedSeq: 0 })
    }
    await store.close()
    const onOut = (_: string, child: ChildProcess) => child.stdout?.destroy()
    const ends = await Promise.all(
      [
        ['sessions', '--limit', '301', '--json'],
        ['show', 'notes'],
        ['export', 'notes'],
      ].map((args) => rondo(args, { home, onOut })),
    )
    expect(ends.map(({ code, err }) => [code, err])).toEqual([
      [0, ''],
      [0, ''],
      [130, ''],
    ])
  })

  // A newer Node has SQLite built in: there is no driver to miss.
  test.skipIf(hasNodeSqlite())('without SQLite it runs, says that nothing is kept, and how to change that', async () => {
    const { home, command } = withoutPeer()
    const { code, out, err } = await rondo(['run', 'list the files'], { home, command })
    expect([code, out]).toEqual([0, expect.stringContaining('tides.csv')])
    expect(err).toMatch(/^This session is not kept\. .*: npm install @photostructure\/sqlite@1\n/)
    expect(err).not.toContain('rondo show')
    for (const args of [
      ['run', '--session', 'notes', 'x'],
      ['show', 'notes'],
    ])
      expect(await rondo(args, { home, command })).toEqual({
        code: 2,
        out: '',
        err: expect.stringContaining('npm install @photostructure/sqlite@1'),
      })
  })

  test('the folder that it stands in is gone: 2, and what to do', async () => {
    const cwd = newFolder()
    const script = 'rmdir "$PWD" && exec "$0" "$@"'
    const child = spawn('sh', ['-c', script, process.execPath, main, 'approvals'], { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
    let err = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect([code, err]).toEqual([2, 'rondo: The folder that you stand in is gone. Change to another one.\n'])
  })

  // A disk without room, as Linux has one.
  test.skipIf(!existsSync('/dev/full'))('an output that can not be written is told, and ends it', async () => {
    const full = openSync('/dev/full', 'w')
    const env = { PATH: process.env['PATH'], RONDO_HOME: newFolder(), RONDO_MODEL: 'offline' }
    await rondo(['run', '--session', 'notes', 'list the files'], { home: env.RONDO_HOME })
    const commands = [
      ['run', '--json', 'list the files'],
      ['run', 'list the files'],
      ['--help'],
      ['sessions'],
      ['show'],
      ['export', 'notes'],
    ]
    const ends = commands.map((args) => {
      const { status, stderr } = spawnSync(process.execPath, [main, ...args], { cwd: newFolder(), env, stdio: ['ignore', full, 'pipe'] })
      return [status, stderr.toString('utf8')]
    })
    closeSync(full)
    const told = "rondo: The output can't be written: ENOSPC"
    expect(ends).toEqual([
      [130, expect.stringMatching(new RegExp(`^${told}.*\\naborting …\\n$`))],
      // The run was over when its answer was to be written.
      [1, expect.stringContaining(told)],
      [1, expect.stringMatching(`^${told}`)],
      [1, expect.stringMatching(`^${told}`)],
      [1, expect.stringMatching(`^${told}`)],
      [1, expect.stringMatching(`^${told}`)],
    ])
  })

  test('a defect of ours is one line, with RONDO_DEBUG the stack too', async () => {
    const broken = withoutPeer({ manifest: false })
    const short = await rondo(['--version'], broken)
    expect([short.code, short.err.split('\n').length, short.err]).toEqual([1, 3, expect.stringContaining('RONDO_DEBUG=1')])
    const long = await rondo(['--version'], { ...broken, env: { RONDO_DEBUG: '1' } })
    expect([long.code, long.err]).toEqual([1, expect.stringContaining('\n    at ')])
  })
})
