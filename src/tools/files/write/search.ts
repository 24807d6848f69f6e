/** Up to this length the search of the platform is fast for every text; beyond, some texts make it take the product of both lengths. */
const shortest = 64

/**
 * Where a text stands in another: at most `most` places, those that overlap too unless `apart`. Takes no longer than the lengths added up, whatever
 * the texts are, for both are written by others.
 */
export function placesOf(
  text: string,
  wanted: string,
  most = Number.POSITIVE_INFINITY,
  overlap: 'overlapping' | 'apart' = 'overlapping',
): number[] {
  const places: number[] = []
  if (wanted.length === 0 || wanted.length > text.length) return places
  const step = overlap === 'apart' ? wanted.length : 1
  if (wanted.length > shortest) return longPlaces(text, wanted, most, overlap)
  for (let at = text.indexOf(wanted); at >= 0 && places.length < most; at = text.indexOf(wanted, at + step)) places.push(at)
  return places
}

/** By Knuth, Morris and Pratt: no character of `text` is looked at again. */
function longPlaces(text: string, wanted: string, most: number, overlap: 'overlapping' | 'apart'): number[] {
  const borders = bordersOf(wanted)
  const places: number[] = []
  let met = 0
  for (let at = 0; at < text.length && places.length < most; at++) {
    const code = text.charCodeAt(at)
    while (met > 0 && code !== wanted.charCodeAt(met)) met = borders[met - 1] ?? 0
    if (code === wanted.charCodeAt(met)) met++
    if (met < wanted.length) continue
    places.push(at + 1 - wanted.length)
    met = overlap === 'apart' ? 0 : (borders[met - 1] ?? 0)
  }
  return places
}

/** For each beginning of a text the length of the longest shorter beginning that it ends with. */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length)
  let met = 0
  for (let at = 1; at < wanted.length; at++) {
    while (met > 0 && wanted.charCodeAt(at) !== wanted.charCodeAt(met)) met = borders[met - 1] ?? 0
    if (wanted.charCodeAt(at) === wanted.charCodeAt(met)) met++
    borders[at] = met
  }
  return borders
}
