import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ApprovalsFlags, approvalsCommand } from '../../src/cli/approvals-command.ts'
import type { NewEntry } from '../../src/index.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { type FakeOptions, fakeTerminal } from './fake-terminal.ts'
import { newFolder } from './folders.ts'
import { parked, readTides } from './parked.ts'

async function approvals(home: string, flags: ApprovalsFlags = {}, options: FakeOptions = {}) {
  const terminal = fakeTerminal({ columns: 80, env: { RONDO_HOME: home }, ...options })
  const code = await approvalsCommand(flags, terminal)
  return { code, out: terminal.out, err: terminal.err }
}

/** Half an hour before the clock of the terminal. */
const halfPastNoon = new Date(2026, 10, 28, 12, 30, 0).getTime()
const clock = () => halfPastNoon

interface Asked {
  readonly toolName?: string
  readonly input: { readonly [name: string]: string }
  readonly approval?: { readonly risk?: string; readonly reason?: string; readonly expiresAt?: number }
}

/** A session that waits since half past noon. */
async function waiting(session: string, asked: readonly Asked[], { home = newFolder(), folder = '/home/ann/tides' } = {}): Promise<string> {
  const parts = asked.map(({ toolName = 'read_file', input }, index) => ({ type: 'tool-call', callId: `m1.${index}`, toolName, input }))
  const message = { id: 'm1', role: 'assistant', parts }
  const usage = { inputTokens: 1, outputTokens: 1, complete: true }
  const input = [{ role: 'user', parts: [{ type: 'text', text: 'look' }] }]
  const bodies = [
    ['session', { version: 1, metadata: { folder } }],
    ['run.requested', { agent: { name: 'rondo' }, input, task: 'run' }],
    ['run.claimed', { owner: 'o', cause: 'start', engine: '0.1.0' }],
    ['model.started', { n: 1, attempt: 1, purpose: 'main', contextThrough: 2 }],
    ['model.responded', { n: 1, attempt: 1, message, finish: { unified: 'tool-calls' }, usage }],
    ...asked.map(({ approval = {} }, index) => ['call.prepared', { callId: `m1.${index}`, effect: 'read', executor: 'local', approval }]),
  ] as const
  const entries = bodies.map(([kind, data], index) => {
    const run = index === 0 ? {} : { runId: 'r1', ...(index === 1 ? {} : { epoch: 1 }) }
    return { v: 1, id: `e${index + 1}`, seq: index + 1, kind, data, ...run } as unknown as NewEntry
  })
  const store = sqlite(join(home, 'sessions.db'), { clock })
  const head = { status: 'awaiting_human', pending: asked.length } as const
  await store.append(session, entries, { expectedSeq: 0, head })
  await store.close()
  return home
}

describe('rondo approvals', () => {
  test('lists each call with arguments, risk, reason, times, and the command that answers it', async () => {
    const home = await waiting('first', [{ input: { path: 'a.csv' }, approval: { risk: 'low', expiresAt: halfPastNoon + 7_200_000 } }])
    const asked: Asked[] = [
      { input: { path: 'b\u001b[2J.csv', more: 'word '.repeat(20).trim() }, approval: { risk: 'high', reason: 'it holds\nsecrets\u202e' } },
      { toolName: 'pay', input: { to: 'ACME' }, approval: { expiresAt: halfPastNoon } },
    ]
    await waiting('s\u001b cond', asked, { home })
    expect(await approvals(home)).toEqual({
      code: 0,
      err: '',
      out: `session s\\x1b cond · /home/ann/tides

? read_file m1.0 · high risk · waits for 30 min
  │ path="b\\u001b[2J.csv" more="word word word word word word word word word
  │ word word word word word word word word word word word"
  Why: it holds secrets\\u202e
  rondo resume $'s\\x1b cond' --approve m1.0

? pay m1.1 · waits for 30 min · expired 2026-11-28 12:30:00
  │ to=ACME
  To be answered in the program that has the tool pay: this command lacks it.

session first · /home/ann/tides

? read_file m1.0 · low risk · waits for 30 min
  expires in 90 min (2026-11-28 14:30:00)
  │ path=a.csv
  rondo resume first --approve m1.0

3 calls wait for an approval in 2 sessions.
--deny instead of --approve refuses a call, and --reason "…" tells the model
why. --approve all and --deny all answer all calls of a session.
`,
    })
  })

  test('a narrow screen breaks lines at words, commands are whole', async () => {
    const home = await waiting('notes', [
      { input: { path: 'a/long/path/that/does/not/fit.csv' }, approval: { risk: 'medium', reason: 'a reason of some length' } },
    ])
    expect((await approvals(home, {}, { columns: 30 })).out).toBe(`session notes
  /home/ann/tides

? read_file m1.0 · medium risk
  waits for 30 min
  │ path=a/long/path/that/does
  │ /not/fit.csv
  Why: a reason of some length
  rondo resume notes --approve m1.0

1 call waits for an approval in 1 session.
--deny instead of --approve
refuses a call, and --reason
"…" tells the model why.
`)
  })

  test('in a pipe each thing is one line and nothing is coloured; a screen has colours', async () => {
    const home = await waiting('notes', [{ input: { path: 'word '.repeat(60).trim() }, approval: { risk: 'high' } }])
    const { out } = await approvals(home, {}, { columns: undefined as never })
    expect(out.split('\n')[3]).toBe(`  │ path="${'word '.repeat(60).trim()}"`)
    expect(out).not.toContain('\u001b')
    expect((await approvals(home, {}, { color: true })).out).toContain('\u001b[31mhigh risk\u001b[39m')
  })

  test('arguments without end are cut, and say where all of them are', async () => {
    const home = await waiting('notes', [{ input: { path: 'x'.repeat(5000) } }])
    const { out } = await approvals(home)
    expect([out.length < 5000, out.replace(/\n {2}│ (?=\S*x)/g, '').replaceAll('\n  │ ', ' ')]).toEqual([
      true,
      expect.stringContaining('x… (1,005 characters more: --json shows them)'),
    ])
  })

  test('arguments and reason can not pass for a line of the command, for other arguments, or for what they are not', async () => {
    const command = 'rondo resume notes --approve m9.9'
    const input = { 'path=safe.csv more': 'x', path: `${'x'.repeat(70)} ${command} y`, to: 'AC\u200bME\u{e0041}\u3164\u200f' }
    const home = await waiting('notes', [{ input, approval: { reason: `${'w'.repeat(68)} ${command}` } }])
    expect((await approvals(home)).out.split('\n').slice(2, 10)).toEqual([
      '? read_file m1.0 · waits for 30 min',
      '  │ "path=safe.csv more"=x',
      `  │ path="${'x'.repeat(70)}`,
      `  │ ${command} y" to="AC\\u200bME\\u{e0041}\\u3164\\u200f"`,
      `  Why: ${'w'.repeat(68)}`,
      `       ${command}`,
      '  rondo resume notes --approve m1.0',
      '',
    ])
  })

  test('a session that begins with a dash is no option of the command that answers it', async () => {
    const home = await waiting('--all', [{ input: {} }])
    expect((await approvals(home)).out).toContain('\n  rondo resume --approve m1.0 -- --all\n')
  })

  test('--json: a call a line, with all there is; a tool that the command lacks has no command', async () => {
    const home = await waiting('notes', [
      { input: { path: 'a\u001b' }, approval: { risk: 'high', reason: 'why', expiresAt: halfPastNoon } },
      { toolName: 'pay', input: {} },
    ])
    const { code, out, err } = await approvals(home, { json: true })
    expect([code, err, out.includes('\u001b')]).toEqual([0, '', false])
    const session = { sessionId: 'notes', folder: '/home/ann/tides', waitingSince: halfPastNoon }
    const first = {
      callId: 'm1.0',
      toolName: 'read_file',
      input: { path: 'a\u001b' },
      risk: 'high',
      reason: 'why',
      expiresAt: halfPastNoon,
    }
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { ...session, ...first, command: 'rondo resume notes --approve m1.0' },
      { ...session, callId: 'm1.1', toolName: 'pay', input: {} },
    ])
  })

  test('npx is named where it was used', async () => {
    const home = await waiting('notes', [{ input: {} }])
    expect((await approvals(home, {}, { env: { RONDO_HOME: home, npm_lifecycle_event: 'npx' } })).out).toContain(
      '\n  npx rondo resume notes --approve m1.0\n',
    )
  })

  test('only approvals: not what waits for a result from outside', async () => {
    const home = await parked({ calls: [{ name: 'search_text', input: { path: 'a' } }] })
    await parked({ home, session: 'both', calls: [{ name: 'search_text', input: { path: 'a' } }, readTides] })
    const { out } = await approvals(home)
    expect([out.match(/^session .*$/gm), out.match(/^\? \S+ \S+/gm)]).toEqual([['session both'], ['? read_file m1.1']])
  })

  test('nothing waits: one line, with --json none; where nothing has been kept nothing is created', async () => {
    const empty = newFolder()
    const kept = newFolder()
    const store = sqlite(join(kept, 'sessions.db'))
    await store.append('notes', [{ v: 1, id: 'e1', seq: 1, kind: 'session', data: { version: 1 } }], { expectedSeq: 0 })
    await store.close()
    for (const home of [empty, kept]) {
      expect(await approvals(home)).toEqual({ code: 0, out: 'No call waits for an approval.\n', err: '' })
      expect(await approvals(home, { json: true })).toEqual({ code: 0, out: '', err: '' })
    }
    expect(existsSync(join(empty, 'sessions.db'))).toBe(false)
  })

  test('a session that can not be read is named and hides no other: exit code 2', async () => {
    const home = await waiting('notes', [{ input: {} }])
    const store = sqlite(join(home, 'sessions.db'), { clock })
    const claim = { v: 1, id: 'e1', seq: 1, kind: 'run.claimed', runId: 'r1', data: { owner: 'o', cause: 'start', engine: '0' } } as const
    await store.append('odd', [claim], { expectedSeq: 0, head: { status: 'awaiting_human', pending: 1 } })
    await store.close()
    const { code, out, err } = await approvals(home)
    expect([code, out.match(/^session .*$/gm)]).toEqual([2, ['session notes · /home/ann/tides']])
    expect(err).toMatch(/^Session odd can't be read: .*\n$/)
  })
})
