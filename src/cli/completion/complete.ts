import type { Argument, Command, Option } from 'commander'

/** What may stand where the cursor is. `files` and `folders`: the shell knows better. */
export type Candidates = { readonly kind: 'files' | 'folders' } | { readonly kind: 'values'; readonly values: readonly Candidate[] }

export interface Candidate {
  readonly value: string
  readonly about?: string
}

/** What values an option or argument takes: by its long name (`--model`) or, of an argument, by its name; `placeholder` is what its usage has in brackets. */
export type ValuesOf = (slot: {
  readonly name: string
  readonly placeholder: string
  readonly choices: readonly string[] | undefined
  /** The beginning that is typed. */
  readonly typed: string
}) => Promise<Candidates>

const none: Candidates = { kind: 'values', values: [] }

/**
 * What may follow the words of a command line, the last of which is being typed (it may be empty). Read from the tree of commands itself, so that a
 * command or option that is added is completed too.
 */
export async function complete(program: Command, words: readonly string[], valuesOf: ValuesOf): Promise<Candidates> {
  const typed = words.at(-1) ?? ''
  const place = placeOf(program, words.slice(0, -1))
  if (place === undefined) return none
  const { command, operands, pending, isPlain } = place
  if (pending !== undefined && isValueOf(pending, typed)) return beginning(await ofOption(pending, typed, valuesOf), typed)
  const [, name, value] = isPlain ? [] : (/^(--[^=]+)=(.*)$/s.exec(typed) ?? [])
  if (name !== undefined && value !== undefined) {
    const option = optionOf(command, name)
    if (option === undefined || !takesValue(option)) return none
    return prefixed(`${name}=`, beginning(await ofOption(option, value, valuesOf), value))
  }
  if (!isPlain && typed.startsWith('-')) return beginning(optionsOf(command), typed)
  if (command.commands.length > 0 && operands.length === 0) return beginning(commandsOf(command), typed)
  const argument = argumentAt(command, operands.length)
  if (argument === undefined) return none
  const slot = { name: argument.name(), placeholder: argument.name(), choices: argument.argChoices, typed }
  return beginning(await valuesOf(slot), typed)
}

interface Place {
  readonly command: Command
  readonly operands: readonly string[]
  /** The option whose value comes next. */
  readonly pending: Option | undefined
  /** After `--` nothing is an option. */
  readonly isPlain: boolean
}

/** Where one stands after these words; `undefined` in a command that is not known. */
function placeOf(program: Command, words: readonly string[]): Place | undefined {
  let command = program
  let operands: string[] = []
  let pending: Option | undefined
  let isPlain = false
  for (const word of words) {
    const value = pending
    pending = undefined
    if (value !== undefined && isValueOf(value, word)) continue
    if (isPlain || word === '-' || !word.startsWith('-')) {
      const isHelp = command === program && operands.length === 0 && word === 'help'
      const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
      if (isHelp) continue
      if (command.commands.length > 0 && operands.length === 0) {
        if (next === undefined) return undefined
        command = next
        operands = []
      } else operands.push(word)
    } else if (word === '--') isPlain = true
    else {
      const option = optionOf(command, word)
      if (option !== undefined && takesValue(option)) pending = option
    }
  }
  return { command, operands, pending, isPlain }
}

function optionOf(command: Command, name: string): Option | undefined {
  return command.options.find(({ long, short }) => long === name || short === name)
}

/** A value that may be left out is not what begins as an option does. */
function isValueOf({ required }: Option, word: string): boolean {
  return required || !word.startsWith('-')
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1)
  return registeredArguments[index] ?? (last?.variadic === true ? last : undefined)
}

function ofOption({ long, short, flags, argChoices }: Option, typed: string, valuesOf: ValuesOf): Promise<Candidates> {
  const placeholder = /[<[]([\w-]+)/.exec(flags)?.[1] ?? ''
  return valuesOf({ name: long ?? short ?? '', placeholder, choices: argChoices, typed })
}

function optionsOf(command: Command): Candidates {
  const options = command.createHelp().visibleOptions(command)
  return {
    kind: 'values',
    values: options.flatMap(({ long, short, description }) =>
      [long, short].flatMap((name) => (name ? [{ value: name, about: description }] : [])),
    ),
  }
}

function commandsOf(command: Command): Candidates {
  const commands = command.createHelp().visibleCommands(command)
  return { kind: 'values', values: commands.map((one) => ({ value: one.name(), about: one.summary() || one.description() })) }
}

function beginning(candidates: Candidates, typed: string): Candidates {
  if (candidates.kind !== 'values') return candidates
  return { kind: 'values', values: candidates.values.filter(({ value }) => value.startsWith(typed)) }
}

function prefixed(prefix: string, candidates: Candidates): Candidates {
  if (candidates.kind !== 'values') return candidates
  return { kind: 'values', values: candidates.values.map((one) => ({ ...one, value: prefix + one.value })) }
}
