import { describe, expect, test } from 'vitest'
import { type Files, realFiles, type Source } from '../../src/stores/jsonl-files.ts'
import { seek } from '../../src/stores/jsonl-inspect.ts'
import { chunkBytes } from '../../src/stores/jsonl-lines.ts'
import { entryLine, headLine } from '../../src/stores/jsonl-records.ts'
import { entries, entry, head, ids, listed } from '../../src/testing/store-cases/kit.ts'
import { type Call, type Disk, disk, storeOn } from './jsonl-disk.ts'
import { fileOf, linesIn, newFolder, opened } from './jsonl-kit.ts'

describe('jsonl: what a write costs', () => {
  const costs = (made: Disk, path: string): readonly Call[] =>
    made.calls.filter((one) => one.path === path && one.call !== 'open').map(({ call }) => call)

  test('an append is one write and one sync, before it is acknowledged; the first one of a file also syncs the folder', async () => {
    const directory = newFolder()
    const made = disk()
    const store = storeOn(made, directory)
    await store.list()
    made.calls.length = 0
    await store.append('s', entries(0, 5), { expectedSeq: 0, head: head('idle') })
    expect([costs(made, fileOf(directory)), costs(made, directory)]).toEqual([['write', 'sync'], ['sync folder']])
    made.calls.length = 0
    await store.append('s', entries(5, 64), { expectedSeq: 5, head: head('idle') })
    expect([costs(made, fileOf(directory)), costs(made, directory)]).toEqual([['write', 'sync'], []])
  })

  test("with synchronous 'normal' nothing is synced", async () => {
    const made = disk()
    const store = storeOn(made, newFolder(), 'normal')
    await store.append('s', entries(0, 5), { expectedSeq: 0 })
    await store.blobs.put(new Uint8Array([1]))
    await store.delete('s')
    expect(made.calls.filter(({ call }) => call.startsWith('sync'))).toEqual([])
  })

  test('appends to a session that come together are written together', async () => {
    const directory = newFolder()
    const made = disk()
    const store = storeOn(made, directory)
    await store.list()
    await Promise.all(Array.from({ length: 20 }, (_, i) => store.append('s', entries(i, 1), { expectedSeq: i })))
    expect(costs(made, fileOf(directory))).toEqual(['write', 'sync'])
    expect(linesIn(directory)).toHaveLength(1 + 20 * 2 + 1)
  })

  test('a list reads no file twice', async () => {
    const directory = newFolder()
    const first = opened(directory)
    for (let i = 0; i < 5; i++) await first.append(`s${i}`, entries(0, 1), { expectedSeq: 0 })
    await first.close()
    const made = disk()
    const store = storeOn(made, directory)
    expect(await listed(store)).toHaveLength(5)
    made.calls.length = 0
    await store.append('s5', entries(0, 1), { expectedSeq: 0 })
    made.calls.length = 0
    expect(await listed(store)).toHaveLength(6)
    expect(made.calls).toEqual([])
  })

  test('a look at a long file reads its first line and its end, and an append to it reads nothing', async () => {
    const directory = newFolder()
    const first = opened(directory, { synchronous: 'normal' })
    for (let seq = 0; seq < 4000; seq += 100)
      await first.append(
        's',
        Array.from({ length: 100 }, (_, i) => entry(seq + i + 1, 'x'.repeat(1000))),
        { expectedSeq: seq },
      )
    await first.close()
    let read = 0
    const open: Files['open'] = async (...args) => {
      const handle = await realFiles.open(...args)
      return new Proxy(handle, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name, target)
          if (typeof value !== 'function') return value
          return async (...given: unknown[]) => {
            const answer = await value.apply(target, given)
            if (name === 'read') read += answer.bytesRead
            return answer
          }
        },
      })
    }
    const store = storeOn({ ...disk(), files: { ...realFiles, open } }, directory)
    expect((await store.list())[0]?.seq).toBe(4000)
    expect(read).toBeLessThan(1_000_000)
    read = 0
    await store.append('s', entries(4000, 1), { expectedSeq: 4000 })
    expect(read).toBe(0)
    expect(await ids(store, 's', 3999)).toEqual(['e4000', 'e4001'])
    expect(read).toBeLessThan(500_000)
    read = 0
    expect((await ids(store, 's', 2000)).length).toBe(2001)
    expect(read).toBeLessThan(4_000_000)
  })

  test('many sessions at once hold few files open', async () => {
    const directory = newFolder()
    let now = 0
    let most = 0
    const open: Files['open'] = async (...args) => {
      const handle = await realFiles.open(...args)
      most = Math.max(most, ++now)
      return new Proxy(handle, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name, target)
          if (name === 'close') now--
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    }
    const store = storeOn({ ...disk(), files: { ...realFiles, open } }, directory, 'normal')
    await Promise.all(Array.from({ length: 300 }, (_, i) => store.append(`s${i}`, entries(0, 1), { expectedSeq: 0 })))
    expect(await listed(store, { limit: 1000 })).toHaveLength(300)
    expect([now, most <= 17]).toEqual([0, true])
  })

  test('the place of any entry is found near it, and never behind it', async () => {
    const entryText = (seq: number): string => entryLine(entry(seq, 'x'.repeat((seq * 37) % 900)), 1)
    const head = (before: number, entries: number): string =>
      headLine({ head: null, entries, seq: before + entries, at: 1, createdAt: 1, epoch: 0, held: false })
    const parts: string[] = []
    const places: { readonly offset: number; readonly before: number }[] = []
    let offset = 0
    for (let seq = 0, size = 1; seq < 2000; seq += size, size = (seq % 3) + 1) {
      const text = head(seq, size) + Array.from({ length: size }, (_, i) => entryText(seq + i + 1)).join('')
      places.push({ offset, before: seq })
      parts.push(text)
      offset += Buffer.byteLength(text)
    }
    const bytes = Buffer.from(parts.join(''))
    const source: Source = async (position, length) => bytes.subarray(position, position + length)
    const last = places.at(-1)?.before ?? 0
    for (let afterSeq = 0; afterSeq < last; afterSeq++) {
      const found = await seek(source, bytes.length, afterSeq)
      const wanted = places.findLast(({ before }) => before <= afterSeq)?.offset ?? 0
      expect([afterSeq, found <= wanted, wanted - found <= chunkBytes]).toEqual([afterSeq, true, true])
    }
  })
})
