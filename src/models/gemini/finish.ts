import type { FinishReason } from '../../core/model.ts'

/** https://ai.google.dev/api/generate-content#FinishReason. The first two come as the numbers of their enum too. */
const finishReasons: { readonly [reason: string]: FinishReason } = {
  STOP: 'stop',
  '1': 'stop',
  MAX_TOKENS: 'length',
  '2': 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
  MODEL_ARMOR: 'content-filter',
}

/** A reason that we don't know is no success (B054). */
export function finishReasonOf(reason: string, hasCalls: boolean): FinishReason {
  const known = Object.hasOwn(finishReasons, reason) ? finishReasons[reason] : undefined
  return known === 'stop' && hasCalls ? 'tool-calls' : (known ?? 'other')
}
