import { describe, expect, test } from 'vitest'
import { PlainPage } from '../../src/cli/plain-page.ts'
import { RunView } from '../../src/cli/run-view.ts'
import type { RunEvent, RunResult } from '../../src/index.ts'
import { noUsage } from '../../src/index.ts'
import { type FakeOptions, fakeTerminal } from './fake-terminal.ts'

/** An event without the envelope, which no view looks at. */
type Bare = RunEvent extends infer E
  ? E extends RunEvent
    ? Omit<E, 'v' | 'cursor' | 'at' | 'sessionId' | 'runId' | 'iteration'>
    : never
  : never

const whole = (bare: Bare): RunEvent =>
  ({ v: 1, cursor: '1:0', at: 0, sessionId: 's', runId: 'r', iteration: 1, ...bare }) as unknown as RunEvent

const model = { messageId: 'm1', purpose: 'main', attempt: 1 } as const
const text = (piece: string): Bare => ({ type: 'text.delta', messageId: 'm1', part: 0, text: piece })
const ends = (finishReason: 'stop' | 'tool-calls'): Bare => ({ type: 'model.finished', ...model, finishReason, usage: noUsage })
const begins: Bare = { type: 'model.started', ...model, model: 'scripted:script' }
const call = { callId: 'm1.0', messageId: 'm1', dynamic: true, toolName: 'weather', input: { city: 'Oslo' } } as const
const started: Bare = { type: 'call.started', ...call, attempt: 1 }
const settled: Bare = { type: 'call.settled', ...call, outcome: 'ok', output: 'rain', durationMs: 400 }
const line = '✓ weather      city=Oslo                                             ok   400 ms\n'

function completed(answer: string): RunResult {
  const totals = { sessionId: 's', runId: 'r', text: answer, messages: [], calls: [], iterations: 1, usage: noUsage, durable: true }
  return { ...totals, status: 'completed', reason: 'completed', output: answer }
}

function show(events: readonly Bare[], options: FakeOptions, answer = '') {
  const terminal = fakeTerminal({ columns: 80, ...options })
  const view = new RunView(new PlainPage(terminal), terminal.stderr)
  for (const event of events) view.event(whole(event))
  view.finish(completed(answer))
  return terminal
}

const screen = { outIsTTY: true, errIsTTY: true }

describe('on a screen', () => {
  test('the answer appears as it comes, set off from the calls by one blank line, and ends with a newline', () => {
    const events = [
      begins,
      ends('tool-calls'),
      started,
      settled,
      begins,
      text('\n\nIt '),
      text('rains'),
      text('.\n'),
      text('\n'),
      ends('stop'),
    ]
    const terminal = show(events, screen)
    expect(terminal.written).toEqual([
      ['err', line],
      ['err', '\n'],
      ['out', '\n\nIt '],
      ['out', 'rains'],
      ['out', '.\n'],
    ])
  })

  test('what the model says before it calls tools is shown too, and the calls stand below it', () => {
    const terminal = show([begins, text('I look.'), ends('tool-calls'), settled, begins, text('Rain.'), ends('stop')], screen)
    expect(terminal.screen).toBe(`I look.\n\n${line}\nRain.\n`)
  })

  test('a call that takes more than 300 ms is announced, a quick one is not', () => {
    const terminal = fakeTerminal({ ...screen, columns: 80 })
    const view = new RunView(new PlainPage(terminal), terminal.stderr)
    view.event(whole(started))
    view.event(whole({ ...started, callId: 'm1.1', toolName: 'quick' } as Bare))
    terminal.pass(299)
    view.event(whole({ ...settled, callId: 'm1.1', toolName: 'quick', durationMs: 299 } as Bare))
    terminal.pass(1)
    terminal.pass(100)
    view.event(whole(settled))
    terminal.pass(10_000)
    expect(terminal.screen).toBe(
      [
        '✓ quick        city=Oslo                                             ok   299 ms',
        '· weather      city=Oslo                                               running …',
        line,
      ].join('\n'),
    )
  })

  test('no announcement comes after the end', () => {
    const terminal = fakeTerminal(screen)
    const view = new RunView(new PlainPage(terminal), terminal.stderr)
    view.event(whole(started))
    view.finish(completed(''))
    terminal.pass(1000)
    expect(terminal.screen).toBe('')
  })

  test('a retry says so, and that the text above does not count', () => {
    const error = { code: 'ModelServerError', category: 'model', message: 'HTTP 500\u001b[2J', retryable: true } as const
    const events: Bare[] = [
      begins,
      text('It rai'),
      { type: 'model.retracted', ...model },
      { type: 'model.failed', ...model, error, retryInMs: 1500 },
      begins,
      text('Sun.'),
      ends('stop'),
    ]
    expect(show(events, screen).screen).toBe(
      'It rai\n\nThe text above does not count: the model is asked again.\nThe model call failed: HTTP 500\\x1b[2J It is asked again in 1.5 s.\n\nSun.\n',
    )
  })

  test('control sequences in the answer are shown, also when a piece ends within one', () => {
    expect(show([begins, text('a\u001b'), text('[31mb\u009b2J\r\nc'), ends('stop')], screen).out).toBe('a\\x1b[31mb\\x9b2J\nc\n')
  })

  test('a character that is cut by pieces is shown whole', () => {
    expect(show([begins, text(`a${'😀'[0]}`), text(`${'😀'[1]}b`), ends('stop')], screen).out).toBe('a😀b\n')
  })
})

describe('where stdout is no screen', () => {
  test('it gets the answer and nothing else, once, at the end', () => {
    const events = [begins, text('I look.'), ends('tool-calls'), started, settled, begins, text('It rains.'), ends('stop')]
    const terminal = show(events, { errIsTTY: true }, 'It rains.')
    expect(terminal.out).toBe('It rains.\n')
    expect(terminal.err).toBe(`I look.\n\n${line}`)
  })

  test('text that was taken back never comes', () => {
    const terminal = show([begins, text('It rai'), { type: 'model.retracted', ...model }, begins, text('Sun.'), ends('stop')], {}, 'Sun.')
    expect([terminal.out, terminal.err]).toEqual(['Sun.\n', ''])
  })

  test('in one file with stderr, the answer is set off too; calls are not announced', () => {
    const terminal = fakeTerminal({ columns: 80 })
    const view = new RunView(new PlainPage(terminal), terminal.stderr)
    view.event(whole(started))
    terminal.pass(400)
    view.event(whole(settled))
    view.finish(completed('Rain.\u001b'))
    expect(terminal.screen).toBe(`${line}\nRain.\\x1b\n`)
  })
})

test('what waits, was revised, warns or fails in a hook is a line each', () => {
  const error = { code: 'HookFailed', category: 'hook', message: 'no', retryable: false } as const
  const events: Bare[] = [
    { type: 'approval.requested', ...call },
    { type: 'approval.decided', ...call, decision: 'deny', by: 'ann' },
    { type: 'call.deferred', ...call, kind: 'result', why: 'client' },
    { type: 'history.revised', tokensBefore: 900, tokensAfter: 100 },
    { type: 'limit.warning', limit: 'maxIterations', used: 8, of: 10 },
    { type: 'hook.failed', hook: 'afterTool', error },
  ]
  expect(show(events, screen).err.split('\n')).toEqual([
    'weather waits for an approval.',
    'weather: deny by ann.',
    'weather waits for a result from outside.',
    'The history was shortened from 900 to 100 tokens.',
    '8 of 10 used of the limit maxIterations.',
    'The hook afterTool failed: no',
    '',
  ])
})
