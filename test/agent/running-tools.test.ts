import { describe, expect, test } from 'vitest'
import { content, done, suspend, tool } from '../../src/index.ts'
import { agentIn, asks, collect, end, gate, journal, lines, noInput, plainTool, scriptedLab } from '../acceptance/kit.ts'

/** Tools that take 100 ms of virtual time each and say how many ran at once. */
function timed(place: ReturnType<typeof scriptedLab>, names: readonly string[], exclusive: readonly string[] = []) {
  const log: string[] = []
  let running = 0
  let most = 0
  const tools = names.map((name) =>
    tool({
      name,
      description: name,
      inputSchema: noInput,
      exclusive: exclusive.includes(name),
      execute: async () => {
        most = Math.max(most, ++running)
        log.push(`${name} begins`)
        await new Promise<void>((resolve) => place.clock.timer(100, resolve))
        log.push(`${name} ends`)
        running--
        return name
      },
    }),
  )
  return { tools, log, most: () => most }
}

describe('side by side', () => {
  test.each([
    [1, 400],
    [2, 200],
    [8, 100],
  ])('maxParallel %i: never more at once, all of them run, results in call order', async (maxParallel, took) => {
    const place = scriptedLab([asks('a', 'b', 'c', 'd'), 'ok'])
    const { tools, most } = timed(place, ['a', 'b', 'c', 'd'])
    const result = await place.clock.until(agentIn(place, { tools, maxParallel }).run('Hi'))
    expect([most(), place.clock.monotonic()]).toEqual([Math.min(4, maxParallel), took])
    expect(lines(result.messages)[1]).toBe('assistant: a{}→ok:a b{}→ok:b c{}→ok:c d{}→ok:d')
  })

  test('an exclusive tool runs alone, in its place', async () => {
    const place = scriptedLab([asks('a', 'x', 'b', 'c'), 'ok'])
    const { tools, log } = timed(place, ['a', 'x', 'b', 'c'], ['x'])
    await place.clock.until(agentIn(place, { tools }).run('Hi'))
    expect(log).toEqual(['a begins', 'a ends', 'x begins', 'x ends', 'b begins', 'c begins', 'b ends', 'c ends'])
  })

  test("maxCallsPerRun is the tool's own limit and ends nothing else", async () => {
    const place = scriptedLab([asks('once', 'other', 'once'), asks('once'), 'ok'])
    const once = tool({ name: 'once', description: 'Once', inputSchema: noInput, maxCallsPerRun: 1, execute: () => 'x' })
    const result = await place.clock.until(agentIn(place, { tools: [once, plainTool('other', () => 'y')] }).run('Hi'))
    expect([end(result), result.calls.map((call) => call.outcome)]).toEqual(['completed completed', ['ok', 'ok', 'skipped', 'skipped']])
  })
})

describe('time', () => {
  test.each(['read', 'unsafe'] as const)(
    'timeoutMs of a %s tool: timeout at once, the run goes on while it still works',
    async (effect) => {
      const place = scriptedLab([asks('slow'), 'ok'])
      const slow = tool({
        name: 'slow',
        description: 'Slow',
        inputSchema: noInput,
        effect,
        timeoutMs: 50,
        execute: () => new Promise(() => {}),
      })
      const result = await place.clock.until(agentIn(place, { tools: [slow] }).run('Hi'))
      expect([end(result), result.calls.map((call) => [call.outcome, call.durationMs])]).toEqual(['completed completed', [['timeout', 50]]])
    },
  )

  test('a result that comes within grace counts; the grace of a tool is its own', async () => {
    const place = scriptedLab([asks('tidy', 'stuck')])
    const slowly = (name: string, ms: number, graceMs: number) =>
      tool({
        name,
        description: name,
        inputSchema: noInput,
        effect: 'read',
        graceMs,
        execute: (_input, { signal }) =>
          new Promise((resolve) => signal.addEventListener('abort', () => place.clock.timer(ms, () => resolve('tidied')), { once: true })),
      })
    const agent = agentIn(place, { tools: [slowly('tidy', 3_000, 5_000), slowly('stuck', 3_000, 200)] })
    const run = agent.stream('Hi', { session: 's' })
    const result = run.result
    await place.clock.advance(10)
    await run.abort()
    const ended = await place.clock.until(result)
    expect(ended.calls.map((call) => [call.toolName, call.outcome])).toEqual([
      ['tidy', 'ok'],
      ['stuck', 'cancelled'],
    ])
    expect((await journal(place.store, 's')).slice(-4)).toEqual([
      'control cancel',
      'call.settled m1.1 cancelled',
      'call.settled m1.0 ok',
      'run.finished aborted aborted',
    ])
  })

  test('the late outcome of a timed out call is a note while the run goes on, and never in the context', async () => {
    const late = gate<string>()
    const slow = tool({ name: 'slow', description: 'Slow', inputSchema: noInput, timeoutMs: 50, execute: () => late.promise })
    const place = scriptedLab([asks('slow'), asks('wait'), 'ok'])
    const wait = plainTool('wait', () => new Promise((resolve) => place.clock.timer(100, () => resolve('waited'))))
    const promise = agentIn(place, { tools: [slow, wait] }).run('Hi', { session: 's' })
    await place.clock.advance(60)
    late.resolve('too late')
    await place.clock.until(promise)
    const notes = (await collect(place.store.load('s'))).flatMap((entry) => (entry.kind === 'custom' ? [entry.data] : []))
    expect(notes).toEqual([{ type: 'late-outcome', data: { callId: 'm1.0', attempt: 1, outcome: 'ok' } }])
    expect(JSON.stringify([...(place.model.requests[2]?.messages ?? [])])).not.toContain('too late')
  })
})

describe('what a tool can say', () => {
  test('progress is shown between start and end, with its call, and is no entry', async () => {
    const place = scriptedLab([asks('work'), 'ok'])
    const work = tool({
      name: 'work',
      description: 'Works',
      inputSchema: noInput,
      execute: (_input, { progress }) => {
        progress({ percent: 50 })
        progress('nearly')
        return 'done'
      },
    })
    const run = agentIn(place, { tools: [work] }).stream('Hi', { session: 's' })
    const events = await place.clock.until(collect(run))
    const about = events.filter((event) => 'callId' in event && event.type !== 'call.input.delta')
    expect(about.map((event) => (event.type === 'call.progress' ? [event.type, event.update] : [event.type]))).toEqual([
      ['call.announced'],
      ['call.started'],
      ['call.progress', { percent: 50 }],
      ['call.progress', 'nearly'],
      ['call.settled'],
    ])
    expect((await journal(place.store, 's')).filter((entry) => entry.includes('progress'))).toEqual([])
  })

  test('done() ends the run with its output, without another model call', async () => {
    const place = scriptedLab([asks('finish')])
    const result = await place.clock.until(agentIn(place, { tools: [plainTool('finish', () => done({ answer: 42 }))] }).run('Hi'))
    expect([end(result), result.output]).toEqual(['completed done_tool', { answer: 42 }])
  })

  test('suspend() parks with its correlation id; the result from outside goes on; an expiry is a timeout', async () => {
    const place = scriptedLab([asks('job', 'job2'), 'ok'])
    const tools = [
      plainTool('job', () => suspend({ correlationId: 'job-1' })),
      plainTool('job2', () => suspend({ correlationId: 'job-2', expiresInMs: 60_000 })),
    ]
    const agent = agentIn(place, { tools })
    const parked = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect([end(parked), parked.status === 'parked' && parked.pending.map((call) => call.kind === 'result' && call.correlationId)]).toEqual(
      ['parked suspended', ['job-1', 'job-2']],
    )
    await agent.session('s').submitToolResult('m1.0', { rows: 3 })
    await place.clock.advance(60_000)
    const result = await place.clock.until(agent.resume('s').result)
    expect(lines(result.messages)[1]).toBe('assistant: job{}→ok:{"rows":3} job2{}→timeout:No result came in time.')
  })

  test.each([0.5, Number.NaN, -5])('suspend() with an expiry of %s', async (expiresInMs) => {
    const place = scriptedLab([asks('job'), 'ok'])
    const agent = agentIn(place, { tools: [plainTool('job', () => suspend({ correlationId: 'x', expiresInMs }), 'read')] })
    const result = await place.clock.until(agent.run('Hi', { parkAfterMs: 1_000 }))
    expect(result.calls.map((call) => call.outcome)).toEqual([expiresInMs > 0 ? 'timeout' : 'error'])
  })

  test('content() gives parts to the model and their text to readers', async () => {
    const place = scriptedLab([asks('shot'), 'ok'])
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const
    const shot = plainTool('shot', () => content([{ type: 'text', text: 'A cat.' }, image]))
    const result = await place.clock.until(agentIn(place, { tools: [shot] }).run('Hi'))
    expect(result.calls).toMatchObject([{ outcome: 'ok', output: 'A cat.' }])
    const part = [...(place.model.requests[1]?.messages ?? [])][1]?.parts[0]
    expect(part?.type === 'tool-call' && part.content).toEqual([{ type: 'text', text: 'A cat.' }, image])
  })

  test.each<[string, unknown]>([
    ['a text that is a number', { type: 'text', text: 5 }],
    ['a call', { type: 'tool-call', callId: 'm9.0', toolName: 'shot', input: {} }],
    ['a type that nobody knows', { type: 'video', data: 'AAAA' }],
    ['a bare text', 'hello'],
  ])('what is no part of a result is shown as the JSON it is: %s', async (_name, part) => {
    const place = scriptedLab([asks('shot'), 'ok'])
    // Types forbid it; JavaScript and a cast do not.
    const shot = plainTool('shot', () => content([part as { type: 'text'; text: string }]))
    await place.clock.until(agentIn(place, { tools: [shot] }).run('Hi'))
    const call = [...(place.model.requests[1]?.messages ?? [])][1]?.parts[0]
    expect(call?.type === 'tool-call' && call.content).toEqual([{ type: 'text', text: JSON.stringify(part) }])
  })

  test.each([
    ['thrown', () => Promise.reject(new Error('no'))],
    ['said by content()', () => content([{ type: 'text', text: 'no' }], { isError: true })],
  ])("toolFailureMode: 'fail' ends the run at an error that is %s; siblings keep their results", async (_name, execute) => {
    const place = scriptedLab([asks('bad', 'good')])
    const agent = agentIn(place, {
      tools: [plainTool('bad', execute), plainTool('good', () => 'fine')],
      policies: { toolFailureMode: 'fail' },
    })
    const result = await place.clock.until(agent.run('Hi', { throwOnError: false }))
    expect([end(result), result.status === 'failed' && result.error.message, result.calls.map((call) => call.outcome)]).toEqual([
      'failed tool_failure',
      'no',
      ['error', 'ok'],
    ])
  })
})
