import type { NewEntry } from '../../core/entry.ts'
import { type Cases, entries, entry, fails, head, ids, listed, loaded, same, start } from './kit.ts'

export const appendCases: Cases = {
  'append: the first one creates the session': async ({ store }) => {
    await store.append('s', entries(0, 2), { expectedSeq: 0 })
    await store.append('s', entries(2, 1), { expectedSeq: 2 })
    same(await ids(store, 's'), ['e1', 'e2', 'e3'], 'the journal')
  },
  'append: stamps every entry with one time, which it returns': async ({ store, clock }) => {
    clock.now = start + 5
    same(await store.append('s', entries(0, 3), { expectedSeq: 0 }), { at: start + 5 }, 'the answer')
    const times = (await loaded(store, 's')).map(({ at }) => at)
    same(times, [start + 5, start + 5, start + 5], 'the times')
  },
  'append: the time never falls, also when the clock does': async ({ store, clock }) => {
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    clock.now = start - 60_000
    same(await store.append('s', entries(1, 1), { expectedSeq: 1 }), { at: start }, 'with the clock set back')
    clock.now = start + 1
    same(await store.append('s', entries(2, 1), { expectedSeq: 2 }), { at: start + 1 }, 'afterwards')
  },
  'append: behind the last entry is a conflict that writes nothing': async ({ store }) => {
    await store.append('s', entries(0, 2), { expectedSeq: 0 })
    await fails('SessionConcurrentWrite', store.append('s', entries(1, 1, 'other'), { expectedSeq: 1, head: head('failed') }))
    same(await ids(store, 's'), ['e1', 'e2'], 'the journal')
    same((await store.list())[0]?.head, undefined, 'the head')
  },
  'append: ahead of the last entry is a conflict that writes nothing': async ({ store }) => {
    await fails('SessionConcurrentWrite', store.append('s', entries(4, 1), { expectedSeq: 4 }))
    same(await listed(store), [], 'the sessions')
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    await fails('SessionConcurrentWrite', store.append('s', entries(2, 1), { expectedSeq: 2 }))
    same(await ids(store, 's'), ['e1'], 'the journal')
  },
  'append: the same ids at the same place are a success with the first time': async ({ store, clock }) => {
    await store.append('s', entries(0, 2), { expectedSeq: 0 })
    clock.now = start + 9
    same(await store.append('s', entries(0, 2), { expectedSeq: 0 }), { at: start }, 'at the end of the journal')
    await store.append('s', entries(2, 1), { expectedSeq: 2 })
    same(await store.append('s', entries(0, 2), { expectedSeq: 0 }), { at: start }, 'with later entries after them')
    same(await ids(store, 's'), ['e1', 'e2', 'e3'], 'the journal')
  },
  'append: a partial overlap of ids is a conflict': async ({ store }) => {
    await store.append('s', entries(0, 2), { expectedSeq: 0 })
    await fails('SessionConcurrentWrite', store.append('s', entries(0, 3), { expectedSeq: 0 }))
    await fails('SessionConcurrentWrite', store.append('s', [entry(1), entry(2, 2, 'other')], { expectedSeq: 0 }))
    await fails('SessionConcurrentWrite', store.append('s', [entry(1, 1, 'e2')], { expectedSeq: 0 }))
    same(await ids(store, 's'), ['e1', 'e2'], 'the journal')
  },
  'append: a gap in the seqs is refused and writes nothing': async ({ store }) => {
    await fails('SessionWriteFailed', store.append('s', [entry(1), entry(3)], { expectedSeq: 0 }))
    await fails('SessionWriteFailed', store.append('s', [entry(2)], { expectedSeq: 0 }))
    same(await ids(store, 's'), [], 'the journal')
  },
  'append: one without entries is refused': async ({ store }) => {
    await fails('SessionWriteFailed', store.append('s', [], { expectedSeq: 0 }))
    same(await listed(store), [], 'the sessions')
  },
  'append: of two writers at one place exactly one wins': async ({ store }) => {
    const append = (writer: string): Promise<unknown> => store.append('s', entries(0, 2, writer), { expectedSeq: 0 })
    const results = await Promise.allSettled([append('a'), append('b')])
    same(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], 'the answers')
    const winner = results[0]?.status === 'fulfilled' ? 'a' : 'b'
    same(await ids(store, 's'), [`${winner}1`, `${winner}2`], 'the journal')
  },
  'append: a conflict of one session leaves the others of the same turn alone': async ({ store }) => {
    await store.append('s7', entries(0, 1, 'earlier'), { expectedSeq: 0 })
    const sessions = Array.from({ length: 20 }, (_, i) => `s${i}`)
    const results = await Promise.allSettled(sessions.map((sessionId) => store.append(sessionId, entries(0, 2), { expectedSeq: 0 })))
    const lost = sessions.filter((_, i) => results[i]?.status === 'rejected')
    same(lost, ['s7'], 'the sessions in conflict')
    for (const sessionId of sessions) same(await ids(store, sessionId), sessionId === 's7' ? ['earlier1'] : ['e1', 'e2'], sessionId)
  },
  'append: a row of appends that were not awaited is written in their order': async ({ store }) => {
    await Promise.all(Array.from({ length: 10 }, (_, i) => store.append('s', entries(i, 1), { expectedSeq: i })))
    same(
      (await loaded(store, 's')).map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      'the journal',
    )
  },
  'append: takes frozen entries and changes none': async ({ store }) => {
    const given: readonly NewEntry[] = deepFreeze([entry(1, { list: [1, { two: 2 }] })])
    await store.append('s', given, deepFreeze({ expectedSeq: 0, head: head('idle') }))
    same(given, [entry(1, { list: [1, { two: 2 }] })], 'the entries given')
  },
  'append: 64 entries at once': async ({ store }) => {
    await store.append('s', entries(0, 64), { expectedSeq: 0 })
    same((await loaded(store, 's')).length, 64, 'the number of entries')
  },
  'append: an entry of 1 MB': async ({ store }) => {
    const text = 'ä€𝄞x'.repeat(100_000)
    await store.append('s', [entry(1, text)], { expectedSeq: 0 })
    const [found] = await loaded(store, 's')
    same(found?.kind === 'custom' && found.data.data === text, true, 'the text comes back whole')
  },
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
