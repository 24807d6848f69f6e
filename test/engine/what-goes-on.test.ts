import { describe, expect, test } from 'vitest'
import { type RunInfo, type Tool, tool } from '../../src/index.ts'
import { agentIn, asks, end, journal, noInput, otherProcess, plainTool, type ScriptedLab } from '../acceptance/kit.ts'
import { engineLab } from './kit.ts'

/** Takes its time (ms) unless it is told to stop, and then says so, as whoever passes a signal on does. `told` gets the reason. */
function patient<X>(place: ScriptedLab, signal: AbortSignal, ms: number, value: X, told: unknown[] = []): Promise<X> {
  return new Promise((resolve, reject) => {
    place.clock.timer(ms, () => resolve(value))
    signal.addEventListener('abort', () => {
      told.push(`${signal.reason.code}: ${signal.reason.message}`)
      reject(signal.reason)
    })
  })
}

const outcomes = (result: { readonly calls: readonly { outcome: string; output?: unknown }[] }) =>
  result.calls.map(({ outcome, output }) => output ?? outcome)
const callLines = async ({ store }: ScriptedLab) => (await journal(store, 's')).filter((line) => /^(call|control)/.test(line))
const forEver = Number.POSITIVE_INFINITY

describe('a pause and the end of a time slice begin nothing; what has begun is awaited', () => {
  test('a permission check: its answer counts, and it is asked once', async () => {
    const place = engineLab([asks('act'), 'ok'])
    let asked = 0
    const approveTool = (_call: unknown, { signal }: RunInfo) => {
      asked++
      return patient(place, signal, 5_000, 'allow' as const)
    }
    const agent = agentIn(place, { tools: [plainTool('act', () => 'acted')], hooks: { approveTool } })
    const run = agent.stream('Hi', { session: 's', parkAfterMs: forEver })
    const { result } = run
    await place.clock.advance(100)
    await place.clock.until(run.pause())
    await place.clock.advance(10_000)
    expect(await callLines(place)).toEqual(['control pause', 'call.prepared m1.0'])
    await place.clock.until(run.resume())
    expect([outcomes(await place.clock.until(result)), asked]).toEqual([['acted'], 1])
  })

  /** A payment whose first attempt never comes back. */
  const payment = (place: ScriptedLab, found: () => unknown, told: unknown[] = [], more: object = {}): { pay: Tool; did: string[] } => {
    const did: string[] = []
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      inputSchema: noInput,
      execute: () => {
        did.push('pay')
        return did.filter((what) => what === 'pay').length === 1 ? new Promise<never>(() => {}) : 'paid'
      },
      reconcile: (_input: unknown, { signal }: RunInfo) => {
        did.push('look')
        return patient(place, signal, 5_000, found(), told) as Promise<'unknown'>
      },
      ...more,
    })
    return { pay, did }
  }

  test.each([
    [{ settled: 'receipt' }, ['control pause', 'call.settled m1.0 ok'], 'receipt', 1],
    ['not-started', ['control pause'], 'paid', 2],
  ] as const)('a reconcile after a crash that finds %j', async (found, written, outcome, pays) => {
    const place = engineLab([asks('pay'), 'ok'])
    const payments = payment(place, () => found)
    const tools = [payments.pay]
    void agentIn({ ...place, store: otherProcess(place.store) }, { tools }).stream('Hi', { session: 's' })
    await place.clock.advance(10)
    place.clock.jump(60_000)
    const run = agentIn({ ...place, store: otherProcess(place.store) }, { tools }).resume('s', { parkAfterMs: forEver })
    const { result } = run
    await place.clock.advance(100)
    await place.clock.until(run.pause())
    await place.clock.advance(10_000)
    expect([(await callLines(place)).slice(2), payments.did]).toEqual([written, ['pay', 'look']])
    await place.clock.until(run.resume())
    expect([outcomes(await place.clock.until(result)), payments.did.filter((what) => what === 'pay').length]).toEqual([[outcome], pays])
  })

  test('a look before a guarded call: what never took effect is asked once more, and runs after the pause', async () => {
    const place = engineLab([asks('pay'), asks('pay'), 'ok'])
    const told: unknown[] = []
    const payments = payment(place, () => 'not-started', told, { timeoutMs: 20_000 })
    const run = agentIn(place, { tools: [payments.pay] }).stream('Hi', { session: 's', parkAfterMs: forEver })
    const { result } = run
    await place.clock.advance(21_000)
    await place.clock.until(run.pause())
    await place.clock.advance(10_000)
    expect([(await callLines(place)).at(-1), payments.did, told]).toEqual(['control pause', ['pay', 'look'], []])
    await place.clock.until(run.resume())
    expect([outcomes(await place.clock.until(result)), payments.did.at(-1)]).toEqual([['timeout', 'paid'], 'pay'])
  })

  test('the end of a time slice: the activation waits for it, then parks', async () => {
    const place = engineLab([asks('act', 'act'), 'ok'])
    const approveTool = (call: { callId: string }, { signal }: RunInfo) =>
      patient(place, signal, call.callId === 'm1.0' ? 5_000 : 100, 'allow' as const)
    const agent = agentIn(place, { tools: [plainTool('act', () => 'acted')], hooks: { approveTool }, limits: { timeSliceMs: 1_000 } })
    const run = agent.stream('Hi', { session: 's' })
    const { result } = run
    await place.clock.advance(2_000)
    await place.clock.until(run.send('Well?'))
    expect([end(await place.clock.until(result)), place.clock.monotonic()]).toEqual(['parked time_slice', 5_000])
    expect(await callLines(place)).toEqual(['call.prepared m1.0', 'call.prepared m1.1'])
    expect(outcomes(await place.clock.until(agent.resume('s').result))).toEqual(['acted', 'acted'])
  })
})

describe('instructions that are told to stop, and say so, are no failure of the run', () => {
  test('though the run goes on before they do', async () => {
    const place = engineLab(['Done.'])
    const told: unknown[] = []
    let asked = 0
    const instructions = ({ signal }: RunInfo) =>
      new Promise<string>((resolve, reject) => {
        if (++asked > 1) return resolve('Now.')
        signal.addEventListener('abort', () => {
          told.push(signal.reason.message)
          place.clock.timer(500, () => reject(signal.reason))
        })
      })
    const run = agentIn(place, { instructions }).stream('Hi', { session: 's', parkAfterMs: forEver })
    const { result } = run
    await place.clock.advance(100)
    await place.clock.until(run.pause())
    await place.clock.advance(100)
    await place.clock.until(run.resume())
    expect([end(await place.clock.until(result)), asked, told]).toEqual([
      'completed completed',
      2,
      ['Nothing begins for now (a pause, or the end of a time slice): this is asked for again afterwards.'],
    ])
  })
})

describe('whoever is told to stop is told why', () => {
  const never = (place: ScriptedLab, told: unknown[], more: object = {}): Tool =>
    tool({
      name: 'act',
      description: 'Acts',
      inputSchema: noInput,
      execute: (_input: unknown, { signal }: RunInfo) => patient(place, signal, forEver, 'acted', told),
      ...more,
    })

  test.each([
    ['summarize', 'incomplete timeout'],
    ['incomplete', 'incomplete timeout'],
  ] as const)("a tool, by the run's time limit (%s)", async (onLimit, due) => {
    const place = engineLab([asks('act'), 'So far.'])
    const told: unknown[] = []
    const agent = agentIn(place, { tools: [never(place, told)], limits: { maxDurationMs: 5_000, onLimit } })
    expect(end(await place.clock.until(agent.run('Hi')))).toBe(due)
    expect(told).toEqual(['RunTimeout: The time limit of the run was reached.'])
  })

  test('a tool, by its own', async () => {
    const place = engineLab([asks('act'), 'ok'])
    const told: unknown[] = []
    const agent = agentIn(place, { tools: [never(place, told, { timeoutMs: 1_000 })], limits: { maxDurationMs: 5_000 } })
    await place.clock.until(agent.run('Hi'))
    expect(told).toEqual(['ToolTimeout: The call has settled without waiting for this.'])
  })

  test('a tool in the background, by the end of its run', async () => {
    const place = engineLab([asks('act'), asks('fails')])
    const told: unknown[] = []
    const fails = plainTool('fails', () => {
      throw new Error('no')
    })
    const agent = agentIn(place, { tools: [never(place, told, { background: true }), fails], policies: { toolFailureMode: 'fail' } })
    expect(end(await place.clock.until(agent.run('Hi', { throwOnError: false })))).toBe('failed tool_failure')
    expect(told).toEqual(['RunAborted: The run has ended.'])
  })

  test('a permission check, by a time limit that ends the run', async () => {
    const place = engineLab([asks('act')])
    const told: unknown[] = []
    const approveTool = (_call: unknown, { signal }: RunInfo) => patient(place, signal, forEver, 'allow' as const, told)
    const options = {
      tools: [plainTool('act', () => 'acted')],
      hooks: { approveTool },
      onObserverError: (error: unknown) => told.push(error),
    }
    const agent = agentIn(place, { ...options, limits: { maxDurationMs: 5_000, onLimit: 'incomplete' } })
    expect(end(await place.clock.until(agent.run('Hi')))).toBe('incomplete timeout')
    expect(told).toEqual(['RunTimeout: The time limit of the run was reached.'])
  })

  test('a reconcile, by its own time limit', async () => {
    const place = engineLab([asks('act'), asks('act'), 'ok'])
    const told: unknown[] = []
    const reconcile = (_input: unknown, { signal }: RunInfo) => patient(place, signal, forEver, 'unknown' as const, told)
    const act = tool({
      name: 'act',
      description: 'a',
      inputSchema: noInput,
      timeoutMs: 1_000,
      execute: () => new Promise<never>(() => {}),
      reconcile,
    })
    const onObserverError = (error: unknown) => told.push(error)
    const agent = agentIn(place, { tools: [act], limits: { maxDurationMs: 60_000 }, onObserverError })
    const result = await place.clock.until(agent.run('Hi'))
    expect([outcomes(result), told]).toEqual([['timeout', 'skipped'], ['ToolTimeout: The call has settled without waiting for this.']])
  })
})
