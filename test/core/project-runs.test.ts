import { describe, expect, test } from 'vitest'
import { eventsByEntry, last, short } from './events.ts'
import { claimed, control, failed, finished, open, requested, responded, rounds, settledBad, started, usage } from './support.ts'
import { walk } from './walk.ts'

describe('machine 6: a whole run, event by event', () => {
  test('cursors are seq:i; a change of status is one event after those of its fact, and before run.finished; nothing follows the end', () => {
    const steps = [requested(), claimed(), ...rounds(1), started(2), responded(2, 'Yes.'), finished('r1', { text: 'Yes.' })]
    expect(short(steps)).toEqual([
      '2:0 run.started',
      '2:1 message.added',
      '2:2 run.status preparing',
      '3:0 iteration.started',
      '3:1 model.started',
      '3:2 run.status model_running',
      '4:0 model.finished',
      '4:1 usage.updated',
      '4:2 call.announced',
      '4:3 run.status tool_running',
      '6:0 call.started',
      '7:0 call.settled',
      '7:1 iteration.finished',
      '8:0 iteration.started',
      '8:1 model.started',
      '8:2 run.status model_running',
      '9:0 model.finished',
      '9:1 usage.updated',
      '9:2 iteration.finished',
      '10:0 run.status completed',
      '10:1 run.finished',
    ])
  })

  test('the envelope: version, cursor, time of the entry, session, run and iteration', () => {
    const events = eventsByEntry([open, { ...responded(1, 'Yes.'), at: 4_000 }]).at(-1)
    expect(events?.[0]).toEqual({
      v: 1,
      cursor: '4:0',
      at: 4_000,
      sessionId: 's1',
      runId: 'r1',
      iteration: 1,
      type: 'model.finished',
      messageId: 'm1',
      purpose: 'main',
      attempt: 1,
      finishReason: 'stop',
      usage,
    })
  })

  test('the last event still knows its iteration', () => {
    expect(
      eventsByEntry([open, responded(1, 'Yes.'), finished()])
        .at(-1)
        ?.map(({ iteration, runId }) => [iteration, runId]),
    ).toEqual([
      [1, 'r1'],
      [1, 'r1'],
    ])
  })
})

describe('iterations in events (C2)', () => {
  test('a blank response and a retried attempt stay in their iteration: it starts and ends once', () => {
    const steps = [
      ...open,
      responded(1, ''),
      started(2),
      failed(2, { retryAt: 1_000 }),
      started(2, { attempt: 2 }),
      responded(2, { text: 'a', attempt: 2 }),
    ]
    expect(short(steps).filter((line) => line.includes('iteration.'))).toEqual(['3:0 iteration.started', '8:2 iteration.finished'])
  })

  test('a wrap-up is none', () => {
    const steps = [
      requested(),
      claimed(),
      ...rounds(1),
      started(2, { purpose: 'wrap-up', reason: 'max_iterations' }),
      responded(2, { text: 'a', calls: ['look'] }),
      settledBad('m2.0', 'skipped'),
    ]
    expect(short(steps).filter((line) => line.includes('iteration.'))).toEqual(['3:0 iteration.started', '7:1 iteration.finished'])
  })
})

describe('several runs in a session', () => {
  test('the end of a run is its status though the next one waits already, and the next begins at idle', () => {
    const steps = [
      ...open,
      requested('r2'),
      responded(1, 'a'),
      finished('r1', { status: 'incomplete', reason: 'max_tokens' }),
      claimed(1, 'r2', 'next'),
    ]
    const events = eventsByEntry([steps])
      .flat()
      .filter((event) => event.type === 'run.status')
    expect(events.map(({ runId, from, to }) => [runId, from, to])).toEqual([
      ['r1', 'idle', 'preparing'],
      ['r1', 'preparing', 'model_running'],
      ['r1', 'model_running', 'incomplete'],
      ['r2', 'idle', 'preparing'],
    ])
  })

  test('a cancelled waiting run has its end and no status of its own', () => {
    const steps = [
      ...open,
      requested('r2'),
      control('cancel', 'r2', 'no'),
      finished('r2', { status: 'aborted', reason: 'aborted', abortReason: 'no' }),
    ]
    const events = eventsByEntry([steps]).at(-1)
    expect(events).toMatchObject([
      { type: 'run.finished', runId: 'r2', result: { runId: 'r2', status: 'aborted', abortReason: 'no', messages: [], calls: [] } },
    ])
  })

  test('pausing a run that waits changes nothing for the active one', () => {
    expect(last(open, requested('r2'), control('pause', 'r2'))).toEqual([])
  })
})

describe('whatever happens (random walks)', () => {
  const walks = Array.from({ length: 30 }, (_, i) => [`seed ${i + 1_000}`, walk(i + 1_000, 300)] as const)

  test('each run starts once before all else and finishes at most once, and nothing of it follows', () => {
    for (const [seed, { events }] of walks) {
      const began = new Set<string>()
      const ended = new Set<string>()
      for (const event of events) {
        expect(ended, `${seed}, ${event.cursor}`).not.toContain(event.runId)
        if (event.type === 'run.started') {
          expect(began, `${seed}, ${event.cursor}`).not.toContain(event.runId)
          began.add(event.runId)
        } else if (event.type === 'run.finished') ended.add(event.runId)
        else if (event.type !== 'message.added') expect(began, `${seed}, ${event.cursor}`).toContain(event.runId)
      }
      expect(ended.size).toBeGreaterThan(0)
    }
  })

  test('iterations start and finish in turn, their numbers grow by one', () => {
    for (const [seed, { events }] of walks) {
      const openIn = new Map<string, number>()
      const lastOf = new Map<string, number>()
      for (const event of events) {
        const at = `${seed}, ${event.cursor}`
        if (event.type === 'iteration.started') {
          expect(openIn.has(event.runId), at).toBe(false)
          expect(event.iteration, at).toBe((lastOf.get(event.runId) ?? 0) + 1)
          openIn.set(event.runId, event.iteration)
          lastOf.set(event.runId, event.iteration)
        }
        if (event.type === 'iteration.finished') {
          expect(openIn.get(event.runId), at).toBe(event.iteration)
          openIn.delete(event.runId)
        }
      }
    }
  })

  test('a call is announced once, starts only after that, settles once, and an unsafe one never starts twice in an epoch', () => {
    for (const [seed, { events }] of walks) {
      const calls = new Map<string, string>()
      for (const event of events) {
        const at = `${seed}, ${event.cursor}`
        if (event.type === 'call.announced') {
          expect(calls.has(event.callId), at).toBe(false)
          calls.set(event.callId, 'open')
        }
        if (event.type === 'call.started' || event.type === 'call.deferred' || event.type === 'approval.requested')
          expect(calls.get(event.callId), at).toBe('open')
        if (event.type === 'call.settled') {
          expect(calls.get(event.callId), at).toBe('open')
          calls.set(event.callId, 'settled')
        }
      }
    }
  })

  test('cursors grow', () => {
    for (const [seed, { events }] of walks) {
      const numbers = events.map(({ cursor }) => cursor.split(':').map(Number))
      for (const [i, [seq = 0, index = 0]] of numbers.entries()) {
        const [seqBefore = 0, indexBefore = -1] = numbers[i - 1] ?? []
        expect(seq > seqBefore || index === indexBefore + 1, `${seed}, ${seq}:${index}`).toBe(true)
      }
    }
  })
})
