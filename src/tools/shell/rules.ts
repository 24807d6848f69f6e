import { RondoError } from '../../core/error.ts'
import { matchesWildcard } from '../../core/wildcard.ts'
import { type PlainCommand, plainLine } from './plain.ts'
import { rememberedName } from './remembered.ts'
import { seenCommands, unknown } from './seen.ts'
import { baseName, doesTooMuch, isTooMuch } from './starters.ts'

/**
 * Patterns for commands, word by word: `npm test`, `ls *`, `git log *`. `*` stands for any characters, also blanks and none, `?` for one; a blank for the
 * border between two words. One that ends in ` *` fits the command without arguments too.
 */
export interface ShellRules {
  /**
   * Runs without an approval if each command of the line fits one of these. The line must be plain (words that are what they say, `|`, `&&`, `||`, `;`,
   * newlines, `2>&1`, `>/dev/null`). What starts other commands (`sudo`, `sh`, `xargs`, `find -exec`, `git -c`, …), or changes what the next ones mean
   * (`cd`, `export`, `alias`, …), fits a pattern without `*` and `?` only.
   */
  readonly allow?: readonly string[]
  /**
   * Never runs, whoever has said yes, if a command anywhere in the line fits one of these: in a substitution, a function, an argument of `sudo`, `xargs` or
   * `sh -c`. A guard against mistakes, no fence: a program can do the same under another name.
   */
  readonly deny?: readonly string[]
}

export type ShellVerdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly pattern: string }
  /** `doubt`: a rule that denies might fit what can't be seen before it runs. */
  | { readonly kind: 'ask'; readonly reason: string; readonly rememberAs: string | false; readonly doubt: boolean }

/** What the rules say about a line. A denial first; what is not wholly understood is never allowed. */
export function judge(rules: ShellRules, line: string): ShellVerdict {
  const { allow = [], deny = [] } = rules
  const seen = line.length > longestLine ? undefined : seenCommands(line)
  if (seen === undefined) return ask(`it is longer than ${longestLine} characters`, false, deny.length > 0)
  const all = [...seen.written, ...seen.started]
  for (const pattern of deny) if (all.some((words) => denies(pattern, words))) return { kind: 'deny', pattern }
  const doubt = deny.length > 0 && (!seen.clear || deny.some((pattern) => all.some((words) => mayDeny(pattern, words))))
  const plain = plainLine(line)
  // Two readers, written apart, must have read the same commands.
  if (plain === undefined || !seen.clear || JSON.stringify(plain.commands) !== JSON.stringify(seen.written))
    return ask('it has more in it than plain commands, so no rule can allow it', false, doubt)
  const left = plain.commands.find((command) => !allow.some((pattern) => allows(pattern, command)))
  if (left === undefined && !doubt) return { kind: 'allow' }
  // Allowed, but more is run than stands here: what `xargs rm` is given may be `-rf`.
  if (left === undefined) return ask('a rule may deny what it turns into when it runs', false, doubt)
  return ask(`no rule allows '${left.join(' ')}'`, rememberedName(plain), doubt)
}

const longestLine = 10_000

function ask(reason: string, rememberAs: string | false, doubt: boolean): ShellVerdict {
  return { kind: 'ask', reason, rememberAs, doubt }
}

/** Between words, which can't hold it. */
const border = '\0'

function inWords(pattern: string): readonly string[] {
  const words = pattern.trim().replace(/ +/g, border)
  return words.endsWith(`${border}*`) ? [words, words.slice(0, -2)] : [words]
}

function fits(pattern: string, text: string): boolean {
  return inWords(pattern).some((one) => matchesWildcard(one, text))
}

function allows(pattern: string, command: PlainCommand): boolean {
  return fits(pattern, command.join(border)) && !(/[*?]/.test(pattern) && doesTooMuch(command))
}

/** Also by its name without the folder, and in small letters, as some disks take it. */
function spellings([name = '', ...args]: readonly string[]): readonly (readonly string[])[] {
  const base = baseName(name)
  return [...new Set([name, base, base.toLowerCase()])].map((one) => [one, ...args])
}

function denies(pattern: string, words: readonly string[]): boolean {
  return spellings(words).some((spelled) => fits(pattern, spelled.join(border)))
}

/** Whether there is something that `unknown` may turn into, also several words or none, with which the pattern fits. */
function mayDeny(pattern: string, words: readonly string[]): boolean {
  if (!words.some((word) => word.includes(unknown))) return false
  return spellings(words).some((spelled) => {
    const text = spelled.join(border).replaceAll(new RegExp(`${border}?${unknown}+${border}?`, 'g'), unknown)
    return inWords(pattern).some((one) => canMeet(one, text))
  })
}

/** Whether a pattern and a text with unknown parts have a text in common. Steps: the product of the lengths. */
function canMeet(pattern: string, text: string): boolean {
  let row = new Uint8Array(text.length + 1)
  for (let p = 0; p <= pattern.length; p++) {
    const next = new Uint8Array(text.length + 1)
    const part = pattern[p - 1]
    for (let t = 0; t <= text.length; t++) {
      const char = text[t - 1]
      const before = next[t - 1] ?? 0
      if (p === 0) next[t] = t === 0 ? 1 : char === unknown ? before : 0
      else if (part === '*' || char === unknown) next[t] = (row[t] ?? 0) | before
      else next[t] = part === '?' || part === char ? (row[t - 1] ?? 0) : 0
    }
    row = next
  }
  return row[text.length] === 1
}

/** Throws `ConfigInvalid` for rules that can't work. */
export function checkRules(rules: ShellRules): void {
  const wrong: string[] = []
  for (const [key, patterns] of Object.entries(rules)) {
    if (key !== 'allow' && key !== 'deny') wrong.push(`unknown field '${key}'; there are allow and deny`)
    else if (patterns !== undefined && !Array.isArray(patterns)) wrong.push(`${key} must be a list of patterns`)
    else for (const pattern of patterns ?? []) wrong.push(...patternFaults(key, pattern))
  }
  if (wrong.length > 0) throw new RondoError('ConfigInvalid', `shellTool(): rules: ${wrong.join('; ')}`)
}

function patternFaults(key: 'allow' | 'deny', pattern: unknown): string[] {
  if (typeof pattern !== 'string' || pattern.trim() === '') return [`${key}: each pattern must be a text that is not empty`]
  if (pattern.length > 200) return [`${key}: a pattern has at most 200 characters`]
  if (key === 'deny') return []
  const [name = ''] = pattern.trim().split(' ')
  if (isTooMuch(name) && /[*?]/.test(pattern))
    return [
      `allow: '${pattern}': '${name}' starts other commands or changes what they mean, so it is allowed only word for word, without * and ?`,
    ]
  return []
}
