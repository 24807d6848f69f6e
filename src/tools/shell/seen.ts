import { type Assignment, forEachChild, parse, type SyntaxNode, type Word, type WordPart } from 'unbash'
import { baseName, isStarter } from './starters.ts'

/** Stands in a word for what is known only when it runs: a variable, a substitution, a glob. */
export const unknown = '\uffff'

/** Every command that can be seen in a line, wherever it stands. */
export interface Seen {
  /** As they are written: in lists, pipes, substitutions, compound commands, functions. */
  readonly written: readonly (readonly string[])[]
  /** What those start: `rm x` of `sudo rm x`, `sh -c 'rm x'`, `find . -exec rm x ;`. More may be taken for a command than is one. */
  readonly started: readonly (readonly string[])[]
  /** False if the parser found a fault, or if text that is not in the line is run as commands. */
  readonly clear: boolean
}

const mostNested = 5
const mostCommands = 2_000
const mostArguments = 50

export function seenCommands(line: string): Seen {
  const seen: Seeing = { written: [], started: [], clear: true }
  // The parser has no word for these, and shells differ.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is looked for
  if (/[\x00\r]/.test(line)) seen.clear = false
  see(line, 0, seen)
  return seen
}

interface Seeing {
  readonly written: (readonly string[])[]
  readonly started: (readonly string[])[]
  clear: boolean
}

function see(line: string, depth: number, seen: Seeing): void {
  if (depth > mostNested) {
    seen.clear = false
    return
  }
  const visit = (node: SyntaxNode): void => {
    if ('errors' in node && node.errors !== undefined && node.errors.length > 0) seen.clear = false
    if (node.type === 'Command') {
      const words = [...(node.name === undefined ? [] : [node.name]), ...node.args].map(textOf)
      if (words.length > 0) command(words, depth, seen)
    }
    forEachChild(node, visit)
  }
  try {
    visit(parse(line))
  } catch {
    seen.clear = false
  }
}

function command(words: readonly string[], depth: number, seen: Seeing): void {
  if (depth > mostNested || seen.written.length + seen.started.length > mostCommands) {
    seen.clear = false
    return
  }
  ;(depth === 0 ? seen.written : seen.started).push(words)
  const [name = '', ...args] = words
  const base = baseName(name)
  if (base === 'alias' || readsCommands(words)) seen.clear = false
  if (base === 'find' || base === 'fd') findStarts(args, depth, seen)
  else if (isStarter(name)) whatIsStarted(base, args, depth, seen)
}

function findStarts(args: readonly string[], depth: number, seen: Seeing): void {
  for (const [index, arg] of args.entries())
    if (/^-(?:exec|execdir|ok|okdir|x|X|-exec|-exec-batch)$/.test(arg))
      command(
        args.slice(index + 1).map((word) => (word === '{}' ? unknown : word)),
        depth + 1,
        seen,
      )
}

/** Which of its words are options is for the command to know: each may begin what is started, each may be a text of commands. */
function whatIsStarted(base: string, args: readonly string[], depth: number, seen: Seeing): void {
  const more = base === 'xargs' || base === 'parallel' ? [unknown] : []
  if (args.length > mostArguments || args.some((arg) => arg.includes(unknown))) seen.clear = false
  for (let from = 0; from < Math.min(args.length, mostArguments); from++) {
    const words = [...args.slice(from), ...more]
    seen.started.push(words)
    if (readsCommands(words)) seen.clear = false
  }
  for (const text of base === 'eval' ? [args.join(' ')] : args)
    if (/[\s;&|$`(<>{]/.test(text) || base === 'eval') see(text, depth + 1, seen)
}

/** A shell that is given no commands reads them from what is written into it, or from a file. */
function readsCommands([name = '', ...args]: readonly string[]): boolean {
  const base = baseName(name)
  if (base === 'source' || base === '.') return true
  return (
    /^(?:sh|bash|dash|ash|zsh|ksh|mksh|fish|csh|tcsh)$/.test(base) && (args.includes('-s') || !args.some((arg) => !arg.startsWith('-')))
  )
}

/** A word without its quotes. */
function textOf(word: Word | Assignment): string {
  if (word.type === 'Word') return word.parts === undefined ? word.value : word.parts.map(partText).join('')
  const { value } = word
  return `${word.name}=${value.type === 'Word' ? textOf(value) : unknown}`
}

function partText(part: WordPart): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value
    case 'DoubleQuoted':
      return part.parts.map(partText).join('')
    default:
      return unknown
  }
}
