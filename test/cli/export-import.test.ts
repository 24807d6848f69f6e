import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { rondo } from '../../src/cli/program.ts'
import { maxFileBytes } from '../../src/cli/transfer/format.ts'
import { readExport } from '../../src/cli/transfer/read-export.ts'
import { newFile } from '../../src/cli/transfer/write-file.ts'
import { writeSession } from '../../src/cli/transfer/write-session.ts'
import { entryKinds } from '../../src/core/entry.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { loadDriver } from '../../src/stores/sqlite-driver.ts'
import { type FakeOptions, fakeTerminal } from './fake-terminal.ts'
import { newFolder } from './folders.ts'
import { parked } from './parked.ts'
import { blobIn, entriesIn, everyKind, keptSession, noon } from './transfer.ts'

async function run(home: string, args: readonly string[], options: FakeOptions = {}) {
  const terminal = fakeTerminal({ columns: 80, env: { RONDO_HOME: home, RONDO_MODEL: 'offline' }, cwd: newFolder(), ...options })
  const code = await rondo(args, '1.2.3', terminal)
  return { code, out: terminal.out, err: terminal.err }
}

const failed = { status: 'failed', reason: 'tool_failure', pending: 0, agent: 'rondo' } as const
const bytes = (text: string) => new TextEncoder().encode(text)

/** A session with an entry of each kind and two blobs. */
async function rich(): Promise<{ readonly home: string; readonly file: string; readonly refs: readonly string[] }> {
  const home = newFolder()
  const refs = [
    await blobIn(
      home,
      Uint8Array.from({ length: 70_000 }, (_, index) => index % 251),
    ),
    await blobIn(home, bytes('')),
  ]
  const [picture = '', shown = ''] = refs
  await keptSession(everyKind({ picture, shown }), { home, head: failed })
  const file = join(newFolder(), 'notes.jsonl')
  expect(await run(home, ['export', 'notes', file])).toEqual({
    code: 0,
    out: `Session notes is in ${file}: 17 entries and 2 blobs.\n`,
    err: '',
  })
  return { home, file, refs }
}

/** The lines of a small export: header, two entries, end. */
async function small(): Promise<readonly string[]> {
  const home = await keptSession(everyKind({ picture: '', shown: '' }).slice(0, 1), { head: { status: 'idle', pending: 0 } })
  const { out } = await run(home, ['export', 'notes'])
  return out.trimEnd().split('\n')
}

/** An export of these lines, with an end that fits them. */
function sealed(lines: readonly string[], more: { readonly entries?: number; readonly blobs?: number } = {}): string {
  const body = lines.map((line) => `${line}\n`).join('')
  const blobs = lines.filter((line) => line.startsWith('{"blob"')).length
  const end = { entries: lines.length - 1 - blobs, blobs, ...more, sha256: createHash('sha256').update(body).digest('hex') }
  return `${body}${JSON.stringify({ end })}\n`
}

describe('rondo export and import', () => {
  test('a session with each kind of entry and with blobs comes out of another file as it went in, byte for byte', async () => {
    const { home, file, refs } = await rich()
    const there = newFolder()
    expect(await run(there, ['import', file])).toEqual({
      code: 0,
      out: 'Session notes is imported: 17 entries and 2 blobs. Next: rondo show notes\n',
      err: expect.stringMatching(/^It can be shown, but a run can't go on with it: .*\n$/),
    })
    const [before, after] = [await entriesIn(home), await entriesIn(there)]
    expect(JSON.stringify(after)).toBe(JSON.stringify(before))
    expect(new Set(after.map(({ kind }) => kind))).toEqual(new Set(Object.keys(entryKinds)))
    const again = join(newFolder(), 'again.jsonl')
    await run(there, ['export', 'notes', again])
    expect(readFileSync(again, 'utf8')).toBe(readFileSync(file, 'utf8'))
    const store = sqlite(join(there, 'sessions.db'))
    expect((await Promise.all(refs.map((ref) => store.blobs.get(ref)))).map((found) => found?.length)).toEqual([70_000, 0])
    expect(await store.list()).toEqual([{ sessionId: 'notes', seq: 17, createdAt: noon, updatedAt: before.at(-1)?.at, head: failed }])
    await store.close()
  })

  test('through standard output and input, under another id', async () => {
    const { home } = await rich()
    const { code, out } = await run(home, ['export', 'notes', '-'])
    expect(code).toBe(0)
    const json = await run(home, ['import', '-', '--as', 'copy', '--json'], { input: out })
    expect([json.code, JSON.parse(json.out)]).toEqual([0, { sessionId: 'copy', status: 'failed', entries: 17, blobs: 2, missingBlobs: 0 }])
    expect(JSON.stringify(await entriesIn(home, 'copy'))).toBe(JSON.stringify(await entriesIn(home)))
  })

  test('a session that waits for an approval goes on elsewhere', async () => {
    const home = await parked()
    const cwd = newFolder({ 'tides.csv': 'hour,metres\n12,4.1\n' })
    const exported = await run(home, ['export', 'notes'])
    expect([exported.code, exported.err]).toEqual([
      0,
      expect.stringMatching(/^Session notes has not ended \(awaiting_human\): this is how it stood at entry \d+\.\n$/),
    ])
    const there = newFolder()
    const imported = await run(there, ['import', '-'], { input: exported.out })
    expect(imported).toMatchObject({ code: 0, out: expect.stringMatching(/ Next: rondo resume notes\n$/), err: '' })
    expect((await run(there, ['approvals'])).out).toContain('? read_file m1.0 · high risk')
    const { code, err } = await run(there, ['resume', 'notes', '-v', '--approve', 'm1.0'], { cwd })
    expect([code, err]).toEqual([0, expect.stringContaining('[ACT] Executing tool: read_file\n')])
    expect((await entriesIn(there)).at(-1)?.kind).toBe('run.finished')
  })

  test('a folder that is not here is named with the option that replaces it', async () => {
    const home = await parked({ folder: '/nowhere/tides' })
    const { out } = await run(home, ['export', 'notes'])
    expect((await run(newFolder(), ['import', '-'], { input: out })).err).toBe(
      'It began in /nowhere/tides, which is not here: rondo resume notes --cwd FOLDER reads another one.\n',
    )
  })

  test('blobs that the store has lost are told at both ends, and hinder nothing', async () => {
    const lost = `sha256:${'0'.repeat(64)}`
    const home = await keptSession(everyKind({ picture: lost, shown: lost }), { head: failed })
    const exported = await run(home, ['export', 'notes'])
    expect([exported.code, exported.err]).toEqual([0, `Blob ${lost} is not in the store. The export is without it.\n`])
    const { code, err } = await run(newFolder(), ['import', '-'], { input: exported.out })
    expect([code, err.split('\n')[0]]).toEqual([0, '1 picture or file that it refers to are not in the export: models will not see them.'])
  })
})

describe('rondo export', () => {
  test('a file is for its owner only; one that is there is replaced with --force only; nothing else is left in the folder', async () => {
    const home = await keptSession(everyKind({ picture: '', shown: '' }).slice(0, 1))
    const folder = newFolder({ 'there.jsonl': 'mine' })
    const at = (name: string) => join(folder, name)
    expect((await run(home, ['export', 'notes', 'new.jsonl'], { cwd: folder })).code).toBe(0)
    expect(statSync(at('new.jsonl')).mode & 0o777).toBe(0o600)
    expect(await run(home, ['export', 'notes', at('there.jsonl')])).toEqual({
      code: 2,
      out: '',
      err: `rondo: ${at('there.jsonl')} is there already. Name another file, or replace it with --force.\n`,
    })
    expect(readFileSync(at('there.jsonl'), 'utf8')).toBe('mine')
    const forced = await run(home, ['export', 'notes', at('there.jsonl'), '--force', '--json'])
    expect([forced.code, JSON.parse(forced.out)]).toEqual([
      0,
      { sessionId: 'notes', file: at('there.jsonl'), format: 'jsonl', entries: 1, blobs: 0, missingBlobs: 0 },
    ])
    expect(readFileSync(at('there.jsonl'), 'utf8')).toBe(readFileSync(at('new.jsonl'), 'utf8'))
    expect(readdirSync(folder).sort()).toEqual(['new.jsonl', 'there.jsonl'])
  })

  test('a file that came while the export was written is left as it is', () => {
    const folder = newFolder()
    const path = join(folder, 'x.jsonl')
    const file = newFile(path, false)
    file.write('ours')
    writeFileSync(path, 'theirs')
    expect(() => file.finish()).toThrow(`${path} is there already. Name another file, or replace it with --force.`)
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['theirs', ['x.jsonl']])
  })

  test('what is no file is never replaced, a folder that is missing is named', async () => {
    const home = await keptSession(everyKind({ picture: '', shown: '' }).slice(0, 1))
    const folder = newFolder({ real: 'mine' })
    mkdirSync(join(folder, 'sub'))
    symlinkSync(join(folder, 'real'), join(folder, 'link'))
    for (const name of ['sub', 'link'])
      expect((await run(home, ['export', 'notes', join(folder, name), '--force'])).err).toBe(
        `rondo: ${join(folder, name)} is no regular file: nothing is written there. Name a new file.\n`,
      )
    expect((await run(home, ['export', 'notes', join(folder, 'no', 'x')])).err).toBe(
      `rondo: ${join(folder, 'no', 'x')} can't be written: there is no folder ${join(folder, 'no')}.\n`,
    )
    expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('mine')
    expect(readdirSync(folder).sort()).toEqual(['link', 'real', 'sub'])
  })

  test('no such session, flags that need a file: exit code 2', async () => {
    const home = await keptSession(everyKind({ picture: '', shown: '' }).slice(0, 1))
    const file = join(newFolder(), 'x')
    expect((await run(home, ['export', 'none', file])).err).toMatch(/^rondo: There is no session none\. The newest in .*\n {2}notes /)
    expect(existsSync(file)).toBe(false)
    expect((await run(newFolder(), ['export', 'none'])).err).toMatch(/^rondo: There is no session none\. No session has been kept yet/)
    expect((await run(home, ['export', 'notes', '--json'])).code).toBe(2)
    expect((await run(home, ['export', 'notes', '--force'])).code).toBe(2)
    expect((await run(home, ['export', 'notes', '--format', 'pdf'])).err).toContain('Allowed choices are jsonl, markdown.')
  })

  test('Ctrl-C in the middle leaves no file behind', async () => {
    const home = newFolder()
    const picture = await blobIn(home, new Uint8Array(2_000_000))
    await keptSession(everyKind({ picture, shown: picture }), { home })
    const folder = newFolder()
    const terminal = fakeTerminal({ env: { RONDO_HOME: home }, cwd: folder })
    const done = rondo(['export', 'notes', 'x.jsonl'], '1.2.3', terminal)
    while (readdirSync(folder).length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\.x\.jsonl\.[0-9a-f]+\.tmp$/)])
    terminal.interrupt('SIGINT')
    expect([terminal.exits, readdirSync(folder)]).toEqual([[130], []])
    // A process would have ended here.
    await done
    expect(readdirSync(folder)).toEqual([])
  })

  test('--format markdown: a transcript in which nothing that others wrote is rendered', async () => {
    const call = { type: 'tool-call', callId: 'm1.0', toolName: 'read_file', input: { path: 'a\u200b.csv' } } as const
    const text = { type: 'text', text: 'I look. ![](http://example.com/spy.png)\u001b' } as const
    const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, complete: true }
    const home = await keptSession([
      ['session', { version: 1, metadata: { folder: '/home/ann/tides' } }],
      [
        'run.requested',
        { agent: { name: 'rondo' }, input: [{ role: 'user', parts: [{ type: 'text', text: 'when is\n```\n## Run `r2`' }] }], task: 'run' },
      ],
      ['model.started', { n: 1, attempt: 1, purpose: 'main', contextThrough: 2 }],
      [
        'model.responded',
        { n: 1, attempt: 1, message: { id: 'm1', role: 'assistant', parts: [text, call] }, finish: { unified: 'tool-calls' }, usage },
      ],
      ['call.prepared', { callId: 'm1.0', effect: 'read', executor: 'local', arguments: { path: 'b.csv' }, approval: {} }],
      ['approval.decided', { request: 'e5', decision: 'allow', by: 'ann`s cat' }],
      ['call.settled', { callId: 'm1.0', settlement: { outcome: 'ok', output: { text: '12:00' } }, by: 'tool' }],
      ['run.finished', { status: 'completed', reason: 'completed', text: '' }],
    ])
    const golden = readFileSync(fileURLToPath(new URL('golden/transcript.md', import.meta.url)), 'utf8')
    expect(await run(home, ['export', 'notes', '--format', 'markdown'])).toEqual({ code: 0, out: golden, err: '' })
  })
})

describe('rondo import', () => {
  test('a session that is there is left as it is', async () => {
    const { home, file, refs } = await rich()
    const [picture = '', shown = ''] = refs
    const before = await entriesIn(home)
    expect(await run(home, ['import', file])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(
        /rondo: Session notes is there already, just as it is in the file\. Nothing was imported; --as ID imports it/,
      ),
    })
    const other = await keptSession([['custom', { type: 'mine' }]])
    const earlier = await keptSession(everyKind({ picture, shown }).slice(0, 5), { head: { status: 'model_running', pending: 0 } })
    for (const there of [other, earlier])
      expect((await run(there, ['import', file])).err).toMatch(/rondo: Session notes is there already\. Nothing was imported/)
    expect([await entriesIn(home), (await entriesIn(other)).length, (await entriesIn(earlier)).length]).toEqual([before, 1, 5])
  })

  test('what is no whole export of ours is refused with its line, and nothing is created', async () => {
    const [header = '', entry = '', end = ''] = await small()
    const other = (changes: object) => JSON.stringify({ ...JSON.parse(entry), ...changes })
    const second = other({ id: 'e2', seq: 2 })
    const blob = JSON.stringify({ blob: `sha256:${createHash('sha256').update('x').digest('hex')}`, base64: 'eA==' })
    const deep = `${'['.repeat(300)}${']'.repeat(300)}`
    const rows: [string, number, string][] = [
      ['', 0, 'is empty'],
      ['hello\n', 1, 'is not the first one of a session that rondo export has written'],
      [`${entry}\n`, 1, 'is not the first one of a session that rondo export has written'],
      [
        sealed([header.replace('"version":1', '"version":2'), entry]),
        1,
        'says that a newer rondo wrote it (version 2, this one reads 1): update rondo',
      ],
      [sealed([header.replace('"version":1', '"version":"1"'), entry]), 1, 'is not the first one'],
      [sealed([header.replace('"notes"', '7'), entry]), 1, 'names no session'],
      [sealed([header.replace('"idle"', '"busy"'), entry]), 1, 'has a head that is wrong'],
      [`${header}\n${entry}\n`, 2, 'is the last one, and the end of the export is missing: the file was cut'],
      [`${header}\n${entry}\n${end.slice(0, -4)}`, 3, 'has no end: the file was cut'],
      [`${header}\n${entry}\n${end}\n${entry}\n`, 4, 'stands after the end of the export'],
      [`${header}\n${entry.replace('/tmp', '/etc')}\n${end}\n`, 3, 'has another checksum than what stands above it'],
      [sealed([header, entry, '']), 3, 'is no JSON object'],
      [sealed([header, '[]']), 2, 'is no JSON object'],
      [sealed([header, entry], { entries: 2 }), 3, 'counts other entries or blobs than the 1 and 0 above it: lines are missing'],
      [sealed([header]), 2, 'ends a session without an entry'],
      [sealed([header, entry, blob]), 4, 'ends a file with a blob that no entry refers to'],
      [sealed([header, blob.replace('eA==', 'eQ=='), entry]), 2, 'is a blob whose bytes are not those that its name says'],
      [sealed([header, blob.replace('eA==', 'eA'), entry]), 2, 'is a blob whose base64 is damaged'],
      [sealed([header, blob, blob, entry]), 3, 'is a blob that the file holds already'],
      [sealed([header, '{"blob":"../x","base64":""}', entry]), 2, 'is no blob'],
      [sealed([header, second]), 2, 'is entry 2 where 1 follows'],
      [sealed([header, entry, other({ id: 'e3', seq: 3 })]), 3, 'is entry 3 where 2 follows'],
      [sealed([header, entry, entry]), 3, 'is entry 1 where 2 follows'],
      [sealed([header, entry, other({ seq: 2 })]), 3, 'has the id e1 of an entry before it'],
      [sealed([header, entry, other({ id: 'e2', seq: 2, at: noon - 1 })]), 3, 'is older than the entry before it'],
      [sealed([header, other({ v: 2 })]), 2, 'is an entry of a newer version (v 2): update rondo'],
      [sealed([header, other({ at: -1 })]), 2, 'is no entry: its at is wrong'],
      [sealed([header, other({ at: 1e17 })]), 2, 'is no entry: its at is wrong'],
      [sealed([header, other({ id: '' })]), 2, 'is no entry: its id is wrong'],
      [sealed([header, other({ id: '\ud800' })]), 2, 'is no entry: its id is wrong'],
      [sealed([header, other({ seq: 1.5 })]), 2, 'is no entry: its seq is wrong'],
      [sealed([header, other({ data: undefined })]), 2, 'is no entry: its data is missing'],
      [sealed([header, other({ color: 'red' })]), 2, 'is no entry: it has a field "color"'],
      [sealed([header, other({ kind: 'toString' })]), 2, 'is an entry of a kind that is not known ("toString")'],
      [sealed([header, other({ kind: 'message' })]), 2, 'is no entry of kind message: its origin is missing'],
      [sealed([header, other({ kind: 'custom', data: { type: 'x', data: JSON.parse(deep) } })]), 2, 'is nested more than 256 levels deep'],
      [sealed([header.replace('"version":1', `"version":1,"more":${deep}`), entry]), 1, 'is nested more than 256 levels deep'],
      [sealed([header, entry.replace('"version":1', '"version":1,"n":1e999')]), 2, 'is not written as an export writes it'],
      [sealed([header, entry.replace('{"v":1', '{"v":1,"v":1')]), 2, 'is not written as an export writes it'],
      [sealed([header, `${entry} `]), 2, 'is not written as an export writes it'],
    ]
    for (const [text, line, why] of rows) {
      const home = newFolder()
      const where = line === 0 ? 'Standard input' : `Standard input, line ${line}`
      const { code, out, err } = await run(home, ['import', '-'], { input: text })
      expect([code, out, err], text).toEqual([2, '', expect.stringContaining(`rondo: ${where} ${why}`)])
      expect(err).toMatch(/Nothing was imported\.\n$/)
      expect(readdirSync(home)).toEqual([])
    }
  })

  test('bytes that are no UTF-8 are refused with their line', async () => {
    const [header = '', entry = ''] = await small()
    const file = join(newFolder(), 'x')
    writeFileSync(file, Buffer.concat([Buffer.from(`${header}\n`), Buffer.from([0xff, 10]), Buffer.from(`${entry}\n`)]))
    const home = newFolder()
    expect((await run(home, ['import', file])).err).toBe(`rondo: ${file}, line 2 holds a byte that is no UTF-8. Nothing was imported.\n`)
    expect(readdirSync(home)).toEqual([])
  })

  // A file without an end, as Unix has one.
  test.skipIf(!existsSync('/dev/zero'))('no more than 256 MB are read, also where no size is told', async () => {
    expect(maxFileBytes).toBe(256 * 1024 * 1024)
    expect((await run(newFolder(), ['import', '/dev/zero'])).err).toBe(
      'rondo: /dev/zero holds more than 256 MB, which is the most that an import reads. Nothing was imported.\n',
    )
  })

  test('what can not be read, or has no id that can be used, is told', async () => {
    expect((await run(newFolder(), ['import', 'none'])).err).toMatch(/^rondo: There is no file \/.*\/none\. rondo export writes one\.\n$/)
    expect((await run(newFolder(), ['import', '-'])).err).toMatch(/^rondo: Nothing comes through standard input\./)
    const [header = '', entry = ''] = await small()
    const odd = sealed([header.replace('"notes"', '"a b\\u001b"'), entry])
    expect((await run(newFolder(), ['import', '-'], { input: odd })).err).toMatch(
      /^rondo: The session id "a b\\\\x1b" can't be used: .* Name another one with --as ID\.\n$/,
    )
    expect((await run(newFolder(), ['import', '-', '--as', 'fine'], { input: odd })).code).toBe(0)
    expect((await run(newFolder(), ['import', '-', '--as', 'a/b'], { input: odd })).err).toMatch(/are allowed\.\n$/)
  })

  test('an import that is interrupted leaves nothing of the session', async () => {
    const { file } = await rich()
    const home = newFolder()
    const database = join(home, 'sessions.db')
    let asks = 0
    const isKept = await writeSession(readExport(readFileSync(file), file), {
      file: database,
      sessionId: 'notes',
      isInterrupted: () => ++asks > 3,
    })
    const store = sqlite(database)
    expect([isKept, asks, await store.list(), await entriesIn(home)]).toEqual([false, 4, [], []])
    await store.close()
  })

  test('an import that the disk refuses leaves nothing of the session', async () => {
    const { file } = await rich()
    const home = await keptSession([['custom', { type: 'mine' }]], { session: 'other' })
    const { DatabaseSync } = loadDriver()
    const database = new DatabaseSync(join(home, 'sessions.db'))
    database.exec("create trigger full before insert on entries when new.seq = 9 begin select raise(abort, 'disk full'); end")
    database.close()
    const { code, err } = await run(home, ['import', file])
    expect([code, err]).toEqual([2, expect.stringContaining('disk full')])
    expect([await entriesIn(home), (await entriesIn(home, 'other')).length]).toEqual([[], 1])
  })

  test('an import whose process was killed is completed by the same import', async () => {
    const { home, file } = await rich()
    const entries = await entriesIn(home)
    const there = newFolder()
    let at = 0
    const store = sqlite(join(there, 'sessions.db'), { clock: () => at })
    for (const entry of entries.slice(0, 7)) {
      at = entry.at
      await store.append('notes', [entry], { expectedSeq: entry.seq - 1 })
    }
    await store.close()
    expect((await run(there, ['import', file])).code).toBe(0)
    expect(JSON.stringify(await entriesIn(there))).toBe(JSON.stringify(entries))
  })
})
