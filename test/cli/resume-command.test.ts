import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type ResumeFlags, resumeCommand } from '../../src/cli/resume-command.ts'
import { runCommand } from '../../src/cli/run-command.ts'
import { CannotRun } from '../../src/cli/terminal.ts'
import { type Entry, type EntryKind, type EntryOf, type Model, type NewEntry, tool } from '../../src/index.ts'
import { jsonSchema } from '../../src/json-schema/index.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { scripted } from '../../src/testing/index.ts'
import { type FakeOptions, fakeTerminal, settled } from './fake-terminal.ts'
import { newFolder } from './folders.ts'
import { parked, readTides } from './parked.ts'

/** Built by `npm run build`, which `npm test` runs first. */
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const tides = { 'tides.csv': 'hour,metres\n12,4.1\n' }
const search = { name: 'search_text', input: { path: 'a' } }

interface Setting extends FakeOptions {
  readonly home: string
  readonly model?: Model
}

async function resume(flags: ResumeFlags, { home, model = scripted(['Done.']), ...options }: Setting, session = 'notes') {
  const terminal = fakeTerminal({ columns: 80, cwd: newFolder(tides), env: { RONDO_HOME: home }, outIsTTY: true, ...options })
  const code = await resumeCommand(session, flags, terminal, model)
  return { code, out: settled(terminal.out), err: settled(terminal.err) }
}

async function refusal(flags: ResumeFlags, setting: Setting, session = 'notes'): Promise<string> {
  return resume(flags, { model: scripted([]), ...setting }, session).then(
    () => expect.fail('it ran'),
    (error: unknown) => {
      if (error instanceof CannotRun) return error.message
      throw error
    },
  )
}

async function journal(home: string): Promise<readonly Entry[]> {
  const store = sqlite(join(home, 'sessions.db'))
  const entries: Entry[] = []
  for await (const entry of store.load('notes')) entries.push(entry)
  await store.close()
  return entries
}

/** Adds an input to the session, as a process does that dies right afterwards. */
async function said(home: string, make: (so: readonly Entry[]) => Pick<NewEntry, 'kind' | 'data'>): Promise<void> {
  const so = await journal(home)
  const runId = so.find(({ kind }) => kind === 'run.requested')?.runId
  const store = sqlite(join(home, 'sessions.db'))
  const entry = { v: 1, id: 'said', seq: so.length + 1, runId, ...make(so) } as NewEntry
  await store.append('notes', [entry], { expectedSeq: so.length })
  await store.close()
}

async function entriesOf<K extends EntryKind>(home: string, kind: K): Promise<readonly EntryOf<K>['data'][]> {
  return (await journal(home)).filter((entry) => entry.kind === kind).map(({ data }) => data as EntryOf<K>['data'])
}

describe('a session goes on', () => {
  test('after an approval, with the output of a run', async () => {
    const home = await parked()
    const { code, out, err } = await resume({ approve: ['m1.0'] }, { home })
    expect([code, out]).toEqual([0, 'Done.\n'])
    expect(err).toBe(`Model: scripted:script

read_file: approve by ann.
✓ read_file    path=tides.csv                                   2 lines TIME


completed · 2 iterations · 1 tool call · 30 tokens (20 in, 10 out) · TIME
session notes · rondo show notes
`)
  })

  test('--json: every event is a line, stderr is empty', async () => {
    const { code, out, err } = await resume({ approve: ['m1.0'], json: true }, { home: await parked() })
    const types = out.trimEnd().split('\n')
    expect([code, err, (JSON.parse(types.at(-1) ?? '') as { type: string }).type]).toEqual([0, '', 'run.finished'])
  })

  test('without an answer it parks again: exit code 4, and how to answer', async () => {
    const { code, err } = await resume({}, { home: await parked() })
    expect(code).toBe(4)
    expect(err).toBe(`Model: scripted:script


parked (awaiting_approval) · 1 iteration · 0 tool calls
  15 tokens (10 in, 5 out) · TIME
The run is not over: 1 call waits for an answer.

? read_file m1.0 · high risk
  │ path=tides.csv
  Why: secrets in tides.csv
  rondo resume notes --approve m1.0

--deny instead of --approve refuses a call, and --reason "…" tells the model
why.
session notes · rondo show notes
`)
  })

  test('what was said before calls that wait is no answer: a pipe gets none', async () => {
    const { code, out } = await resume({}, { home: await parked({ text: 'I look.' }), outIsTTY: false })
    expect([code, out]).toEqual([4, ''])
  })

  test('somebody else is quicker: it says what has become of the call, and what to do', async () => {
    const home = await parked({ calls: [readTides, readTides] })
    const env = { PATH: process.env['PATH'], RONDO_HOME: home, RONDO_MODEL: 'offline' }
    const quicker = () =>
      execFileSync(process.execPath, [main, 'resume', 'notes', '--deny', 'm1.0', '--cwd', home], { env, stdio: 'ignore' })
    const onWrite = (text: string) => {
      if (!text.startsWith('Model:')) return
      // It parks again, for the other call waits.
      expect(quicker).toThrow('Command failed')
    }
    expect(await refusal({ approve: ['m1.0'] }, { home, onWrite })).toBe(
      `Call m1.0 (read_file) has settled already: denied. In this session 1 call waits:\n  --approve m1.1  read_file`,
    )
  })

  test('with each answer: approved, denied with a reason, a result from outside; by whom is recorded', async () => {
    const home = await parked({ calls: [readTides, readTides, search] })
    const { code } = await resume(
      { approve: ['m1.0'], deny: ['m1.1'], reason: 'not that', by: 'bea', result: ['m1.2={"a":[1]}'] },
      { home },
    )
    expect(code).toBe(0)
    expect((await entriesOf(home, 'approval.decided')).map(({ decision, by, reason }) => [decision, by, reason])).toEqual([
      ['allow', 'bea', undefined],
      ['deny', 'bea', 'not that'],
    ])
    const settlements = (await entriesOf(home, 'call.settled')).map(({ callId, settlement }) => [callId, settlement.outcome])
    expect(settlements.sort()).toEqual([
      ['m1.0', 'ok'],
      ['m1.1', 'denied'],
      ['m1.2', 'ok'],
    ])
  })

  test('--remember: calls like the approved one, which wait too, need no word of their own', async () => {
    const home = await parked({ calls: [readTides, readTides] })
    const { code } = await resume({ approve: ['m1.0'], remember: 'session', by: 'bea' }, { home })
    expect(code).toBe(0)
    expect((await entriesOf(home, 'approval.decided')).map(({ decision, by, remember }) => [decision, by, remember])).toEqual([
      ['allow', 'bea', 'session'],
      ['allow', 'bea', undefined],
    ])
  })

  test('--approve all and --deny all answer all that waits for an approval, by the login name', async () => {
    for (const [flags, decision] of [
      [{ approve: ['all'] }, 'allow'],
      [{ deny: ['all'] }, 'deny'],
    ] as const) {
      const home = await parked({ calls: [readTides, readTides] })
      await resume(flags, { home })
      expect((await entriesOf(home, 'approval.decided')).map((data) => [data.decision, data.by])).toEqual([
        [decision, 'ann'],
        [decision, 'ann'],
      ])
    }
  })

  test('a user without a name is not named', async () => {
    const home = await parked()
    await resume({ approve: ['m1.0'] }, { home, user: '' })
    expect((await entriesOf(home, 'approval.decided'))[0]).toEqual({ request: expect.any(String), decision: 'allow' })
  })

  test('--input: the call runs with these arguments', async () => {
    const home = await parked()
    const { err } = await resume({ approve: ['m1.0'], input: '{"path":"no.csv"}' }, { home })
    expect(err).toContain('✗ read_file    path=no.csv')
    expect((await entriesOf(home, 'approval.decided'))[0]?.arguments).toEqual({ path: 'no.csv' })
  })

  test('after a pause, which it lifts', async () => {
    const home = await parked({ calls: [search] })
    await said(home, () => ({ kind: 'control', data: { action: 'pause' } }))
    expect((await resume({ result: ['m1.0=1'] }, { home })).code).toBe(0)
    expect((await entriesOf(home, 'control')).map(({ action }) => action)).toEqual(['pause', 'resume'])
  })

  test('after a limit, by a new run that is told to go on', async () => {
    const home = newFolder()
    const first = scripted([{ calls: [readTides] }, 'As far as I came.'])
    const terminal = fakeTerminal({ cwd: newFolder(tides), env: { RONDO_HOME: home } })
    expect(await runCommand(['look'], { session: 'notes', maxIterations: 1 }, terminal, first)).toBe(3)
    const { code, out, err } = await resume({ maxIterations: 2 }, { home })
    expect([code, out]).toEqual([0, 'Done.\n'])
    expect(err).toContain('\nThe last run of session notes met a limit (max_iterations): a new one goes on.\n')
    expect((await entriesOf(home, 'run.requested')).map(({ input }) => input[0]?.parts)).toEqual([
      [{ type: 'text', text: 'look' }],
      [{ type: 'text', text: 'Go on.' }],
    ])
  })

  test('--max-iterations is the limit of the run from here on: exit code 3', async () => {
    const model = scripted(['As far as I came.'])
    const { code, err } = await resume({ approve: ['m1.0'], maxIterations: 1 }, { home: await parked(), model })
    expect([code, err]).toEqual([3, expect.stringContaining('incomplete (max_iterations)')])
  })

  test('a run that fails is exit code 1', async () => {
    const model = scripted([{ fail: { code: 'ModelAuthError', category: 'model', message: 'No.', retryable: false } }])
    expect((await resume({ approve: ['m1.0'] }, { home: await parked(), model })).code).toBe(1)
  })

  test('Ctrl-C aborts it: exit code 130', async () => {
    let interrupt = () => {}
    const model = scripted([
      () => {
        interrupt()
        return { delayMs: 60_000 }
      },
    ])
    const { code, err } = await resume(
      { approve: ['m1.0'] },
      {
        home: await parked(),
        model,
        onWrite(_, terminal) {
          interrupt = () => terminal.interrupt('SIGINT')
        },
      },
    )
    expect([code, err]).toEqual([130, expect.stringContaining('Interrupted by Ctrl-C.')])
  })
})

describe('the folder', () => {
  test('is the one in which the session began, wherever the command is called, and it is named', async () => {
    const folder = newFolder(tides)
    const { err } = await resume({ approve: ['m1.0'] }, { home: await parked({ folder }), cwd: newFolder() })
    expect(err).toMatch(new RegExp(`^The agent works in ${folder}\\.\n`))
    expect(err).toContain('2 lines')
  })

  test('--cwd names another one', async () => {
    const home = await parked({ folder: newFolder() })
    const cwd = newFolder(tides)
    const { err } = await resume({ approve: ['m1.0'], cwd: '.' }, { home, cwd })
    expect([err.includes('The agent works in'), err.includes('2 lines')]).toEqual([false, true])
  })

  test('one that is gone is asked for', async () => {
    const folder = join(newFolder(), 'gone')
    expect(await refusal({ approve: ['m1.0'] }, { home: await parked({ folder }) })).toBe(
      `Session notes began in ${folder}, which can't be read any more. Name the folder that the agent shall work in: --cwd DIR`,
    )
  })
})

describe('a session that another process has', () => {
  /** Takes the session, as a process does that drives it. */
  async function taken(home: string) {
    const store = sqlite(join(home, 'sessions.db'))
    const lease = await store.acquire('notes', { owner: 'another', ttlMs: 60_000 })
    return { store, release: () => store.release('notes', { epoch: lease?.epoch ?? 0, expectedSeq: 0 }) }
  }

  test('and keeps: it is refused after 16 seconds, and nothing is recorded', async () => {
    const home = await parked()
    const { store } = await taken(home)
    const before = await journal(home)
    const waits: string[] = []
    const setting: Setting = { home, onWrite: (text) => waits.push(text) }
    expect(await refusal({ approve: ['m1.0'] }, setting)).toBe(
      'Another process is at work on session notes: nothing was recorded. Wait for its end, or end it, and try again.',
    )
    expect(waits).toEqual(['Another process has session notes. If it was killed, that ends within 15 seconds …\n'])
    expect(await journal(home)).toEqual(before)
    await store.close()
  })

  test('and lets go: it goes on, and looks again at what waits', async () => {
    const home = await parked()
    const { store, release } = await taken(home)
    let released: Promise<unknown> | undefined
    const onWrite = () => {
      released ??= release()
    }
    expect((await resume({ approve: ['m1.0'] }, { home, onWrite })).code).toBe(0)
    await released
    await store.close()
  })

  test('Ctrl-C while it waits ends the process', async () => {
    const home = await parked()
    const { store } = await taken(home)
    const exits: number[] = []
    const onWrite: FakeOptions['onWrite'] = (_, terminal) => {
      terminal.interrupt('SIGINT')
      exits.push(...terminal.exits)
    }
    await refusal({}, { home, onWrite })
    expect(exits).toEqual([130])
    await store.close()
  })
})

describe('what can not be resumed', () => {
  test('an unknown session, named with the newest ones; where none was kept nothing is created', async () => {
    const home = await parked()
    expect(await refusal({}, { home }, 'other')).toMatch(/^There is no session other\. The newest in .*sessions\.db:\n {2}notes {2}20/)
    const empty = newFolder()
    expect(await refusal({}, { home: empty })).toBe(`There is no session notes. No session has been kept yet in ${empty}/sessions.db.`)
    expect(existsSync(join(empty, 'sessions.db'))).toBe(false)
  })

  test('a session with nothing to do, by how its last run ended', async () => {
    const home = await parked()
    await resume({ approve: ['m1.0'] }, { home })
    const give = 'Give it a task: rondo run --session notes "…"'
    expect(await refusal({}, { home })).toBe(`Session notes has nothing to resume: its last run completed. ${give}`)
    const failing = await parked()
    const model = scripted([{ fail: { code: 'ModelAuthError', category: 'model', message: 'No.', retryable: false } }])
    await resume({ approve: ['m1.0'] }, { home: failing, model })
    expect(await refusal({}, { home: failing })).toBe(`Session notes has nothing to resume: its last run failed (model_error). ${give}`)
  })

  test('a session that has no run yet', async () => {
    const home = newFolder()
    const store = sqlite(join(home, 'sessions.db'))
    await store.append('notes', [{ v: 1, id: 'e1', seq: 1, kind: 'session', data: { version: 1 } }], { expectedSeq: 0 })
    await store.close()
    expect(await refusal({}, { home })).toBe('Session notes has no run yet. Give it a task: rondo run --session notes "…"')
  })

  test('a call that is unknown, has settled, or waits for another answer; what waits is named', async () => {
    const home = await parked({ calls: [readTides, search, readTides] })
    await resume({ deny: ['m1.2'] }, { home })
    const waits = ' In this session 2 calls wait:\n  --approve m1.0  read_file\n  --result m1.1  search_text'
    const rows: [ResumeFlags, string][] = [
      [{ approve: ['m7.0\u001b'] }, `Session notes has no call m7.0\\x1b.${waits}`],
      [{ result: ['m7.0=1'] }, `Session notes has no call m7.0.${waits}`],
      [{ deny: ['m1.2'] }, `Call m1.2 (read_file) has settled already: denied.${waits}`],
      [{ approve: ['m1.1'] }, 'Call m1.1 (search_text) waits for a result from outside: --result m1.1=JSON'],
      [{ result: ['m1.0=1'] }, 'Call m1.0 (read_file) waits for an approval: --approve m1.0 or --deny m1.0'],
    ]
    for (const [flags, message] of rows) expect(await refusal(flags, { home })).toBe(message)
  })

  test('a call of a session in which nothing waits', async () => {
    const home = await parked()
    await resume({ approve: ['m1.0'] }, { home })
    const nothing = 'Nothing waits for an answer in this session; rondo show notes shows it.'
    expect(await refusal({ approve: ['m1.0'] }, { home })).toBe(`Call m1.0 (read_file) has settled already: ok. ${nothing}`)
    expect(await refusal({ deny: ['all'] }, { home })).toBe(`No call of session notes waits for an approval. ${nothing}`)
  })

  test('a call that was answered by a process that died then', async () => {
    const home = await parked()
    await said(home, (so) => {
      const request = so.find(({ kind }) => kind === 'call.prepared')?.id ?? ''
      return { kind: 'approval.decided', data: { request, decision: 'allow' } }
    })
    expect(await refusal({ deny: ['m1.0'] }, { home })).toMatch(/^Call m1\.0 \(read_file\) has been answered already: approved\. /)
    expect((await resume({}, { home })).code).toBe(0)
  })

  test('a run whose tools the command lacks: they are named, and nothing is recorded', async () => {
    const home = await parked({ calls: [{ name: 'pay', input: { path: 'x' } }] })
    const before = await journal(home)
    const message =
      'The run of session notes works with a tool that this command lacks: pay. Only the program that has it can go on with it, by agent.resume(). Nothing was recorded.'
    for (const flags of [{}, { approve: ['m1.0'] }, { deny: ['all'] }]) expect(await refusal(flags, { home })).toBe(message)
    expect(await journal(home)).toEqual(before)
  })

  test('a run that was given tools of its own: the library names them, and nothing is recorded', async () => {
    const lent = tool({ name: 'lent', description: 'Lent', inputSchema: jsonSchema({ type: 'object' }), execute: () => 1 })
    const home = await parked({ extraTools: [lent] })
    const before = await journal(home)
    expect(await refusal({ approve: ['m1.0'] }, { home })).toMatch(
      /needs what this resume lacks: the tool 'lent'\. .*Nothing was recorded\.$/,
    )
    expect(await journal(home)).toEqual(before)
  })

  test('the run of another agent goes on with the tools of the command, which says so', async () => {
    const home = await parked({ agent: { name: 'clerk\u001b' } })
    const { code, err } = await resume({ approve: ['m1.0'] }, { home })
    expect([code, err.split('\n')[0]]).toEqual([
      0,
      "The run was begun by the agent clerk\\x1b: it goes on with this command's tools and without its instructions.",
    ])
  })

  test('a result that does not fit', async () => {
    const home = await parked({ calls: [search] })
    expect(await refusal({ result: ['m1.0={'] }, { home })).toMatch(
      /^The result of call m1\.0 is not JSON \(.*\)\. Put it in quotes for the shell/,
    )
  })
})

describe('answers that make no sense, whatever waits', () => {
  const rows: [string, ResumeFlags, string | RegExp][] = [
    ['a call twice', { approve: ['m1.0', 'm1.0'] }, 'Call m1.0 is answered twice. Say one thing about each call.'],
    ['a call approved and denied', { approve: ['m1.0'], deny: ['m1.0'] }, 'Call m1.0 is answered twice. Say one thing about each call.'],
    ['a call with a result twice', { deny: ['m1.0'], result: ['m1.0=1'] }, 'Call m1.0 is answered twice. Say one thing about each call.'],
    [
      'all and one',
      { approve: ['all', 'm1.0'] },
      '--approve all answers every call. Leave the other --approve and --deny out, or name each call.',
    ],
    [
      'one approved, all denied',
      { approve: ['m1.0'], deny: ['all'] },
      '--deny all answers every call. Leave the other --deny and --approve out, or name each call.',
    ],
    ['a reason without a denial', { approve: ['m1.0'], reason: 'x' }, '--reason says why a call is denied: it needs --deny.'],
    ['a name without a decision', { by: 'bea' }, '--by says who approves or denies: it needs --approve or --deny.'],
    ['a scope of nothing', { deny: ['m1.0'], remember: 'run' }, '--remember lets calls like the approved ones run: it needs --approve.'],
    ['a scope that is none', { approve: ['m1.0'], remember: 'ever' }, /^--remember must be run or session/],
    ['an empty name', { approve: ['m1.0'], by: ' ' }, '--by needs a name.'],
    [
      'arguments for two',
      { approve: ['m1.0', 'm1.1'], input: '{}' },
      /^--input .* needs exactly one --approve, with the id of that call\.$/,
    ],
    ['arguments for all', { approve: ['all'], input: '{}' }, /^--input .* needs exactly one --approve/],
    ['arguments for none', { deny: ['m1.0'], input: '{}' }, /^--input .* needs exactly one --approve/],
    ['arguments that are no JSON', { approve: ['m1.0'], input: '{path}' }, /^--input is not JSON \(.*\)\. Put it in quotes for the shell/],
    [
      'arguments that are no object',
      { approve: ['m1.0'], input: '[1]' },
      /^--input must be a JSON object, the whole arguments of the call/,
    ],
    ['a result without a call', { result: ['=1'] }, /^--result must be CALL=JSON, .*, not =1\.$/],
    ['a result without a value', { result: ['m1.0'] }, /^--result must be CALL=JSON, .*, not m1\.0\.$/],
  ]
  for (const [name, flags, message] of rows)
    test(name, async () => {
      const said = await refusal(flags, { home: newFolder() })
      if (typeof message === 'string') expect(said).toBe(message)
      else expect(said).toMatch(message)
    })
})

test('run --session ID --resume does the same', async () => {
  const terminal = fakeTerminal({ cwd: newFolder(tides), env: { RONDO_HOME: await parked() } })
  expect(await runCommand([], { session: 'notes', resume: true }, terminal, scripted([]))).toBe(4)
  expect(terminal.err).toContain('rondo resume notes --approve m1.0')
})
