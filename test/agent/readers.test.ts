import fc from 'fast-check'
import type { RunEvent } from 'rondo'
import { describe, expect, test } from 'vitest'
import { all, compare, falls, finished, isEnd, isFact, perform, plays, textOf } from './reader-plays.ts'

const runs = (usual: number) => ({ numRuns: Number(process.env['RUNS'] ?? usual), endOnFailure: false })
/** More of them take their time: RUNS=5000 npx vitest run test/agent/readers.test.ts */
const limitMs = process.env['RUNS'] === undefined ? 60_000 : 0

describe('promise 7: a reader loses nothing and gets nothing twice', () => {
  test(
    'whenever it comes, however it lags, and when it leaves and comes back',
    async () => {
      await fc.assert(
        fc.asyncProperty(plays, async (play) => {
          const { readers, text, entries, replayed } = await perform(play)
          // Of parts that grow by turns a reader that missed something gets each as a whole.
          if (text !== undefined) expect([...text].sort()).toEqual([...textOf(entries)].sort())
          for (const { raw, whole, falls } of readers) {
            expect(whole.filter(isFact)).toEqual(replayed.filter(isFact))
            const { got, want } = compare(whole, entries)
            expect(got).toEqual(want)
            expect(falls).toEqual([])
            expect(raw.flatMap((event, index) => (isEnd(event) ? [index - raw.length] : []))).toEqual([-1])
          }
        }),
        runs(200),
      )
    },
    limitMs,
  )

  const staying = plays.map((play) => ({ ...play, readings: play.readings.map((reading) => ({ ...reading, hops: [] })) }))

  test(
    'the cursor of any event that any reader got leads to exactly what followed; within a message, to the whole of it',
    async () => {
      await fc.assert(
        fc.asyncProperty(staying, async (play) => {
          const { agent, readers, entries, replayed } = await perform(play)
          for (const { raw } of readers) {
            for (const [index, { cursor }] of raw.entries()) {
              const rest = await all(agent.attach('s', { runId: 'r', after: cursor }))
              const whole: readonly RunEvent[] = [...finished(raw.slice(0, index + 1)), ...rest]
              expect(whole.filter(isFact)).toEqual(replayed.filter(isFact))
              const { got, want } = compare(whole, entries)
              expect(got).toEqual(want)
              expect(falls([...raw.slice(index, index + 1), ...rest])).toEqual([])
            }
          }
        }),
        runs(20),
      )
    },
    limitMs,
  )
})
