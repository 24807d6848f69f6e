import type { Json } from 'rondo'
import type { Ledger } from './ledger.ts'
import type { Played } from './play.ts'

export interface Violation {
  readonly rule: string
  readonly what: string
}

export interface Checking {
  readonly played: Played
  readonly ledger: Ledger
  /** When an entry was written (monotonic ms): its own `at` is what a clock said that may have jumped. */
  timeOf(entry: { readonly id: string }): number
  violate(rule: string, what: string): void
}

/** JSON with sorted keys: written here again, so that the checkers owe nothing to what they check. */
export function canonical(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const object = value as { readonly [key: string]: Json }
  return `{${Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(object[key] ?? null)}`)
    .join(',')}}`
}
