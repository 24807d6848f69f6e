import { RondoError } from '../../core/error.ts'

/** What one call of `fetch_url` may cost. */
export interface FetchLimits {
  /** Bytes of a body that are read, counted after decompression; what is beyond is not looked at. */
  readonly bytes: number
  /** Characters that one call returns: the highest `maxChars` that a model may ask for. */
  readonly chars: number
  /** The whole call, with all redirects, in ms. */
  readonly totalMs: number
  /** How long nothing may come: until a connection stands, until an answer begins, between two pieces of it; in ms. */
  readonly idleMs: number
  /** Making one page of HTML readable, in ms. */
  readonly htmlMs: number
  /** Redirects that are followed. */
  readonly redirects: number
}

/** The defaults of `fetchTool({ limits })`. */
export const fetchLimits: FetchLimits = Object.freeze({
  bytes: 5_000_000,
  chars: 100_000,
  totalMs: 30_000,
  idleMs: 10_000,
  htmlMs: 5_000,
  redirects: 5,
})

export function completeFetchLimits(limits: Partial<FetchLimits> = {}): FetchLimits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(fetchLimits, name))
      throw new RondoError('ConfigInvalid', `fetchTool(): unknown limit '${name}'; there are ${Object.keys(fetchLimits).join(', ')}`)
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0 && value < 2 ** 31))
      throw new RondoError('ConfigInvalid', `fetchTool(): limit '${name}' must be a whole number greater than 0, not ${String(value)}`)
  }
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
  return { ...fetchLimits, ...given }
}
