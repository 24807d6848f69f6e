import { RondoError } from '../../core/error.ts'
import { unknownKeys } from '../../core/known-keys.ts'
import type { Model } from '../../core/model.ts'

/** What a value must be, in words, and whether it is. */
type Rule = readonly [what: string, fits: (value: unknown) => boolean]

export type Rules<O> = { readonly [name in keyof Required<O>]: Rule }

export const aFunction: Rule = ['a function', (value) => typeof value === 'function']
export const aCount: Rule = ['a whole number from 1 on', (value) => Number.isSafeInteger(value) && Number(value) >= 1]
export const aPositiveTime: Rule = ['a positive number of ms', (value) => typeof value === 'number' && value > 0]
export const aTime: Rule = ['a number of ms from 0 on', (value) => typeof value === 'number' && value >= 0]
export const anObject: Rule = ['an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value)]
export const aClock: Rule = [
  'a clock with monotonic() and timer()',
  (value) => isRecord(value) && typeof value['monotonic'] === 'function' && typeof value['timer'] === 'function',
]

/** What is wrong with options, in words: also what comes from JavaScript. An option that is undefined was not given. */
export function wrongOptions<O>(options: unknown, rules: Rules<O>, prefix = ''): string[] {
  if (options === undefined) return []
  if (!isRecord(options)) return [`${prefix === '' ? 'options' : prefix.slice(0, -1)} must be an object`]
  const known: { readonly [name: string]: Rule } = rules
  const wrong = unknownKeys(options, new Set(Object.keys(known)), prefix, {})
  for (const [name, [what, fits]] of Object.entries(known)) {
    const value = options[name]
    if (value !== undefined && !fits(value)) wrong.push(`${prefix}${name} must be ${what}, not ${shown(value)}`)
  }
  return wrong
}

export function raise(maker: string, wrong: readonly string[]): void {
  if (wrong.length > 0) throw new RondoError('ConfigInvalid', `${maker}: ${wrong.join('; ')}`)
}

export function isModel(value: unknown): value is Model {
  return (
    isRecord(value) && typeof value['stream'] === 'function' && typeof value['provider'] === 'string' && typeof value['id'] === 'string'
  )
}

export const aModel = 'a model, as openaiChat() makes one'

/** `provider:id`, as events name a model. */
export function nameOf({ provider, id }: Model): string {
  return `${provider}:${id}`
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40))
  return typeof value === 'object' ? (value === null ? 'null' : 'an object') : String(value)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
