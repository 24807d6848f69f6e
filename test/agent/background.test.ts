import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { content, done, type RunEvent, suspend, tool } from '../../src/index.ts'
import { agentIn, asks, collect, end, gate, journal, lines, noInput, otherProcess, scriptedLab, thrown } from '../acceptance/kit.ts'

/** A tool that goes on in the background until the test says so. */
function slowTool(execute: (ready: Promise<unknown>) => unknown) {
  const ready = gate<unknown>()
  const render = tool({
    name: 'render',
    description: 'Renders',
    inputSchema: noInput,
    effect: 'idempotent',
    background: true,
    execute: () => execute(ready.promise),
  })
  return { ready, render }
}

describe('F-30: a tool that goes on in the background', () => {
  test('the model works on, and is told the result when it is there; the run completes after that', async () => {
    const { ready, render } = slowTool((promise) => promise)
    const place = scriptedLab([asks('render', 'look'), 'It is under way.', 'Here it is.'])
    const look = tool({ name: 'look', description: 'Looks', inputSchema: noInput, execute: () => 'seen' })
    const run = agentIn(place, { tools: [render, look] }).stream('Render it', { session: 's' })
    const events: RunEvent[] = []
    const reading = (async () => {
      for await (const event of run) events.push(event)
    })()
    await place.clock.advance(60_000)
    expect(place.model.requests).toHaveLength(2)
    expect(lines(place.model.requests[1]?.messages ?? []).at(-1)).toContain('This call goes on in the background, as m1.0')
    ready.resolve({ film: 'film.mp4' })
    const result = await place.clock.until(run.result)
    await reading
    expect([end(result), result.text]).toEqual(['completed completed', 'Here it is.'])
    expect(lines(place.model.requests[2]?.messages ?? []).at(-1)).toBe(
      'user: This is the result of the call m1.0 of \'render\', which went on in the background. A tool says this, not the user: {"film":"film.mp4"}',
    )
    // Typed as what the tool returns, and told once.
    expect(result.calls.map((call) => [call.callId, call.outcome, call.output])).toEqual([
      ['m1.1', 'ok', 'seen'],
      ['m1.0', 'ok', { film: 'film.mp4' }],
    ])
    expect(
      events.flatMap((event) => (event.type === 'call.settled' ? [`${event.callId} ${event.outcome} ${event.durationMs}`] : [])),
    ).toEqual(['m1.1 ok 0', 'm1.0 ok 60000'])
    expect((await journal(place.store, 's')).slice(3)).toEqual([
      'model.started 1.1',
      'model.responded 1.1 tool-calls',
      'call.prepared m1.0',
      'call.prepared m1.1',
      'call.started m1.0',
      'call.settled m1.0 ok',
      'call.started m1.1',
      'call.settled m1.1 ok',
      'model.started 2.1',
      'model.responded 2.1 stop',
      'message background',
      'model.started 3.1',
      'model.responded 3.1 stop',
      'run.finished completed completed',
    ])
  })

  test('what a user says meanwhile is answered meanwhile', async () => {
    const { ready, render } = slowTool((promise) => promise)
    const place = scriptedLab([asks('render'), 'It is under way.', 'Still.', 'Here it is.'])
    const run = agentIn(place, { tools: [render] }).stream('Render it', { session: 's' })
    await place.clock.advance(10)
    await run.send('How is it going?')
    await place.clock.advance(10)
    expect(place.model.requests).toHaveLength(3)
    ready.resolve('film')
    expect((await place.clock.until(run.result)).text).toBe('Here it is.')
  })

  test.each([
    ['throws', () => Promise.reject(new Error('no disk')), 'did not succeed (error). no disk'],
    ['has parts', () => content([{ type: 'text', text: 'two parts' }]), 'two parts'],
    ['is done()', () => done('the film'), 'the film'],
  ])('its outcome when it %s', async (_what, execute, text) => {
    const { ready, render } = slowTool((promise) => promise.then(execute))
    const place = scriptedLab([asks('render'), 'Under way.', 'Ok.'])
    const run = agentIn(place, { tools: [render] }).stream('Render it', { session: 's' })
    const result = run.result
    await place.clock.advance(10)
    ready.resolve(0)
    expect(end(await place.clock.until(result))).toBe('completed completed')
    expect(lines(place.model.requests[2]?.messages ?? []).at(-1)).toContain(text)
  })

  test('it may hand the work out: any process gives the result, by the id it was told', async () => {
    const { ready, render } = slowTool((promise) => promise.then(() => suspend({ correlationId: 'job-7' })))
    ready.resolve(0)
    const place = scriptedLab([asks('render'), 'Under way.', 'Here it is.'])
    const agent = agentIn(place, { tools: [render] })
    const parked = await place.clock.until(agent.run('Render it', { session: 's' }))
    expect([end(parked), parked.status === 'parked' && parked.pending]).toMatchObject([
      'parked suspended',
      [{ callId: 'm1.0', kind: 'result', correlationId: 'job-7' }],
    ])
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [render] })
    const result = await place.clock.until(other.resume('s', { results: [{ callId: 'm1.0', output: 'film' }] }).result)
    expect([end(result), result.text, result.calls.map((call) => call.output)]).toEqual(['completed completed', 'Here it is.', ['film']])
  })

  test('a model call that failed is tried again in time, also while the work is outside', async () => {
    const { render } = slowTool(() => suspend({ correlationId: 'film' }))
    const overloaded = { fail: { code: 'ModelServerError' as const, message: 'overloaded' } }
    const place = scriptedLab([asks('render'), overloaded, 'It is under way.'])
    const parked = await place.clock.until(agentIn(place, { tools: [render] }).run('Render it', { session: 's' }))
    expect([end(parked), parked.text, place.model.requests.length]).toEqual(['parked suspended', 'It is under way.', 3])
  })

  test('its process dies: another one begins it again with the same key, and the run goes on', async () => {
    const keys: string[] = []
    const make = (execute: () => unknown) =>
      tool({
        name: 'render',
        description: 'Renders',
        inputSchema: noInput,
        effect: 'idempotent',
        background: true,
        execute: (_, call) => {
          keys.push(`${call.idempotencyKey} ${call.attempt}`)
          return execute()
        },
      })
    const place = scriptedLab([asks('render'), 'Under way.', 'Here it is.'])
    void agentIn({ ...place, store: otherProcess(place.store) }, { tools: [make(() => new Promise(() => {}))] }).stream('Render it', {
      session: 's',
    })
    await place.clock.advance(10)
    place.clock.jump(60_000)
    const other = agentIn({ ...place, store: otherProcess(place.store) }, { tools: [make(() => 'film')] })
    const result = await place.clock.until(other.resume('s').result)
    expect([end(result), result.text, keys]).toEqual(['completed completed', 'Here it is.', ['s/m1.0 1', 's/m1.0 2']])
  })

  test.each(['at once', 'later'])('a dynamic part that fails %s meanwhile ends the run, and it with that', async (when) => {
    const { render } = slowTool((promise) => promise)
    const place = scriptedLab([asks('render')])
    const words = ({ iteration }: { readonly iteration: number }): string => {
      if (iteration > 1) throw new Error('no words')
      return 'Be brief.'
    }
    const instructions = when === 'later' ? async (info: Parameters<typeof words>[0]) => words(info) : words
    const agent = agentIn(place, { tools: [render], instructions })
    const result = await place.clock.until(agent.run('Render it', { session: 's', throwOnError: false }))
    expect([end(result), result.calls.map(({ callId, outcome }) => `${callId} ${outcome}`)]).toEqual([
      'failed hook_failure',
      ['m1.0 cancelled'],
    ])
    expect((await journal(place.store, 's')).slice(6)).toEqual([
      'call.started m1.0',
      'call.settled m1.0 ok',
      'message background',
      'run.finished failed hook_failure',
    ])
  })

  test('an abort stops it with the run', async () => {
    let told = false
    const render = tool({
      name: 'render',
      description: 'Renders',
      inputSchema: noInput,
      background: true,
      execute: (_, call) =>
        new Promise((_resolve, reject) => {
          call.signal.addEventListener('abort', () => {
            told = true
            reject(call.signal.reason)
          })
        }),
    })
    const place = scriptedLab([asks('render'), 'Under way.'])
    const run = agentIn(place, { tools: [render] }).stream('Render it', { session: 's' })
    const result = run.result
    await place.clock.advance(10)
    await run.abort()
    expect([end(await place.clock.until(result)), told]).toEqual(['aborted aborted', true])
    expect((await collect(place.store.load('s'))).filter(({ kind }) => kind === 'message')).toMatchObject([
      { data: { callId: 'm1.0', result: { settlement: { outcome: 'cancelled' }, by: 'tool' } } },
    ])
  })

  test('what goes on beside a wait for a setup takes no time of its own from the run', async () => {
    const { ready, render } = slowTool((promise) => promise)
    const place = scriptedLab([asks('render')])
    let asked = 0
    const instructions = async () => (asked++ === 0 ? 'Be brief.' : new Promise<string>(() => {}))
    const agent = agentIn(place, { tools: [render], instructions, limits: { maxDurationMs: 1_000, onLimit: 'incomplete' } })
    const result = agent.run('Render it', { session: 's' })
    await place.clock.advance(400)
    ready.resolve('film')
    expect([end(await place.clock.until(result)), place.clock.monotonic()]).toEqual(['incomplete timeout', 1_000])
  })

  test('options that can not work are refused', () => {
    const options = { name: 'x', description: 'x', inputSchema: z.object({}), background: true, exclusive: true }
    expect(thrown(() => tool(options)).message).toContain("'exclusive' and 'background' exclude each other")
    expect(thrown(() => tool({ ...options, exclusive: false, background: 1 as never })).message).toContain(
      'background must be true or false',
    )
  })
})
