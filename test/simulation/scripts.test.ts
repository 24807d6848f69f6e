import { expect, test } from 'vitest'
import { check } from './check.ts'
import type { Violation } from './checking.ts'
import { generate } from './generate.ts'
import { Histogram } from './histogram.ts'
import { playInAllModes } from './modes.ts'
import { type Played, play } from './play.ts'

/**
 * The property test. `SEED=7 npx vitest run test/simulation` repeats one script and tells its story; `SEEDS` and `FROM` choose how many
 * and where to begin; `npm run sweep` runs many.
 */
const one = process.env['SEED']
const sweeping = process.env['npm_lifecycle_event'] === 'sweep'
const from = Number(one ?? process.env['FROM'] ?? 0)
/** Suspended runs are among the scripts already; the suite that suspends everything repeats a part of them. */
const usual = process.env['RONDO_ALWAYS_SUSPEND'] === '1' ? 1_000 : 10_000
const seeds = one === undefined ? Number(process.env['SEEDS'] ?? (sweeping ? 200_000 : usual)) : 1
/** So many failing seeds are told before a sweep gives up. */
const maxFailures = 5
/** How long one script may take, in real time (a few ms are usual). */
const patienceMs = 30_000
/** Below that many scripts something may be missing by chance. */
const enough = 10_000

test(`${seeds} random scripts keep every invariant (S7.1, promises 1 to 9 and 13 to 16)`, { timeout: 120_000 + seeds * 100 }, async () => {
  const histogram = new Histogram()
  const failures: string[] = []
  const begun = performance.now()
  const cpuBegun = process.cpuUsage()
  let played = 0
  for (let seed = from; seed < from + seeds && failures.length < maxFailures; seed++) {
    const { plays, violations } = await inTime(seed, playSeed(seed))
    for (const play of plays) histogram.add(play)
    played += plays.length
    if (violations.length > 0) failures.push(failureText(seed, violations))
    if (one !== undefined) for (const play of plays.slice(0, 1)) console.log(story(play))
  }
  const perSecond = Math.round((played / (performance.now() - begun)) * 1_000)
  const cpu = process.cpuUsage(cpuBegun)
  const perCpuSecond = Math.round((played / (cpu.user + cpu.system)) * 1_000_000)
  if (one === undefined)
    console.log(`${played} scripts from seed ${from}, ${perSecond} a second, ${perCpuSecond} a second of CPU\n${histogram}`)
  expect(failures.join('\n\n')).toBe('')
  if (seeds >= enough) expect(histogram.missing(), 'what never occurred').toEqual([])
})

/** A script that goes in circles is a failure too, and says which one it is. */
async function inTime<T>(seed: number, playing: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const what = failureText(seed, [{ rule: 'no silent end', what: `it has not come to its end after ${patienceMs} ms` }])
    timer = setTimeout(() => reject(new Error(what)), patienceMs)
  })
  try {
    return await Promise.race([playing, late])
  } finally {
    clearTimeout(timer)
  }
}

async function playSeed(seed: number): Promise<{ readonly plays: readonly Played[]; readonly violations: readonly Violation[] }> {
  const script = generate(seed)
  if (!script.plain) {
    const played = await play(script)
    return { plays: [played], violations: check(played) }
  }
  const { played, violations } = await playInAllModes(script)
  return { plays: played, violations: [...violations, ...played.flatMap((each) => check(each))] }
}

function failureText(seed: number, violations: readonly Violation[]): string {
  const lines = violations.slice(0, 4).map(({ rule, what }) => `  ${rule}: ${what}`)
  const more = violations.length > 4 ? [`  … and ${violations.length - 4} more`] : []
  return [`seed ${seed} (again: SEED=${seed} npx vitest run test/simulation)`, ...lines, ...more].join('\n')
}

/** What happened, for whoever repeats a seed. */
function story({ script, journal, deeds, launched, resumed, readers, troubles }: Played): string {
  const begun = journal[0]?.at ?? 0
  return [
    JSON.stringify(script),
    ...journal.map(
      ({ seq, at, epoch, runId, kind, data }) => `${seq} +${at - begun} ${epoch ?? '-'} ${runId ?? '-'} ${kind} ${JSON.stringify(data)}`,
    ),
    ...deeds.map(
      ({ act, ok, code, askedAt, ackLength }) =>
        `+${askedAt - begun} ${JSON.stringify(act)}: ${ok === true ? 'done' : code} at entry ${ackLength}`,
    ),
    ...launched.map(
      ({ runId, ack, left, result }) => `launched ${runId}: ${ack ?? ''} ${left ?? ''} ${result?.status ?? ''} ${result?.reason ?? ''}`,
    ),
    ...resumed.map(({ runId, status, reason }) => `resumed ${runId}: ${status} ${reason}`),
    ...readers.map(
      ({ how, runId, after, events, ended, error }) =>
        `reader ${how} ${runId} ${after}: ${events.length} events, ${ended ? 'ended' : 'open'} ${error ?? ''}`,
    ),
    ...troubles.map((trouble) => `trouble: ${trouble}`),
  ].join('\n')
}
