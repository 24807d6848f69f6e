/** The one that was probably meant; `undefined` where none is near. */
export function nearest(word: string, all: readonly string[]): string | undefined {
  const ranked = all.map((known) => ({ known, distance: distanceOf(folded(word), folded(known)) }))
  const [best] = ranked.sort((a, b) => a.distance - b.distance)
  return best !== undefined && word.length <= 60 && best.distance <= Math.ceil(best.known.length * 0.4) ? best.known : undefined
}

/** `max-iterations` and `MAX_ITERATIONS` mean `maxIterations`. */
function folded(key: string): string {
  return key.slice(0, 60).replace(/[-_]/g, '').toLowerCase()
}

/** Levenshtein's distance. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++)
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (b[j] === character ? 0 : 1)))
    row = next
  }
  return row[b.length] ?? 0
}
