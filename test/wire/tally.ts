import type { WireMeta } from '../setup/wire.ts'
import { type Allowance, allowanceFor } from './allowances.ts'
import type { Difference } from './differences.ts'

/** What was checked, and what was let pass: told at the end, so that nothing is passed over in silence. */
export class Tally {
  readonly #counts = new Map<string, Map<string, number>>()
  readonly #allowed = new Map<Allowance, number>()

  count(api: string, what: string, more = 1): void {
    const counts = this.#counts.get(api) ?? new Map<string, number>()
    this.#counts.set(api, counts.set(what, (counts.get(what) ?? 0) + more))
  }

  /** The differences that no allowance covers. */
  unallowed(differences: readonly Difference[], meta: WireMeta): readonly Difference[] {
    return differences.filter((difference) => {
      const allowance = allowanceFor(difference, meta)
      if (allowance !== undefined) this.#allowed.set(allowance, (this.#allowed.get(allowance) ?? 0) + 1)
      return allowance === undefined
    })
  }

  report(title: string): string {
    const lines = [...this.#counts].map(([api, counts]) => `  ${api}: ${[...counts].map(([what, count]) => `${count} ${what}`).join(', ')}`)
    const allowed = [...this.#allowed].map(
      ([{ api, provider, what, reason, notYet }, count]) =>
        `  ${count} × ${what} of ${provider === undefined ? api : `${provider} (${api})`}: ${notYet ? 'NOT YET: ' : ''}${reason}`,
    )
    return [title, ...lines, ...(allowed.length === 0 ? [] : ['  let pass:', ...allowed])].join('\n')
  }
}
