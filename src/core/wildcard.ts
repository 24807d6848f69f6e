/**
 * Whether a text is what a pattern says, from end to end: `*` stands for any characters, also none; `?` for one; `\` before one of these takes it
 * as it is. Takes no more steps than the lengths multiplied, whatever the pattern.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const parts = partsOf(pattern)
  let part = 0
  let at = 0
  /** Where to go on when what follows the last star does not fit: the star takes one character more. */
  let retry: { readonly part: number; at: number } | undefined
  while (at < text.length) {
    const here = parts[part]
    if (here === star) {
      retry = { part, at }
      part++
    } else if (here === any || here === text[at]) {
      part++
      at++
    } else if (retry === undefined) return false
    else {
      retry.at++
      part = retry.part + 1
      at = retry.at
    }
  }
  return parts.slice(part).every((rest) => rest === star)
}

const star = Symbol('*')
const any = Symbol('?')

function partsOf(pattern: string): readonly (string | symbol)[] {
  const parts: (string | symbol)[] = []
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? ''
    const next = pattern[at + 1]
    if (char === '\\' && (next === '*' || next === '?' || next === '\\')) {
      parts.push(next)
      at++
    } else parts.push(char === '*' ? star : char === '?' ? any : char)
  }
  return parts
}
