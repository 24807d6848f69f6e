import type { Model } from '../../core/model.ts'
import { faultsIn, hasFields, type Rule, type Rules } from '../option-rules.ts'

export const aTime: Rule = ['a number of ms from 0 on', (value) => typeof value === 'number' && value >= 0]
export const aClock: Rule = [
  'a clock with monotonic() and timer()',
  (value) => hasFields(value) && typeof value['monotonic'] === 'function' && typeof value['timer'] === 'function',
]

/** What is wrong with options, in words: also what comes from JavaScript. */
export function wrongOptions(options: unknown, rules: Rules): string[] {
  if (options === undefined) return []
  return hasFields(options) ? faultsIn(options, rules, { shows: true }) : ['the options must be an object']
}

export function isModel(value: unknown): value is Model {
  return (
    hasFields(value) && typeof value['stream'] === 'function' && typeof value['provider'] === 'string' && typeof value['id'] === 'string'
  )
}

export const aModel = 'a model, as openaiChat() makes one'

/** `provider:id`, as events name a model. */
export function nameOf({ provider, id }: Model): string {
  return `${provider}:${id}`
}
