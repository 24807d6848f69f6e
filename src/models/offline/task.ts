import { isArithmetic } from './arithmetic.ts'
import type { Clause } from './words.ts'
import { bareNameGlob, clausesOf, filesMeant, isBareName, isFileName, isRegex } from './words.ts'

/** What the offline model can be asked for. An absent `path` is the folder that the tools work in. */
export type Intent =
  | { readonly kind: 'list'; readonly path?: string }
  | { readonly kind: 'find'; readonly label: string; readonly glob: string; readonly path?: string }
  | { readonly kind: 'count-files'; readonly label: string; readonly glob: string; readonly path?: string }
  | { readonly kind: 'count-folders'; readonly path?: string }
  | { readonly kind: 'count-lines'; readonly path: string }
  | { readonly kind: 'size'; readonly path?: string }
  | { readonly kind: 'count-matches'; readonly search: Search }
  | {
      readonly kind: 'largest'
      readonly order: 'largest' | 'smallest'
      readonly count: number
      readonly label: string
      readonly glob: string
      readonly path?: string
    }
  | { readonly kind: 'search'; readonly search: Search }
  | { readonly kind: 'definition'; readonly name: string; readonly path?: string }
  | {
      readonly kind: 'read'
      readonly path: string
      readonly how: 'text' | 'outline' | 'summary'
      readonly fromLine?: number
      readonly lines?: number
    }
  | { readonly kind: 'compare'; readonly left: string; readonly right: string }
  | { readonly kind: 'calculate'; readonly words: string }

export interface Search {
  readonly pattern: string
  readonly regex: boolean
  readonly ignoreCase: boolean
  readonly path?: string
  readonly glob?: string
}

export interface Task {
  readonly intents: readonly Intent[]
  /** Clauses that state nothing it knows; courtesies of one or two words are left out. */
  readonly notUnderstood: readonly string[]
}

const maxIntents = 8

/** The intents that the words state, in their order. None: the words are no task for the offline model. */
export function taskOf(words: string): Task {
  const intents: Intent[] = []
  const notUnderstood: string[] = []
  for (const clause of clausesOf(words)) {
    const found = intentsOf(clause)
    if (found.length > 0) intents.push(...found)
    else if (clause.text.split(/\s+/).length > 2) notUnderstood.push(clause.text)
  }
  return { intents: intents.slice(0, maxIntents), notUnderstood }
}

/** The more particular readings come first: "find the largest files" asks for sizes, not for names. */
function intentsOf(clause: Clause): readonly Intent[] {
  const one =
    calculation(clause) ??
    comparison(clause) ??
    largest(clause) ??
    size(clause) ??
    count(clause) ??
    definition(clause) ??
    search(clause) ??
    find(clause) ??
    read(clause) ??
    list(clause)
  if (one === undefined) return overview(clause)
  const named = clause.paths.filter((path) => isFileName(path))
  // "Open the README and the LICENSE" is two tasks of a kind.
  if (named.length > 1 && (one.kind === 'read' || one.kind === 'count-lines')) return named.map((path) => ({ ...one, path }))
  return [one]
}

function calculation({ text }: Clause): Intent | undefined {
  const words = text
    .replace(/^(?:what(?:['’]s| is| are)?|calculate|compute|evaluate|solve|how much (?:is|are))\s+/i, '')
    .replace(/\s*=\s*$/, '')
  return isArithmetic(words) ? { kind: 'calculate', words } : undefined
}

function comparison({ plain, paths }: Clause): Intent | undefined {
  const [left, right] = paths
  if (left === undefined || right === undefined) return undefined
  return /^(?:compare|diff)\b|\bdifferen(?:ce|ces|t)\b|\bdiffer\b|\bvs\b|\bversus\b/.test(plain)
    ? { kind: 'compare', left, right }
    : undefined
}

const numbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const maxNamed = 100

function largest(clause: Clause): Intent | undefined {
  const { plain } = clause
  const order = /\b(?:largest|biggest|heaviest|by size)\b/.test(plain) ? 'largest' : /\bsmallest\b/.test(plain) ? 'smallest' : undefined
  if (order === undefined || !/\bfiles?\b/.test(plain)) return undefined
  const before = /\b(\d+|[a-z]+)\s+(?:largest|biggest|heaviest|smallest)\b/.exec(plain)?.[1]
  const after = /\b(?:largest|biggest|heaviest|smallest|top)\s+(\d+|[a-z]+)\b/.exec(plain)?.[1]
  const said = Math.max(numberIn(after), numberIn(before))
  const count = said > 0 ? Math.min(said, maxNamed) : /\bfile\b/.test(plain) ? 1 : 5
  const { label, glob } = filesMeant(clause)
  return { kind: 'largest', order, count, label, glob, ...folderOf(clause) }
}

function numberIn(word: string | undefined): number {
  return word === undefined ? 0 : /^\d+$/.test(word) ? Number(word) : numbers.indexOf(word)
}

function size(clause: Clause): Intent | undefined {
  if (!/\bsize of\b|^how (?:big|large|long) is\b/.test(clause.plain)) return undefined
  const path = fileOf(clause)
  if (path !== undefined) return { kind: 'size', path }
  return /\b(?:this|the) (?:folder|directory|project|repo(?:sitory)?)\b/.test(clause.plain) ? { kind: 'size' } : undefined
}

function count(clause: Clause): Intent | undefined {
  const { plain, marked, quoted } = clause
  if (!/^(?:how (?:many|often)|count|what(?:['’]s| is) the number of|(?:the )?number of)\b/.test(plain)) return undefined
  if (/\blines?\b/.test(plain)) {
    const path = fileOf(clause)
    if (path !== undefined) return { kind: 'count-lines', path }
  }
  const marker = /\b([A-Z][A-Z_]{2,})(?:['’]?s)?\b/.exec(marked)?.[1]
  const word = /\b(?:how many times|how often)\s+(?:do|does|is|are)\s+(?:the\s+)?(?:(?:word|text|string|term)\s+)?([\w$-]+)\s/i.exec(
    marked,
  )?.[1]
  const pattern = quoted[0] ?? word ?? (/\bfiles?\b/.test(plain) ? undefined : marker)
  if (pattern !== undefined) return { kind: 'count-matches', search: scopeOf(clause, pattern) }
  if (/\b(?:folders?|directories|subfolders|subdirectories)\b/.test(plain) && !/\bfiles?\b/.test(plain))
    return { kind: 'count-folders', ...folderOf(clause) }
  const { label, glob, all } = filesMeant(clause)
  if (/\bfiles?\b/.test(plain) || !all) return { kind: 'count-files', label, glob, ...folderOf(clause) }
  return undefined
}

function definition(clause: Clause): Intent | undefined {
  const asked =
    /^(?:(?:in )?(?:where|which file|what file))\b.*\b(?:defined|declared|implemented|exported|definition|defines|declares|implements)\b/.test(
      clause.plain,
    )
  const ordered = /^(?:find|show|locate|search for)\b.*\b(?:definition|declaration) of\b/.test(clause.plain)
  if (!asked && !ordered) return undefined
  const word =
    /^(?:in\s+)?(?:where|which file|what file)\s+(?:is|are|does)?\s*(?:the\s+)?(?:(?:function|class|type|interface|const(?:ant)?|method|variable|enum)\s+)?([A-Za-z_$][\w$]*)/i
  const after =
    /\b(?:definition|declaration) of (?:the\s+)?(?:(?:function|class|type|interface|constant|method|variable|enum)\s+)?([A-Za-z_$][\w$]*)/i
  const verb = /\b(?:defines|declares|implements)\s+([A-Za-z_$][\w$]*)/i
  const name = clause.quoted[0] ?? after.exec(clause.marked)?.[1] ?? verb.exec(clause.marked)?.[1] ?? word.exec(clause.marked)?.[1]
  if (name === undefined || !/^[A-Za-z_$][\w$]*(?:\(\))?$/.test(name)) return undefined
  return { kind: 'definition', name: name.replace('()', ''), ...folderOf(clause) }
}

const searchWords =
  /^(?:search(?:\s+.*?)?\s+for|grep(?: for)?|look(?:\s+.*?)?\s+for|find|(?:which|does any|do any|what) files? (?:contains?|mentions?|uses?|imports?|have|has)|(?:find|list|show)(?: me)?(?: all)?(?: the)? files (?:that |which )?(?:contain(?:ing)?|mention(?:ing)?|us(?:e|ing)|with)|where is|where are|where do(?:es)?|who (?:uses|calls|imports)|occurrences of)\s+(.+)$/i

function search(clause: Clause): Intent | undefined {
  const { plain, marked, quoted } = clause
  if (/\b(?:web|internet|online|google)\b/.test(plain)) return undefined
  const rest = searchWords.exec(marked)?.[1]
  if (rest === undefined) return undefined
  const named = /\bfiles? (?:named|called)\b|\bfilename\b/.test(plain)
  if (quoted[0] !== undefined && !named) return { kind: 'search', search: scopeOf(clause, quoted[0]) }
  if (/^(?:where is|where are|where do)/.test(plain) && !/\b(?:used|mentioned|called|imported|use|call|occurs?)\b/.test(plain))
    return undefined
  const words = rest
    .replace(/\s+(?:in|under|inside|within|below)\s+.*$/i, '')
    .replace(
      /^(?:(?:all|any|every|the|a|word|text|string|term|phrase|occurrences? of|mentions? of|uses? of|usages? of|references to|matches of)\s+)+/i,
      '',
    )
    .replace(/\s+(?:is|are)?\s*(?:comments?|used|mentioned|called|imported|occurs?|ignoring case|case[- ]insensitive(?:ly)?)$/i, '')
    .trim()
  if (words === '' || words.includes('⟨') || /\bfiles?\b/i.test(words)) return undefined
  // "find a good restaurant" is no search in files, "search for a good restaurant" is.
  if (/^find\b/.test(plain) && !/^[\w$.:@#-]+$/.test(words)) return undefined
  return { kind: 'search', search: scopeOf(clause, words) }
}

function find(clause: Clause): Intent | undefined {
  const { plain, quoted, paths, place } = clause
  if (!/^(?:find|locate|list|show|search for|look for|which|what|where is|where are|(?:is|are) there|give|name)\b/.test(plain))
    return undefined
  const meant = filesMeant(clause)
  if (!meant.all) return { kind: 'find', label: meant.label, glob: meant.glob, ...folderOf(clause) }
  const called = /\bfiles? (?:named|called|with the name)\s+(?:⟨q0⟩|([\w-]+))/.exec(plain)
  const word = called === null ? undefined : (called[1] ?? quoted[0])
  if (word !== undefined) return { kind: 'find', label: `files with '${word}' in their name`, glob: `**/*${word}*`, ...folderOf(clause) }
  const path = paths.find((one) => one !== place)
  const sought =
    /^(?:find|locate|where is|where are|(?:is|are) there|search for|look for)\b/.test(plain) || /\bfiles? (?:named|called)\b/.test(plain)
  if (path === undefined || !sought) return undefined
  if (isBareName(path)) return { kind: 'find', label: `files named ${path}`, glob: bareNameGlob(path), ...folderOf(clause) }
  return { kind: 'find', label: `files named ${path}`, glob: path.includes('/') ? path : `**/${path}`, ...folderOf(clause) }
}

function read(clause: Clause): Intent | undefined {
  const { plain } = clause
  const path = fileOf(clause)
  const verb =
    /^(?:read|show|open|print|cat|display|view|outline|summari[sz]e|describe|explain|give|list|what|tell|headings?|structure)\b/.test(plain)
  if (path === undefined || !verb || path.endsWith('/') || path === '.' || path === '..') return undefined
  if (/\b(?:outline|headings?|structure|table of contents|sections?|functions|classes|exports)\b/.test(plain))
    return { kind: 'read', path, how: 'outline' }
  if (/^list\b/.test(plain) || (!isFileName(path) && !/^(?:read|open|print|cat|view|summari[sz]e)\b/.test(plain))) return undefined
  const [, from, to] = /\blines?\s+(\d+)(?:\s*(?:-|–|to|through|until)\s*(\d+))?/.exec(plain) ?? []
  if (from !== undefined)
    return {
      kind: 'read',
      path,
      how: 'text',
      fromLine: Math.max(1, Number(from)),
      lines: Math.max(1, Number(to ?? from) - Number(from) + 1),
    }
  const first = /\bfirst\s+(\d+)\s+lines\b/.exec(plain)?.[1]
  if (first !== undefined) return { kind: 'read', path, how: 'text', fromLine: 1, lines: Math.max(1, Number(first)) }
  const how = /^(?:summari[sz]e|describe|explain|what|tell)\b|\bsummary\b/.test(plain) ? 'summary' : 'text'
  return { kind: 'read', path, how }
}

function list(clause: Clause): Intent | undefined {
  const { plain, paths } = clause
  if (/^(?:list|ls|dir)$/.test(plain)) return { kind: 'list' }
  const asksWhat =
    /^what(?:['’]s| is| are)(?: there)? (?:in|inside|here|under)\b|^what(?: files| folders)? (?:are|is) (?:there|here|in)\b|\bcontents? of\b/.test(
      plain,
    )
  const orders =
    /^(?:list|ls|dir|show|give|name|print|display)\b/.test(plain) &&
    (/\b(?:files?|folders?|director(?:y|ies)|entries|everything|contents)\b/.test(plain) || paths.length > 0)
  if (!asksWhat && !orders) return undefined
  return { kind: 'list', ...(paths[0] === undefined ? folderOf(clause) : { path: paths[0] }) }
}

/** "Describe this project" asks for all that can be seen at once. */
function overview({ plain }: Clause): readonly Intent[] {
  const asked =
    /^(?:describe|explain|summari[sz]e|what is|tell me about|(?:give|show) me an? (?:overview|summary) of|overview of|look at)\b/.test(
      plain,
    )
  if (!asked || !/\b(?:this|the|my)\s+(?:folder|directory|project|repo(?:sitory)?|workspace|code(?:base)?)(?: about)?$/.test(plain))
    return []
  return [
    { kind: 'list' },
    { kind: 'read', path: 'README', how: 'outline' },
    { kind: 'largest', order: 'largest', count: 5, label: 'files', glob: '**/*' },
  ]
}

function folderOf(clause: Clause): { readonly path?: string } {
  const said = clause.place ?? clause.paths.find((path) => path.endsWith('/'))
  return said === undefined ? {} : { path: said }
}

/** The file that a clause is about; "the README in docs" is `docs/README`. */
function fileOf({ paths, place }: Clause): string | undefined {
  const path = paths.find((one) => one !== place)
  if (path === undefined) return place
  return place === undefined || path.includes('/') || isFileName(place) ? path : `${place.replace(/\/$/, '')}/${path}`
}

function scopeOf(clause: Clause, pattern: string): Search {
  const regex = isRegex(pattern)
  const path = clause.place ?? clause.paths[0]
  const meant = filesMeant(clause)
  return {
    pattern: regex ? pattern.replace(/^\/|\/i?$/g, '') : pattern,
    regex,
    ignoreCase: /\b(?:ignor\w+ case|case[- ]insensitive)/.test(clause.plain) || /\/i$/.test(regex ? pattern : ''),
    ...(path === undefined ? {} : { path }),
    ...(meant.all ? {} : { glob: meant.glob }),
  }
}
