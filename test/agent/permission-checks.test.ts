import { describe, expect, test } from 'vitest'
import { type Hooks, type Policies, type RunResult, type Tool, tool } from '../../src/index.ts'
import { agentIn, asks, collect, end, noInput, plainTool, type ScriptedLab, scriptedLab, strays } from '../acceptance/kit.ts'

type Hook = NonNullable<Hooks<readonly Tool[], unknown>['approveTool']>
type NeedsApproval = Parameters<typeof tool>[0]['needsApproval']

const never = () => new Promise<never>(() => {})
/** A promise of another making: lazy, and no `Promise`. */
// biome-ignore lint/suspicious/noThenProperty: that is what it is
const thenable = (value: unknown): never => ({ then: (resolve: (value: unknown) => void) => resolve(value) }) as never
const asking = (name: string, needsApproval: NeedsApproval, inputSchema = noInput) =>
  tool({ name, description: name, inputSchema, ...(needsApproval === undefined ? {} : { needsApproval }), execute: () => `${name} ran` })

const said = (result: Pick<RunResult, 'calls'>) => result.calls.map((call) => (call.outcome === 'ok' ? call.output : call.error.message))
const failed = 'Not run: the permission check failed:'

interface Checked {
  readonly place: ScriptedLab
  readonly result: RunResult
  readonly reported: string[]
  readonly at: number
}

/** A run that calls `act` once, asked about by a hook or by the tool itself; what the observer was told. */
async function checked(by: { hook?: Hook; act?: Tool; policies?: Policies }): Promise<Checked> {
  const place = scriptedLab([asks('act'), 'ok'])
  const reported: string[] = []
  const agent = agentIn(place, {
    tools: [by.act ?? plainTool('act', () => 'act ran')],
    ...(by.hook === undefined ? {} : { hooks: { approveTool: by.hook } }),
    ...(by.policies === undefined ? {} : { policies: by.policies }),
    onObserverError: (error) => reported.push(String(error)),
  })
  const result = await place.clock.until(agent.run('Hi', { session: 's' }))
  return { place, result, reported, at: place.clock.monotonic() }
}

describe('who is asked before a call has a time limit', () => {
  const late = (who: string, ms = 30_000) => `${who} has not answered within ${ms} ms (policies.hookTimeoutMs)`

  test.each<[string, Parameters<typeof checked>[0], string, string]>([
    ['the hook', { hook: never }, failed, late('hooks.approveTool')],
    ['the tool', { act: asking('act', never) }, failed, late("needsApproval of 'act'")],
    [
      'its schema',
      { act: asking('act', undefined, { '~standard': { ...noInput['~standard'], validate: never } } as never) },
      "The arguments of 'act' could not be checked:",
      late("inputSchema of 'act'"),
    ],
  ])('%s does not answer: the call does not run, the run goes on, and somebody is told', async (_, by, what, why) => {
    const { result, reported, at } = await checked(by)
    expect([end(result), said(result), at, reported]).toEqual(['completed completed', [`${what} ${why}`], 30_000, [`RondoError: ${why}`]])
  })

  test('it is an option; Infinity is no limit', async () => {
    const short = await checked({ hook: never, policies: { hookTimeoutMs: 200 } })
    expect([said(short.result), short.at]).toEqual([[`${failed} ${late('hooks.approveTool', 200)}`], 200])
    let place: ScriptedLab | undefined
    const slowly: Hook = () => new Promise((resolve) => place?.clock.timer(60_000, () => resolve('allow')))
    place = scriptedLab([asks('act'), 'ok'])
    const agent = agentIn(place, {
      tools: [plainTool('act', () => 'act ran')],
      hooks: { approveTool: slowly },
      policies: { hookTimeoutMs: Number.POSITIVE_INFINITY },
    })
    expect(said(await place.clock.until(agent.run('Hi')))).toEqual(['act ran'])
    expect(() => agentIn(scriptedLab([]), { policies: { hookTimeoutMs: 0 } })).toThrow(
      'policies.hookTimeoutMs must be a positive number, not 0',
    )
  })

  test('each has its own, and leaves nothing behind: a slow schema takes nothing from the hook', async () => {
    const place = scriptedLab([asks('act'), 'ok'])
    const later = <X>(value: X) => new Promise<X>((resolve) => place.clock.timer(20_000, () => resolve(value)))
    const inputSchema = { '~standard': { ...noInput['~standard'], validate: () => later({ value: {} }) } } as never
    const agent = agentIn(place, {
      tools: [asking('act', () => later(false), inputSchema)],
      hooks: { approveTool: () => later(undefined) },
    })
    expect([said(await place.clock.until(agent.run('Hi'))), place.clock.monotonic()]).toEqual([['act ran'], 60_000])
    expect(place.clock.pending).toBe(0)
  })

  test('many who are asked at once are no leak of listeners, for which Node would warn', async () => {
    const warnings: string[] = []
    const note = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', note)
    const place = scriptedLab([asks(...Array.from({ length: 12 }, () => 'act')), 'ok'])
    const agent = agentIn(place, { tools: [asking('act', async () => false)] })
    expect(said(await place.clock.until(agent.run('Hi')))).toHaveLength(12)
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  test('an abort does not wait for it, and the answer that comes afterwards disturbs nobody', async () => {
    const seen = await strays(async () => {
      const place = scriptedLab([asks('act')])
      let refuse = (_error: Error): void => {}
      const approveTool: Hook = () => new Promise((_, reject) => (refuse = reject))
      const run = agentIn(place, { tools: [plainTool('act', () => 1)], hooks: { approveTool } }).stream('Hi')
      const { result } = run
      await place.clock.advance(100)
      await place.clock.until(run.abort())
      expect([end(await place.clock.until(result)), place.clock.monotonic()]).toEqual(['aborted aborted', 100])
      expect(place.clock.pending).toBe(0)
      refuse(new Error('late'))
      await place.clock.advance(60_000)
    })
    expect(seen).toEqual([])
  })
})

describe('promises of another making are awaited too', () => {
  test.each<[string, Parameters<typeof checked>[0], unknown]>([
    ['of the hook', { hook: () => thenable('allow') }, ['act ran']],
    ['of needsApproval', { act: asking('act', () => thenable(false)) }, ['act ran']],
    ['of needsApproval that asks', { act: asking('act', () => thenable({ risk: 'low' })) }, []],
    [
      'of the schema, before the call and of its output',
      { act: asking('act', undefined, { '~standard': { ...noInput['~standard'], validate: () => thenable({ value: {} }) } } as never) },
      ['act ran'],
    ],
    [
      'of a schema that refuses',
      {
        act: asking('act', undefined, {
          '~standard': { ...noInput['~standard'], validate: () => thenable({ issues: [{ message: 'no' }] }) },
        } as never),
      },
      ["The arguments of 'act' are not valid. arguments: no. Send the call again with valid arguments."],
    ],
  ])('%s', async (_, by, expected) => {
    expect(said((await checked(by)).result)).toEqual(expected)
  })

  test('of dynamic instructions', async () => {
    const place = scriptedLab(['ok'])
    const result = await place.clock.until(agentIn(place, { instructions: () => thenable('Be brief.') }).run('Hi'))
    expect([end(result), place.model.requests[0]?.instructions]).toEqual(['completed completed', 'Be brief.'])
  })

  test('of an output schema', async () => {
    const outputSchema = { '~standard': { ...noInput['~standard'], validate: () => thenable({ issues: [{ message: 'no' }] }) } } as never
    const act = tool({ name: 'act', description: 'a', inputSchema: noInput, outputSchema, execute: () => 'x' })
    expect(said((await checked({ act })).result)).toEqual(["The tool 'act' ran, but its result does not fit its outputSchema. result: no."])
  })
})

describe('what a check wants to ask is looked at', () => {
  const one = (field: string, what: string) => [`${failed} '${field}' of a request for approval must be ${what}`]

  test.each<[object, string[]]>([
    [{ risk: 'mega' }, one('risk', "'low', 'medium' or 'high'")],
    [{ reason: 10n }, one('reason', 'a text')],
    [{ reason: {} }, one('reason', 'a text')],
    [{ rememberAs: {} }, one('rememberAs', 'a text or false')],
    [{ rememberAs: true }, one('rememberAs', 'a text or false')],
    [{ expiresInMs: '5' }, [`${failed} expiresInMs must be a number of ms, 0 or more, not string`]],
    [{ expiresInMs: Number.NaN }, [`${failed} expiresInMs must be a number of ms, 0 or more, not NaN`]],
  ])('%o: denied, and told to the observer', async (ask, texts) => {
    for (const by of [{ hook: () => ({ ask }) as never }, { act: asking('act', () => ask as never) }]) {
      const { result, reported } = await checked(by)
      expect([said(result), reported]).toEqual([texts, texts.map((text) => `RondoError: ${text.slice(failed.length + 1)}`)])
    }
  })

  test('what is no part of it stays out of the journal', async () => {
    const { place, result } = await checked({ hook: () => ({ ask: { risk: 'low', more: 10n } }) as never })
    expect(end(result)).toBe('parked awaiting_approval')
    const entries = await collect(place.store.load('s'))
    expect(entries.find(({ kind }) => kind === 'call.prepared')?.data).toMatchObject({ approval: { risk: 'low' } })
    expect(entries.find(({ kind }) => kind === 'call.prepared')?.data).not.toHaveProperty('approval.more')
  })

  test.each<[string, object, string]>([
    ['a denial beside a request denies', { ask: {}, deny: 'no' }, 'Not run: calls like this are not allowed here: no'],
    [
      'a denial that is none is no request',
      { ask: {}, deny: true },
      `${failed} hooks.approveTool must return nothing, 'allow', { ask } or { deny: reason }`,
    ],
  ])('%s', async (_, answer, text) => {
    expect(said((await checked({ hook: () => answer as never })).result)).toEqual([text])
  })
})

test('a request expires from when it is on record, though a sibling is waited for', async () => {
  const place = scriptedLab([asks('quick', 'slow'), 'ok'])
  const later = () => new Promise<boolean>((resolve) => place.clock.timer(2_000, () => resolve(true)))
  const tools = [asking('quick', () => ({ expiresInMs: 1_000 })), asking('slow', later)]
  const result = await place.clock.until(agentIn(place, { tools }).run('Hi', { session: 's' }))
  const entries = await collect(place.store.load('s'))
  const times = entries.flatMap(({ kind, data, at }) =>
    kind === 'call.prepared' ? [[data.callId, (data.approval?.expiresAt ?? at) - at]] : [],
  )
  expect([end(result), times]).toEqual([
    'parked awaiting_approval',
    [
      ['m1.0', 1_000],
      ['m1.1', 0],
    ],
  ])
})
