import type { NewEntry } from '../../core/entry.ts'
import type { Json } from '../../core/json.ts'
import { type Cases, entries, entry, ids, loaded, same, start } from './kit.ts'

export const loadCases: Cases = {
  'load: an unknown session has no entries': async ({ store }) => {
    same(await loaded(store, 'nobody'), [], 'the journal')
    same(await loaded(store, 'nobody', 3), [], 'the journal after 3')
  },
  'load: gives the entries after afterSeq, in order': async ({ store }) => {
    await store.append('s', entries(0, 5), { expectedSeq: 0 })
    same(await ids(store, 's', 0), ['e1', 'e2', 'e3', 'e4', 'e5'], 'after 0')
    same(await ids(store, 's', 3), ['e4', 'e5'], 'after 3')
    same(await ids(store, 's', 5), [], 'after the last')
    same(await ids(store, 's', 99), [], 'after more than there are')
  },
  'load: a long journal comes whole and in order': async ({ store }) => {
    for (let seq = 0; seq < 1200; seq += 60) await store.append('s', entries(seq, 60), { expectedSeq: seq })
    same(
      (await loaded(store, 's')).map(({ seq }) => seq),
      Array.from({ length: 1200 }, (_, i) => i + 1),
      'the seqs',
    )
  },
  'load: appends meanwhile make no gap': async ({ store }) => {
    await store.append('s', entries(0, 3), { expectedSeq: 0 })
    const seen: number[] = []
    for await (const { seq } of store.load('s')) {
      seen.push(seq)
      if (seq <= 3) await store.append('s', entries(seq + 2, 1), { expectedSeq: seq + 2 })
    }
    same(
      seen,
      Array.from({ length: seen.length }, (_, i) => i + 1),
      'the seqs',
    )
    same(seen.length >= 3, true, 'what was there comes')
  },
  'load: a reader that stops early disturbs nobody': async ({ store }) => {
    await store.append('s', entries(0, 5), { expectedSeq: 0 })
    for await (const { seq } of store.load('s')) if (seq === 2) break
    await store.append('s', entries(5, 1), { expectedSeq: 5 })
    same((await ids(store, 's')).length, 6, 'the number of entries')
  },
  'load: sessions are separate, whatever their ids look like': async ({ store }) => {
    const names = ['a', 'A', 'a ', '../a', "a' or 1=1 --", '%', '_', '__proto__', 'constructor', 'größe 東京 🚀', 'x'.repeat(500)]
    for (const [i, name] of names.entries()) await store.append(name, [entry(1, i, `id${i}`)], { expectedSeq: 0 })
    for (const [i, name] of names.entries()) same(await ids(store, name), [`id${i}`], name)
  },
  'load: an entry comes back as it was, with its time': async ({ store }) => {
    const given: NewEntry = {
      v: 1,
      id: 'full',
      seq: 1,
      epoch: 1,
      runId: 'run',
      kind: 'message',
      data: { origin: 'steer', message: { role: 'user', parts: [{ type: 'text', text: 'hi' }] } },
    }
    const { epoch } = (await store.acquire('s', { owner: 'a', ttlMs: 1000 })) ?? { epoch: 0 }
    await store.append('s', [{ ...given, epoch }, entry(2)], { expectedSeq: 0, epoch })
    same(
      await loaded(store, 's'),
      [
        { ...given, epoch, at: start },
        { ...entry(2), at: start },
      ],
      'the entries; epoch and runId only where they were given',
    )
  },
  ...Object.fromEntries(
    Object.entries(values()).map(([name, value]) => [
      `load: data comes back equal: ${name}`,
      async ({ store }) => {
        await store.append('s', [entry(1, value)], { expectedSeq: 0 })
        const [found] = await loaded(store, 's')
        same(found?.kind === 'custom' ? found.data.data : found, value, name)
      },
    ]),
  ),
}

function values(): { readonly [name: string]: Json } {
  let deep: Json = 'bottom'
  for (let level = 0; level < 150; level++) deep = level % 2 === 0 ? [deep] : { deep }
  return {
    'text of many scripts': 'é e\u0301 ß 東京 العربية 👩‍👩‍👧 \u2028 \u0000 "quoted" \\ \r\n\t',
    'numbers at the edges': [0, -1, 0.1, 1e308, 5e-324, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 63],
    '__proto__ as a plain own key': JSON.parse('{ "__proto__": { "polluted": true }, "constructor": 1, "toString": null }'),
    'empty things': { '': '', list: [], object: {}, nothing: null, no: false },
    '150 levels deep': deep,
  }
}
