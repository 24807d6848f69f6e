// `rondo run` as somebody sees it who sits before it, with a model that answers when the test lets it.
import { expect, test } from 'vitest'
import { expectGolden, settledScreen } from './golden.ts'
import { harbour, lookAndAnswer } from './harbour.ts'
import { gate, modelServer, refuses, says } from './model-server.ts'
import { type OpenTerminal, openTerminal, type TerminalOptions } from './open-terminal.ts'
import { describeInTerminal } from './pty.ts'
import { isOfLiveScreen, isStandardStyle, sequencesIn } from './sequences.ts'

/** A whole run of the usual script. */
async function ran(options: TerminalOptions = {}): Promise<OpenTerminal> {
  await using model = await modelServer(lookAndAnswer)
  const args = ['run', '--session', 'notes', ...model.flags, 'what is here?']
  const terminal = await openTerminal({ args, cwd: harbour(), ...options })
  expect(await terminal.exit()).toEqual({ code: 0, signal: undefined })
  model.assertDone()
  return terminal
}

describeInTerminal('rondo run on a screen', () => {
  test('a tool call and an answer; the model gets the task and what the tool found', async () => {
    await using model = await modelServer(lookAndAnswer)
    const terminal = await openTerminal({ args: ['run', '--session', 'notes', ...model.flags, 'what is here?'], cwd: harbour() })
    await terminal.exit()
    expectGolden('run-80', terminal.screen())
    const bodies = model.requests.map(
      ({ body }) => body as { readonly messages: readonly { readonly role: string; readonly content: string }[] },
    )
    expect(bodies.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'tool'],
    ])
    expect(bodies[1]?.messages[3]?.content).toContain('tides.csv')
    model.assertDone()
  })

  test('an answer appears as it comes', async () => {
    const [second, third] = [gate(), gate()]
    await using model = await modelServer([says('One', second, ' two', third, ' three.')])
    const terminal = await openTerminal({ args: ['run', ...model.flags, 'count'] })
    const last = () => terminal.screen().split('\n').at(-2)
    await terminal.waitFor('One')
    expect(last()).toBe('One')
    second.open()
    await terminal.waitFor('two')
    expect(last()).toBe('One two')
    third.open()
    await terminal.exit()
    expect(terminal.screen()).toContain('\nOne two three.\n\ncompleted')
  })

  test('a narrow screen', async () => expectGolden('run-40', (await ran({ columns: 40 })).screen()))

  test('a window that is resized while it runs: nothing is lost, and what comes then has the new width', async () => {
    const [look, answer] = [gate(), gate()]
    const script = [says('I look. ', look, { name: 'list_files', input: {} }), says('All is', answer, ' well.')]
    await using model = await modelServer(script)
    const terminal = await openTerminal({ columns: 100, args: ['run', '--session', 'notes', ...model.flags, 'look'], cwd: harbour() })
    await terminal.waitFor('I look.')
    terminal.resize(60, 20)
    look.open()
    await terminal.waitFor('All is')
    terminal.resize(120, 10)
    answer.open()
    expect(await terminal.exit()).toEqual({ code: 0, signal: undefined })
    expectGolden('run-resized', terminal.lines())
  })

  test('a refusal of the model server: why, and 1', async () => {
    await using model = await modelServer([refuses('This model does not exist.')])
    const terminal = await openTerminal({ args: ['run', '--session', 'notes', ...model.flags, 'look'] })
    expect(await terminal.exit()).toEqual({ code: 1, signal: undefined })
    expectGolden('run-refused', terminal.screen())
  })
})

describeInTerminal('colours', () => {
  test('weights and some of the sixteen standard colours, and beside them only what draws the last lines anew', async () => {
    const terminal = await ran()
    const sequences = sequencesIn(terminal.raw())
    expect(sequences.filter((sequence) => !isStandardStyle(sequence) && !isOfLiveScreen(sequence))).toEqual([])
    expect(sequences).toContain('\u001b[32m')
    expectGolden('run-styled', terminal.styledScreen())
  })

  test('a dark theme and a light one get the same', async () => {
    const themes = [{ COLORFGBG: '15;0' }, { COLORFGBG: '0;15' }, { COLORTERM: 'truecolor' }]
    const styled = await Promise.all(themes.map(async (env) => settledScreen((await ran({ env })).styledScreen())))
    expect(new Set(styled).size).toBe(1)
  })

  test.each([
    ['NO_COLOR: none', { NO_COLOR: '1' }, false],
    ['TERM=dumb: none', { TERM: 'dumb' }, false],
    ['FORCE_COLOR in a dumb terminal: some', { TERM: 'dumb', FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR goes before NO_COLOR', { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    ['FORCE_COLOR=0: none', { FORCE_COLOR: '0' }, false],
  ] as const)('%s', async (_name, env, isColoured) => {
    const terminal = await ran({ env })
    expect(sequencesIn(terminal.raw()).some(isStandardStyle)).toBe(isColoured)
    expect(terminal.styledScreen().includes('{green}')).toBe(isColoured)
  })
})
