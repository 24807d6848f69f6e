// `rondo chat` as somebody sees it who sits before it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectGolden } from './golden.ts'
import { harbour } from './harbour.ts'
import { gate, type ModelServer, modelServer, says } from './model-server.ts'
import { type OpenTerminal, openTerminal, type TerminalOptions } from './open-terminal.ts'
import { describeInTerminal } from './pty.ts'

const change = { name: 'edit_file', input: { path: 'README.md', edits: [{ old: 'High at noon.', new: 'High at one.' }] } }
const touch = (name: string) => ({ name: 'shell', input: { command: `touch ${name}` } })

async function openChat(model: ModelServer, options: TerminalOptions = {}, ...args: readonly string[]): Promise<OpenTerminal> {
  const terminal = await openTerminal({
    rows: 40,
    cwd: harbour(),
    args: ['chat', '--session', 'notes', ...model.flags, ...args],
    ...options,
  })
  await terminal.waitFor('›')
  return terminal
}

/** A question takes no key that comes before anybody can have read it. */
const read = () => new Promise((resolve) => setTimeout(resolve, 1_000))

async function asked(terminal: OpenTerminal, question = 'Approve?'): Promise<void> {
  await terminal.waitFor(question)
  await read()
}

/** What the model was told last, as JSON. */
function lastSaid(model: ModelServer): string {
  return JSON.stringify((model.requests.at(-1)?.body as { readonly messages: readonly unknown[] } | undefined)?.messages.at(-1))
}

describeInTerminal('approvals', () => {
  test('a change of a file is shown as a diff, and y makes it', async () => {
    await using model = await modelServer([says('I mend it.', change), says('Done.')])
    const terminal = await openChat(model)
    terminal.type('mend the README')
    terminal.press('enter')
    await asked(terminal)
    expectGolden('chat-asks', terminal.screen())
    terminal.type('y')
    await terminal.waitFor('completed')
    expectGolden('chat-approved', terminal.screen())
    expect(readFileSync(join(terminal.cwd, 'README.md'), 'utf8')).toContain('High at one.')
    terminal.press('ctrl-d')
    expect(await terminal.exit()).toEqual({ code: 0, signal: undefined })
    expect(terminal.screen()).toContain('To go on: rondo chat --resume notes')
  })

  test('n asks why, and the model reads it', async () => {
    await using model = await modelServer([says(change), says('Then not.')])
    const terminal = await openChat(model)
    terminal.type('mend the README')
    terminal.press('enter')
    await asked(terminal)
    terminal.type('n')
    await terminal.waitFor('Why not?')
    terminal.type('noon is right')
    await terminal.waitFor('noon is right')
    expectGolden('chat-denies', terminal.screen())
    terminal.press('enter')
    await terminal.waitFor('Then not.')
    expect(lastSaid(model)).toContain('noon is right')
    expect(readFileSync(join(terminal.cwd, 'README.md'), 'utf8')).toContain('High at noon.')
  })

  test('e edits the arguments; what then would happen is shown again, and only that runs', async () => {
    await using model = await modelServer([says(touch('one')), says('Done.')])
    const terminal = await openChat(model)
    terminal.type('touch')
    terminal.press('enter')
    await asked(terminal)
    terminal.type('e')
    await terminal.waitFor('The arguments as JSON.')
    terminal.press('up', 'end', 'backspace', 'backspace', 'backspace', 'backspace')
    terminal.type('t')
    terminal.press('enter')
    await terminal.waitFor('That is no JSON object')
    terminal.type('wo"')
    terminal.press('enter')
    await asked(terminal, '"touch two"')
    terminal.type('y')
    await terminal.waitFor('Done.')
    expect(readFileSync(join(terminal.cwd, 'two'), 'utf8')).toBe('')
    expect(() => readFileSync(join(terminal.cwd, 'one'))).toThrow('ENOENT')
  })

  test('a: calls like it are not asked about again in this session', async () => {
    await using model = await modelServer([says(touch('one')), says(touch('one')), says(touch('two')), says('Done.')])
    const terminal = await openChat(model)
    terminal.type('touch')
    terminal.press('enter')
    await asked(terminal, 'a always touch one in this session')
    terminal.type('a')
    await asked(terminal, 'a always touch two in this session')
    expect(terminal.screen().match(/✓ shell +command="touch one"/g)).toHaveLength(2)
    terminal.type('y')
    await terminal.waitFor('completed')
  })

  test('keys that were typed before a question could be read do not answer it', async () => {
    const rest = gate()
    await using model = await modelServer([says('I look. ', rest, touch('one')), says('Done.')])
    const terminal = await openChat(model)
    terminal.type('touch')
    terminal.press('enter')
    await terminal.waitFor('I look.')
    rest.open()
    for (let pressed = 0; pressed < 400 && !terminal.screen().includes('Approve?'); pressed++) {
      terminal.type('y')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    terminal.type('yyy')
    await read()
    expect(terminal.screen()).toMatch(/Approve\? Finish your message first.*\n\n› y+/)
    expect(model.requests).toHaveLength(1)
    terminal.press('ctrl-u')
    await asked(terminal, 'Approve? y yes')
    terminal.type('y')
    await terminal.waitFor('Done.')
  })

  test('Ctrl-D leaves the call waiting; the next chat asks about it again', async () => {
    await using model = await modelServer([says(touch('one')), says('Done.')])
    const terminal = await openChat(model)
    terminal.type('touch')
    terminal.press('enter')
    await terminal.waitFor('Approve?')
    terminal.press('ctrl-d')
    expect(await terminal.exit()).toEqual({ code: 4, signal: undefined })
    const again = await openTerminal({ home: terminal.home, cwd: terminal.cwd, args: ['chat', '--resume', ...model.flags] })
    await asked(again)
    again.type('y')
    await again.waitFor('Done.')
    model.assertDone()
  })
})

describeInTerminal('what is said', () => {
  test('while the agent works it is read before the next step', async () => {
    const rest = gate()
    await using model = await modelServer([says('I look. ', rest, { name: 'list_files', input: {} }), says('High at noon.')])
    const terminal = await openChat(model)
    terminal.type('look')
    terminal.press('enter')
    await terminal.waitFor('I look.')
    terminal.type('and be brief')
    terminal.press('enter')
    await terminal.waitFor('(read before the next step)')
    rest.open()
    await terminal.waitFor('completed')
    expect(lastSaid(model)).toContain('and be brief')
    expectGolden('chat-steered', terminal.screen())
  })

  test('several lines: Alt-Enter, a backslash, a paste; the arrows go through them', async () => {
    await using model = await modelServer([says('Read.')])
    const terminal = await openChat(model)
    terminal.type('one')
    terminal.press('alt-enter')
    terminal.type('two\\')
    terminal.press('enter')
    terminal.paste('three\nfour')
    terminal.press('up', 'up', 'up', 'home')
    terminal.type('0 ')
    await terminal.waitFor('0 one')
    expectGolden('chat-lines', terminal.screen())
    terminal.press('enter')
    await terminal.waitFor('Read.')
    expect(lastSaid(model)).toContain('0 one\\ntwo\\nthree\\nfour')
  })

  test('a paste that holds control characters is text: it suspends and ends nothing', async () => {
    await using model = await modelServer([says('Read.')])
    const terminal = await openChat(model)
    terminal.paste('one\u001a\u001c\u0003\u0004two')
    await terminal.waitFor('› one\\x1a\\x1c\\x03\\x04two')
    terminal.press('enter')
    await terminal.waitFor('Read.')
  })

  test('what was said is there again, also in the next chat', async () => {
    await using model = await modelServer([says('First.'), says('Second.')])
    const terminal = await openChat(model)
    terminal.type('alpha')
    terminal.press('enter')
    await terminal.waitFor('completed')
    terminal.press('ctrl-d')
    await terminal.exit()
    const next = await openChat(model, { home: terminal.home, cwd: terminal.cwd })
    await next.waitFor('it ended with')
    next.type('not yet')
    next.press('up')
    await next.waitFor('› alpha')
    next.press('down')
    await next.waitFor('› not yet')
    next.press('up', 'enter')
    await next.waitFor('Second.')
  })

  test('a window that is resized keeps the line that is being written', async () => {
    await using model = await modelServer([])
    const terminal = await openChat(model)
    terminal.type('a long line that will not fit into a narrow window at all')
    terminal.resize(40, 20)
    await terminal.waitFor((screen) => screen.includes('\n  '))
    terminal.type('!')
    await terminal.waitFor('!')
    expect(terminal.screen().trimEnd().split('\n').slice(-2)).toEqual(['› a long line that will not fit into a', '  narrow window at all!'])
  })

  test('commands: the help, completion, and one that there is not', async () => {
    await using model = await modelServer([])
    const terminal = await openChat(model)
    terminal.type('/h')
    terminal.press('tab', 'enter')
    await terminal.waitFor('clears the screen')
    expectGolden('chat-help', terminal.screen())
    terminal.type('/fly')
    terminal.press('enter')
    await terminal.waitFor('There is no command /fly.')
  })
})

describeInTerminal('Ctrl-C', () => {
  test('once stops the agent, and the conversation goes on', async () => {
    const never = gate()
    await using model = await modelServer([says('Well, ', never), says('Here I am.')])
    const terminal = await openChat(model)
    terminal.type('think')
    terminal.press('enter')
    await terminal.waitFor('Well,')
    terminal.press('ctrl-c')
    await terminal.waitFor('Interrupted by Ctrl-C.')
    terminal.type('again')
    terminal.press('enter')
    await terminal.waitFor('Here I am.')
    never.open()
  })

  test('twice ends the process while the agent works', async () => {
    const never = gate()
    await using model = await modelServer([says('Well, ', never)])
    // The first one aborts the run, whose end is held up by nothing: a tool that ignores it is what the second is for.
    const terminal = await openChat(model)
    terminal.type('think')
    terminal.press('enter')
    await terminal.waitFor('Well,')
    terminal.press('ctrl-c', 'ctrl-c')
    const { code } = await terminal.exit()
    expect([0, 130]).toContain(code)
    never.open()
    expect(terminal.state().modes.bracketedPasteMode).toBe(false)
  })

  test('clears a line; then two leave', async () => {
    await using model = await modelServer([])
    const terminal = await openChat(model)
    terminal.type('half a thought')
    await terminal.waitFor('thought')
    terminal.press('ctrl-c')
    await terminal.waitFor((screen) => !screen.includes('thought'))
    terminal.press('ctrl-c')
    await terminal.waitFor('Ctrl-C once more leaves.')
    terminal.press('ctrl-c')
    expect(await terminal.exit()).toEqual({ code: 0, signal: undefined })
  })
})

describeInTerminal('rondo run', () => {
  test('asks too; l leaves it for later: 4, and how to go on', async () => {
    await using model = await modelServer([says(touch('one'))])
    const terminal = await openTerminal({ args: ['run', '--session', 'notes', ...model.flags, 'touch'], cwd: harbour() })
    await asked(terminal)
    terminal.type('l')
    expect(await terminal.exit()).toEqual({ code: 4, signal: undefined })
    expectGolden('run-later', terminal.screen())
  })

  test('Ctrl-C at a question aborts the run: 130', async () => {
    await using model = await modelServer([says(touch('one'))])
    const terminal = await openTerminal({ args: ['run', '--session', 'notes', ...model.flags, 'touch'], cwd: harbour() })
    await asked(terminal)
    terminal.press('ctrl-c')
    expect(await terminal.exit()).toEqual({ code: 130, signal: undefined })
    expect(terminal.screen()).toContain('aborted')
  })
})
