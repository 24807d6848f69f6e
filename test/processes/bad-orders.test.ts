import { afterEach, expect, test } from 'vitest'
import { sqlite } from '../../src/stores/sqlite.ts'
import { entryLine } from '../acceptance/kit.ts'
import { entriesOf, fileOf, killChildren, linesOf, newPlace } from './children.ts'
import { type Answer, type Clerk, startClerk } from './clerk.ts'

afterEach(killChildren)

const pay = { callId: 'm1.0', decision: 'approve' } as const
const hurry = { callId: 'm1.1', decision: 'approve' } as const

async function journalOf(folder: string): Promise<readonly string[]> {
  const store = sqlite(fileOf(folder))
  const entries = await entriesOf(store)
  await store.close()
  return entries.map(entryLine)
}

/** A run that waits for everything: `drive` is the process that has begun it, `desk` another one. */
async function waiting() {
  const folder = newPlace()
  const drive = startClerk('drive', 'drives', 'office')
  const desk = startClerk('desk', 'speaks', 'office')
  expect((await drive.run(folder)).value).toMatchObject({ status: 'parked', reason: 'awaiting_approval' })
  return { folder, drive, desk }
}

/** Code and words of a refusal, which has written nothing. */
async function refused(folder: string, ask: () => Promise<Answer<unknown>>): Promise<readonly [string | undefined, string | undefined]> {
  const before = await journalOf(folder)
  const { error } = await ask()
  expect(await journalOf(folder)).toEqual(before)
  return [error?.code, error?.message]
}

const late = () => new Promise((resolve) => setTimeout(resolve, 400))
const whatWaits = 'Read session.pending() for what waits.'

test('B154 an approval from a process that knows less: of no call, twice, after an edit, after the end', { timeout: 60_000 }, async () => {
  const { folder, drive, desk } = await waiting()
  const stale = startClerk('stale', 'drives', 'office')
  const shown = (await stale.pending(folder)).value
  expect(shown?.map(({ callId, input }) => [callId, input])).toEqual(['m1.0', 'm1.1', 'm1.2'].map((id) => [id, { cents: 5 }]))
  expect(await refused(folder, () => desk.decide(folder, { ...pay, callId: 'm7.0' }))).toEqual([
    'RunInvalidState',
    "No open call 'm7.0' waits for a decision in this session. Read session.pending().",
  ])
  expect((await desk.decide(folder, { ...pay, input: { cents: 4 } })).error).toBeUndefined()
  // What it was shown was decided, and changed, meanwhile: its yes is none to what will run.
  expect(await refused(folder, () => stale.decide(folder, pay))).toEqual([
    'RunInvalidState',
    `Call m1.0 has been decided already. ${whatWaits}`,
  ])
  expect(await refused(folder, () => stale.resume(folder, { decisions: [pay] }))).toMatchObject({ 0: 'RunInvalidState' })
  await desk.submit(folder, 'm1.2', { total: 5 })
  await late()
  expect((await drive.resume(folder)).value).toMatchObject({ status: 'completed', text: 'Done.' })
  expect(linesOf(folder, 'ran')).toEqual(['drive pay {"cents":4}'])
  expect(await refused(folder, () => stale.decide(folder, pay))).toMatchObject({ 0: 'RunInvalidState' })
})

test('an answer when its time is over is late, also where nobody drove: what waited counts as denied', { timeout: 60_000 }, async () => {
  const { folder, drive, desk } = await waiting()
  await late()
  const words = `The request of call m1.1 has expired: it counts as denied. agent.resume(sessionId), without this answer, goes on with that.`
  const ways: ((clerk: Clerk) => Promise<Answer<unknown>>)[] = [
    (clerk) => clerk.decide(folder, hurry),
    (clerk) => clerk.resume(folder, { decisions: [hurry] }),
  ]
  for (const clerk of [desk, startClerk('other', 'drives', 'office')])
    for (const way of ways) expect(await refused(folder, () => way(clerk))).toEqual(['RunInvalidState', words])
  await desk.decide(folder, pay)
  await desk.submit(folder, 'm1.2', { total: 5 })
  expect((await drive.resume(folder)).value).toMatchObject({ status: 'completed' })
  expect([linesOf(folder, 'ran'), (await journalOf(folder)).filter((line) => line.startsWith('call.settled'))]).toEqual([
    ['drive pay {"cents":5}'],
    expect.arrayContaining(['call.settled m1.1 denied']),
  ])
})

test('a result of the wrong shape, twice, for a call of another sort, or after the end', { timeout: 60_000 }, async () => {
  const { folder, drive, desk } = await waiting()
  expect(await refused(folder, () => desk.submit(folder, 'm1.2', { sum: 5 }))).toEqual([
    'ContextInvalidInput',
    expect.stringMatching(/^The result of call 'm1\.2' was not taken: .*total/),
  ])
  expect(await refused(folder, () => desk.submit(folder, 'm1.0', { total: 5 }))).toEqual([
    'RunInvalidState',
    `Call m1.0 does not wait for a result from outside (it is awaiting). ${whatWaits}`,
  ])
  expect((await desk.submit(folder, 'm1.2', { total: 5 })).error).toBeUndefined()
  expect(await refused(folder, () => drive.resume(folder, { results: [{ callId: 'm1.2', output: { total: 6 } }] }))).toEqual([
    'RunInvalidState',
    `Call m1.2 has settled already. ${whatWaits}`,
  ])
  await desk.decide(folder, pay)
  await late()
  expect((await drive.resume(folder)).value).toMatchObject({ status: 'completed' })
  expect(await refused(folder, () => desk.submit(folder, 'm1.2', { total: 7 }))).toEqual([
    'RunInvalidState',
    `Call 'm1.2' is not open in this session: it is unknown or has settled. ${whatWaits}`,
  ])
})

test('a process that was deployed without a tool: it is refused, nothing of the approval is used up, and who has the tool goes on', {
  timeout: 60_000,
}, async () => {
  const { folder, drive, desk } = await waiting()
  await desk.decide(folder, pay)
  await desk.submit(folder, 'm1.2', { total: 5 })
  await late()
  expect(await refused(folder, () => startClerk('bare', 'drives', 'office').resume(folder))).toEqual([
    'ConfigInvalid',
    expect.stringMatching(/^resume: the run '.+' of session 's' needs what this resume lacks: the tool 'pay'\. .*Nothing was recorded\.$/),
  ])
  expect((await drive.resume(folder)).value).toMatchObject({ status: 'completed', text: 'Done.' })
  expect(linesOf(folder, 'ran')).toEqual(['drive pay {"cents":5}'])
})
