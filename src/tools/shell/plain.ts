/**
 * A line of commands in which every word is what it says: in this small grammar sh, bash, dash and ksh read the same, and nothing is expanded.
 *
 *     line    = command { ("|" | "&&" | "||" | ";" | newline) command }
 *     command = name { word | redirection }        blanks between them: space and tab
 *     name    = letters, digits and "_ . / + -"
 *     word    = { letters, digits and "_ @ % + = : , . / -" | '…' | "…" without $ ` \ }
 *     redirection = "2>&1" | a file descriptor to or from /dev/null
 *
 * All else is not plain: expansions, globs, `~`, braces, `\`, comments, assignments, `&`, redirections to files, here-documents, compound commands,
 * control characters, and what is not ASCII outside quotes (a shell may take it for a blank).
 */
export interface PlainLine {
  readonly commands: readonly PlainCommand[]
}

/** Name and arguments, without quotes. */
export type PlainCommand = readonly [string, ...string[]]

/** The commands of a plain line; `undefined` if it is not plain. */
export function plainLine(line: string): PlainLine | undefined {
  const commands: PlainCommand[] = []
  let words: string[] = []
  let joined = false
  let at = 0
  const take = (token: RegExp) => {
    token.lastIndex = at
    const found = token.exec(line)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  while (at < line.length) {
    if (take(blanks) !== undefined) continue
    const separator = take(separators)
    if (separator === '\n' && words.length === 0) continue
    if (separator !== undefined) {
      const command = asCommand(words)
      if (command === undefined) return undefined
      commands.push(command)
      words = []
      joined = separator !== ';' && separator !== '\n'
      continue
    }
    if (words.length > 0 && take(redirections) !== undefined) continue
    const word = take(words.length === 0 ? names : wordPieces)
    if (word === undefined || !endsHere(line, at)) return undefined
    words.push(word.replace(quoted, (piece) => piece.slice(1, -1)))
  }
  if (words.length === 0) return joined || commands.length === 0 ? undefined : { commands }
  const last = asCommand(words)
  return last === undefined ? undefined : { commands: [...commands, last] }
}

const blanks = /[ \t]+/y
const separators = /&&|\|\||[|;\n]/y
const names = /[A-Za-z0-9_./+-]+/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in a word
const wordPieces = /(?:[A-Za-z0-9_@%+=:,./-]+|'[^'\x00-\x08\x0b-\x1f\x7f]*'|"[^"\\$`\x00-\x08\x0b-\x1f\x7f]*")+/y
const quoted = /'[^']*'|"[^"]*"/g
const redirections = /(?:2>&1|(?:[012]?>>?|0?<)[ \t]*\/dev\/null)(?=[ \t\n|;&]|$)/y

/** Nothing may touch a word but a blank or a separator: `a(`, `a>b`, `a$x` are no words. */
function endsHere(line: string, at: number): boolean {
  return at === line.length || /[ \t\n|;&]/.test(line.charAt(at))
}

const reserved: ReadonlySet<string> = new Set(
  'if then else elif fi do done case esac while until for in function select time coproc'.split(' '),
)

function asCommand([name, ...rest]: readonly string[]): PlainCommand | undefined {
  return name === undefined || reserved.has(name) ? undefined : [name, ...rest]
}
