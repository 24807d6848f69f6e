/**
 * A word about each option that is unknown, with the one that was probably meant: by `words`, which knows what others call it, or by its letters.
 */
export function unknownKeys(
  options: object,
  known: ReadonlySet<string>,
  prefix: string,
  words: { readonly [word: string]: string },
): string[] {
  const wrong: string[] = []
  for (const key of Object.keys(options)) {
    if (known.has(key)) continue
    const word = Object.hasOwn(words, key) ? words[key] : nearest(key, known)
    wrong.push(`unknown option '${prefix}${key}'${word === undefined ? '' : `: did you mean '${word}'?`}`)
  }
  return wrong
}

/** All that is wrong, as the end of a message. */
export function sentenceOf(wrong: readonly string[]): string {
  const said = wrong.join('; ')
  return said.endsWith('?') ? said : `${said}.`
}

/** The known word that differs by one or two letters, or only in its case. */
function nearest(word: string, known: ReadonlySet<string>): string | undefined {
  let best: string | undefined
  let least = 3
  for (const candidate of known) {
    const distance = word.toLowerCase() === candidate.toLowerCase() ? 0 : editDistance(word, candidate, least)
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? limit
}
