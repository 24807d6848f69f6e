import { cutText } from '../lines.ts'
import { placesOf } from './search.ts'
import { lineAt } from './text.ts'

/** Characters of a file that are searched for something like what was meant (about a third of a second), and of a passage that is shown. */
const searched = 200_000
const shown = 600
/** Such places are counted no further. */
const counted = 100
/** Lines that may be the one meant: how many are named, and how alike they must be (0 to 1). */
const nearest = 3
const alike = 0.5

/** Why `old` may not have been found: a sentence for the model, with a space before it. */
export function explainMiss(text: string, old: string, next: string): string {
  if (text === '') return ' The file is empty.'
  if (Math.max(text.length, old.length) > searched) return ' Read the part of the file that is meant, and copy it from there.'
  const looser = [
    ['line endings', asOneLine],
    ['white space', withoutSpace],
    ['quotes, dashes or accents (or white space)', withoutLook],
    ['upper and lower case', withoutCase],
  ] as const
  for (const [what, fold] of looser) {
    const found = findFolded(text, old, fold)
    if (found !== undefined) return ` It differs only in ${what}. ${passage(text, found)}`
  }
  const unnumbered = old.replace(/^[ \t]*[0-9]+(?:[:|\t→]| \|) ?/gmu, '')
  if (unnumbered !== old && findFolded(text, unnumbered, withoutSpace) !== undefined)
    return ' Without the numbers at the beginning of its lines it would be found: leave them out.'
  const [made] = next.trim().length > 0 ? placesOf(text, next, 1) : []
  const there = made === undefined ? '' : ` 'new' is in the file, line ${lineAt(text, made)}: was this edit made already?`
  return `${there}${nearestLines(text, old)}`
}

type Fold = (character: string) => string

const asOneLine: Fold = (character) => (character === '\r' ? '' : character)
const withoutSpace: Fold = (character) => (/\s/u.test(character) ? '' : character)
const withoutLook: Fold = (character) => {
  if (/[\s\p{Mark}\p{Default_Ignorable_Code_Point}]/u.test(character)) return ''
  if (/[\u2018-\u201f\u2032\u2033\u00b4`"\u00ab\u00bb]/u.test(character)) return "'"
  if (/\p{Dash_Punctuation}|\u2212/u.test(character)) return '-'
  return character <= '\u007f' ? character : character.normalize('NFKD').replace(/\p{Mark}/gu, '')
}
const withoutCase: Fold = (character) => withoutLook(character).toLowerCase()

/** The one or first place where a text stands once both are folded: first and last character of it in `text`. */
function findFolded(text: string, wanted: string, fold: Fold): { from: number; to: number; times: number } | undefined {
  const known = new Map<string, string>()
  const folding: Fold = (character) => {
    const before = known.get(character)
    if (before !== undefined) return before
    const piece = fold(character)
    known.set(character, piece)
    return piece
  }
  const foldedWanted = Array.from(wanted, folding).join('')
  if (foldedWanted === '') return undefined
  const places: number[] = []
  let folded = ''
  let position = 0
  for (const character of text) {
    const piece = folding(character)
    for (let i = 0; i < piece.length; i++) places.push(position)
    folded += piece
    position += character.length
  }
  const found = placesOf(folded, foldedWanted, counted)
  const [at] = found
  if (at === undefined) return undefined
  return { from: places[at] ?? 0, to: places[at + foldedWanted.length - 1] ?? 0, times: found.length }
}

/** What stands in the file, in JSON so that tabs, ends of lines and odd characters are seen. */
function passage(text: string, { from, to, times }: { from: number; to: number; times: number }): string {
  const [first, last] = [lineAt(text, from), lineAt(text, to)]
  const begin = text.lastIndexOf('\n', from - 1) + 1
  const end = text.indexOf('\n', to)
  const whole = text.slice(from === 0 ? 0 : begin, end < 0 ? text.length : end)
  const lines = first === last ? `Line ${first} of the file is` : `Lines ${first} to ${last} of the file are`
  const more = times > 1 ? ` (the first of ${times} such places)` : ''
  return `${lines}${more}: ${JSON.stringify(cutText(whole, shown))}${whole.length > shown ? '…' : ''}.`
}

/** Lines that are like the longest one of `old`. */
function nearestLines(text: string, old: string): string {
  const wanted = old
    .split('\n')
    .map((line) => line.trim())
    .reduce((longest, line) => (line.length > longest.length ? line : longest), '')
  const pairs = pairsOf(wanted)
  const ranked = text.split('\n').flatMap((line, at) => {
    const score = likeness(pairs, pairsOf(line.trim()))
    return score >= alike ? [{ line, number: at + 1, score }] : []
  })
  ranked.sort((a, b) => b.score - a.score || a.number - b.number)
  if (ranked.length === 0) return ' No line of the file is like it: read the file again before you edit it.'
  const named = ranked.slice(0, nearest).map(({ line, number }) => `line ${number}: ${JSON.stringify(cutText(line, 200))}`)
  return ` The nearest to its longest line: ${named.join('; ')}. Read that part of the file again and copy it from there.`
}

/** Pairs of characters with how often they occur: Dice's coefficient over them says how alike two lines are. */
function pairsOf(line: string): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>()
  const plain = line.slice(0, 200).toLowerCase()
  for (let at = 0; at + 1 < plain.length; at++) {
    const pair = plain.slice(at, at + 2)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}

function likeness(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0
  let total = 0
  for (const [pair, count] of a) {
    common += Math.min(count, b.get(pair) ?? 0)
    total += count
  }
  for (const count of b.values()) total += count
  return total === 0 ? 0 : (2 * common) / total
}
