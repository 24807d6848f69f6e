import type { Entry, RunEvent } from 'rondo'
import { describe, expect, test } from 'vitest'
import { journals } from './support/golden-journals.ts'
import { traces } from './support/golden-traces.ts'
import { comparable, comparableEntries, modes, play, type Scene } from './support/modes.ts'
import { scenes } from './support/scenes.ts'
import { waitingJournals } from './support/waiting-journals.ts'
import { waitingScenes } from './support/waiting-scenes.ts'
import { waitingTraces } from './support/waiting-traces.ts'

const allScenes = { ...scenes, ...waitingScenes }
const allTraces = { ...traces, ...waitingTraces }
const allJournals = { ...journals, ...waitingJournals }

const golden: readonly { readonly title: string; readonly name: keyof typeof allScenes }[] = [
  { title: 'golden trace 1, S3-15: no tool', name: 'noTool' },
  { title: 'golden trace 2: one tool', name: 'oneTool' },
  { title: 'golden trace 3, S0-10: several tools, one after another', name: 'serial' },
  { title: 'golden trace 4, C32: several tools at once', name: 'parallel' },
  { title: 'golden trace 5, C7: a tool fails and the run goes on', name: 'failing' },
  { title: 'golden trace 6, C26: a call is approved', name: 'approved' },
  { title: 'golden trace 7, C26: a call is denied', name: 'denied' },
  { title: 'golden trace 9, S0-18, C18: the user aborts', name: 'aborted' },
  { title: 'golden trace 10, S1-36: a session is paused and goes on', name: 'resumed' },
]

/** Literals are typed loosely; what they are compared with is not. */
const events = (rows: readonly object[]) => comparable(rows as readonly RunEvent[])
const entries = (rows: readonly object[]) => comparableEntries(rows as readonly Entry[])

describe.each(golden)('$title', ({ name }) => {
  const scene: Scene = allScenes[name]

  for (const mode of modes)
    test(`promise 14: as ${mode}, the events are exactly these`, async () => {
      const played = await play(mode, scene)
      expect(comparable(played.events)).toEqual(events(allTraces[name]))
    })

  test('promise 14, promise 13: three executions give the same events, journal and result, and one end after which nothing comes', async () => {
    const [run, stream, listeners] = [await play('run', scene), await play('stream', scene), await play('listeners', scene)]
    expect(stream.events).toEqual(run.events)
    expect(listeners.events).toEqual(run.events)
    expect(stream.entries).toEqual(run.entries)
    expect(listeners.entries).toEqual(run.entries)
    expect([stream.result, listeners.result]).toEqual([run.result, run.result])
    const ends = run.events.filter(({ type }) => type === 'run.finished' || type === 'run.parked')
    expect(ends).toEqual([run.events.at(-1)])
    expect(run.events.at(-1)).toMatchObject({ type: 'run.finished', result: run.result })
  })
})

describe.each([
  { title: 'golden trace 1: no tool', name: 'noTool' },
  { title: 'golden trace 2: one tool', name: 'oneTool' },
  { title: 'golden trace 6: a call is approved', name: 'approved' },
  { title: 'golden trace 7: a call is denied', name: 'denied' },
  { title: 'golden trace 9: the user aborts', name: 'aborted' },
  { title: 'golden trace 10: a session is paused and goes on', name: 'resumed' },
] as const)('$title', ({ name }) => {
  test('the journal holds exactly these entries', async () => {
    const played = await play('run', allScenes[name])
    expect(comparableEntries(played.entries)).toEqual(entries(allJournals[name]))
  })
})
