import type { WireMeta } from '../setup/wire.ts'
import { type Allowance, type AnyDifference, allowanceIn } from './allowances.ts'

/** What was checked, and what was let pass: told at the end, so that nothing is passed over in silence. */
export class Tally {
  readonly #list: readonly Allowance[]
  readonly #counts = new Map<string, Map<string, number>>()
  /** By allowance, then by provider. */
  readonly #allowed = new Map<Allowance, Map<string, number>>()

  /** @param list What is let pass. */
  constructor(list: readonly Allowance[]) {
    this.#list = list
  }

  count(api: string, what: string, more = 1): void {
    const counts = this.#counts.get(api) ?? new Map<string, number>()
    this.#counts.set(api, counts.set(what, (counts.get(what) ?? 0) + more))
  }

  /** The differences that no allowance covers. */
  unallowed(differences: readonly AnyDifference[], meta: WireMeta): readonly AnyDifference[] {
    return differences.filter((difference) => {
      const allowance = allowanceIn(this.#list, difference, meta)
      if (allowance !== undefined) this.#allow(allowance, meta.provider)
      return allowance === undefined
    })
  }

  /** The exceptions that nothing fell under and that say nothing of it, and those that something fell under after all. */
  outdated(): readonly string[] {
    const wrong = this.#list.filter((allowance) => this.#allowed.has(allowance) === (allowance.unseen === true))
    return wrong.map(({ what, api, reason }) => `${what} of ${api}: ${reason}`)
  }

  #allow(allowance: Allowance, provider: string): void {
    const counts = this.#allowed.get(allowance) ?? new Map<string, number>()
    this.#allowed.set(allowance, counts.set(provider, (counts.get(provider) ?? 0) + 1))
  }

  report(title: string): string {
    const lines = [...this.#counts].map(([api, counts]) => `  ${api}: ${[...counts].map(([what, count]) => `${count} ${what}`).join(', ')}`)
    const allowed = [...this.#allowed].map(([{ api, what, reason, notYet }, counts]) => {
      const providers = [...counts].map(([provider, count]) => `${count} ${provider}`).join(', ')
      return `  ${what} of ${api === 'any' ? 'any API' : api} (${providers}): ${notYet ? 'NOT YET: ' : ''}${reason}`
    })
    return [title, ...lines, ...(allowed.length === 0 ? [] : ['  let pass:', ...allowed])].join('\n')
  }
}
