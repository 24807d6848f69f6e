import type { FinishReason } from '../../core/model.ts'
import { windowExceeded } from '../errors.ts'
import { isBrokenOff } from '../unusable.ts'
import { isWire } from '../wire.ts'

/** How a response ended, in the words of its package. */
export interface End {
  readonly unified: string
  /** The provider's own word. Specification 2 does not have it. */
  readonly raw: string | undefined
}

export function endOf(finishReason: unknown): End {
  if (!isWire(finishReason)) return { unified: String(finishReason), raw: undefined }
  const { unified, raw } = finishReason
  return { unified: String(unified), raw: typeof raw === 'string' && raw !== '' ? raw : undefined }
}

const reasons: { readonly [unified: string]: FinishReason } = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content-filter',
  'tool-calls': 'tool-calls',
}

/** Words of providers that tell more than what packages make of them. */
const rawReasons: { readonly [raw: string]: FinishReason } = {
  pause_turn: 'pause-turn',
  [windowExceeded]: 'length',
  refusal: 'refusal',
}

/** A reason that nobody knows is no success (B054). */
export function finishReasonOf({ unified, raw }: End): FinishReason {
  const own = raw?.toLowerCase() ?? ''
  if (Object.hasOwn(rawReasons, own)) return rawReasons[own] ?? 'other'
  return Object.hasOwn(reasons, unified) ? (reasons[unified] ?? 'other') : 'other'
}

/** Most packages call it `error` when the generation failed. */
export function isFailure({ unified, raw }: End): boolean {
  return unified === 'error' || (unified === 'other' && raw !== undefined && isBrokenOff(raw))
}

/**
 * Whether the provider has told no reason. Packages end their streams with a finish also when the response broke off before its end: the later
 * specifications have `other` for it, without a word of the provider. Specification 2 has `unknown`, for that and for words that its package does
 * not know: what the response took is told at its end, so that one which tells its output has one.
 *
 * @param hasUsage The tokens of the output were told.
 */
export function isUntold({ unified, raw }: End, hasUsage: boolean): boolean {
  return unified === 'unknown' ? !hasUsage : unified === 'other' && raw === undefined
}
