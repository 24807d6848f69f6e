import type { WireApi, WireMeta } from '../setup/wire.ts'
import type { Difference, What } from './differences.ts'

/** A difference that is right, or known, and why. It names kinds, never recordings: it holds for those that nobody has seen. */
export interface Allowance {
  readonly api: WireApi
  /** Default: any. */
  readonly provider?: string
  readonly what: What
  /** What else must be so. Default: nothing. */
  readonly when?: (difference: Difference, meta: WireMeta) => boolean
  readonly reason: string
  /** Ours is wrong, and known to be: to be removed when it is mended. */
  readonly notYet?: true
}

const allowances: readonly Allowance[] = [
  {
    api: 'chat-completions',
    what: 'opaque',
    reason: 'the adapter does not keep reasoning_details and thought signatures',
    notYet: true,
  },
  {
    api: 'chat-completions',
    what: 'text',
    when: ({ ours }) => ours === '',
    reason: 'a completion that has an empty delta beside its message is read by the delta',
    notYet: true,
  },
]

/** Which allowance a difference falls under. */
export function allowanceFor(difference: Difference, meta: WireMeta): Allowance | undefined {
  return allowances.find(
    ({ api, provider, what, when }) =>
      api === meta.api &&
      (provider === undefined || provider === meta.provider) &&
      what === difference.what &&
      (when === undefined || when(difference, meta)),
  )
}
