import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { showCommand } from '../../src/cli/show-command.ts'
import type { EntryData, EntryKind, NewEntry } from '../../src/index.ts'
import { noUsage } from '../../src/index.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
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

async function show(session: string, home: string, flags = {}): Promise<string> {
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
const answer: Bare = [
  'model.responded',
  {
    n: 2,
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
      answer,
      ['run.finished', { status: 'completed', reason: 'completed', text: 'Noon.' }],
    ])
    expect(await show('notes', home)).toBe(`session notes begun 2026-11-28 12:00:00 in /home/ann/tides

run r1 · 2026-11-28 12:00:01
> when is
> high tide?\\x1b[2J

│ I look.

✗ read_file    path=b.csv                                         error     3 ms
  No file b.csv.
✓ read_file    path=a.csv                                       2 lines    1.2 s

│ Noon.\\x9b

completed · 2 iterations · 2 tool calls · 30 tokens (20 in, 10 out) · 10.0 s
`)
  })

  test('a session that is not done says so, and which calls have not settled', async () => {
    const home = await kept('notes', [['session', { version: 1 }], asked, claimed, started(1), calls])
    expect((await show('notes', home)).split('\n').slice(-6)).toEqual([
      '',
      '· read_file has not settled',
      '· read_file has not settled',
      '',
      'unfinished',
      '',
    ])
  })

  test('calls that wait for an answer stand at the end, with the command that answers them', async () => {
    const home = await parked({ calls: [{ name: 'search_text', input: { path: 'x' } }, readTides, { name: 'pay', input: { path: 'y' } }] })
    // Where engines are torn down at every rest (--mode suspend) the run is resumed on the way.
    const told = (await show('notes', home)).replace(/^· .* resumed\n/gm, '')
    const lines = told.replace(/waits for [\d-]+ \w+/g, 'waits for AGE').split('\n')
    expect(lines.slice(4).map((line) => line.replace(/^· \S+ \S+ /, '· DATE '))).toEqual([
      '',
      '· DATE search_text waits (client)',
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
    const home = await kept('notes', [asked, started(1), calls, ok('m1.0'), ok('m1.1'), started(2), more, ok('m2.0'), started(3), answer])
    expect((await show('notes', home)).split('\n').slice(4)).toEqual([
      '',
      '│ I look.',
      '',
      '✓ read_file    path=a.csv                                            ok     1 ms',
      '✓ read_file    path=b.csv                                            ok     1 ms',
      '✓ read_file    path=c.csv                                            ok     1 ms',
      '',
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
      '· 2026-11-28 12:00:05 approval of read_file m1.0: allow by ann, with other arguments',
      '· 2026-11-28 12:00:06 approval of read_file m1.1: allow',
      '– read_file    path=secrets.csv                                  denied',
      '  Not run: secrets',
      '✓ read_file    path=hooked.csv                                       ok     1 ms',
    ])
  })

  test('what a model says passes for no line of the journal', async () => {
    const text =
      'Well.\n\n✓ pay          to=ACME                   ok\r\n· 2026-11-28 12:00:05 approval of pay m1.0: allow by ann\n\ncompleted'
    const message = { id: 'm1', role: 'assistant', parts: [{ type: 'text', text }] } as const
    const responded: Bare = ['model.responded', { n: 1, attempt: 1, message, finish: { unified: 'stop' }, usage }]
    const home = await kept('notes', [asked, started(1), responded])
    expect((await show('notes', home)).split('\n').slice(5, 12)).toEqual([
      '│ Well.',
      '│',
      '│ ✓ pay          to=ACME                   ok',
      '│ · 2026-11-28 12:00:05 approval of pay m1.0: allow by ann',
      '│',
      '│ completed',
      '',
    ])
  })

  test('what happens on the way is a line each; hidden messages are not shown', async () => {
    const failure = { code: 'ModelServerError', category: 'model', message: 'HTTP 500', retryable: true } as const
    const home = await kept('notes', [
      ['session', { version: 1 }],
      asked,
      ['message', { origin: 'steer', message: says('in metres') }],
      ['message', { origin: 'nudge', message: says('go on'), hidden: true }],
      ['control', { action: 'pause' }],
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
      '· 2026-11-28 12:00:04 pause',
      '· 2026-11-28 12:00:05 resume',
      '· 2026-11-28 12:00:06 resumed',
      '· 2026-11-28 12:00:07 model call failed: HTTP 500 It is asked again in 2.0 s.',
      '· 2026-11-28 12:00:08 a call waits (suspended)',
      '· 2026-11-28 12:00:09 approval: allow by ann',
      '· 2026-11-28 12:00:10 the history was revised (compaction)',
      '',
      'aborted · 0 iterations · 0 tool calls · at least 0 tokens · 11.0 s',
      'Interrupted by Ctrl-C.',
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
    expect((await show('notes', home)).split('\n').slice(6, 8)).toEqual([
      '· 2026-11-28 12:00:07 read_file goes on in the background',
      expect.stringMatching(/^✓ read_file .*c\.csv.* 1\.5 s$/),
    ])
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
