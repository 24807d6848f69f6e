import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { showCommand } from '../../src/cli/show/show-command.ts'
import type { EntryData, EntryKind, NewEntry } from '../../src/index.ts'
import { Agent, noUsage } from '../../src/index.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { scripted } from '../../src/testing/index.ts'
import { fakeTerminal } from './fake-terminal.ts'
import { newFolder } from './folders.ts'
import { parked, readTides } from './parked.ts'

type Bare = { [K in EntryKind]: readonly [K, EntryData[K]] }[EntryKind]

const noon = new Date(2026, 10, 28, 12, 0, 0).getTime()

/** Keeps these entries, one second apart, and returns the folder for RONDO_HOME. */
async function kept(session: string, entries: readonly Bare[], home = newFolder()): Promise<string> {
  let at = noon
  const store = sqlite(join(home, 'sessions.db'), { clock: () => at })
  for (const [index, [kind, data]] of entries.entries()) {
    const run = kind === 'session' ? {} : { runId: 'r1' }
    const entry = { v: 1, id: `e${index + 1}`, seq: index + 1, kind, data, ...run } as unknown as NewEntry
    await store.append(session, [entry], { expectedSeq: index })
    at += 1000
  }
  await store.close()
  return home
}

async function show(session: string | undefined, home: string, flags = {}): Promise<string> {
  const terminal = fakeTerminal({ columns: 80, env: { RONDO_HOME: home } })
  expect(await showCommand(session, flags, terminal)).toBe(0)
  expect(terminal.err).toBe('')
  return terminal.out
}

const says = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] }) as const
const usage = { ...noUsage, inputTokens: 10, outputTokens: 5 }
const asked: Bare = ['run.requested', { agent: { name: 'rondo' }, input: [says('when is\nhigh tide?\u001b[2J')], task: 'run' }]
const claimed: Bare = ['run.claimed', { owner: 'o', cause: 'start', engine: '0.1.0' }]
const read = (index: number, path: string) =>
  ({ type: 'tool-call', callId: `m1.${index}`, toolName: 'read_file', input: { path } }) as const
const started = (n: number): Bare => ['model.started', { n, attempt: 1, purpose: 'main', contextThrough: n }]
const calls: Bare = [
  'model.responded',
  {
    n: 1,
    attempt: 1,
    message: { id: 'm1', role: 'assistant', parts: [{ type: 'text', text: 'I look.' }, read(0, 'a.csv'), read(1, 'b.csv')] },
    finish: { unified: 'tool-calls' },
    usage,
  },
]
const more: Bare = [
  'model.responded',
  {
    n: 2,
    attempt: 1,
    message: { id: 'm2', role: 'assistant', parts: [{ ...read(0, 'c.csv'), callId: 'm2.0' }] },
    finish: { unified: 'tool-calls' },
    usage,
  },
]
const error = { code: 'ToolExecutionError', category: 'tool', message: 'No file b.csv.', retryable: false } as const
const answer = (n = 2): Bare => [
  'model.responded',
  {
    n,
    attempt: 1,
    message: { id: 'm2', role: 'assistant', parts: [{ type: 'text', text: 'Noon.\u009b\n' }] },
    finish: { unified: 'stop' },
    usage,
  },
]

describe('rondo show', () => {
  test('tells a session from its journal, entry by entry', async () => {
    const home = await kept('notes', [
      ['session', { version: 1, metadata: { folder: '/home/ann/tides' } }],
      asked,
      claimed,
      started(1),
      calls,
      ['call.prepared', { callId: 'm1.0', effect: 'read', executor: 'local' }],
      ['call.started', { callId: 'm1.0', attempt: 1 }],
      ['call.settled', { callId: 'm1.1', settlement: { outcome: 'error', error }, by: 'tool', durationMs: 3 }],
      ['call.settled', { callId: 'm1.0', settlement: { outcome: 'ok', output: { text: 'a\nb' } }, by: 'tool', durationMs: 1200 }],
      started(2),
      answer(),
      ['run.finished', { status: 'completed', reason: 'completed', text: 'Noon.' }],
    ])
    expect(await show('notes', home)).toBe(`session notes begun 2026-11-28 12:00:00 in /home/ann/tides

run r1 · 2026-11-28 12:00:01
> when is
> high tide?\\x1b[2J

12:00:03 ● model 1      10 in, 5 out                         tool-calls    1.0 s
│ I look.
12:00:07 ✗ read_file    path=b.csv                                error     3 ms
           No file b.csv.
12:00:06 ✓ read_file    path=a.csv                              2 lines    1.2 s

12:00:09 ● model 2      10 in, 5 out                               stop    1.0 s
│ Noon.\\x9b

completed · 2 iterations · 2 tool calls · 30 tokens (20 in, 10 out) · 10.0 s
  models 2.0 s · tools 1.2 s
`)
  })

  test('a session that is not done says so, and which calls have not settled', async () => {
    const home = await kept('notes', [['session', { version: 1 }], asked, claimed, started(1), calls])
    expect((await show('notes', home)).split('\n').slice(-6)).toEqual([
      '│ I look.',
      '         · read_file    path=a.csv                          not settled',
      '         · read_file    path=b.csv                          not settled',
      '',
      'unfinished',
      '',
    ])
  })

  test('calls that wait for an answer stand at the end, with the command that answers them', async () => {
    const home = await parked({ calls: [{ name: 'search_text', input: { path: 'x' } }, readTides, { name: 'pay', input: { path: 'y' } }] })
    // Where engines are torn down at every rest (--mode suspend) the run is resumed on the way.
    const told = (await show('notes', home)).replace(/^\S+ · resumed\n/gm, '')
    const lines = told.replace(/waits for [\d-]+ \w+/g, 'waits for AGE').split('\n')
    expect(lines.slice(4).map((line) => line.replace(/^[\d:]+ (.*\S) +\d+ ms$/, 'TIME $1'))).toEqual([
      '',
      expect.stringMatching(/^TIME ● model 1 .* tool-calls$/),
      '',
      '? search_text m1.0 · needs a result from outside · waits for AGE',
      '  │ path=x',
      '  rondo resume notes --result m1.0=JSON',
      '',
      '? read_file m1.1 · high risk · waits for AGE',
      '  │ path=tides.csv',
      '  Why: secrets in tides.csv',
      '  rondo resume notes --approve m1.1',
      '',
      '? pay m1.2 · waits for AGE',
      '  │ path=y',
      '  To be answered in the program that has the tool pay: this command lacks it.',
      '',
      'unfinished',
      '--deny instead of --approve refuses a call, and --reason "…" tells the model',
      'why. --approve all and --deny all answer all calls of a session.',
      '',
    ])
  })

  test('calls of several model calls stand together when nothing is said between them', async () => {
    const ok = (callId: string): Bare => ['call.settled', { callId, settlement: { outcome: 'ok', output: 'x' }, by: 'tool', durationMs: 1 }]
    const home = await kept('notes', [
      asked,
      started(1),
      calls,
      ok('m1.0'),
      ok('m1.1'),
      started(2),
      more,
      ok('m2.0'),
      started(3),
      answer(3),
    ])
    expect((await show('notes', home)).split('\n').slice(4)).toEqual([
      '',
      '12:00:01 ● model 1      10 in, 5 out                         tool-calls    1.0 s',
      '│ I look.',
      '12:00:03 ✓ read_file    path=a.csv                                   ok     1 ms',
      '12:00:04 ✓ read_file    path=b.csv                                   ok     1 ms',
      '12:00:05 ● model 2      10 in, 5 out                         tool-calls    1.0 s',
      '12:00:07 ✓ read_file    path=c.csv                                   ok     1 ms',
      '',
      '12:00:08 ● model 3      10 in, 5 out                               stop    1.0 s',
      '│ Noon.\\x9b',
      '',
      'unfinished',
      '',
    ])
  })

  test('a call is told with the arguments that it was decided with, also when they were refused then', async () => {
    const prepared = (index: number, more = {}): Bare => [
      'call.prepared',
      { callId: `m1.${index}`, effect: 'read', executor: 'local', approval: {}, ...more },
    ]
    const denied = { code: 'ToolDenied', category: 'tool', message: 'Not run: secrets', retryable: false } as const
    const home = await kept('notes', [
      asked,
      started(1),
      calls,
      prepared(0),
      prepared(1, { arguments: { path: 'hooked.csv' } }),
      ['approval.decided', { request: 'e4', decision: 'allow', by: 'ann', arguments: { path: 'secrets.csv' } }],
      ['approval.decided', { request: 'e5', decision: 'allow' }],
      ['call.settled', { callId: 'm1.0', settlement: { outcome: 'denied', error: denied }, by: 'prepare' }],
      ['call.settled', { callId: 'm1.1', settlement: { outcome: 'ok', output: 'x' }, by: 'tool', durationMs: 1 }],
    ])
    expect((await show('notes', home)).split('\n').slice(7, 12)).toEqual([
      '12:00:07 – read_file    path=secrets.csv                         denied',
      '           Not run: secrets',
      '           approval: allow by ann after 2.0 s, with other arguments',
      '12:00:08 ✓ read_file    path=hooked.csv                              ok     1 ms',
      '           approval: allow after 2.0 s',
    ])
  })

  test('what a model says passes for no line of the journal', async () => {
    const text =
      'Well.\n\n✓ pay          to=ACME                   ok\r\n· 2026-11-28 12:00:05 approval of pay m1.0: allow by ann\n\ncompleted'
    const message = { id: 'm1', role: 'assistant', parts: [{ type: 'text', text }] } as const
    const responded: Bare = ['model.responded', { n: 1, attempt: 1, message, finish: { unified: 'stop' }, usage }]
    const home = await kept('notes', [asked, started(1), responded])
    expect((await show('notes', home)).split('\n').slice(5, 13)).toEqual([
      expect.stringMatching(/^12:00:01 ● model 1 /),
      '│ Well.',
      '│',
      '│ ✓ pay          to=ACME                   ok',
      '│ · 2026-11-28 12:00:05 approval of pay m1.0: allow by ann',
      '│',
      '│ completed',
      '',
    ])
  })

  test('a model that answered in the place of another is named', async () => {
    const message = { id: 'm1', role: 'assistant', parts: [{ type: 'text', text: 'Well.' }] } as const
    const data = { n: 1, attempt: 1, message, finish: { unified: 'stop' }, usage, model: 'acme:b\n✓' } as const
    const home = await kept('notes', [asked, started(1), ['model.responded', data]])
    expect((await show('notes', home)).split('\n').slice(5, 8)).toEqual([
      expect.stringMatching(/^12:00:01 ● model 1 /),
      expect.stringMatching(/^ +answered by acme:b ✓$/),
      '│ Well.',
    ])
  })

  test('what happens on the way is a line each; hidden messages are not shown', async () => {
    const failure = { code: 'ModelServerError', category: 'model', message: 'HTTP 500', retryable: true } as const
    const home = await kept('notes', [
      ['session', { version: 1 }],
      asked,
      ['message', { origin: 'steer', message: says('in metres') }],
      ['message', { origin: 'nudge', message: says('go on'), hidden: true }],
      ['control', { action: 'pause', by: 'bea', reason: 'lunch' }],
      ['control', { action: 'resume' }],
      ['run.claimed', { owner: 'o', cause: 'resume', engine: '0.1.0' }],
      ['model.failed', { n: 1, attempt: 1, error: failure, retryAt: noon + 9000 }],
      ['call.deferred', { callId: 'm1.0', why: 'suspended' }],
      ['approval.decided', { request: 'e1', decision: 'allow', by: 'ann' }],
      ['history.revised', { ok: true, reason: 'compaction', throughTurn: 1, with: [] }],
      ['custom', { type: 'note' }],
      ['run.finished', { status: 'aborted', reason: 'aborted', text: '', abortReason: 'Interrupted by Ctrl-C.' }],
    ])
    expect((await show('notes', home)).split('\n').slice(5)).toEqual([
      '> in metres',
      '12:00:04 · pause by bea: lunch',
      '12:00:05 · resume',
      '12:00:06 · resumed',
      '',
      '12:00:07 ✗ model 1                                               failed',
      '           HTTP 500',
      '12:00:09 · approval: allow by ann',
      '12:00:10 · the history was revised (compaction)',
      '',
      'aborted · 0 iterations · 0 tool calls · at least 0 tokens · 11.0 s',
      '  Interrupted by Ctrl-C.',
      '',
    ])
  })

  test('a call in the background has a line when it is left behind, and its outcome one when that is there', async () => {
    const settlement = { outcome: 'ok', output: '12 lines' } as const
    const home = await kept('notes', [
      ['session', { version: 1 }],
      asked,
      claimed,
      started(1),
      more,
      ['call.prepared', { callId: 'm2.0', effect: 'read', executor: 'local' }],
      ['call.started', { callId: 'm2.0', attempt: 1 }],
      [
        'call.settled',
        { callId: 'm2.0', settlement: { outcome: 'ok', output: { status: 'running_in_background' } }, by: 'machine', background: true },
      ],
      [
        'message',
        {
          origin: 'background',
          callId: 'm2.0',
          message: says('It is there.'),
          hidden: true,
          result: { settlement, by: 'tool', durationMs: 1_500 },
        },
      ],
    ])
    expect((await show('notes', home)).split('\n').slice(7, 9)).toEqual([
      '12:00:07 · read_file goes on in the background',
      expect.stringMatching(/^12:00:06 ✓ read_file .*c\.csv.* 1\.5 s$/),
    ])
  })

  test('a model call is one row, whatever it took: attempts, tokens, cost and the reason of its end', async () => {
    const failure = { code: 'ModelServerError', category: 'model', message: 'HTTP 500\u001b', retryable: true } as const
    const failed = (attempt: number, more = {}): Bare => ['model.failed', { n: 1, attempt, error: failure, ...more }]
    const again = (attempt: number): Bare => ['model.started', { n: 1, attempt, purpose: 'main', contextThrough: 1 }]
    const message = { id: 'm1', role: 'assistant', parts: [{ type: 'text', text: 'Noon.' }] } as const
    const spent = { ...usage, inputTokens: 12_345, cachedInputTokens: 12_000, reasoningTokens: 3, costUsd: 0.0123 }
    const responded: Bare = ['model.responded', { n: 1, attempt: 3, message, finish: { unified: 'stop' }, usage: spent, durationMs: 450 }]
    const told = async (...end: readonly Bare[]) => {
      const home = await kept('notes', [asked, again(1), failed(1, { retryAt: noon + 4000 }), again(2), ...end])
      return (await show('notes', home)).split('\n').slice(5, -1)
    }
    expect(await told(failed(2, { retryAt: noon + 5000, cause: 'interrupted' }), again(3), responded)).toEqual([
      '12:00:01 ● model 1      12,345 in, 5 out · $0.0123                 stop   450 ms',
      '           3 attempts in 5.0 s · 12,000 of the input cached',
      '           3 of the output reasoning',
      '           attempt 1 failed: HTTP 500\\x1b It is asked again in 2.0 s.',
      '           attempt 2 interrupted: HTTP 500\\x1b It is asked again in 1.0 s.',
      '│ Noon.',
      '',
      'unfinished',
    ])
    expect(await told(failed(2, { partial: 'Almost no' }))).toEqual([
      '12:00:01 ✗ model 1                                               failed    3.0 s',
      '           2 attempts in 3.0 s',
      '           attempt 1 failed: HTTP 500\\x1b It is asked again in 2.0 s.',
      '           attempt 2 failed: HTTP 500\\x1b',
      '│ Almost no',
      '',
      'unfinished',
    ])
    expect(await told()).toEqual([
      '12:00:01 · model 1                                        no answer yet',
      '           attempt 1 failed: HTTP 500\\x1b It is asked again in 2.0 s.',
      '',
      'unfinished',
    ])
  })

  test('a tool call is one row, whatever it took: starts, waits, and who decided', async () => {
    const resumed: Bare = ['run.claimed', { owner: 'p', cause: 'resume', engine: '0.1.0' }]
    const home = await kept('notes', [
      asked,
      claimed,
      started(1),
      calls,
      ['call.prepared', { callId: 'm1.0', effect: 'idempotent', executor: 'local', approval: {} }],
      ['call.prepared', { callId: 'm1.1', effect: 'read', executor: 'external' }],
      ['call.deferred', { callId: 'm1.1', why: 'client' }],
      ['approval.decided', { request: 'e5', decision: 'allow', by: 'ann\u202e', remember: 'run' }],
      ['call.started', { callId: 'm1.0', attempt: 1 }],
      resumed,
      ['call.started', { callId: 'm1.0', attempt: 2 }],
      ['call.settled', { callId: 'm1.0', settlement: { outcome: 'ok', output: 'x' }, by: 'reconcile', durationMs: 1 }],
      ['call.settled', { callId: 'm1.1', settlement: { outcome: 'ok', output: 'x' }, by: 'client' }],
      ['run.finished', { status: 'completed', reason: 'completed', text: '' }],
    ])
    expect((await show('notes', home)).split('\n').slice(7, -1)).toEqual([
      '12:00:09 · resumed',
      '12:00:08 ✓ read_file    path=a.csv                                   ok     1 ms',
      '           2 attempts (begun again when the run was resumed)',
      '           approval: allow by ann\\u202e after 3.0 s, remembered for the run',
      '           outcome found out afterwards (reconcile)',
      '12:00:12 ✓ read_file    path=b.csv                                   ok',
      '           went outside (client) · result from outside after 6.0 s',
      '',
      'completed · 1 iteration · 2 tool calls · 15 tokens (10 in, 5 out) · 13.0 s',
      '  models 1.0 s · tools 1 ms · waiting for answers 9.0 s · 1 repeated attempt',
    ])
  })

  test('--verbose: what the calls were given and have returned, as a whole and behind a bar', async () => {
    const output = { lines: ['12:00:00 ✓ pay', `${'x'.repeat(70)} y`] }
    const home = await kept('notes', [
      asked,
      started(1),
      calls,
      ['call.settled', { callId: 'm1.0', settlement: { outcome: 'ok', output, content: 'two\nlines' }, by: 'tool', durationMs: 1 }],
      ['call.settled', { callId: 'm1.1', settlement: { outcome: 'error', error }, by: 'tool', durationMs: 1 }],
    ])
    expect((await show('notes', home, { verbose: true })).split('\n').slice(7, -3)).toEqual([
      '12:00:03 ✓ read_file    path=a.csv                              2 lines     1 ms',
      '           m1.0 arguments',
      '           │ {',
      '           │   "path": "a.csv"',
      '           │ }',
      '           result',
      '           │ {',
      '           │   "lines": [',
      '           │     "12:00:00 ✓ pay",',
      `           │     "${'x'.repeat(62)}`,
      `           │     ${'x'.repeat(8)} y"`,
      '           │   ]',
      '           │ }',
      '           the model read',
      '           │ two',
      '           │ lines',
      '12:00:04 ✗ read_file    path=b.csv                                error     1 ms',
      '           No file b.csv.',
      '           m1.1 arguments',
      '           │ {',
      '           │   "path": "b.csv"',
      '           │ }',
      '           error ToolExecutionError',
      '           │ No file b.csv.',
    ])
  })

  test('a long line of others is broken behind its bar, on a screen: no piece of it begins a line', async () => {
    const text = `\t${'word '.repeat(20)}\n${'y'.repeat(100)}`
    const message = { id: 'm1', role: 'assistant', parts: [{ type: 'text', text }] } as const
    const responded: Bare = ['model.responded', { n: 1, attempt: 1, message, finish: { unified: 'stop' }, usage }]
    const home = await kept('notes', [asked, started(1), responded])
    const bars = (out: string) => out.split('\n').filter((line) => line.startsWith('│'))
    expect(bars(await show('notes', home))).toEqual([
      `│     ${'word '.repeat(15).trimEnd()}`,
      `│     ${'word '.repeat(5).trimEnd()}`,
      `│ ${'y'.repeat(78)}`,
      `│ ${'y'.repeat(22)}`,
    ])
    const pipe = fakeTerminal({ env: { RONDO_HOME: home } })
    await showCommand('notes', {}, pipe)
    expect(bars(pipe.out)).toEqual([`│ \t${'word '.repeat(20)}`, `│ ${'y'.repeat(100)}`])
  })

  test('a long error, and a long reason, are broken below their row', async () => {
    const long = { ...error, message: 'word '.repeat(20) }
    const home = await kept('notes', [
      asked,
      started(1),
      calls,
      ['call.settled', { callId: 'm1.0', settlement: { outcome: 'error', error: long }, by: 'tool', durationMs: 1 }],
      ['control', { action: 'pause', reason: 'z'.repeat(100) }],
    ])
    expect((await show('notes', home)).split('\n').slice(7, 13)).toEqual([
      '12:00:03 ✗ read_file    path=a.csv                                error     1 ms',
      `           ${'word '.repeat(14).trimEnd()}`,
      `           ${'word '.repeat(6).trimEnd()}`,
      '12:00:04 · pause:',
      `           ${'z'.repeat(69)}`,
      `           ${'z'.repeat(31)}`,
    ])
  })

  test('on a narrow screen no name of others is left for the terminal to break: ids, folders, tools, arguments', async () => {
    const name = `${'W'.repeat(43)} 12:00:03 ✓ shell ${'W'.repeat(43)}`
    const call = { type: 'tool-call', callId: 'm1.0', toolName: name, input: { [name]: name } } as const
    const message = { id: 'm1', role: 'assistant', parts: [call] } as const
    const home = await kept(name, [
      ['session', { version: 1, metadata: { folder: `/${name}` } }],
      asked,
      claimed,
      started(1),
      ['model.responded', { n: 1, attempt: 1, message, finish: { unified: 'tool-calls' }, usage }],
      ['call.settled', { callId: 'm1.0', settlement: { outcome: 'ok', output: name }, by: 'tool', attempt: 1 }],
    ])
    for (const columns of [40, 30]) {
      const terminal = fakeTerminal({ columns, env: { RONDO_HOME: home } })
      await showCommand(name, {}, terminal)
      const brokenOff = terminal.out.split('\n').map((line) => [...line].slice(columns).join(''))
      expect(brokenOff.filter((rest) => /W|shell/.test(rest))).toEqual([])
      expect(terminal.out).toMatch(/^session\n {2}W+\n/)
    }
  })

  test('a row of another day than the one above says which', async () => {
    let at = new Date(2026, 10, 28, 23, 59, 59).getTime()
    const home = newFolder()
    const store = sqlite(join(home, 'sessions.db'), { clock: () => at })
    const bodies = [asked, claimed, started(1), answer(1)]
    for (const [index, [kind, data]] of bodies.entries()) {
      const entry = { v: 1, id: `e${index + 1}`, seq: index + 1, runId: 'r1', kind, data } as unknown as NewEntry
      await store.append('notes', [entry], { expectedSeq: index })
      at += 1000
    }
    await store.close()
    expect((await show('notes', home)).split('\n').slice(5, 7)).toEqual(['2026-11-29', expect.stringMatching(/^00:00:01 ● model 1/)])
  })

  test('--run: only that run; one that is not there is named with those that are', async () => {
    const home = newFolder()
    const store = sqlite(join(home, 'sessions.db'))
    const agent = new Agent({ name: 'rondo', model: scripted(['First.', 'Second.']), store })
    for (const task of ['when is high tide?', 'and low tide?']) await agent.run(task, { session: 'notes' })
    const runs = new Set<string>()
    for await (const { runId } of store.load('notes')) if (runId !== undefined) runs.add(runId)
    await store.close()
    const [first = '', second = ''] = runs
    expect((await show('notes', home, { run: second })).match(/^[>│] .*$/gm)).toEqual(['> and low tide?', '│ Second.'])
    const json = (await show('notes', home, { run: first, json: true })).trimEnd().split('\n')
    expect(new Set(json.map((line) => JSON.parse(line).runId))).toEqual(new Set([undefined, first]))
    await expect(show('notes', home, { run: 'r\u001b' })).rejects.toThrow(
      `Session notes has no run r\\x1b. Its runs:\n  ${first}\n  ${second}`,
    )
  })

  test('without an id: the newest session', async () => {
    const home = await kept('first', [['session', { version: 1 }]])
    await kept('second', [['session', { version: 1 }]], home)
    expect(await show(undefined, home)).toMatch(/^session second begun /)
    await expect(show(undefined, newFolder())).rejects.toThrow(/^No session has been kept yet in .*sessions\.db\. Begin one: rondo run /)
  })

  test('--json: the entries as they are, one a line', async () => {
    const home = await kept('notes', [['session', { version: 1 }], asked])
    const lines = (await show('notes', home, { json: true })).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { v: 1, id: 'e1', seq: 1, at: noon, kind: 'session', data: { version: 1 } },
      { v: 1, id: 'e2', seq: 2, at: noon + 1000, kind: 'run.requested', runId: 'r1', data: asked[1] },
    ])
  })
})

describe('a session that is not there', () => {
  test('names the file and the newest sessions in it', async () => {
    const home = await kept('first', [['session', { version: 1 }]])
    await kept('second', [['session', { version: 1 }], asked], home)
    await expect(show('third\u001b', home)).rejects.toThrow(
      `There is no session third\\x1b. The newest in ${home}/sessions.db:\n  second  2026-11-28 12:00:01\n  first  2026-11-28 12:00:00`,
    )
  })

  test('where nothing has been kept, nothing is created', async () => {
    const home = newFolder()
    await expect(show('notes', home)).rejects.toThrow(`There is no session notes. No session has been kept yet in ${home}/sessions.db.`)
    expect(existsSync(join(home, 'sessions.db'))).toBe(false)
  })
})
