import type { FinishReason } from '../../core/model.ts'
import { windowExceeded } from '../errors.ts'
import * as gemini from '../gemini/finish.ts'
import { reasonWords } from '../unusable.ts'

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
  [windowExceeded]: 'length',
  content_filter: 'content-filter',
  sensitive: 'content-filter',
  refusal: 'refusal',
}

/**
 * A reason that we don't know is no success (B054). Google tells the reasons of its own API here too. A server that says that it is done and gives none has just stopped.
 */
export function finishReasonOf(reason: string | undefined, hasCalls: boolean): FinishReason {
  if (reason === undefined) return hasCalls ? 'tool-calls' : 'stop'
  for (const word of reasonWords(reason)) {
    const known = Object.hasOwn(finishReasons, word) ? finishReasons[word] : undefined
    const meant = known ?? gemini.finishReasonOf(word.toUpperCase(), false)
    if (meant !== 'other') return meant
  }
  return 'other'
}
