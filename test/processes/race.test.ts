import { afterEach, expect, test } from 'vitest'
import { sqlite } from '../../src/stores/sqlite.ts'
import { doubled, endLeases, entriesOf, fileOf, killChildren, linesOf, newPlace, payments, startChild } from './children.ts'
import { type Answer, type Clerk, type Ended, startClerk } from './clerk.ts'

afterEach(killChildren)

/** Sessions that are raced for at the same time. */
const sessions = Array.from({ length: 12 }, (_, index) => index)

function openBoth() {
  const clerks = ['ann', 'bob'].map((name) => startClerk(name, 'drives')) as [Clerk, Clerk]
  const both = <T>(ask: (clerk: Clerk) => Promise<T>) => Promise.all(clerks.map(ask))
  return { first: clerks[0], both }
}

/** How each of two calls ended, in an order that does not say who was first. */
function words(answers: readonly Answer<Ended>[]): string[] {
  return answers
    .map(({ value, error }) => (error === undefined ? `${value.status} ${value.reason}` : `${error.code}: ${error.message}`))
    .sort()
}

/** What is wrong with the journal and the bank after a run in which nobody died: each call began once, in one process. */
async function complaints(folder: string): Promise<string[]> {
  const store = sqlite(fileOf(folder))
  const entries = await entriesOf(store)
  const [summary] = await store.list()
  await store.close()
  const finished = entries.filter(({ kind }) => kind === 'run.finished').length
  const keys = linesOf(folder, 'begun').map((line) => line.split(' ')[1])
  return [
    ...doubled(entries),
    ...(finished === 1 && summary?.head?.status === 'completed' ? [] : [`${finished} ends, and its status is ${summary?.head?.status}`]),
    ...(keys.length === 20 && new Set(keys).size === 20 ? [] : [`${new Set(keys).size} calls began ${keys.length} times`]),
    ...[...payments(folder)].filter(([, times]) => times !== 1).map(([key, times]) => `${key} was paid ${times} times`),
  ]
}

test('B154, promise 3: two processes resume at once, at each rest of a run: one drives, the other follows or is told; nothing is doubled', {
  timeout: 120_000,
}, async () => {
  const { first, both } = openBoth()
  const seen = new Map<string, number>()
  const note = (answers: readonly string[]) => seen.set(answers.join(' | '), (seen.get(answers.join(' | ')) ?? 0) + 1)
  const race = async () => {
    const folder = newPlace()
    expect(words([await first.run(folder)])).toEqual(['parked awaiting_approval'])
    // With an answer: it counts once, and who came second is told, or was early enough to go on without a word.
    const decisions = [{ callId: 'm2.2', decision: 'approve' }]
    const answered = words(await both((clerk) => clerk.resume(folder, { decisions })))
    note(answered)
    expect(answered).toEqual([expect.stringMatching(/^RunInvalidState: .*session\.pending\(\)/), 'parked awaiting_approval'])
    // Without one: there is nothing to drive.
    expect(words(await both((clerk) => clerk.resume(folder)))).toEqual(['parked awaiting_approval', 'parked awaiting_approval'])
    // Each answers one of two calls: both count, in whatever order they come.
    const halves = ['m5.0', 'm5.1']
    const ends = words(await both((clerk) => clerk.resume(folder, { decisions: [{ callId: halves.shift(), decision: 'approve' }] })))
    note(ends)
    const answers = words(await both((clerk) => clerk.resume(folder)))
    note(answers)
    for (const end of [...ends, ...answers])
      expect(end).toMatch(/^(completed completed|parked awaiting_approval|RunInvalidState: .*agent\.run\()/)
    return complaints(folder)
  }
  const wrong = (await Promise.all(sessions.map(race))).flat()
  console.log(`${sessions.length} sessions, 4 races each: ${[...seen].map(([end, count]) => `${count} × ${end}`).join('; ')}`)
  expect(wrong).toEqual([])
})

test('promise 3: two processes go on at once after a third one was killed: both see the same end, and nothing is had twice', {
  timeout: 120_000,
}, async () => {
  const { first, both } = openBoth()
  const speaker = startClerk('speaker', 'speaks')
  let unknown = 0
  const race = async (index: number) => {
    const folder = newPlace()
    const killed = startChild('driver', folder, 'killed', index, 2 + index * 2, 0)
    const end = await killed.ended
    endLeases(folder)
    // One that was killed before it could say anything has left no session.
    if ((await first.pending(folder)).error !== undefined) await first.run(folder)
    for (let rest = 0; rest < 3; rest++) {
      for (const { callId } of (await speaker.pending(folder)).value ?? []) await speaker.decide(folder, { callId, decision: 'approve' })
      const ends = words(await both((clerk) => clerk.resume(folder)))
      for (const word of ends) expect(word).toMatch(/^(completed completed|parked awaiting_approval|RunInvalidState: .*agent\.run\()/)
      if (ends.every((word) => !word.startsWith('parked'))) break
    }
    const store = sqlite(fileOf(folder))
    const entries = await entriesOf(store)
    await store.close()
    for (const entry of entries) if (entry.kind === 'call.settled' && entry.data.settlement.outcome === 'unknown') unknown++
    const twice = [...payments(folder)].filter(([, times]) => times !== 1).map(([key]) => `${key} was paid twice`)
    const last = entries.at(-1)
    return [
      ...doubled(entries),
      ...twice,
      ...(last?.kind === 'run.finished' && last.data.status === 'completed' ? [] : [`the last entry is ${last?.kind}`]),
      ...(end === 'SIGKILL' || end === 0 ? [] : [`the killed one ended with ${end}`]),
    ]
  }
  const wrong = (await Promise.all(sessions.map(race))).flat()
  console.log(`${sessions.length} sessions of killed processes, raced for until they end: ${unknown} outcomes unknown`)
  expect(wrong).toEqual([])
})
