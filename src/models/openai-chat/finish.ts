import type { FinishReason } from '../../core/model.ts'
import * as gemini from '../gemini/finish.ts'

const finishReasons: { readonly [reason: string]: FinishReason } = {
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop', // Text Generation Inference
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'content-filter',
  sensitive: 'content-filter',
  refusal: 'refusal',
}

/**
 * Reasons that say that the generation failed: what came is no more a response than a stream without its end. Checklist C9 has calls decide
 * whatever the reason says; but these say nothing of calls, and what broke off may lack the calls that should have come first. So nothing of
 * it runs, as of what C11 calls truncated, and another attempt may do better (B054). A reason that nobody knows is left to C9.
 */
const brokenOff: ReadonlySet<string> = new Set([
  'error',
  'abort', // vLLM, SGLang
  'aborted',
  'insufficient_system_resource', // DeepSeek
])

/** Google tells the reasons of its own API here too, as they are or behind a word: `SAFETY`, `function_call_filter: MALFORMED_FUNCTION_CALL`. */
function wordsOf(reason: string): readonly string[] {
  return reason.toLowerCase().split(/: */)
}

/** A reason that we don't know is no success (B054). A server that says that it is done and gives none has just stopped. */
export function finishReasonOf(reason: string | undefined, hasCalls: boolean): FinishReason {
  if (reason === undefined) return hasCalls ? 'tool-calls' : 'stop'
  for (const word of wordsOf(reason)) {
    const known = Object.hasOwn(finishReasons, word) ? finishReasons[word] : undefined
    const meant = known ?? gemini.finishReasonOf(word.toUpperCase(), false)
    if (meant !== 'other') return meant
  }
  return 'other'
}

/** Whether a response is no whole one, by what its reason says. */
export function isBrokenOff(reason: string): boolean {
  return wordsOf(reason).some((word) => brokenOff.has(word) || gemini.isBrokenOff(word.toUpperCase()))
}
