import { type Assignment, forEachChild, parse, type SyntaxNode, type Word, type WordPart } from 'unbash'
import { isReadingCommands } from './reading.ts'
import { evaluatedTexts, hasStartingWord, isStarter, tableName } from './starters.ts'

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
    if (isReadInTwoWays(node) || isEvaluatedLater(node)) seen.clear = false
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
  const base = tableName(name)
  if (isReadingCommands(words)) seen.clear = false
  for (const text of evaluatedTexts(words)) see(text, depth + 1, seen)
  if (/^(?:b?find|fd|fdfind)$/.test(base)) findStarts(args, depth, seen)
  else if (isStarter(name) || hasStartingWord(words)) whatIsStarted(base, args, depth, seen)
}

function findStarts(args: readonly string[], depth: number, seen: Seeing): void {
  for (const [index, arg] of args.entries()) {
    const option = /^(?:-(?:exec|ok)(?:dir)?$|-[xX]|--exec(?:-batch)?)(?:=?(.+))?$/.exec(arg)
    if (option === null) continue
    const [, attached] = option
    const started = [...(attached === undefined ? [] : [attached]), ...args.slice(index + 1)]
    command(
      started.map((word) => (word === '{}' ? unknown : word)),
      depth + 1,
      seen,
    )
  }
}

/** Which of its words are options is for the command to know: each may begin what is started, each may be a text of commands. */
function whatIsStarted(base: string, args: readonly string[], depth: number, seen: Seeing): void {
  const isFed = base === 'xargs' || base === 'parallel'
  const more = isFed ? [unknown] : []
  // What `parallel` is fed may be whole commands.
  if (base === 'parallel' || args.length > mostArguments || args.some((arg) => arg.includes(unknown))) seen.clear = false
  const given = isFed ? withPlaces(args) : args
  for (let from = 0; from < Math.min(given.length, mostArguments); from++) {
    const words = [...given.slice(from), ...more]
    seen.started.push(words)
    // What is fed to one that starts others may be what it starts.
    if (isReadingCommands(words) || (isFed && isStarter(words[0] ?? ''))) seen.clear = false
  }
  for (const text of base === 'eval' ? [args.join(' ')] : args)
    if (/[^\w@%+=:,./-]/.test(text) || base === 'eval') see(text, depth + 1, seen)
}

/** `xargs -I X`: what takes the place of `X` is not known. */
function withPlaces(args: readonly string[]): readonly string[] {
  const at = args.findIndex((arg) => /^(?:-[Ii]|--replace)/.test(arg))
  const [, option = '', attached = ''] = /^(-[Ii]|--replace=?)(.*)$/.exec(args[at] ?? '') ?? []
  if (option === '') return args
  const place = attached !== '' ? attached : option === '-I' ? (args[at + 1] ?? '') : '{}'
  return place === '' ? args : args.map((arg) => arg.replaceAll(place, unknown))
}

/**
 * What bash takes for a test, arithmetic, a redirection or one text, and dash for commands: `[[ a || rm x ]]`, `((rm x))`, `ls &>x rm y`,
 * `echo $'\'; rm x; #'`.
 */
function isReadInTwoWays(node: SyntaxNode): boolean {
  if (node.type === 'TestLogical' || node.type === 'ArithmeticCommand') return true
  if (node.type === 'Redirect') return node.operator.startsWith('&')
  if (node.type === 'ArithmeticExpansion') return node.text.startsWith('$[')
  return node.type === 'AnsiCQuoted' && node.text.slice(0, -1).includes("\\'")
}

/** A substitution that is quoted here, where a shell evaluates it all the same (`[[ -v 'a[$(x)]' ]]`) or may later (`X='a[$(x)]'; echo $((X))`). */
function isEvaluatedLater(node: SyntaxNode): boolean {
  const isEvaluated = (word: Word) => /\$\(|\$\{|`/.test(textOf(word))
  if (node.type === 'TestUnary') return isEvaluated(node.operand)
  if (node.type === 'TestBinary') return isEvaluated(node.left) || isEvaluated(node.right)
  if (node.type !== 'Assignment') return false
  return node.value.type === 'Word' ? isEvaluated(node.value) : node.value.elements.some(isEvaluated)
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
