/** Random cuts are the same in each run with the same seed. `RONDO_WIRE_SEED` tries others. */
export const seed = Number(process.env['RONDO_WIRE_SEED'] ?? 1)

/** Bytes in pieces of `size`. */
export function inPieces(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return pieces
}

/** Bytes cut at up to `count` random places, which `name` decides together with the seed. */
export function cutAtRandom(bytes: Uint8Array, count: number, name: string): Uint8Array[] {
  const random = randomOf(name)
  const places = Array.from({ length: count }, () => Math.floor(random() * bytes.length)).sort((a, b) => a - b)
  const pieces = [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
  return pieces.filter((piece) => piece.length > 0)
}

/** A linear congruential generator (Numerical Recipes), begun with a sum of the name. */
function randomOf(name: string): () => number {
  let state = seed
  for (const letter of name) state = (Math.imul(state, 31) + letter.charCodeAt(0)) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
