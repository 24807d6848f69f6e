import type { Desk, Finding } from './desk.ts'
import { emptiness, everything, unreadable } from './locate.ts'
import type { Row, Rows } from './results.ts'
import { rowsOf } from './results.ts'
import type { Intent, Search } from './task.ts'
import type { Wish } from './tools.ts'
import type { Section } from './wording.ts'
import { bullets, folderPath, leftOut, placeName, plural, shortLine } from './wording.ts'

type Of<K extends Intent['kind']> = Extract<Intent, { readonly kind: K }>

const maxMatchesShown = 40

export function searchSection(desk: Desk, { search }: Of<'search'>): Section {
  return withMatches(desk, search, (matches, head) => {
    return `${head}\n${bullets(matches.map(described), maxMatchesShown)}`
  })
}

export function countMatchesSection(desk: Desk, { search }: Of<'count-matches'>): Section {
  return withMatches(desk, search, (matches, head) => {
    const byFile = new Map<string, number>()
    for (const { path } of matches) byFile.set(path, (byFile.get(path) ?? 0) + 1)
    const perFile = [...byFile].map(([path, count]) => `${path}: ${count}`)
    return `${head} A line with several counts once.\n${bullets(perFile)}`
  })
}

function withMatches(desk: Desk, search: Search, say: (matches: readonly Row[], head: string) => string): Section {
  const finding = desk.ask('search', wishFor(search))
  if (finding.state === 'waiting') return undefined
  if (finding.state === 'problem') return finding.problem
  const found = rowsOf(finding.output)
  if (found === undefined) return unreadable(finding.toolName)
  const matches = found.rows.filter((row) => row.line !== undefined)
  if (matches.length < found.rows.length) return unreadable(finding.toolName)
  const what = `${search.regex ? `/${search.pattern}/` : `'${search.pattern}'`}${search.ignoreCase ? ', any case,' : ''}`
  const where = `${search.glob === undefined ? '' : ` ${search.glob}`} in ${placeName(search.path)} (${finding.toolName})`
  if (matches.length === 0) return noMatch(desk, search, `0 lines match ${what}${where}.${leftOut(found)}`, found)
  const files = new Set(matches.map((match) => match.path)).size
  const verb = matches.length === 1 ? 'matches' : 'match'
  const bound = found.truncated ? 'At least ' : ''
  return say(matches, `${bound}${plural(matches.length, 'line')} in ${plural(files, 'file')} ${verb} ${what}${where}.${leftOut(found)}`)
}

function wishFor(search: Search): Wish {
  const { pattern, regex, ignoreCase, path, glob } = search
  return { pattern, regex, ignoreCase, ...folderPath(path), ...(glob === undefined ? {} : { glob }), limit: everything }
}

function noMatch(desk: Desk, search: Search, sentence: string, found: Rows): Section {
  if (found.truncated) return sentence
  const empty = emptiness(desk, search.path)
  if (empty === undefined) return undefined
  const wayOn = search.ignoreCase || search.regex ? '' : ' Upper and lower case count: add "ignoring case" to match both.'
  return `${sentence}${empty || wayOn}`
}

const keywords =
  'function\\*?|class|interface|type|enum|namespace|const|let|var|def|fn|func|struct|trait|impl|mod|module|protocol|object|record|typedef|define'

/** Looks for the name behind a word that declares one; the lines are checked again, whatever dialect of patterns the tool has. */
export function definitionSection(desk: Desk, { name, path }: Of<'definition'>): Section {
  const safe = name.replace(/\$/g, '\\$')
  const source = `(?:^|[^A-Za-z0-9_$])(?:${keywords})\\s+${safe}(?![A-Za-z0-9_$])`
  const finding = search(desk, { pattern: source, regex: true, ...folderPath(path), limit: everything }, name)
  if (finding.state === 'waiting') return undefined
  if (finding.state === 'problem') return finding.problem
  const found = rowsOf(finding.output)
  if (found === undefined) return unreadable(finding.toolName)
  const declares = new RegExp(source)
  const matches = found.rows.filter((row) => row.line !== undefined && row.text !== undefined && declares.test(row.text))
  const cut = leftOut(found)
  const where = `in ${placeName(path)} (${finding.toolName})`
  if (matches.length === 0) {
    const empty = emptiness(desk, path)
    if (empty === undefined) return undefined
    return `I see no line that declares ${name} ${where}.${cut}${empty || ` Search for '${name}' to see where it is used.`}`
  }
  const verb = matches.length === 1 ? 'declares' : 'declare'
  return `${plural(matches.length, 'line')} ${verb} ${name} ${where}.${cut}\n${bullets(matches.map(described), maxMatchesShown)}`
}

/** A tool without regular expressions is asked for the name alone. */
function search(desk: Desk, wish: Wish, plain: string): Finding {
  const { regex: _, ...rest } = wish
  return desk.can('search', { pattern: '', regex: true }) ? desk.ask('search', wish) : desk.ask('search', { ...rest, pattern: plain })
}

function described(row: Row): string {
  return `${row.path}:${row.line ?? 0}: ${shortLine(row.text ?? '')}`
}
