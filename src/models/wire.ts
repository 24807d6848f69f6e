/** What came over the wire is anything until it was looked at. */
export type Wire = { readonly [key: string]: unknown }

export function isWire(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textOrNothing(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The objects of a list; what is no list holds none. */
export function wires(value: unknown): readonly Wire[] {
  return Array.isArray(value) ? value.filter(isWire) : []
}

/** A number of tokens, or US dollars; what is no number that counts something is unknown. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
