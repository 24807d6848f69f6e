import type { Wire } from '../wire.ts'

/** `{ type: 'error', error: {…} }`, or an error alone, as gateways send it. */
export function isError(event: Wire): boolean {
  return event['type'] === 'error' || (Boolean(event['error']) && event['content'] === undefined && !isOwnEvent(event['type']))
}

function isOwnEvent(type: unknown): boolean {
  return typeof type === 'string' && /^(?:message|content_block)_/.test(type)
}
