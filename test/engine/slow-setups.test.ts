import { describe, expect, test } from 'vitest'
import { type RunInfo, tool } from '../../src/index.ts'
import type { Script } from '../../src/testing/index.ts'
import { agentIn, asks, end, journal, noInput, plainTool, type ScriptedLab } from '../acceptance/kit.ts'
import { engineLab } from './kit.ts'

const never = () => new Promise<never>(() => {})
const limits = { maxDurationMs: 5_000 }

/** A tool whose verdict never comes: nobody says whether it needs an approval, or whether its arguments are valid. */
const undecided = {
  needsApproval: (signals: AbortSignal[] = []) =>
    tool({
      name: 'act',
      description: 'Act',
      inputSchema: noInput,
      needsApproval: (_input, { signal }) => {
        signals.push(signal)
        return never()
      },
      execute: () => 'acted',
    }),
  inputSchema: () => {
    const inputSchema = { '~standard': { ...noInput['~standard'], validate: never } } as unknown as typeof noInput
    return tool({ name: 'act', description: 'Act', inputSchema, execute: () => 'acted' })
  },
}

describe.each(['needsApproval', 'inputSchema'] as const)('decision 0010: %s never settles', (which) => {
  test.each([
    ['summarize', 'incomplete timeout', 'So far.'],
    ['incomplete', 'incomplete timeout', ''],
    ['error', 'failed timeout', ''],
  ] as const)('the time limit ends it, onLimit: %s', async (onLimit, due, text) => {
    const place = engineLab([asks('act', 'act'), 'So far.'])
    const agent = agentIn(place, { tools: [undecided[which]()], limits: { ...limits, onLimit } })
    const result = await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
    expect([end(result), result.text, place.clock.monotonic()]).toEqual([due, text, 5_000])
    expect(result.calls.map((call) => call.outcome)).toEqual(['cancelled', 'cancelled'])
    expect((await journal(place.store, 's')).filter((line) => line.startsWith('call.'))).toEqual([
      'call.settled m1.0 cancelled',
      'call.settled m1.1 cancelled',
    ])
  })

  test('what has been worked before counts', async () => {
    const place = engineLab([{ delayMs: 2_000, ...asks('act') }, 'So far.'])
    const result = await place.clock.until(agentIn(place, { tools: [undecided[which]()], limits }).run('Hi'))
    expect([end(result), place.clock.monotonic()]).toEqual(['incomplete timeout', 5_000])
  })
})

test('decision 0010: who is asked for a verdict too long is told to stop', async () => {
  const place = engineLab([asks('act'), 'So far.'])
  const signals: AbortSignal[] = []
  await place.clock.until(agentIn(place, { tools: [undecided.needsApproval(signals)], limits }).run('Hi'))
  expect(signals.map(({ aborted, reason }) => [aborted, reason.code])).toEqual([[true, 'RunTimeout']])
})

test('decision 0010: a verdict that came in time does not count on while a human is waited for', async () => {
  const place = engineLab([asks('act'), 'Done.'])
  const act = tool({
    name: 'act',
    description: 'Act',
    inputSchema: noInput,
    needsApproval: () => new Promise<true>((resolve) => place.clock.timer(3_000, () => resolve(true))),
    execute: () => 'acted',
  })
  const run = agentIn(place, { tools: [act], limits }).stream('Hi', { session: 's', parkAfterMs: Number.POSITIVE_INFINITY })
  const { result } = run
  await place.clock.advance(3_600_000)
  await run.decide({ callId: 'm1.0', decision: 'approve', input: {} })
  expect(end(await place.clock.until(result))).toBe('completed completed')
})

/** A run whose instructions take their time, the n-th call this long (ms); `Infinity`: they never come. */
async function instructed(replies: Script, takes: readonly number[], more: Parameters<typeof agentIn>[1] = {}) {
  const place: ScriptedLab = engineLab(replies)
  const infos: RunInfo[] = []
  const instructions = (info: RunInfo) => {
    const ms = takes[infos.length] ?? 0
    infos.push(info)
    return new Promise<string>((resolve) => {
      if (ms < Number.POSITIVE_INFINITY) place.clock.timer(ms, () => resolve(`Take ${infos.length}.`))
    })
  }
  const agent = agentIn(place, { tools: [plainTool('act', () => 'acted')], limits, ...more, instructions })
  const result = await place.clock.until(agent.run('Hi', { session: 's', throwOnError: false }))
  const aborted = infos.map(({ signal }) => signal.aborted)
  return { end: end(result), text: result.text, at: place.clock.monotonic(), aborted, lines: await journal(place.store, 's') }
}

const forEver = Number.POSITIVE_INFINITY

describe('decision 0010: instructions that never come', () => {
  test('are ended by the time limit, and asked for once more for the wrap-up', async () => {
    const { lines, ...seen } = await instructed(['So far.'], [forEver, 100])
    expect(seen).toEqual({ end: 'incomplete timeout', text: 'So far.', at: 5_100, aborted: [true, false] })
    expect(lines.slice(2)).toEqual([
      'run.claimed',
      'model.started 1.1 wrap-up',
      'model.responded 1.1 stop',
      'run.finished incomplete timeout',
    ])
  })

  test('that stop when they are told to are not asked for anew, but for the wrap-up', async () => {
    const place = engineLab(['So far.'])
    let asked = 0
    const instructions = ({ signal }: RunInfo) =>
      new Promise<string>((resolve, reject) => {
        if (++asked === 1) signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        else place.clock.timer(500, () => resolve('Be brief.'))
      })
    const result = await place.clock.until(agentIn(place, { instructions, limits }).run('Hi'))
    expect([end(result), result.text, asked, place.clock.monotonic()]).toEqual(['incomplete timeout', 'So far.', 2, 5_500])
  })

  test('not for that either: the run ends with the fixed text when its grace is over', async () => {
    const { lines, text, ...seen } = await instructed([], [forEver, forEver])
    expect(seen).toEqual({ end: 'incomplete timeout', at: 6_000, aborted: [true, true] })
    expect([text.includes('time'), lines.slice(2)]).toEqual([true, ['run.claimed', 'run.finished incomplete timeout']])
  })

  test.each([
    ['error', 'failed timeout'],
    ['incomplete', 'incomplete timeout'],
  ] as const)('onLimit: %s', async (onLimit, due) => {
    const { end: is, at } = await instructed([], [forEver], { limits: { ...limits, onLimit } })
    expect([is, at]).toEqual([due, 5_000])
  })

  test('before a later call: what the run has said and done stands', async () => {
    const seen = await instructed([{ text: 'First.', ...asks('act') }, 'So far.'], [0, forEver])
    expect([seen.end, seen.text, seen.at]).toEqual(['incomplete timeout', 'So far.', 5_000])
  })

  test('for the wrap-up of another limit: what is left of the time, at least the grace', async () => {
    const one = await instructed([asks('act')], [0, forEver], { limits: { ...limits, maxIterations: 1 } })
    expect([one.end, one.at]).toEqual(['incomplete max_iterations', 5_000])
    const late = await instructed([{ delayMs: 4_500, ...asks('act') }], [0, forEver], { limits: { ...limits, maxIterations: 1 } })
    expect([late.end, late.at]).toEqual(['incomplete max_iterations', 5_500])
  })

  test('without a time limit they are waited for, until a cancel', async () => {
    const place = engineLab([])
    const run = agentIn(place, { instructions: never }).stream('Hi')
    const { result } = run
    await place.clock.advance(3_600_000)
    await place.clock.until(run.abort())
    expect([end(await place.clock.until(result)), place.clock.monotonic()]).toEqual(['aborted aborted', 3_600_000])
  })

  test('that are slow but come count while they are waited for, and are no working time after', async () => {
    const seen = await instructed([asks('act'), 'Done.'], [3_000, 3_000])
    expect([seen.end, seen.at]).toEqual(['completed completed', 6_000])
  })

  test('a message that comes while the wrap-up asks for them does not begin it all anew', async () => {
    const place = engineLab([])
    const run = agentIn(place, { instructions: never, limits }).stream('Hi')
    const { result } = run
    await place.clock.advance(5_500)
    await place.clock.until(run.send('Hm?'))
    expect([end(await place.clock.until(result)), place.clock.monotonic()]).toEqual(['incomplete timeout', 6_000])
  })

  test('of a run that begins in the moment in which another ends', async () => {
    const place = engineLab([])
    const agent = agentIn(place, { instructions: never, limits: { ...limits, onLimit: 'incomplete' } })
    const first = agent.stream('Hi', { session: 's' })
    const { result } = first
    await place.clock.advance(1_000)
    const next = agent.run('And this', { session: 's', onBusy: 'interrupt' })
    expect([end(await place.clock.until(result)), end(await place.clock.until(next)), place.clock.monotonic()]).toEqual([
      'aborted aborted',
      'incomplete timeout',
      6_000,
    ])
  })

  test('a pause is no waiting: they are asked for anew', async () => {
    const place = engineLab(['Done.'])
    let asked = 0
    const instructions = () =>
      new Promise<string>((resolve) => {
        if (++asked > 1) place.clock.timer(4_000, () => resolve('At last.'))
      })
    const run = agentIn(place, { instructions, limits }).stream('Hi', { parkAfterMs: Number.POSITIVE_INFINITY })
    const { result } = run
    await place.clock.advance(2_000)
    await place.clock.until(run.pause())
    await place.clock.advance(60_000)
    await place.clock.until(run.resume())
    expect([end(await place.clock.until(result)), asked]).toEqual(['completed completed', 2])
  })
})
