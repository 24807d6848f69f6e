// The tests' own terminal: what it sends, what it shows, and that it never waits for ever.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../cli/folders.ts'
import { openTerminal } from './open-terminal.ts'
import { describeInTerminal } from './pty.ts'
import { isStandardStyle, sequencesIn } from './sequences.ts'

/** A program that shows each thing it reads as JSON, in raw mode, until it reads a `q`. */
const echo = `
  process.stdin.setRawMode(true)
  process.stdout.write((process.argv[2] ?? '') + 'ready\\n')
  process.stdout.on('resize', () => console.log(process.stdout.columns + 'x' + process.stdout.rows))
  process.stdin.on('data', (bytes) => {
    console.log(JSON.stringify(bytes.toString()))
    if (bytes.toString() === 'q') process.exit(7)
  })`

function scriptOf(text: string): string {
  return join(newFolder({ 'script.mjs': text }), 'script.mjs')
}

async function echoing(before = '') {
  const terminal = await openTerminal({ command: [process.execPath, scriptOf(echo), before] })
  await terminal.waitFor('ready')
  return terminal
}

describeInTerminal('the terminal of the tests', () => {
  test('keys and text arrive as an xterm sends them, the cursor keys by their mode', async () => {
    const terminal = await echoing()
    const sent: string[] = []
    for (const key of ['enter', 'up', 'escape', 'alt-enter', 'ctrl-c', 'alt-b', 'backspace'] as const) {
      terminal.press(key)
      const before = sent.length
      await terminal.waitFor((screen) => screen.split('\n').length - 2 > before)
      sent.push(terminal.screen().split('\n').at(-2) ?? '')
    }
    expect(sent).toEqual(['"\\r"', '"\\u001b[A"', '"\\u001b"', '"\\u001b\\r"', '"\\u0003"', '"\\u001bb"', '"\u007f"'].map(cleaned))
    const other = await echoing('\u001b[?1h')
    other.press('up')
    await other.waitFor('"\\u001bOA"')
  })

  test('a paste stands in brackets where the program asked for them, and can not end them', async () => {
    const without = await echoing()
    without.paste('a\nb')
    await without.waitFor('"a\\rb"')
    const within = await echoing('\u001b[?2004h')
    within.paste('a\nb\u001b[201~c')
    await within.waitFor('"\\u001b[200~a\\rb[201~c\\u001b[201~"')
  })

  test('a resize reaches the program and the screen', async () => {
    const terminal = await echoing()
    terminal.resize(40, 12)
    await terminal.waitFor('40x12')
    expect([terminal.columns, terminal.rows]).toEqual([40, 12])
  })

  test('the exit code, or the signal', async () => {
    const terminal = await echoing()
    terminal.type('q')
    expect(await terminal.exit()).toEqual({ code: 7, signal: undefined })
    const killed = await echoing()
    process.kill(killed.pid, 'SIGKILL')
    expect(await killed.exit()).toEqual({ code: undefined, signal: 'SIGKILL' })
  })

  test('what never comes is an error with the screen in it: at the deadline, and at once when the program ends', async () => {
    const terminal = await echoing()
    const screen = `\n+${'-'.repeat(80)}+\n|ready\n+${'-'.repeat(80)}+`
    await expect(terminal.waitFor('never', 50)).rejects.toThrow(`The screen did not show within 50 ms: "never".${screen}`)
    const waits = terminal.waitFor(/never/)
    terminal.type('q')
    await expect(waits).rejects.toThrow('The program ended (7) without showing /never/.\n')
  })

  test('text over the right edge is found; rows, lines and styles can be told apart', async () => {
    const text = `${'a'.repeat(79)}b\\u001b[1;31mc\\u001b[0m\\n\\u001b[2mdim\\u001b[22m 好\\n`
    const terminal = await openTerminal({ command: [process.execPath, scriptOf(`process.stdout.write("${text}")`)] })
    await terminal.exit()
    expect(await terminal.waitFor('abc')).toBe(`${'a'.repeat(79)}b\nc\ndim 好\n`)
    expect(terminal.lines()).toBe(`${'a'.repeat(79)}bc\ndim 好\n`)
    expect(terminal.styledScreen()).toBe(`${'a'.repeat(79)}b\n{bold red}c{/}\n{dim}dim{/} 好\n`)
  })

  test('rows that have left the screen are in the scrollback', async () => {
    const script = scriptOf(`for (let n = 1; n <= 30; n++) console.log('row ' + n)`)
    const terminal = await openTerminal({ command: [process.execPath, script], rows: 10 })
    await terminal.exit()
    expect([terminal.screen().split('\n')[0], terminal.scrollback().split('\n')[0]]).toEqual(['row 22', 'row 1'])
  })

  test('what a program does to the terminal is told', async () => {
    const done =
      '\\u001b]0;mine\\u0007\\u0007\\u001b]52;c;YQ==\\u0007\\u001b[?1049h\\u001b[?25l\\u001b[2;5r\\u001b[?2004h\\u001b[6n\\u001b]8;;x\\u0007'
    const script = scriptOf(`process.stdin.setRawMode(true).once('data', () => process.exit(0)); process.stdout.write("${done}")`)
    const terminal = await openTerminal({ command: [process.execPath, script] })
    // The answer to CSI 6n is what it reads.
    await terminal.exit()
    const { modes, ...state } = terminal.state()
    expect(state).toEqual({
      title: 'mine',
      bells: 1,
      clipboard: ['c;YQ=='],
      isAlternate: true,
      isCursorHidden: true,
      scrollRegion: [2, 5],
      answers: ['\u001b[1;1R'],
      others: ['OSC 8'],
    })
    expect(modes.bracketedPasteMode).toBe(true)
  })
})

test('control sequences of each kind are found, and only weights and the sixteen colours are standard', () => {
  const all = ['\u001b[31m', '\u001b[2J', '\u001b]0;t\u0007', '\u001bPq\u001b\\', '\u001bc', '\u0007', '\u009b5n', '\r']
  expect(sequencesIn(`a\n\t\r\n${all.join('text')}`)).toEqual([...all].sort())
  expect(['\u001b[0m', '\u001b[1;31m', '\u001b[39m', '\u001b[38;5;200m', '\u001b[38;2;1;2;3m', '\u001b[2J'].map(isStandardStyle)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})

/** The screen can't show DEL: the emulator leaves it out. */
function cleaned(text: string): string {
  return text.replaceAll('\u007f', '')
}
