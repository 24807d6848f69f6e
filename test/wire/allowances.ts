import type { WireApi, WireMeta } from '../setup/wire.ts'
import type { Difference, What } from './differences.ts'
import type { RequestDifference, RequestWhat } from './request-differences.ts'

export type AnyDifference = Difference | RequestDifference

/** A difference that is right, or known, and why. It names kinds, never recordings: it holds for those that nobody has seen. */
export interface Allowance {
  readonly api: WireApi
  /** Default: any. */
  readonly provider?: string
  readonly what: What | RequestWhat
  /** What else must be so. Default: nothing. */
  readonly when?: (difference: AnyDifference, meta: WireMeta) => boolean
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
  {
    api: 'chat-completions',
    what: 'request-reasoning',
    when: ({ ours }) => ours === '',
    reason: 'reasoning is not sent back (reasoning_content, reasoning, thinking parts)',
    notYet: true,
  },
  {
    api: 'chat-completions',
    what: 'request-opaque',
    when: ({ ours }) => isEmpty(ours),
    reason: 'reasoning_details are not sent back',
    notYet: true,
  },
]

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Which allowance a difference falls under. */
export function allowanceFor(difference: AnyDifference, meta: WireMeta): Allowance | undefined {
  return allowances.find(
    ({ api, provider, what, when }) =>
      api === meta.api &&
      (provider === undefined || provider === meta.provider) &&
      what === difference.what &&
      (when === undefined || when(difference, meta)),
  )
}
