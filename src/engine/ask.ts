import { RondoError } from '../core/error.ts'
import type { Ask } from '../core/tool.ts'

const risks: readonly unknown[] = ['low', 'medium', 'high']

/**
 * What somebody wants to ask about a call, read once and checked: it goes into the journal, and a wish that nobody understands must not become a
 * request that is different from what was meant. Throws `ConfigInvalid`.
 */
export function checkedAsk(said: object): Ask {
  const risk: unknown = Reflect.get(said, 'risk')
  const reason: unknown = Reflect.get(said, 'reason')
  const expiresInMs: unknown = Reflect.get(said, 'expiresInMs')
  const rememberAs: unknown = Reflect.get(said, 'rememberAs')
  return {
    ...(risk === undefined ? {} : { risk: isRisk(risk) ? risk : refuse('risk', "'low', 'medium' or 'high'") }),
    ...(reason === undefined ? {} : { reason: typeof reason === 'string' ? reason : refuse('reason', 'a text') }),
    ...(expiresInMs === undefined ? {} : { expiresInMs: checkedWait('expiresInMs', expiresInMs) }),
    ...(rememberAs === undefined ? {} : { rememberAs: isName(rememberAs) ? rememberAs : refuse('rememberAs', 'a text or false') }),
  }
}

function isRisk(value: unknown): value is 'low' | 'medium' | 'high' {
  return risks.includes(value)
}

function isName(value: unknown): value is string | false {
  return typeof value === 'string' || value === false
}

function refuse(field: string, what: string): never {
  throw new RondoError('ConfigInvalid', `'${field}' of a request for approval must be ${what}`)
}

/** A time that is no number would be a wait that never ends, or ends all the time. */
export function checkedWait(name: string, ms: unknown): number {
  if (typeof ms === 'number' && Number.isFinite(ms) && ms >= 0) return ms
  throw new RondoError('ConfigInvalid', `${name} must be a number of ms, 0 or more, not ${typeof ms === 'number' ? ms : typeof ms}`)
}
