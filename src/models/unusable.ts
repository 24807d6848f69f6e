import { RondoError } from '../core/error.ts'
import type { Json } from '../core/json.ts'
import type { Answerer } from './errors.ts'
import { safeText } from './safe-text.ts'

/** The JSON value of an event. Throws for a text that is none. */
export function eventOf(text: string, from: Answerer): Json {
  try {
    return JSON.parse(text)
  } catch {
    throw garbled('an event is not JSON', from, text)
  }
}

/** The JSON value of a text, or the text itself. */
export function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** @param data What nobody can read; it is shown. */
export function garbled(what: string, from?: Answerer, data = ''): RondoError {
  const whose = from === undefined ? "The model's response" : `The response of ${from.provider}`
  const shown = data === '' ? '.' : `: ${safeText(data, 200, from?.secrets)}`
  return new RondoError('ModelServerError', `${whose} is garbled: ${what}${shown}`)
}

export function incomplete(what: string): RondoError {
  return new RondoError('ModelServerError', `${what}: it is not complete, and nothing of it is used.`)
}

/**
 * Reasons that say that the generation failed, in small letters: what came is no more a response than a stream without its end. Checklist C9 has calls
 * decide whatever the reason says; but these say nothing of calls, and what broke off may lack the calls that should have come first. So nothing of
 * it runs, as of what C11 calls truncated, and another attempt may do better (B054). A reason that nobody knows is left to C9.
 */
const failures: ReadonlySet<string> = new Set([
  'error',
  'abort', // vLLM, SGLang
  'aborted',
  'insufficient_system_resource', // DeepSeek
  // Gemini
  'malformed_function_call',
  'malformed_response',
  'missing_thought_signature',
  'too_many_tool_calls',
  'unexpected_tool_call',
])

/** The words of a reason. Google puts one before those of its own API on other APIs: `function_call_filter: MALFORMED_FUNCTION_CALL`. */
export function reasonWords(reason: string): readonly string[] {
  return reason.toLowerCase().split(/: */)
}

/** Whether a response is no whole one, by what its reason says. */
export function isBrokenOff(reason: string): boolean {
  return reasonWords(reason).some((word) => failures.has(word))
}

/** @param reason Such a one. */
export function brokenOff(reason: string, { provider, secrets }: Answerer): RondoError {
  return incomplete(`${provider} broke off its response (finish reason "${safeText(reason, 60, secrets)}")`)
}

/** Another attempt would run on as this one, at full price. */
export function tooMany(limit: number, what: string): RondoError {
  const message = `The model's response was stopped: it has more than ${limit.toLocaleString('en-US')} ${what}.`
  return new RondoError('ModelServerError', message, { retryable: false })
}
