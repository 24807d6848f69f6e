import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { findSessions, type Gaps } from '../../src/cli/session-list/find.ts'
import { type SessionsFlags, sessionsCommand } from '../../src/cli/session-list/sessions-command.ts'
import { since } from '../../src/cli/session-list/since.ts'
import { type EntryData, type EntryKind, type Head, type NewEntry, noUsage, type SessionQuery, type Store } from '../../src/index.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { type FakeOptions, fakeTerminal } from './fake-terminal.ts'
import { newFolder } from './folders.ts'

type Bare = { [K in EntryKind]: readonly [K, EntryData[K]] }[EntryKind]

const at = (day: number, hour: number, minute: number) => new Date(2026, 10, day, hour, minute, 0).getTime()
const golden = readFileSync(fileURLToPath(new URL('golden/sessions.txt', import.meta.url)), 'utf8')

const began = (folder: string): Bare => ['session', { version: 1, metadata: { folder } }]
const asks = (text: string): Bare => [
  'run.requested',
  { agent: { name: 'rondo' }, input: [{ role: 'user', parts: [{ type: 'text', text }] }], task: 'run' },
]
const usage = { ...noUsage, inputTokens: 10, outputTokens: 5 }
const answers = (n: number, more = {}, parts: readonly object[] = []): Bare =>
  [
    'model.responded',
    { n, attempt: 1, message: { id: `m${n}`, role: 'assistant', parts }, finish: { unified: 'stop' }, usage: { ...usage, ...more } },
  ] as unknown as Bare

async function keep(store: Store, session: string, bodies: readonly Bare[], head?: Head): Promise<void> {
  const entries = bodies.map(([kind, data], index) => ({ v: 1, id: `e${index + 1}`, seq: index + 1, kind, data }) as unknown as NewEntry)
  await store.append(session, entries, { expectedSeq: 0, ...(head === undefined ? {} : { head }) })
}

const longFolder = '/home/ann/a/very/long/folder/whose/end/tells/it/from/another/one/of/the/same/length/notes'
let home = ''

/** Four sessions, kept between the 25th and ten minutes before the clock of the terminal. */
beforeAll(async () => {
  home = newFolder()
  let now = at(25, 12, 0)
  const store = sqlite(join(home, 'sessions.db'), { clock: () => now })
  await keep(store, 'old', [began('/home/ann')])
  now = at(28, 12, 30)
  await store.acquire('crashed', { owner: 'o', ttlMs: 1000 })
  await keep(store, 'crashed', [began('/srv/\u001b[2J'), asks('draw me a\n picture \u202e')], { status: 'model_running', pending: 0 })
  now = at(28, 12, 40)
  const bodies = [
    began(longFolder),
    asks(`find the largest files of this folder, and tell me which of them I can delete${' please'.repeat(99)}`),
    answers(1, { costUsd: 0.0012 }),
    asks('and now?'),
    answers(2, { costUsd: 0.0012, complete: false }),
  ]
  await keep(store, 's_054db6c3c2416ab6a10d1', bodies, { status: 'completed', reason: 'completed', pending: 0, agent: 'rondo' })
  now = at(28, 12, 50)
  const call = { type: 'tool-call', callId: 'm1.0', toolName: 'read_file', input: {} }
  await keep(store, 'waits', [began('/home/ann/tides'), asks('may I read the secrets of the tides?'), answers(1, {}, [call])], {
    status: 'awaiting_human',
    pending: 1,
  })
  await store.close()
})

async function sessions(flags: SessionsFlags = {}, options: FakeOptions = {}) {
  const terminal = fakeTerminal({ columns: 80, env: { RONDO_HOME: home }, ...options })
  const code = await sessionsCommand(flags, terminal)
  return { code, out: terminal.out, err: terminal.err }
}

/** The ids that are listed. */
async function ids(flags: SessionsFlags, options: FakeOptions = {}): Promise<readonly string[]> {
  const { code, out } = await sessions({ ...flags, json: true }, options)
  expect(code).toBe(0)
  return out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).sessionId)
}

const large = 's_054db6c3c2416ab6a10d1'

/** A store that tells how many entries of which session were read. */
function countReads(): { readonly read: Map<string, number>; restore(): void } {
  const read = new Map<string, number>()
  const prototype = Object.getPrototypeOf(sqlite(':memory:')) as Store
  const { load } = prototype
  prototype.load = async function* (this: Store, sessionId: string, afterSeq?: number) {
    for await (const entry of load.call(this, sessionId, afterSeq)) {
      read.set(sessionId, (read.get(sessionId) ?? 0) + 1)
      yield entry
    }
  }
  return {
    read,
    restore() {
      prototype.load = load
    },
  }
}

describe('rondo sessions', () => {
  test('lists id, status, time, folder and what was asked first, newest first, in 80 columns', async () => {
    const { code, out, err } = await sessions({ totals: true })
    expect([code, err]).toEqual([0, ''])
    expect(out).toBe(golden)
    const short = golden.split('\n').filter((line) => !/^ {2}(\d|\$)/.test(line))
    expect((await sessions()).out).toBe(short.join('\n'))
    expect(golden.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  test('--json: one session a line, with the numbers of its head', async () => {
    const { out } = await sessions({ json: true, limit: 2, totals: true })
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        sessionId: 'waits',
        status: 'awaiting_human',
        pending: 1,
        createdAt: at(28, 12, 50),
        updatedAt: at(28, 12, 50),
        entries: 3,
        folder: '/home/ann/tides',
        asked: 'may I read the secrets of the tides?',
        runs: 1,
        modelCalls: 1,
        toolCalls: 1,
        usage,
      },
      expect.objectContaining({ sessionId: large, status: 'completed', reason: 'completed', agent: 'rondo', runs: 2 }),
    ])
  })

  test('the filters: status, waiting, folder, since, words', async () => {
    expect(await ids({ status: ['completed', 'unknown'] })).toEqual([large, 'old'])
    expect(await ids({ status: ['interrupted'] })).toEqual(['crashed'])
    expect(await ids({ status: ['model_running'] })).toEqual([])
    expect(await ids({ waiting: true })).toEqual(['waits'])
    expect(await ids({ folder: '/home/ann' })).toEqual(['waits', large, 'old'])
    expect(await ids({ folder: '../ann/tides/' }, { cwd: '/home/bob' })).toEqual(['waits'])
    expect(await ids({ folder: '/home/ann/tid' })).toEqual([])
    expect(await ids({ folder: '/' })).toEqual(['waits', large, 'crashed', 'old'])
    expect(await ids({ here: true }, { cwd: '/home/ann/tides' })).toEqual(['waits'])
    expect(await ids({ since: '25m' })).toEqual(['waits', large])
    expect(await ids({ since: '2026-11-26' })).toEqual(['waits', large, 'crashed'])
    expect(await ids({ search: 'FILES largest' })).toEqual([large])
    expect(await ids({ search: 'tides', status: ['awaiting_human'], here: true }, { cwd: '/home/ann' })).toEqual(['waits'])
  })

  test('interrupted is one whose process is gone, not one that is at work', async () => {
    const busy = newFolder()
    const store = sqlite(join(busy, 'sessions.db'))
    await store.acquire('busy', { owner: 'o', ttlMs: 600_000 })
    await keep(store, 'busy', [began('/a'), asks('x')], { status: 'model_running', pending: 0 })
    await store.close()
    expect((await sessions({}, { env: { RONDO_HOME: busy } })).out).toMatch(/^busy · model_running · /)
  })

  test('--limit: the newest; that there are more is said', async () => {
    expect(await sessions({ limit: 3 })).toMatchObject({ code: 0, err: 'More sessions fit: --limit 15 lists more of them.\n' })
    expect(await sessions({ limit: 4 })).toMatchObject({ code: 0, err: '' })
    expect(await sessions({ limit: 1, status: ['completed'] })).toMatchObject({ code: 0, err: '' })
    expect((await sessions({ limit: 1, since: '1h' })).err).toMatch(/^More sessions fit/)
  })

  test('a journal is read as far as its first question, and as a whole only for --totals of a session that is listed', async () => {
    const counted = countReads()
    try {
      await sessions({ limit: 2 })
      expect([...counted.read]).toEqual([
        ['waits', 2],
        [large, 2],
      ])
      counted.read.clear()
      await sessions({ status: ['completed'], totals: true })
      expect([...counted.read]).toEqual([[large, 7]])
    } finally {
      counted.restore()
    }
  })

  test('nothing fits, or nothing has been kept: it says so, and creates nothing', async () => {
    expect(await sessions({ search: 'penguins' })).toEqual({
      code: 0,
      out: 'No session fits; rondo sessions without options lists the newest.\n',
      err: '',
    })
    const empty = newFolder()
    const out = `No session has been kept yet in ${empty}/sessions.db. Begin one: rondo run "what is in this folder?"\n`
    expect(await sessions({}, { env: { RONDO_HOME: empty } })).toEqual({ code: 0, out, err: '' })
    expect(await sessions({ json: true }, { env: { RONDO_HOME: empty } })).toEqual({ code: 0, out: '', err: '' })
    expect(existsSync(join(empty, 'sessions.db'))).toBe(false)
  })

  test('a session that can not be read is named and hides no other: exit code 2', async () => {
    const broken = newFolder()
    const store = sqlite(join(broken, 'sessions.db'))
    await keep(store, 'good', [began('/a'), asks('x')])
    const odd = { v: 'x', id: 'e1', seq: 1, kind: 'custom', data: { type: 'odd' } } as unknown as NewEntry
    await store.append('bad', [odd], { expectedSeq: 0 })
    await store.close()
    const { code, out, err } = await sessions({}, { env: { RONDO_HOME: broken } })
    expect([code, out]).toEqual([2, expect.stringMatching(/^bad · .*\n {2}\(can't be read\)\ngood · .*\n {2}> x\n$/)])
    expect(err).toMatch(/^Session bad can't be read: .*entry 1 can't be read.*\n$/)
  })
})

test('a filter that has looked at all sessions does not say that it has not; one that has looked at the newest 10,000 does', async () => {
  for (const [kept, isCut] of [
    [10_000, false],
    [10_001, true],
  ] as const) {
    const summary = (_: unknown, index: number) => ({ sessionId: `s${index}`, seq: 1, createdAt: 0, updatedAt: 0 })
    const summaries = Array.from({ length: kept }, summary)
    const store = {
      list: ({ limit, ownerLost }: SessionQuery = {}) => Promise.resolve(ownerLost ? [] : summaries.slice(0, limit)),
    } as unknown as Store
    const gaps: Gaps = { more: false, headsCut: false, beginningsCut: false, unread: 0 }
    const found = findSessions({ status: ['failed'], limit: 20 }, store, fakeTerminal(), gaps)
    expect([(await found.next()).done, gaps.headsCut]).toEqual([true, isCut])
  }
})

describe('--since', () => {
  const now = at(28, 13, 0)

  test('takes ages and ISO dates, without a zone in that of the process', () => {
    const minute = 60_000
    expect(['30m', '3h', '2d', '1w'].map((text) => now - since(text, now))).toEqual([30, 180, 2880, 10_080].map((each) => each * minute))
    expect(since('2026-11-28', now)).toBe(at(28, 0, 0))
    expect(since('2026-11-28T12:30', now)).toBe(at(28, 12, 30))
    expect(since('2026-11-28 12:30:15Z', now)).toBe(Date.UTC(2026, 10, 28, 12, 30, 15))
    expect(since('2026-11-28T12:30+02:00', now)).toBe(Date.UTC(2026, 10, 28, 10, 30))
  })

  test('refuses what is no time, and says what is', () => {
    for (const text of ['', '2', '2y', '-2d', '2026-02-30', '2026-13-01', '2026-11-28T24:00', '2026-11-28T12:60', 'yesterday', '1e3h'])
      expect(() => since(text, now), text).toThrow(/ is no time\. Say how long ago \(30m, 3h, 2d, 1w\) or since when \(2026-11-28, /)
  })
})
