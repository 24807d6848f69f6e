import { RondoError } from '../../core/error.ts'
import type { Answerer } from '../errors.ts'
import { safeText } from '../safe-text.ts'
import type { Wire } from '../wire.ts'

/** `{ type: 'error', error: {…} }`, or an error alone, as gateways send it. */
export function isError(event: Wire): boolean {
  return event['type'] === 'error' || (Boolean(event['error']) && event['content'] === undefined && !isOwnEvent(event['type']))
}

function isOwnEvent(type: unknown): boolean {
  return typeof type === 'string' && /^(?:message|content_block)_/.test(type)
}

export function parsed(text: string, from: Answerer): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw garbled(from, 'an event is not JSON', text)
  }
}

/** The JSON value of a text, or the text itself. */
export function anything(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function garbled({ provider, secrets }: Answerer, what: string, data: string): RondoError {
  const shown = data === '' ? '.' : `: ${safeText(data, 200, secrets)}`
  return new RondoError('ModelServerError', `The response of ${provider} is garbled: ${what}${shown}`)
}

export function incomplete(what: string): RondoError {
  return new RondoError('ModelServerError', `${what}: it is not complete, and nothing of it is used.`)
}
