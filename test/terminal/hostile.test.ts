// What others wrote (a model, a server, a file, a name, an argument) reaches the screen as text: it never talks to the terminal.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../cli/folders.ts'
import { emulator } from './emulator.ts'
import { modelServer, refuses, says } from './model-server.ts'
import { builtCommand, type OpenTerminal, openTerminal, type TerminalOptions } from './open-terminal.ts'
import { describeInTerminal } from './pty.ts'
import { isOfLiveScreen, isStandardStyle, sequencesIn } from './sequences.ts'

/** By what each does to a terminal that believes it. */
const attacks = {
  clear: '\u001b[2J\u001b[3J\u001b[H',
  title: '\u001b]0;owned\u0007',
  icon: '\u001b]2;owned\u001b\\',
  clipboard: '\u001b]52;c;b3duZWQ=\u0007',
  'read-clipboard': '\u001b]52;c;?\u0007',
  alternate: '\u001b[?1049h',
  'hide-cursor': '\u001b[?25l',
  region: '\u001b[2;5r',
  'paste-end': '\u001b[?2004h\u001b[201~',
  mouse: '\u001b[?1003h\u001b[?1006h',
  report: '\u001b[6n\u001b[c\u001b[5n',
  dcs: '\u001bP$q"p\u001b\\',
  sixel: '\u001bPq#0;2;0;0;0\u001b\\',
  apc: '\u001b_Gq\u001b\\',
  c1: '\u009b2J\u009d0;owned\u009c\u0090$qm\u009c',
  reset: '\u001bc',
  charset: '\u001b(0\u000e',
  link: '\u001b]8;;http://owned\u0007',
  colours: '\u001b[38;5;196m\u001b[48;2;1;2;3m\u001b[8m',
  window: '\u001b[8;5;5t\u001b[21t',
  keypad: '\u001b=\u001b[?1h',
  insert: '\u001b[4h\u001b[?7l',
  palette: '\u001b]4;1;#000000\u0007\u001b]104\u0007',
  notify: '\u001b]9;owned\u0007\u001b]777;notify;owned\u0007',
  bell: '\u0007\u0007',
  overwrite: '\b\b\b\b\u007f',
  bidi: '\u202e\u2066\u2069\u202c',
  'line-ends': '\u2028\u2029\u0085\u000b\u000c',
} as const

/** All of them, in one text. */
const all = Object.entries(attacks)
  .map(([name, attack]) => `[${name}]${attack}`)
  .join('')

/** What of it is to be seen, whatever becomes of the attacks. */
const names = Object.keys(attacks).map((name) => `[${name}]`)

/** A few that fit into names and arguments, of each kind. */
const short = `[x]${attacks.title}${attacks.clear}${attacks.c1}${attacks.bidi}`

const untouched = {
  title: '',
  bells: 0,
  clipboard: [],
  isAlternate: false,
  isCursorHidden: false,
  scrollRegion: undefined,
  answers: [],
  others: [],
  modes: {
    applicationCursorKeysMode: false,
    applicationKeypadMode: false,
    bracketedPasteMode: false,
    insertMode: false,
    mouseTrackingMode: 'none',
    originMode: false,
    reverseWraparoundMode: false,
    sendFocusMode: false,
    synchronizedOutputMode: false,
    wraparoundMode: true,
  },
}

/** Runs it to its end; then the text was shown, and the terminal is as it was. */
async function expectHarmless(options: TerminalOptions, shown: readonly string[]): Promise<OpenTerminal> {
  const terminal = await openTerminal({ rows: 60, columns: 120, ...options })
  await terminal.exit()
  const lines = terminal.lines()
  // Where the command itself has broken a long word, the pieces stand in lines of their own.
  const unbroken = lines.replace(/\n(?:│ )?/g, '')
  expect(shown.filter((text) => !lines.includes(text) && !unbroken.includes(text))).toEqual([])
  expect(sequencesIn(terminal.raw()).filter((sequence) => !isStandardStyle(sequence) && !isOfLiveScreen(sequence))).toEqual([])
  expect(terminal.raw()).not.toMatch(/(?![\u200e\u200f\u061c])[\p{Bidi_Control}\u2028\u2029]/u)
  expect(terminal.state()).toEqual(untouched)
  return terminal
}

const call = (name: string, input: unknown) => says({ name, input })
const run = (flags: readonly string[]) => ['run', '--session', 'notes', ...flags, 'look']

describeInTerminal('hostile words', () => {
  test('the attacks are real: a terminal that gets them raw is changed by each, or shows another text', async () => {
    const harmless: string[] = []
    for (const [name, attack] of Object.entries(attacks)) {
      const raw = emulator(80, 24, () => {})
      const before = JSON.stringify(raw.state())
      await raw.write(`before ${attack} after`)
      const isChanged = JSON.stringify(raw.state()) !== before
      if (!isChanged && raw.styledScreen().trimEnd() === 'before  after') harmless.push(name)
    }
    // This emulator swallows what others draw pictures from.
    expect(harmless).toEqual(['apc'])
  })

  test('what the model says', async () => {
    await using model = await modelServer([says(all)])
    await expectHarmless({ args: run(model.flags) }, [...names, '\\x1b]52;c;b3duZWQ=\\x07', '\\x9b2J', '\\u202e'])
  })

  test('what the model says, cut anywhere: each character comes alone', async () => {
    await using model = await modelServer([says(...[...all].map((character) => character))])
    await expectHarmless({ args: run(model.flags) }, names)
  })

  test('what the model says before it calls a tool', async () => {
    await using model = await modelServer([says(all, { name: 'list_files', input: {} }), says('Done.')])
    await expectHarmless({ args: run(model.flags) }, names)
  })

  test('what the model says, through a pipe', async () => {
    await using model = await modelServer([says(all)])
    await expectHarmless({ command: ['sh', '-c', '"$@" | cat', 'sh', process.execPath, builtCommand, ...run(model.flags)] }, names)
  })

  test('the name of a tool that the model makes up', async () => {
    await using model = await modelServer([call(short, {}), says('Done.')])
    await expectHarmless({ args: run(model.flags) }, ['[x]\\x1b]0;owned'])
  })

  test('names and values of arguments', async () => {
    await using model = await modelServer([call('list_files', { [short]: 1 }), call('list_files', { path: short }), says('Done.')])
    await expectHarmless({ args: run(model.flags) }, ['"[x]\\u001b]0;owned', 'path="[x]\\u001b]0;owned'])
  })

  test('arguments that are no JSON', async () => {
    await using model = await modelServer([says({ name: 'list_files', rawInput: `{"path": ${all}` }), says('Done.')])
    await expectHarmless({ args: run(model.flags) }, ['list_files'])
  })

  test('the message of a tool that fails', async () => {
    await using model = await modelServer([call('read_file', { path: short }), says('Done.')])
    await expectHarmless({ args: run(model.flags) }, ["No file or folder '[x]\\x1b]0;owned"])
  })

  test('a message of the model server that is final', async () => {
    await using model = await modelServer([refuses(all)])
    await expectHarmless({ args: run(model.flags) }, ['[clear]'])
  })

  test('a message of the model server before it is asked again', async () => {
    const again = { ...refuses(all, 500), headers: { 'x-should-retry': 'true', 'retry-after-ms': '1' } }
    await using model = await modelServer([again, says('Done.')])
    await expectHarmless({ args: run(model.flags) }, ['The model call failed', '[clear]', 'Done.'])
  })

  test('an error in the middle of an answer', async () => {
    const breaks = { after: 1, with: 'error', error: { error: { message: all, type: 'invalid_request_error', code: null } } } as const
    await using model = await modelServer([{ text: ['Well, '], breaks }])
    await expectHarmless({ args: run(model.flags) }, ['[clear]'])
  })

  test('a page in place of an answer', async () => {
    await using model = await modelServer([{ status: 200, contentType: 'text/html', body: `<html><title>${all}</title></html>` }])
    await expectHarmless({ args: run(model.flags) }, ['failed'])
  })

  test('names of files, and what is in them', async () => {
    const cwd = newFolder()
    writeFileSync(join(cwd, 'a\u001b]0;owned\u0007\u202e\u009b2J.txt'), all)
    await expectHarmless({ args: ['run', 'list the files'], cwd }, ['a\\x1b]0;owned\\x07\\u202e\\x9b2J.txt'])
    await expectHarmless({ args: ['run', 'what is in the file that ends in .txt?'], cwd }, ['completed'])
  })

  test('the name of the folder that it stands in', async () => {
    const cwd = join(newFolder(), 'f\u001b]0;owned\u0007\u202e')
    mkdirSync(cwd)
    const terminal = await expectHarmless({ args: ['run', '--session', 'notes', 'list the files'], cwd }, ['completed'])
    await expectHarmless({ args: ['show', 'notes'], home: terminal.home }, ['/f\\x1b]0;owned\\x07\\u202e'])
  })

  test('a session of it all, shown afterwards', async () => {
    await using model = await modelServer([
      says(all, { name: 'read_file', input: { path: short } }, { name: short, input: { [short]: all } }),
      refuses(all),
    ])
    const { home } = await openTerminal({ args: ['run', '--session', 'notes', ...model.flags, all] }).then(async (terminal) => {
      await terminal.exit()
      return terminal
    })
    await expectHarmless({ args: ['show', 'notes'], home, rows: 100 }, [...names, '> [clear]\\x1b[2J', '│ [clear]\\x1b[2J'])
    const json = await openTerminal({ args: ['show', 'notes', '--json'], home, rows: 100 })
    await json.exit()
    expect([sequencesIn(json.raw()), json.state()]).toEqual([[], untouched])
  })

  test('in a command line', async () => {
    const lines = [
      ['run', `--${short}`],
      [short],
      ['run', '--max-iterations', short, 'x'],
      ['run', '--session', short, 'x'],
      ['show', short],
      ['resume', short],
      ['run', '--cwd', short, 'x'],
      ['run', '--model', short, 'x'],
      ['demo', '--act', short],
    ]
    await Promise.all(lines.map((args) => expectHarmless({ args }, ['x1b]0;owned'])))
    // What is no URL may have a password anywhere: it is not shown at all.
    await expectHarmless({ args: ['run', '--base-url', `http://${short}`, '--model', 'x', 'x'] }, ['--base-url must be a URL'])
    // Of what is one, what is no part of it is left out.
    await expectHarmless({ args: ['run', '--base-url', `http://127.0.0.1:9/${short}`, '--model', 'x', 'x'] }, [
      'http://127.0.0.1:9/',
      'owned',
    ])
  })

  test('in the environment', async () => {
    const environments = [
      { RONDO_MODEL: short },
      { RONDO_HOME: `/dev/null/${short}` },
      { RONDO_OFFLINE_DELAY_MS: short, RONDO_MODEL: 'offline' },
    ]
    await Promise.all(environments.map((env) => expectHarmless({ args: ['run', 'x'], env }, ['x1b]0;owned'])))
  })
})
