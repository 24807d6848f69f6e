import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../src/core/entry.ts'
import { jsonlStore } from '../../src/stores/jsonl.ts'
import { entries, entry, fails, head, ids, listed } from '../../src/testing/store-cases/kit.ts'
import { fileOf, newFolder, type Opened, opened } from './jsonl-kit.ts'
import { failure } from './kit.ts'

/** A file as the store leaves it: five entries in two appends, and a head at its end. */
const whole = await (async () => {
  const directory = newFolder()
  const store = jsonlStore({ directory, clock: () => 1000 })
  await store.append('s', entries(0, 2), { expectedSeq: 0, head: head('paused') })
  await store.append('s', entries(2, 3), { expectedSeq: 2, head: head('idle') })
  await store.close()
  return readFileSync(fileOf(directory))
})()
const lines = whole.toString().trimEnd().split('\n')
const appended = whole.indexOf('{"head"', whole.indexOf('{"head"') + 1)

/** A new store over a file of these bytes, beside a session that is whole. */
async function over(bytes: Buffer | string): Promise<{ readonly store: Opened; readonly file: string }> {
  const directory = newFolder()
  mkdirSync(directory)
  writeFileSync(fileOf(directory), bytes)
  writeFileSync(fileOf(directory, 'other'), whole.toString().replace('"sessionId":"s"', '"sessionId":"other"'))
  return { store: opened(directory, { synchronous: 'normal' }), file: fileOf(directory) }
}

function bytes(...parts: readonly (string | Buffer | number)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.alloc(part) : Buffer.from(part))))
}

function bare(seq: number): string {
  return JSON.stringify({ ...entry(seq), at: 1000 })
}

/** What is read, and whether the next append finds its place. */
async function goesOn(store: Opened, seq: number): Promise<readonly string[]> {
  await store.append('s', entries(seq, 1, 'next'), { expectedSeq: seq })
  return ids(store, 's')
}

const five = ['e1', 'e2', 'e3', 'e4', 'e5']

describe('jsonl: an append that was cut off', () => {
  test('at any byte is there whole or not at all, and the next one follows', async () => {
    for (let cut = appended; cut < whole.length; cut++) {
      const { store, file } = await over(whole.subarray(0, cut))
      // All its entries are there when only the last newline is missing.
      const seq = cut === whole.length - 1 ? 5 : 2
      expect([cut, await goesOn(store, seq)]).toEqual([cut, [...five.slice(0, seq), `next${seq + 1}`]])
      expect(store.warnings.length).toBe(cut === appended || seq === 5 ? 0 : 1)
      await store.close()
      expect(
        readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line)).length,
      ).toBe(seq === 5 ? 10 : 6)
    }
  })

  test('in the very first write leaves no session', async () => {
    const first = whole.subarray(0, appended)
    for (let cut = 0; cut < first.length - 1; cut += 7) {
      const { store } = await over(first.subarray(0, cut))
      expect([cut, await listed(store), await ids(store, 's')]).toEqual([cut, ['other'], []])
      expect(await goesOn(store, 0)).toEqual(['next1'])
      await store.close()
    }
  })

  test('is told of: what was removed, and from which file', async () => {
    const { store, file } = await over(whole.subarray(0, whole.length - 10))
    await ids(store, 's')
    expect(store.warnings).toEqual([
      `rondo: ${file}: an append to session "s" was cut off; its ${whole.length - 10 - appended} bytes were removed.`,
    ])
    expect(readFileSync(file).equals(whole.subarray(0, appended))).toBe(true)
  })

  test('leaves the head of the one before', async () => {
    const { store } = await over(whole.subarray(0, whole.length - 10))
    expect((await store.list()).map(({ sessionId, seq, head: now }) => [sessionId, seq, now?.status])).toContainEqual(['s', 2, 'paused'])
  })
})

describe('jsonl: files that are not quite as the store leaves them, and are read', () => {
  test.each<[string, Buffer]>([
    ['two records on one line', bytes(lines.slice(0, 3).join('\n'), lines.slice(3).join(''), '\n')],
    ['all records on one line', bytes(lines.join(''), '\n')],
    ['all records on one line without its newline', bytes(lines.join(' '))],
    ['no newline at the end', whole.subarray(0, whole.length - 1)],
    ['a byte order mark', bytes('\ufeff', whole)],
    ['a byte order mark amid (two files joined)', bytes(whole.subarray(0, appended), '\ufeff', whole.subarray(appended))],
    ['lines that end in CRLF', bytes(whole.toString().replaceAll('\n', '\r\n'))],
    ['CRLF, and the last one cut to CR', bytes(whole.toString().replaceAll('\n', '\r\n').slice(0, -1))],
    ['blank lines', bytes(whole.toString().replaceAll('\n', '\n\n \t\n'))],
    ['blanks at the end', bytes(whole, '  ')],
    ['NULs at the end, as after a power cut', bytes(whole, 5000)],
    ['NULs after a last line without its newline', bytes(whole.subarray(0, whole.length - 1), 5000)],
    ['no first line', bytes(lines.slice(1).join('\n'), '\n')],
    ['entries only, as a person would write them', bytes([1, 2, 3, 4, 5].map(bare).join('\n'))],
    ['an entry added by hand', bytes(whole.subarray(0, whole.lastIndexOf('{"head"')), [3, 4, 5].map(bare).join('\n'))],
  ])('%s', async (_, text) => {
    const { store } = await over(text)
    expect(await ids(store, 's')).toEqual(five)
    expect(await ids(store, 's', 3)).toEqual(['e4', 'e5'])
    expect((await store.list()).find(({ sessionId }) => sessionId === 's')).toMatchObject({ seq: 5, createdAt: 1000, updatedAt: 1000 })
    expect(await goesOn(store, 5)).toEqual([...five, 'next6'])
    await store.close()
  })

  test('NULs after a record that was cut: both go', async () => {
    const { store, file } = await over(bytes(whole, '{"head":{"sta', 100))
    expect(await ids(store, 's')).toEqual(five)
    expect(readFileSync(file).equals(whole)).toBe(true)
  })
})

describe('jsonl: damage is SessionReadFailed with line and byte, and nothing is lost or changed', () => {
  const replaced = (line: number, text: string | Buffer): Buffer => bytes(...lines.flatMap((one, i) => [i === line - 1 ? text : one, '\n']))
  /** Where a line of `whole` begins. */
  const at = (line: number): number => lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0)

  test.each<[string, Buffer, number, number, RegExp, number]>([
    ['a line cut in the middle', replaced(4, lines[3]?.slice(0, 20) ?? ''), 4, at(4), /the line ends in the middle of a record/, 1],
    ['a line of something else', replaced(4, 'hello'), 4, at(4), /no record begins here/, 1],
    ['something else behind a record', replaced(3, `${lines[2]}hello`), 3, at(4) - 1, /no record begins here/, 1],
    ['something else at the end, without a newline', bytes(whole, 'hello'), 9, whole.length, /no record begins here/, 5],
    ['a record at the end that no cut explains', bytes(whole, '{"a":1,}'), 9, whole.length, /it is no valid JSON/, 5],
    ['NULs before the end', replaced(4, bytes(30)), 4, at(4), /no record begins here/, 1],
    ['a byte that is no UTF-8', replaced(3, (lines[2] ?? '').replace('conformance', '\u0001')), 3, at(3), /it is no valid JSON/, 0],
    ['an entry without its data', replaced(4, '{"v":1,"id":"e2","seq":2,"at":1000,"kind":"custom"}'), 4, at(4), /it is no valid entry/, 1],
    ['a record that nobody knows', replaced(4, '{"what":1}'), 4, at(4), /neither an entry nor a head/, 1],
    ['a second first line', replaced(4, lines[0] ?? ''), 4, at(4), /neither an entry nor a head/, 1],
    ['an array', replaced(4, '[1]'), 4, at(4), /no record begins here/, 1],
    ['a gap', replaced(7, ''), 8, at(8) - (lines[6]?.length ?? 0), /entry 4 is missing before it/, 3],
    ['a gap at the end of an append', replaced(4, ''), 5, at(5) - (lines[3]?.length ?? 0), /1 entries after entry 1 are missing/, 1],
    ['an entry twice', replaced(7, `${lines[6]}\n${lines[6]}`), 8, at(8), /entry 4 stands before it already/, 4],
    [
      'an append that is missing',
      bytes(...lines.slice(0, 1), '\n', lines.slice(4).join('\n')),
      2,
      at(2),
      /it follows entry 2, but entry 0 stands before it/,
      0,
    ],
  ])('%s', async (_, text, line, byte, why, good) => {
    const { store, file } = await over(text)
    const seen: number[] = []
    const reading = async (): Promise<void> => {
      for await (const { seq } of store.load('s')) seen.push(seq)
    }
    const error = await failure(reading())
    expect([error.code, error.retryable]).toEqual(['SessionReadFailed', false])
    expect(error.message).toContain(`Session "s": ${file} is damaged in line ${line} (byte ${byte}): `)
    expect(error.message).toMatch(why)
    // What the look at the end of the file meets is refused before anything is read.
    expect([seen, [1, 2, 3, 4, 5].slice(0, good)]).toContainEqual(seen)
    await fails('SessionReadFailed', store.append('s', entries(5, 1), { expectedSeq: 5 }))
    await fails('SessionReadFailed', store.acquire('s', { owner: 'a', ttlMs: 1000 }))
    expect(await ids(store, 'other')).toEqual(five)
    await store.append('other', entries(5, 1), { expectedSeq: 5 })
    expect(readFileSync(file).equals(text)).toBe(true)
  })

  test('a byte that is no UTF-8', async () => {
    const text = Buffer.from(whole)
    text[text.indexOf('conformance')] = 0xff
    const { store, file } = await over(text)
    expect((await failure(ids(store, 's'))).message).toContain(
      `${file} is damaged in line 3 (byte ${at(3)}): it holds a byte that is no UTF-8.`,
    )
  })

  test('in the middle of a long file is met by who reads there, after the good entries before it', async () => {
    const directory = newFolder()
    const first = opened(directory)
    for (let seq = 0; seq < 2000; seq += 100)
      await first.append(
        's',
        Array.from({ length: 100 }, (_, i) => entry(seq + i + 1, 'x'.repeat(500))),
        { expectedSeq: seq },
      )
    await first.close()
    const text = readFileSync(fileOf(directory))
    const damaged = text.indexOf('"id":"e700"')
    text[damaged] = 0x21
    writeFileSync(fileOf(directory), text)
    const store = opened(directory)
    const seen: number[] = []
    const reading = async (): Promise<void> => {
      for await (const { seq } of store.load('s')) seen.push(seq)
    }
    const error = await failure(reading())
    // A first line, a head for each hundred, and entries before it.
    expect(error.message).toMatch(/is damaged in line 708 \(byte \d+\)/)
    expect(seen).toEqual(Array.from({ length: 699 }, (_, i) => i + 1))
    expect(await ids(store, 's', 1900)).toHaveLength(100)
  })

  test('is listed with what stands before it, told once, and can be mended or deleted while the store is open', async () => {
    const { store, file } = await over(replaced(7, 'hello'))
    const damaged = { sessionId: 's', seq: 3, createdAt: 1000, updatedAt: 1000 }
    expect((await store.list()).find(({ sessionId }) => sessionId === 's')).toEqual(damaged)
    expect((await listed(store)).sort()).toEqual(['other', 's'])
    expect(await listed(store, { dueBefore: 9e15, ownerLost: true, waitingOnHuman: true })).toEqual([])
    expect(store.warnings).toEqual([expect.stringMatching(/can't be read: .* is damaged in line 7/)])
    writeFileSync(file, whole)
    expect(await ids(store, 's')).toEqual(five)
    writeFileSync(file, replaced(7, 'hello'))
    await fails('SessionReadFailed', ids(store, 's'))
    await store.delete('s')
    expect([await ids(store, 's'), await listed(store)]).toEqual([[], ['other']])
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
  })
})

describe('jsonl: a file that another program changes while the store has it open', () => {
  test('is looked at anew: the append fails as retryable, and nothing of the other is written over', async () => {
    const directory = newFolder()
    const store = opened(directory)
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    writeFileSync(fileOf(directory), `${JSON.stringify({ ...entry(2, 2, 'mine'), at: 2e12 } satisfies Entry)}\n`, { flag: 'a' })
    const error = await failure(store.append('s', entries(1, 1), { expectedSeq: 1 }))
    expect([error.code, error.retryable, error.message]).toEqual([
      'SessionWriteFailed',
      true,
      expect.stringMatching(/changed by another program/),
    ])
    await fails('SessionConcurrentWrite', store.append('s', entries(1, 1), { expectedSeq: 1 }))
    await store.append('s', entries(2, 1), { expectedSeq: 2 })
    expect(await ids(store, 's')).toEqual(['e1', 'mine', 'e3'])
  })
})
