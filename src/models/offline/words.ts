/**
 * One clause of what the user said, taken apart. `plain` is the clause in lower case with a mark in place of everything that must
 * be taken as it stands, so that a file called `list.md` is not read as the verb: `⟨p0⟩` a path, `⟨g0⟩` a glob, `⟨q0⟩` a quotation.
 */
export interface Clause {
  /** As the user wrote it, without courtesies and final punctuation. */
  readonly text: string
  readonly plain: string
  /** `plain` before it was put in lower case. */
  readonly marked: string
  readonly paths: readonly string[]
  readonly globs: readonly string[]
  readonly quoted: readonly string[]
  /** Where to look: what stands after "in", "under", "inside". */
  readonly place?: string
}

/** Longer messages are cut: nobody states eight intents in more. */
const maxCharacters = 4_000
const maxClauses = 16

const verbs =
  'list|find|count|search|look|read|show|open|print|display|outline|summari[sz]e|describe|explain|compare|diff|calculate|compute|' +
  'what|which|where|how|who|is|name|give|tell|grep|locate|identify|report|say'

const clauseEnd = new RegExp(
  `(?<=[.?!;])\\s+|\\n+|,?\\s+(?:and then|and also|and|then)\\s+(?=(?:${verbs})\\b)|,\\s+(?=(?:${verbs})\\b)`,
  'i',
)

const courtesy = new RegExp(
  '^(?:(?:please|hey|hi|hello|ok|okay|so|now|then|and|also|first|next|finally|just|kindly|no|wait|stop|actually|instead|rather|yes|thanks|thank you)[,!:;]?\\s+|(?:can|could|would|will) you\\s+|' +
    "i(?: want| would like|['’]d like)(?: you)? to (?:know\\s+)?|i need to know\\s+|do you know\\s+|let['’]s\\s+|let us\\s+|" +
    '(?:tell|show|give) me\\s+(?=(?:what|how|which|where|who|if)\\b))+',
  'i',
)

/** Names without a dot that are files all the same. */
const bareName = /^(?:readme|license|licence|changelog|contributing|makefile|dockerfile|codeowners|authors|notice)$/i
export function isBareName(name: string): boolean {
  return bareName.test(name)
}

/** `README` is `readme.md` as well. */
export function bareNameGlob(name: string): string {
  return `**/${name.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)}*`
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Whether a path looks like a file's: an extension or a well-known name at its end. */
export function isFileName(path: string): boolean {
  const name = nameOf(path)
  return isBareName(name) || /[^/]\.[\w+-]+$/.test(name)
}

const noPath = /^(?:and\/or|either\/or|e\.g|i\.e|etc|a\.m|p\.m|w\/o?|n\/a|\d+(?:[./]\d+)+)$/i

/** Words that stand after "in" and name no folder. */
const noPlace = new Set(
  (
    'this that these those here there it them the total all my our your a an any every each general detail full short order english case ' +
    'project projects repo repos repository folder folders directory directories workspace tree current code codebase file files which what ' +
    'where both bytes size lines typescript javascript markdown python json yaml rust go java html css text alphabetical'
  ).split(' '),
)

export function clausesOf(words: string): readonly Clause[] {
  const quoted: string[] = []
  const masked = words
    .slice(0, maxCharacters)
    .replace(/[⟨⟩]/g, '')
    .replace(quotation, (all, lead: string, ...inner: (string | undefined)[]) => {
      const text = inner.slice(0, 4).find((one) => one !== undefined)
      return text === undefined ? all : `${lead}⟨q${quoted.push(text) - 1}⟩`
    })
  const clauses = masked
    .split(clauseEnd)
    .slice(0, maxClauses)
    .map((clause) => takeApart(clause, quoted))
  return clauses.filter((clause) => clause.text !== '')
}

// A single quote opens only at the start of a word, or every apostrophe would.
const quotation = /(^|[\s(:=,])(?:"([^"\n]+)"|'([^'\n]+)'(?![\w])|`([^`\n]+)`|[“«]([^”»\n]+)[”»])/g

function takeApart(clause: string, quotations: readonly string[]): Clause {
  const bare = clause
    .trim()
    .replace(courtesy, '')
    .replace(/[\s.?!;,:]+$/, '')
  const paths: string[] = []
  const globs: string[] = []
  const quoted: string[] = []
  const marked = bare.replace(/\S+/g, (word) => {
    const [, lead = '', core = '', tail = ''] = /^([([{<]*)(.*?)([\s.?!;,:)\]}>]*)$/.exec(word) ?? []
    const number = /^⟨q(\d+)⟩$/.exec(core)?.[1]
    if (number !== undefined) return `${lead}${markOf(quotations[Number(number)] ?? '', paths, globs, quoted, true)}${tail}`
    if (core.includes('⟨q')) return restore(word, quotations)
    return `${lead}${markOf(core, paths, globs, quoted, false)}${tail}`
  })
  const text = restore(bare, quotations)
  const place = placeOf(marked, paths)
  return { text, plain: marked.toLowerCase(), marked, paths, globs, quoted, ...(place === undefined ? {} : { place }) }
}

function restore(text: string, quotations: readonly string[]): string {
  return text.replace(/⟨q(\d+)⟩/g, (_, number: string) => `'${quotations[Number(number)] ?? ''}'`)
}

function markOf(core: string, paths: string[], globs: string[], quoted: string[], isQuoted: boolean): string {
  if (isQuoted) {
    if (/^[\w./@{},*?[\]-]+$/.test(core) && isGlob(core)) return `⟨g${globs.push(core) - 1}⟩`
    if (!isPath(core)) return `⟨q${quoted.push(core) - 1}⟩`
  } else if (isRegex(core)) return `⟨q${quoted.push(core) - 1}⟩`
  else if (isGlob(core)) return `⟨g${globs.push(core) - 1}⟩`
  return isPath(core) ? `⟨p${paths.push(core) - 1}⟩` : core
}

/** `/…/` or `/…/i` with something in it that only a regular expression has. */
export function isRegex(word: string): boolean {
  return /^\/.+\/i?$/.test(word) && /[\\^$*+?()|[\]]/.test(word.slice(1))
}

function isGlob(word: string): boolean {
  return /[*]/.test(word) && /[\w./]/.test(word) && !/^[\d*()+.%^/-]+$/.test(word)
}

/** A word is a path when it has a slash, an extension or a leading dot, or is a name that every project has. */
function isPath(word: string): boolean {
  if (noPath.test(word) || word.includes('://') || /[|<>"*]/.test(word)) return false
  if (word === '.' || word === '..' || isBareName(word)) return true
  if (/[/\\]/.test(word)) return /\w/.test(word) && !/\s[/\\]|[/\\]\s/.test(word)
  return /^\.?[\w@+-]+(?: [\w@+-]+)*(?:\.[\w+-]+)*\.[a-z][\w+-]{0,15}$/i.test(word) || /^\.[a-z][\w.-]*$/i.test(word)
}

const inPlace = /(?<!\bend(?:s|ing)? )\b(?:in|under|inside|within|below) (?:the )?(?:(?:folder|directory|dir) )?(?:⟨p(\d+)⟩|([\w@-]+))/
const ofPlace = /\b(?:of|from) (?:the )?(?:(?:folder|directory|dir) |(?=\S+ (?:folder|directory|dir)\b))(?:⟨p(\d+)⟩|([\w@-]+))/
const searchedPlace = /^(?:search|look|grep)(?: through)? (?:the )?(?:⟨p(\d+)⟩|(?!for\b)([\w@-]+))(?: folder| directory)? for\b/
const placePhrase = new RegExp(`${inPlace.source}|${ofPlace.source}|${searchedPlace.source}`, 'gi')

function placeOf(marked: string, paths: readonly string[]): string | undefined {
  for (const [, ...parts] of marked.replace(/\s+/g, ' ').matchAll(placePhrase)) {
    const [path, word] = [parts[0] ?? parts[2] ?? parts[4], parts[1] ?? parts[3] ?? parts[5]]
    if (path !== undefined) return paths[Number(path)]
    if (word !== undefined && !noPlace.has(word.toLowerCase())) return word
  }
  return undefined
}

const kinds: { readonly [word: string]: readonly [label: string, glob: string] } = {
  typescript: ['TypeScript', '**/*.{ts,tsx,mts,cts}'],
  javascript: ['JavaScript', '**/*.{js,jsx,mjs,cjs}'],
  markdown: ['Markdown', '**/*.{md,mdx,markdown}'],
  python: ['Python', '**/*.py'],
  rust: ['Rust', '**/*.rs'],
  golang: ['Go', '**/*.go'],
  java: ['Java', '**/*.java'],
  json: ['JSON', '**/*.json'],
  yaml: ['YAML', '**/*.{yaml,yml}'],
  html: ['HTML', '**/*.{html,htm}'],
  css: ['CSS', '**/*.css'],
  shell: ['shell', '**/*.sh'],
  text: ['text', '**/*.txt'],
  image: ['image', '**/*.{png,jpg,jpeg,gif,svg,webp}'],
  test: ['test', '**/*.{test,spec}.*'],
}

/** Which files are meant: a kind ("TypeScript files"), an extension (".ts files"), a glob, a name; all files when none is said. */
export function filesMeant(clause: Clause): { readonly label: string; readonly glob: string; readonly all: boolean } {
  const [first, ...more] = clause.globs.map((glob) => (glob.includes('/') ? glob : `**/${glob}`))
  if (first !== undefined) {
    const glob = more.length === 0 ? first : `{${[first, ...more].join(',')}}`
    return { label: `files that match ${clause.globs.join(' or ')}`, glob, all: false }
  }
  const kind = /\b([a-z]+)[- ](?:source |code )?files?\b/.exec(clause.plain)?.[1]
  const known = kind === undefined || !Object.hasOwn(kinds, kind) ? undefined : kinds[kind]
  if (known !== undefined) return { label: `${known[0]} files`, glob: known[1], all: false }
  const extension = /(?:\bend(?:s|ing)? (?:in|with) |\bextension |(?=⟨p\d+⟩[- ](?:files?|extension)\b))⟨p(\d+)⟩/.exec(clause.plain)?.[1]
  const dotted = extension === undefined ? undefined : clause.paths[Number(extension)]
  if (dotted !== undefined && /^\.[a-z][\w.]*$/i.test(dotted)) return { label: `${dotted} files`, glob: `**/*${dotted}`, all: false }
  const plainExtension = /\b(ts|tsx|js|jsx|mjs|md|py|rs|go|txt|toml|sh|sql|csv|svg|png)[- ]files?\b/.exec(clause.plain)?.[1]
  if (plainExtension !== undefined) return { label: `.${plainExtension} files`, glob: `**/*.${plainExtension}`, all: false }
  return { label: 'files', glob: '**/*', all: true }
}
