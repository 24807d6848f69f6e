import type { Entry, RunEvent } from 'rondo'
import { describe, expect, test } from 'vitest'
import { entryLine } from './kit.ts'
import { playBroken } from './support/broken.ts'
import { comparable, comparableEntries, modes, play, type Scene } from './support/modes.ts'
import { storeKinds } from './support/processes.ts'
import { eventRow as row } from './support/rows.ts'
import { brokenJournals } from './support/waiting-journals.ts'
import { waitingScenes } from './support/waiting-scenes.ts'
import { waitingTraces } from './support/waiting-traces.ts'

const bill = { callId: 'm1.0', messageId: 'm1', dynamic: false, toolName: 'pay', input: { cents: 4200, to: 'ACME' } }
const asked = { ...bill, kind: 'approval', risk: 'high', reason: 'it costs money' }

/** `claimedAt`: where the journal of two processes has an entry more than that of one. */
const golden = [
  {
    title: 'golden trace 6: a call is approved',
    name: 'approved',
    claimedAt: 8,
    park: row('6.0', 0, 1, { type: 'run.parked', reason: 'awaiting_approval', pending: [asked] }),
  },
  {
    title: 'golden trace 7: a call is denied',
    name: 'denied',
    claimedAt: 8,
    park: row('6.0', 0, 1, { type: 'run.parked', reason: 'awaiting_approval', pending: [asked] }),
  },
  {
    title: 'golden trace 10: a session is paused and goes on',
    name: 'resumed',
    claimedAt: 11,
    park: row('9.0', 2_000, 1, { type: 'run.parked', reason: 'paused', pending: [] }),
  },
] as const

/** The events of the unbroken run, as they stand where the second process has claimed it. */
function claimedAt(events: readonly object[], seq: number): readonly RunEvent[] {
  const later = (own: number) => (own >= seq ? own + 1 : own)
  return (events as readonly RunEvent[]).map((event) => {
    const cursor = event.cursor.replace(/^\d+/, (own) => `${later(Number(own))}`)
    return event.of === undefined ? { ...event, cursor } : { ...event, cursor, of: later(event.of) }
  })
}

/** The next process of a killed one waits until its lease is over: then it is later. */
function timeless(rows: readonly object[]): readonly object[] {
  return rows.map((one) => ({ ...one, at: 0 }))
}

describe.each(golden)('$title, by two processes', ({ name, park, ...at }) => {
  const scene: Scene = waitingScenes[name]
  const places = storeKinds.flatMap((kind) => modes.map((mode) => ({ kind, mode })))
  const events = comparable(claimedAt(waitingTraces[name], at.claimedAt))
  const entries = comparableEntries(brokenJournals[name] as readonly object[] as readonly Entry[])

  test.each(places)(
    'promise 7, promise 14 ($kind, as $mode): parked in one, it goes on in the other as if unbroken',
    async ({ kind, mode }) => {
      const { first, second, ...played } = await playBroken(mode, kind, 'parked', scene)
      expect(comparable(first.slice(-1))).toEqual(comparable([park as RunEvent]))
      expect(comparable([...first.slice(0, -1), ...second])).toEqual(events)
      expect(comparableEntries(played.entries)).toEqual(entries)
      expect(played.result).toEqual((await play(mode, scene)).result)
    },
  )

  test.each(places)('promise 12 ($kind, as $mode): killed in one while it waits, it goes on in the other', async ({ kind, mode }) => {
    const { first, second, ...played } = await playBroken(mode, kind, 'killed', scene)
    expect(timeless(comparable([...first, ...second]))).toEqual(timeless(events))
    expect(timeless(comparableEntries(played.entries))).toEqual(timeless(entries))
    expect(played.result).toEqual((await play(mode, scene)).result)
  })
})

/** Killed while something runs: what was done stays done, and only what was lost is done again. */
describe.each(storeKinds)('golden trace 10: a session goes on whose process was killed (%s)', (kind) => {
  const { script } = waitingScenes.resumed
  const killedAt = (ms: number): Partial<Scene> => ({ acts: [{ ms, say: async () => {} }] })
  const begun = ['run.started', 'message.added', 'run.status idle>preparing', 'iteration.started', 'model.started 1']
  const called = ['run.status preparing>model_running', 'call.input.delta', 'model.finished', 'usage.updated', 'call.announced']
  const working = [...begun, ...called, 'run.status model_running>tool_running', 'call.started 1']
  const settled = ['call.settled ok', 'iteration.finished', 'iteration.started', 'model.started 1', 'run.status tool_running>model_running']
  const ended = ['text.started', 'text.delta', 'text.finished', 'model.finished', 'usage.updated', 'iteration.finished']
  const finished = [...ended, 'run.status model_running>completed', 'run.finished']

  test('promise 12: while its tool ran, which reads only: it runs again', async () => {
    const { first, second, entries, result } = await playBroken('stream', kind, 'killed', { ...waitingScenes.resumed, ...killedAt(500) })
    expect(first.map(eventLine)).toEqual(working)
    expect(second.map(eventLine)).toEqual(['call.started 2', ...settled, ...finished])
    expect(told(entries).slice(4)).toEqual([
      'call.prepared m1.0',
      'call.started m1.0',
      'call.started m1.0 attempt 2',
      'call.settled m1.0 ok',
      'model.started 2.1',
      'model.responded 2.1 stop',
      'run.finished completed completed',
    ])
    expect(result.text).toBe((await play('run', waitingScenes.resumed)).result.text)
  })

  test('promise 3, promise 7: while the model answered: the call has settled, and the model is asked again', async () => {
    const slow = [...script.slice(0, 1), { text: 'Slept.', delayMs: 5_000 }, ...script.slice(1)]
    const scene = { ...waitingScenes.resumed, script: slow, ...killedAt(3_000) }
    const { first, second, entries, result } = await playBroken('stream', kind, 'killed', scene)
    expect(first.map(eventLine)).toEqual([...working, ...settled])
    expect(second.map(eventLine)).toEqual(['model.failed', 'model.retracted', 'model.started 2', ...finished])
    expect(told(entries).slice(4)).toEqual([
      'call.prepared m1.0',
      'call.started m1.0',
      'call.settled m1.0 ok',
      'model.started 2.1',
      'model.failed 2.1 ModelUnknownError retry',
      'model.started 2.2',
      'model.responded 2.2 stop',
      'run.finished completed completed',
    ])
    expect(result.text).toBe((await play('run', waitingScenes.resumed)).result.text)
  })
})

function told(entries: readonly Entry[]): readonly string[] {
  return entries.filter(({ kind }) => kind !== 'run.claimed').map(entryLine)
}

function eventLine(event: RunEvent): string {
  switch (event.type) {
    case 'run.status':
      return `${event.type} ${event.from}>${event.to}`
    case 'model.started':
    case 'call.started':
      return `${event.type} ${event.attempt}`
    case 'call.settled':
      return `${event.type} ${event.outcome}`
    default:
      return event.type
  }
}
