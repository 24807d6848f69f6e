import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Agent, type Model, memory, RondoError, RunError, type RunEvent, type Store, type Tool, tool } from 'rondo'
import { flakyStore, type Script, scripted, type VirtualWorld } from 'rondo/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { EventRing } from '../../src/engine/ring.ts'
import { listen } from '../acceptance/support/modes.ts'
import { alwaysSuspend, testWorld } from '../setup/checks.ts'

interface Stage {
  readonly world: VirtualWorld
  readonly store: Store
  readonly agent: Agent<readonly Tool[], undefined, unknown>
}

type Options = {
  readonly model?: Model
  readonly maxParallel?: number
  readonly tools?: readonly Tool[]
  readonly onObserverError?: (error: unknown) => void
}

function stage(script: Script, options: Options = {}, ringCapacity = 10_000): Stage {
  const world = { ...testWorld(), ringCapacity }
  const store = memory({ clock: () => world.clock.wall() })
  const model = scripted(script, { clock: world.clock })
  const agent = new Agent<readonly Tool[], undefined, unknown>({
    model,
    tools: [],
    policies: { noProgress: false },
    ...options,
    world,
    store,
  })
  return { world, store, agent }
}

async function all<X>(source: AsyncIterable<X>): Promise<X[]> {
  const items: X[] = []
  for await (const item of source) items.push(item)
  return items
}

async function until<T extends RunEvent['type']>(run: AsyncIterable<RunEvent>, type: T): Promise<void> {
  for await (const event of run) if (event.type === type) return
}

function plain(name: string, execute: Parameters<typeof tool>[0]['execute']): Tool {
  return tool({ name, description: name, effect: 'read', inputSchema: z.object({}), ...(execute === undefined ? {} : { execute }) })
}

/** A model whose first answer a test gives when it likes; every later one is 'Bye'. */
function spoken(): Model & { say(text: string): void; end(toolName?: string): void } {
  let sink: (text: string) => void = () => {}
  let end = (_toolName: string | undefined) => {}
  let asked = 0
  const usage = { inputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 1, reasoningTokens: 0, complete: true }
  return {
    provider: 'spoken',
    id: 'test',
    capabilities: { structuredOutput: 'prompt', parallelCalls: false, imagesInResults: false, reasoning: false },
    stream: (_request, give) =>
      new Promise((resolve) => {
        if (asked++ > 0) {
          give({ type: 'text', part: 0, text: 'Bye' })
          return resolve({ finishReason: 'stop', usage })
        }
        sink = (text) => give({ type: 'text', part: 0, text })
        end = (toolName) => {
          if (toolName !== undefined) give({ type: 'call', part: 1, toolName })
          resolve({ finishReason: toolName === undefined ? 'stop' : 'tool-calls', usage })
        }
      }),
    say: (text) => sink(text),
    end: (toolName) => end(toolName),
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const slow: Script = [{ text: 'Hello there, you.', delayMs: 1_000 }]

function endOf(events: readonly RunEvent[]) {
  return events.flatMap((event) => (event.type === 'run.finished' ? [event.result.status] : []))
}

describe('promise 15: when the last reader leaves', () => {
  test('a reader that leaves early aborts the run, and nothing is left of it', async () => {
    const { world, agent } = stage(slow)
    const events = listen(agent)
    const run = agent.stream('Hi')
    await until(run, 'model.started')
    await world.clock.advance(5_000)
    expect(endOf(events)).toEqual(['aborted'])
    expect(world.clock.pending).toBe(0)
  })

  test('with `detach` the run goes on', async () => {
    const { world, agent } = stage(slow)
    const events = listen(agent)
    await until(agent.stream('Hi', { detach: true }), 'model.started')
    await world.clock.advance(5_000)
    expect(endOf(events)).toEqual(['completed'])
  })

  for (const hold of ['result', 'text', 'output'] as const)
    test(`held by ${hold}, the run goes on`, async () => {
      const { world, agent } = stage(slow)
      const run = agent.stream('Hi')
      const held = hold === 'result' ? run.result.then(({ text }) => text) : run[hold]()
      await until(run, 'model.started')
      expect(await world.clock.until(held)).toBe('Hello there, you.')
    })

  test('the first of two readers may leave; the second ends it', async () => {
    const { world, agent } = stage(slow)
    const events = listen(agent)
    const run = agent.stream('Hi')
    const second = run[Symbol.asyncIterator]()
    await second.next()
    await until(run, 'model.started')
    await world.clock.advance(100)
    expect(endOf(events)).toEqual([])
    await second.return?.()
    await world.clock.advance(5_000)
    expect(endOf(events)).toEqual(['aborted'])
  })

  test('a reader of text that leaves early aborts it too', async () => {
    const { world, agent } = stage([{ text: 'one two', chunk: 3, calls: [{ name: 'none', input: {} }] }, ...slow])
    const events = listen(agent)
    for await (const text of agent.stream('Hi').textStream) if (text !== '') break
    await world.clock.advance(5_000)
    expect(endOf(events)).toEqual(['aborted'])
  })
})

describe('views of one run', () => {
  test('two readers, one of them late, get the same events', async () => {
    const { world, agent } = stage(['Hello!'])
    const run = agent.stream('Hi')
    const early = all(run)
    await world.clock.until(run.result)
    expect(await all(run)).toEqual(await early)
  })

  test('decision 0013: for a reader of the text alone nothing else is made; whoever comes for the events after it gets them all', async () => {
    const pushed = vi.spyOn(EventRing.prototype, 'push')
    onTestFinished(() => pushed.mockRestore())
    const look = plain('look', () => 'seen')
    const { world, agent } = stage([{ text: 'I look.', calls: [{ name: 'look', input: {} }] }, 'Hello!'], { tools: [look] })
    const run = agent.stream('Hi', { session: 's', runId: 'r' })
    const parts = all(run.textStream)
    await world.clock.until(run.result)
    expect((await parts).join('')).toBe('I look.Hello!')
    const made = pushed.mock.calls.map(([{ type }]) => type)
    expect(new Set(made)).toEqual(new Set(['text.delta', 'model.finished', 'run.status', 'run.finished']))
    const events = await all(run)
    expect(events).toEqual(await all(agent.attach('s', { runId: 'r' })))
    expect(events.map(({ type }) => type)).toContain('call.settled')
  })

  test('text(), output(), result and textStream of a completed run', async () => {
    const { world, agent } = stage(['Hello!'])
    const run = agent.stream('Hi')
    const parts = all(run.textStream)
    const result = await world.clock.until(run.result)
    expect(result).toMatchObject({ status: 'completed', text: 'Hello!', output: 'Hello!' })
    expect([await run.text(), await run.output(), (await parts).join('')]).toEqual(['Hello!', 'Hello!', 'Hello!'])
  })

  test('of a failed run `result` resolves; text(), output(), textStream and run() reject with the result', async () => {
    const { world, agent } = stage([{ fail: { code: 'ModelAuthError', message: 'no key' } }, { fail: { code: 'ModelAuthError' } }])
    const run = agent.stream('Hi')
    const result = await world.clock.until(run.result)
    expect(result).toMatchObject({ status: 'failed', reason: 'model_error', error: { code: 'ModelAuthError' } })
    for (const view of [run.text(), run.output(), all(run.textStream), agent.run('Hi')]) {
      const error = await view.then(
        () => undefined,
        (cause: unknown) => cause,
      )
      expect(error).toBeInstanceOf(RunError)
      expect((error as RunError).result.status).toBe('failed')
    }
  })

  test('promise 7: shown text of a retried attempt is taken back: textStream throws OutputRetracted, text() still resolves', async () => {
    const { world, agent } = stage([{ text: 'Hel', fail: { code: 'ModelServerError' }, failAfter: 1 }, 'Hello!'])
    const run = agent.stream('Hi')
    const seen: string[] = []
    const reading = (async () => {
      for await (const text of run.textStream) seen.push(text)
    })().catch((error: unknown) => error)
    const events = all(run)
    expect(await world.clock.until(run.text())).toBe('Hello!')
    const error = await reading
    expect(RondoError.is(error) && error.code).toBe('OutputRetracted')
    expect(seen).toEqual(['Hel'])
    const types = (await events).map((event) => (event.type === 'text.delta' ? `text ${event.text}` : event.type))
    expect(types.filter((type) => /text |model|retracted/.test(type))).toEqual([
      ...['model.started', 'text Hel', 'model.failed', 'model.retracted'],
      ...['model.started', 'text Hello!', 'model.finished'],
    ])
  })
})

describe('promise 7: attach', () => {
  const add = tool({
    name: 'add',
    description: 'Adds.',
    effect: 'read',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  })
  const script: Script = [
    { text: 'Let me see.', calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
    { reasoning: 'Hm.', text: 'It is 3.' },
  ]

  /** Arguments that come in pieces are not given again: the announced call has them. */
  const lasting = (events: readonly RunEvent[]) => events.filter(({ type }) => type !== 'call.input.delta')

  test('from the cursor of any fact it yields exactly what followed', async () => {
    const { world, agent } = stage(script, { tools: [add] })
    const run = agent.stream('1 and 2?')
    const events = await world.clock.until(all(run))
    expect(lasting(await all(agent.attach(run.sessionId)))).toEqual(lasting(events))
    for (const [index, { cursor }] of events.entries()) {
      if (!cursor.includes(':')) continue
      expect(lasting(await all(agent.attach(run.sessionId, { after: cursor })))).toEqual(lasting(events.slice(index + 1)))
    }
  })

  test('from a cursor in the middle of a message it yields the settled message, then what followed', async () => {
    const { world, agent } = stage(['Hello!'])
    const run = agent.stream('Hi')
    const events = await world.clock.until(all(run))
    const delta = events.findIndex(({ type }) => type === 'text.delta')
    const again = await all(agent.attach(run.sessionId, { after: events[delta]?.cursor ?? '' }))
    expect(again.map((event) => (event.type === 'text.delta' ? event.text : event.type))).toEqual([
      ...['text.started', 'Hello!', 'text.finished'],
      ...events.slice(delta + 2).map(({ type }) => type),
    ])
  })

  test('in the middle of a message that is being shown it yields what was shown, then the rest', async () => {
    for (const watched of [true, false]) {
      const model = spoken()
      const { world, agent } = stage([], { model })
      const first = watched ? agent.stream('Hi', { session: 's' }).result : agent.run('Hi', { session: 's' })
      await settle()
      model.say('Hel')
      model.say('lo')
      const late = all(agent.attach('s'))
      await settle()
      model.say(' there')
      model.end()
      await world.clock.until(first)
      const texts = (await late).flatMap((event) =>
        event.type === 'text.delta' ? [event.text] : event.type.startsWith('text') ? [event.type] : [],
      )
      expect(texts).toEqual(['text.started', 'Hello', ' there', 'text.finished'])
    }
  })

  test('a run that another process drives is followed to its end', async () => {
    const model = spoken()
    const { world, store, agent } = stage([], { model })
    const events = listen(agent)
    const first = agent.run('Hi', { session: 's' })
    await settle()
    const other = new Agent({ model: scripted([]), store: flakyStore(store, () => 'ok'), world })
    const attached = other.attach('s')
    const late = all(attached)
    await settle()
    model.say('Hello')
    model.say(' there')
    model.end()
    expect(await world.clock.until(attached.result)).toEqual(await first)
    expect(texts(await late)).toBe('Hello there')
    const facts = (list: readonly RunEvent[]) => list.filter(({ cursor }) => cursor.includes(':'))
    expect(facts(await late)).toEqual(facts(events))
  })

  test('a listener gets each event once, however many handles of its agent follow the run', async () => {
    const { world, agent } = stage(slow)
    const events = listen(agent)
    const run = agent.stream('Hi', { session: 's' })
    await settle()
    const attached = agent.attach('s')
    await world.clock.until(Promise.all([run.result, attached.result]))
    const cursors = events.map(({ cursor }) => cursor)
    expect(cursors).toEqual([...new Set(cursors)])
    expect(endOf(events)).toEqual(['completed'])
  })

  test('an unknown session is an error', async () => {
    const { agent } = stage([])
    await expect(all(agent.attach('nowhere'))).rejects.toMatchObject({ code: 'SessionNotFound' })
  })
})

function texts(events: readonly RunEvent[]): string {
  return events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('')
}

describe('readers that lag', () => {
  /** Says more than a ring holds. */
  const chatty = () =>
    plain('chatty', (_, call) => {
      for (let i = 0; i < 25_000; i++) call.progress(i)
      return 'done'
    })

  test('adjacent deltas become one, the text is whole, and the run does not wait', async () => {
    const text = 'word '.repeat(1_000)
    const { world, agent } = stage([{ text, chunk: 5 }])
    const run = agent.stream('Hi')
    const reader = run[Symbol.asyncIterator]()
    await reader.next()
    expect(await world.clock.until(run.result)).toMatchObject({ status: 'completed', text })
    const rest = await all({ [Symbol.asyncIterator]: () => reader })
    expect(texts(rest)).toBe(text)
    expect(rest.filter(({ type }) => type === 'text.delta').length).toBeLessThan(3)
  })

  test('B139: 200,000 deltas for a reader that never comes, or comes late, are kept within a bound', async () => {
    const deltas = Array.from({ length: 100_000 }, () => [
      { type: 'reasoning', part: 0, text: 'r' } as const,
      { type: 'text', part: 1, text: 't' } as const,
    ]).flat()
    const { world, agent } = stage([{ deltas }])
    const run = agent.stream('Hi')
    const result = await world.clock.until(run.result)
    expect(result.text.length).toBe(100_000)
    const events = await all(run)
    const told = (type: string) => events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('')
    expect([told('text.delta') === 't'.repeat(100_000), told('reasoning.delta') === 'r'.repeat(100_000)]).toEqual([true, true])
    // The ring, and the facts that are read again from the journal.
    expect(events.length).toBeLessThan(20_050)
    expect(events.filter(({ cursor }) => cursor.includes(':')).map(({ type }) => type)).toEqual([
      ...['run.started', 'message.added', 'run.status', 'iteration.started', 'model.started', 'run.status'],
      ...['model.finished', 'usage.updated', 'iteration.finished', 'run.status', 'run.finished'],
    ])
  })

  test('B139: a reader that takes its time gets all of 200,000 deltas, in few pieces', async () => {
    const text = 'x'.repeat(200_000)
    const { world, agent } = stage([{ text, chunk: 1 }])
    const run = agent.stream('Hi')
    let pieces = 0
    let read = ''
    const reading = (async () => {
      for await (const event of run) {
        if (event.type === 'text.delta') {
          pieces++
          read += event.text
        }
        await new Promise<void>((resolve) => world.clock.timer(1, resolve))
      }
    })()
    await world.clock.until(reading)
    expect(read).toBe(text)
    expect(pieces).toBeLessThan(100)
  })

  test('progress that overflows the ring: every fact is read again from the journal, once and in order', async () => {
    const { world, agent } = stage([{ calls: [{ name: 'chatty', input: {} }] }, 'Done.'], { tools: [chatty()] })
    const heard = listen(agent)
    const run = agent.stream('Go')
    await world.clock.until(run.result)
    const events = await all(run)
    const facts = (list: readonly RunEvent[]) => list.filter(({ cursor }) => cursor.includes(':'))
    expect(facts(events)).toEqual(facts(heard))
    expect(events.length).toBeLessThan(20_100)
    expect(texts(events)).toBe('Done.')
  })

  test('facts that overflow the ring, the cut in the middle of an entry: none is lost', async () => {
    const calls = Array.from({ length: 20 }, () => ({ name: 'noop', input: {} }))
    const noop = plain('noop', () => 1)
    // The events of an entry with 20 calls are cut at a place that moves on with the capacity.
    for (let capacity = 30; capacity < 52; capacity += 3) {
      const { world, agent } = stage([{ calls }, { calls }, 'Done.'], { tools: [noop], maxParallel: 20 }, capacity)
      const heard = listen(agent)
      const run = agent.stream('Go')
      await world.clock.until(run.result)
      const facts = (list: readonly RunEvent[]) =>
        list.filter(({ cursor }) => cursor.includes(':')).map(({ cursor, type }) => `${cursor} ${type}`)
      expect(facts(heard).length).toBeGreaterThan(2 * capacity)
      expect(facts(await all(run))).toEqual(facts(heard))
    }
  })

  test('a reader that stops in the middle of a message and comes back after an overflow gets the rest of it', async () => {
    const model = spoken()
    const { world, agent } = stage([], { model, tools: [chatty()] })
    const run = agent.stream('Hi')
    const reader = run[Symbol.asyncIterator]()
    await settle()
    model.say('Hel')
    let read = ''
    while (read !== 'Hel') {
      const next = await reader.next()
      if (next.done === true) break
      read += texts([next.value])
    }
    model.say('lo, ')
    model.end('chatty')
    await world.clock.until(run.result)
    const rest = await all({ [Symbol.asyncIterator]: () => reader })
    expect(read + texts(rest)).toBe('Hello, Bye')
  })
})

describe('a stream that nobody reads', () => {
  test('B141: runs to its end, holds no session and lets no rejection escape', async () => {
    const stray: unknown[] = []
    const note = (error: unknown) => stray.push(error)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const { world, agent } = stage([{ fail: { code: 'ModelAuthError' } }, 'Hello!'])
    const events = listen(agent)
    agent.stream('Hi', { session: 's' })
    await world.clock.advance(1)
    expect(endOf(events)).toEqual(['failed'])
    expect(await world.clock.until(agent.run('Again', { session: 's' }))).toMatchObject({ status: 'completed', text: 'Hello!' })
    // One that could not even begin.
    agent.stream('   ')
    await world.clock.advance(1)
    await settle()
    expect(stray).toEqual([])
    expect(world.clock.pending).toBe(0)
  })

  test('B133: a process ends as soon as its run has', async () => {
    const dist = new URL('../../dist/', import.meta.url)
    if (!existsSync(new URL('index.js', dist))) throw new Error("dist is absent: run 'npm run build' first")
    const source = `
      import { Agent } from ${JSON.stringify(new URL('index.js', dist).href)}
      import { scripted } from ${JSON.stringify(new URL('testing/index.js', dist).href)}
      const agent = new Agent({ model: scripted(['Hello!', 'Hello!']), settings: { timeoutMs: 90_000 } })
      agent.stream('Hi')
      const run = agent.stream('Hi', { signal: new AbortController().signal, limits: { maxDurationMs: 90_000 } })
      for await (const _ of run);
      console.log((await run.result).text)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      cwd: fileURLToPath(dist),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    let saidAt = 0
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      saidAt = performance.now()
    })
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
    expect({ output, code }).toEqual({ output: 'Hello!\n', code: 0 })
    expect(performance.now() - saidAt).toBeLessThan(2_000)
  })
})

describe('listeners', () => {
  /** What plain JavaScript may pass: nobody reads what it returns. */
  type Listener = () => unknown

  test('one that throws or rejects is reported once for each event and disturbs nothing', async () => {
    const reported: unknown[] = []
    const { world, agent } = stage(['Hello!'], { onObserverError: (error) => reported.push(error) })
    const heard: string[] = []
    agent.on('model.started', () => {
      throw new Error('thrown')
    })
    const rejecting: Listener = async () => {
      await Promise.resolve()
      throw new Error('rejected')
    }
    agent.on('model.started', rejecting)
    agent.on('model.started', ({ type }) => heard.push(type))
    agent.on('run.finished', ({ type }) => heard.push(type))
    const result = await world.clock.until(agent.run('Hi'))
    await settle()
    expect(result).toMatchObject({ status: 'completed', text: 'Hello!' })
    expect(heard).toEqual(['model.started', 'run.finished'])
    expect(reported.map((error) => (error instanceof Error ? error.message : error))).toEqual(['thrown', 'rejected'])
  })

  test('a reporter that throws disturbs nothing either', async () => {
    const onObserverError = () => {
      throw new Error('no better')
    }
    const { world, agent } = stage(['Hello!'], { onObserverError })
    agent.on('run.started', () => {
      throw new Error('thrown')
    })
    expect(await world.clock.until(agent.run('Hi'))).toMatchObject({ status: 'completed' })
  })

  test('one that was taken off hears nothing more', async () => {
    const { world, agent } = stage(['One', 'Two'])
    const heard: string[] = []
    const off = agent.on('run.finished', ({ result }) => heard.push(result.text))
    await world.clock.until(agent.run('Hi'))
    off()
    await world.clock.until(agent.run('Hi'))
    expect(heard).toEqual(['One'])
  })

  test('one that takes long delays nothing: it is not awaited', async () => {
    const { world, agent } = stage(['Hello!'])
    const endless: Listener = () => new Promise<void>(() => {})
    agent.on('run.started', endless)
    expect(await world.clock.until(agent.run('Hi'))).toMatchObject({ status: 'completed' })
  })
})

describe('disposal', () => {
  test('leaving the scope aborts a run that goes on, and waits for its end', async () => {
    const { world, agent } = stage(slow)
    const events = listen(agent)
    const scope = async () => {
      await using run = agent.stream('Hi')
      await until({ [Symbol.asyncIterator]: () => run[Symbol.asyncIterator]() }, 'run.started')
    }
    await world.clock.until(scope())
    expect(endOf(events)).toEqual(['aborted'])
    expect(world.clock.pending).toBe(0)
  })

  test('a run that has ended stays as it is', async () => {
    const { world, agent } = stage(['Hello!'])
    const run = agent.stream('Hi')
    await world.clock.until(run.result)
    await run[Symbol.asyncDispose]()
    expect((await run.result).status).toBe('completed')
  })
})

describe('inputs in the middle of a run', () => {
  const pay = () =>
    tool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.object({}),
      needsApproval: true,
      execute: (_, call) => `paid for ${call.approvedBy}`,
    })
  const script: Script = [{ calls: [{ name: 'pay', input: {} }] }, 'Paid.']
  const decided = (events: readonly RunEvent[]) =>
    events.flatMap((event) => {
      if (event.type === 'run.status') return [`${event.from} → ${event.to}`]
      return /approval|call\.(started|settled)|message|finished/.test(event.type) && event.type !== 'text.finished' ? [event.type] : []
    })

  test('promise 14: a decision on a live run is shown once, with its changes of status (golden trace 6, the shared part)', async () => {
    const { world, agent } = stage(script, { tools: [pay()] })
    const heard = listen(agent)
    const run = agent.stream('Pay')
    const events: RunEvent[] = []
    const reading = (async () => {
      for await (const event of run) {
        events.push(event)
        if (event.type === 'approval.requested') await run.decide({ callId: event.callId, decision: 'approve', by: 'ann' })
      }
    })()
    await world.clock.until(reading)
    expect(decided(events)).toEqual([
      ...['message.added', 'idle → preparing', 'preparing → model_running', 'model.finished', 'model_running → tool_running'],
      ...['approval.requested', 'tool_running → awaiting_human', 'approval.decided', 'awaiting_human → tool_running', 'call.started'],
      ...['call.settled', 'iteration.finished', 'tool_running → model_running', 'model.finished', 'iteration.finished'],
      ...['model_running → completed', 'run.finished'],
    ])
    expect(heard).toEqual(events)
  })

  test('promise 13: parked and resumed, each handle shows its part, and the decision that resumed it comes first', async () => {
    const { world, store, agent } = stage(script, { tools: [pay()] })
    const run = agent.stream('Pay', { parkAfterMs: 0 })
    const before = await world.clock.until(all(run))
    const result = await run.result
    expect(before.at(-1)).toMatchObject({ type: 'run.parked', reason: 'awaiting_approval' })
    const other = new Agent({
      model: scripted(['Paid.'], { clock: world.clock }),
      tools: [pay()],
      store: flakyStore(store, () => 'ok'),
      world,
    })
    const again = other.resume(result.sessionId, { decisions: [{ callId: 'm1.0', decision: 'approve', by: 'ann' }] })
    const after = await world.clock.until(all(again))
    expect(decided(after).slice(0, 4)).toEqual(['approval.decided', 'awaiting_human → tool_running', 'call.started', 'call.settled'])
    expect(after.at(-1)).toMatchObject({ type: 'run.finished', result: { status: 'completed', text: 'Paid.' } })
    const whole = await all(other.attach(result.sessionId))
    const facts = (list: readonly RunEvent[]) => list.filter(({ cursor }) => cursor.includes(':'))
    expect(facts(whole)).toEqual(facts([...before, ...after]))
  })

  test('a message for a run that waits is shown once', async () => {
    const { world, agent } = stage([{ calls: [{ name: 'pay', input: {} }] }, 'Well then.'], { tools: [pay()] })
    const run = agent.stream('Pay')
    const events: RunEvent[] = []
    const reading = (async () => {
      for await (const event of run) {
        events.push(event)
        if (event.type === 'approval.requested') await run.send('Never mind.')
      }
    })()
    await world.clock.until(reading)
    expect(events.filter(({ type }) => type === 'message.added').length).toBe(2)
    expect(events.find(({ type }) => type === 'call.settled')).toMatchObject({ outcome: 'skipped' })
  })

  test('always-suspend reloads while a human is waited for', async () => {
    const { world, agent } = stage(script, { tools: [pay()] })
    const run = agent.stream('Pay')
    await world.clock.advance(10)
    const claims = (await all(agent.session(run.sessionId).entries())).filter(({ kind }) => kind === 'run.claimed')
    expect(claims.length).toBe(alwaysSuspend ? 2 : 1)
    await run.decide({ callId: 'm1.0', decision: 'approve' })
    expect(await world.clock.until(run.result)).toMatchObject({ status: 'completed' })
  })
})
