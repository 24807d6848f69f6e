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

/** Another attempt would run on as this one, at full price. */
export function tooMany(limit: number, what: string): RondoError {
  const message = `The model's response was stopped: it has more than ${limit.toLocaleString('en-US')} ${what}.`
  return new RondoError('ModelServerError', message, { retryable: false })
}
