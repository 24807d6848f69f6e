import { afterEach, expect, test } from 'vitest'
import { sqlite } from '../../src/stores/sqlite.ts'
import { entryLine } from '../acceptance/kit.ts'
import { doubled, entriesOf, fileOf, killChildren, linesOf, newPlace, payments, startChild } from './children.ts'

afterEach(killChildren)

/** A lease is 15 s, and no option makes it shorter. */
const beyondTheLease = 16_500

async function journalOf(folder: string) {
  const store = sqlite(fileOf(folder))
  const entries = await entriesOf(store)
  await store.close()
  return entries
}

type Place = 'tool' | 'wait' | 'model' | 'start' | 'append'

/** A process that is stopped at a place for longer than its lease. */
async function asleep(at: Place) {
  const folder = newPlace()
  const sleeper = startChild('sleeper', folder, 'sleeper', at, 'run')
  await sleeper.line('there')
  // Where only it can say when, it stops itself.
  if (at !== 'start' && at !== 'append') sleeper.process.kill('SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, beyondTheLease))
  /** Lets it go on, and says how its run ended for it, and what became of everything. */
  const wake = async () => {
    const before = await journalOf(folder)
    sleeper.process.kill('SIGCONT')
    const woken = await sleeper.line('ended')
    const after = await journalOf(folder)
    return {
      woken,
      written: after.slice(before.length).map(entryLine),
      doubled: doubled(after),
      calls: after.map(entryLine).filter((line) => /^call\.(started|settled)/.test(line)),
      begun: linesOf(folder, 'begun'),
      aborted: linesOf(folder, 'aborted'),
      paid: [...payments(folder)],
      refused: sleeper.lines.filter((line) => line.startsWith('refused')),
    }
  }
  return { folder, wake }
}

/** Another process has ended the run meanwhile. */
async function overtaken(at: Place) {
  const { folder, wake } = await asleep(at)
  const next = startChild('sleeper', folder, 'next', 'none', 'resume')
  expect(await next.line('ended')).toBe(done)
  return wake()
}

/** Another process is in the middle of it. */
async function held(at: Place) {
  const { folder, wake } = await asleep(at)
  const next = startChild('sleeper', folder, 'next', 'wait', 'resume')
  await next.line('there')
  const told = await wake()
  next.process.kill('SIGKILL')
  return told
}

/** Nobody has come. */
async function missed(at: Place) {
  return (await asleep(at)).wake()
}

const done = 'ended ["completed","completed","Done."]'
const told = ['sleeper SessionLeaseLost']

test('promise 3, machine 3: a process that sleeps beyond its lease', { timeout: 90_000 }, async () => {
  const [tool, append, wait, model, start, busy, alone] = await Promise.all([
    overtaken('tool'),
    overtaken('append'),
    overtaken('wait'),
    overtaken('model'),
    overtaken('start'),
    held('tool'),
    missed('append'),
  ])
  // Fenced: it writes nothing, its tools are told, and whoever waits for its run hears how that has ended.
  for (const { woken, written, doubled } of [tool, append, wait, model, start]) expect([woken, written, doubled]).toEqual([done, [], []])
  expect(tool).toMatchObject({
    calls: ['call.started m1.0', 'call.started m1.1', 'call.settled m1.0 unknown', 'call.started m1.1 attempt 2', 'call.settled m1.1 ok'],
    begun: ['sleeper s/m1.0 1', 'sleeper s/m1.1 1', 'next s/m1.1 2'],
    aborted: [...told, ...told],
    paid: [['s/m1.0', 1]],
  })
  expect(wait).toMatchObject({ begun: ['sleeper s/m1.0 1', 'next s/m1.0 2'], aborted: told })
  expect(model).toMatchObject({ calls: [], aborted: told })
  // What it was about to write finds no place.
  expect(append).toMatchObject({
    calls: ['call.started m1.0', 'call.settled m1.0 unknown'],
    paid: [['s/m1.0', 1]],
    refused: ['refused SessionLeaseLost'],
  })
  // What was recorded as started and had not begun never begins: its effect is unknown, and there is none.
  expect(start).toMatchObject({ calls: ['call.started m1.0', 'call.settled m1.0 unknown'], begun: [], paid: [] })
  // The run goes on elsewhere: it is lost here, and can be followed or resumed.
  expect(busy).toMatchObject({ woken: 'ended ["failed","lease_lost",[true,"SessionLeaseLost"]]', written: [], aborted: [...told, ...told] })
  // Nobody has taken it: it still is the one that drives.
  expect(alone).toMatchObject({
    woken: done,
    calls: ['call.started m1.0', 'call.settled m1.0 ok'],
    paid: [['s/m1.0', 1]],
    refused: [],
    aborted: [],
  })
})
