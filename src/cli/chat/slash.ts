import type { Output } from '../terminal.ts'
import { padEnd, styled, wrapped } from '../text.ts'

/** A command of the chat: a line that begins with a slash. */
export interface SlashCommand {
  readonly name: string
  /** What may follow the name, for the help. */
  readonly argument?: string
  readonly help: string
}

export const slashCommands = [
  { name: 'help', help: 'this list, and the keys' },
  { name: 'new', help: 'begin another session' },
  { name: 'sessions', help: 'the newest sessions' },
  { name: 'resume', argument: '[id]', help: 'go on with another session of this folder (default: the newest)' },
  { name: 'status', help: 'session, folder, model, tools and what has been used' },
  { name: 'model', argument: '[name]', help: 'the model, or another one from now on' },
  { name: 'tools', argument: '[names]', help: 'the tools, or others from now on: read,write,shell,fetch, all, none' },
  { name: 'changes', help: 'what the sandbox holds, as diffs (with --sandbox)' },
  { name: 'show', help: 'this session, as rondo show prints it' },
  { name: 'quit', help: 'leave; the session is kept (also Ctrl-D)' },
] as const satisfies readonly SlashCommand[]

export type SlashName = (typeof slashCommands)[number]['name']

const others: { readonly [name: string]: SlashName } = { exit: 'quit', q: 'quit', '?': 'help', clear: 'new', reset: 'new' }

/** What a line says; `undefined` for one that is no command (`//` at its beginning stands for a slash that is said). */
export function slashOf(
  text: string,
): { readonly name: SlashName | undefined; readonly word: string; readonly argument: string } | undefined {
  const match = /^\/(?!\/)(\S*)\s*([\s\S]*)$/.exec(text)
  if (match === null) return undefined
  const [, word = '', argument = ''] = match
  const known = slashCommands.find(({ name }) => name === word)?.name ?? (Object.hasOwn(others, word) ? others[word] : undefined)
  const begun = slashCommands.filter(({ name }) => name.startsWith(word) && word !== '')
  return { name: known ?? (begun.length === 1 ? begun[0]?.name : undefined), word, argument: argument.trim() }
}

/** The commands that a line may become, while only its first word is being written. */
export function slashMatches(text: string): readonly SlashCommand[] {
  const word = /^\/(\S*)$/.exec(text)?.[1]
  return word === undefined ? [] : slashCommands.filter(({ name }) => name.startsWith(word))
}

const keys = [
  ['Enter', 'say it; while the agent works it reads it before its next step'],
  ['Alt-Enter, Ctrl-J', 'a new line; also Enter behind a backslash'],
  ['Up, Down', 'what was said before'],
  ['Tab', 'completes a command'],
  ['Ctrl-C', 'stops the agent; clears the line; twice: leaves'],
  ['Ctrl-L', 'clears the screen'],
  ['Ctrl-D', 'leaves'],
] as const

const leftColumns = 22

export function slashHelp(screen: Pick<Output, 'color' | 'columns'>): string {
  const commands = slashCommands.map(
    (command) => [`/${command.name}${'argument' in command ? ` ${command.argument}` : ''}`, command.help] as const,
  )
  return [...commands.map(rowOf), '\n', ...keys.map(rowOf)].join('')
  function rowOf([left, right]: readonly [string, string]): string {
    const indent = ' '.repeat(leftColumns + 2)
    const text = wrapped(right, screen.columns, indent).trimEnd().split('\n')
    return text
      .map(
        (line, index) => `${index === 0 ? `  ${padEnd(left, leftColumns)}` : indent}${styled(line.slice(indent.length), 'dim', screen)}\n`,
      )
      .join('')
  }
}
