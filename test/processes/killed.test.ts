import { afterEach, expect, test } from 'vitest'
import { killChildren } from './children.ts'
import { startClerk } from './clerk.ts'
import { type Counts, type Survived, survive } from './killed-run.ts'

/**
 * Runs whose processes are killed, again and again, until they end. `SEED=7 npx vitest run test/processes/killed.test.ts` repeats one (its kills from
 * outside fall where time lets them); `KILLS` says how many kills there shall be, `FROM` where to begin.
 */
const one = process.env['SEED']
const from = Number(one ?? process.env['FROM'] ?? 1)
const enough = one === undefined ? Number(process.env['KILLS'] ?? 200) : 0
const mostKills = 10
/** What stands last in the journal of a process that is killed, and whether it had paid and could not say so. */
const everyPhase = ['model.started', 'call.started', 'call.started, paid', 'call.settled', 'call.settled, paid', 'message']
/** They wait most of the time: for a poll of the file, and for each other. */
const atOnce = 4

afterEach(killChildren)

test(`promises 1, 3, 4 and 5: runs whose processes are killed, ${enough} times in all, end as if they had not been`, {
  timeout: 60_000 + enough * 2_500,
}, async () => {
  const speaker = startClerk('speaker', 'speaks')
  const unharmed = await survive(0, 0, speaker)
  expect([unharmed.complaints, unharmed.text, unharmed.calls.length, unharmed.counts]).toEqual([
    [],
    'All is done.',
    20,
    expect.objectContaining({ kills: 0, effects: 12, unknown: 0, approved: 3, said: 3 }),
  ])
  const totals: Counts = { kills: 0, resumes: 0, said: 0, approved: 0, effects: 0, unknown: 0, found: 0, again: 0 }
  const failures: string[] = []
  const places = new Map<string, number>()
  let next = from
  const worker = async () => {
    while (next === from || totals.kills < enough) {
      const seed = next++
      const run = await survive(seed, mostKills, speaker)
      for (const name of Object.keys(totals) as (keyof Counts)[]) totals[name] += run.counts[name]
      for (const place of run.places) places.set(place, (places.get(place) ?? 0) + 1)
      const wrong = differences(run, unharmed)
      if (wrong.length > 0)
        failures.push(`seed ${seed} (SEED=${seed} npx vitest run test/processes/killed.test.ts):\n  ${wrong.join('\n  ')}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const words = Object.entries(totals).map(([name, count]) => `${count} ${name}`)
  const runs = next - from
  console.log(`${runs} runs from seed ${from}: ${words.join(', ')}`)
  console.log(`Killed at: ${[...places].map(([place, times]) => `${place} (${times})`).join('; ')}`)
  expect(failures.join('\n')).toBe('')
  expect(totals).toMatchObject({ said: runs * 3, approved: runs * 3 })
  if (enough >= 200) expect([...places.keys()]).toEqual(expect.arrayContaining(everyPhase))
})

function differences(run: Survived, unharmed: Survived): readonly string[] {
  const same = run.text === unharmed.text && run.calls.join() === unharmed.calls.join()
  return same ? run.complaints : [...run.complaints, `it says '${run.text}' after ${run.calls.join(', ')}`]
}
