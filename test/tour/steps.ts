import type { OpenTerminal } from '../terminal/open-terminal.ts'

/** Something that a newcomer does. To extend the tour, add one below and run `npm run tour`. */
export interface Step {
  /** The heading. */
  readonly title: string
  /** Why somebody does it: a sentence or two under the heading. */
  readonly about: string
  /** What is typed into the shell, or how it follows from what the step before has shown. */
  readonly command: string | ((shown: string) => string)
  readonly exitCode: number
  /** What must be found in what is shown, whatever else is. */
  readonly shows: readonly (string | RegExp)[]
  /** What is typed and waited for while it runs. Absent: nothing, until it has ended by itself. */
  readonly play?: (terminal: OpenTerminal) => Promise<void>
  /** Done on every Node, not only on that of the page: on all of them, or on those that have SQLite built in (since 22.13). */
  readonly alsoOn?: 'every node' | 'nodes with sqlite'
}

export const steps: readonly Step[] = [
  {
    title: 'What there is',
    about: 'The commands, and an example of each.',
    command: 'npx rondo --help',
    exitCode: 0,
    alsoOn: 'every node',
    shows: ['Usage: rondo', 'run [options] [task...]', 'Examples:'],
  },
  {
    title: 'A first question',
    about: 'No key and no model server is needed: a small planner reads the words and calls the tools. The first line says so, and why.',
    command: 'npx rondo run "what is in this folder?"',
    exitCode: 0,
    alsoOn: 'every node',
    shows: ['Model: offline', /✓ list_files/, '• tides.csv: 19 bytes', /^completed/m],
  },
  {
    title: 'What was done',
    about: 'The last line of a run names the command that shows it again: each session is kept, call by call.',
    command: (shown) => /npx rondo show \S+/.exec(shown)?.[0] ?? 'no command was named',
    exitCode: 0,
    alsoOn: 'nodes with sqlite',
    shows: ['> what is in this folder?', '✓ list_files', /^completed/m],
  },
  {
    title: 'A conversation',
    about: 'What you say next is said to the same session. `/help` shows the commands and keys; it leaves by Ctrl-D.',
    command: 'npx rondo chat "find the .md files"',
    exitCode: 0,
    alsoOn: 'every node',
    shows: [
      '/help shows commands and keys',
      '> find the .md files',
      '> how many lines are in README.md?',
      'To go on: npx rondo chat --resume',
    ],
    play: async (terminal) => {
      await terminal.waitFor((screen) => /^completed/m.test(screen) && screen.trimEnd().endsWith('›'))
      terminal.type('how many lines are in README.md?')
      terminal.press('enter')
      await terminal.waitFor((screen) => (screen.match(/^completed/gm) ?? []).length === 2 && screen.trimEnd().endsWith('›'))
      terminal.press('ctrl-d')
    },
  },
  {
    title: 'Other words',
    about: 'Words need no quotes. It reads files too.',
    command: 'npx rondo run outline the README',
    exitCode: 0,
    shows: [/✓ read_file +path=README\.md/, '• line 3: ## Tides'],
  },
  {
    title: 'A question with figures',
    about: 'One act of the demo, which looks after its own claims.',
    command: 'npx rondo demo --act 1',
    exitCode: 0,
    shows: ['1 of 1 act showed what it claims'],
  },
  {
    title: 'A payment whose process is killed',
    about: 'The act to look at first. `npx rondo demo` plays all five, and kills wherever it falls; a seed repeats a place.',
    command: 'npx rondo demo --act 2 --seed 77',
    exitCode: 0,
    shows: [/SIGKILL/, '1 charge in the ledger', '1 of 1 act showed what it claims'],
  },
  {
    title: 'What waits for you',
    about: 'Calls that need a yes are listed with the command that gives it.',
    command: 'npx rondo approvals',
    exitCode: 0,
    shows: ['No call waits for an approval.'],
  },
  {
    title: 'What has been kept',
    about: 'Sessions can be looked for by folder, status, age and words.',
    command: 'npx rondo sessions --here',
    exitCode: 0,
    shows: ['what is in this folder?', 'completed'],
  },
  {
    title: 'What is there, and what is missing',
    about: 'Models, keys, stores and optional parts, each with what to do about it.',
    command: 'npx rondo doctor',
    exitCode: 0,
    alsoOn: 'every node',
    shows: ['OPENAI_API_KEY', 'just-bash', 'rondo run works here'],
  },
  {
    title: 'A language model without its key',
    about: 'What is missing is named, and what to do instead.',
    command: 'npx rondo run --model openai:gpt-5-mini "what does this project do?"',
    exitCode: 2,
    alsoOn: 'every node',
    shows: ['Set OPENAI_API_KEY', '--model offline'],
  },
  {
    title: 'A slip of the finger',
    about: 'A wrong word ends with 2 and with the one that was meant.',
    command: 'npx rondo rnu "what is in this folder?"',
    exitCode: 2,
    shows: ["unknown command 'rnu'", 'Did you mean run?'],
  },
]
