import { RondoError } from '../core/error.ts'
import { sentenceOf, unknownKeys } from '../core/known-keys.ts'
import type { ModelCapabilities } from '../core/model.ts'
import { safeText } from './safe-text.ts'

// What options must be, as data. They may come from JavaScript: nothing is taken for granted, and all that is wrong is said at once.

/** What a value must be, in words, and whether it is. */
export type Rule = readonly [what: string, fits: (value: unknown) => boolean]
/** One for each option that there is. */
export type Rules<O = { readonly [name: string]: unknown }> = { readonly [name in keyof Required<O>]: Rule }

export const aBoolean: Rule = ['a boolean', (value) => typeof value === 'boolean']
export const aFunction: Rule = ['a function', isFunction]
export const aName: Rule = ['a text that is not empty', isName]
export const tokens: Rule = ['a positive whole number of tokens', (value) => Number.isSafeInteger(value) && Number(value) > 0]
export const aPositiveTime: Rule = ['a positive number of ms', isPositive]

/** One of a few words. */
export function oneOf(...words: readonly string[]): Rule {
  const quoted = words.map((word) => `'${word}'`)
  return [`${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`, (value) => typeof value === 'string' && words.includes(value)]
}

/** A list of some of a few words; it may be empty. */
export function someOf(...words: readonly string[]): Rule {
  return [
    `a list of ${words.map((word) => `'${word}'`).join(', ')}`,
    (value) => Array.isArray(value) && value.every((one) => words.includes(one)),
  ]
}

/** A whole number, both ends included. */
export function wholeNumber(least: number, most?: number): Rule {
  const shown = (n: number) => n.toLocaleString('en-US')
  const what = most === undefined ? `from ${shown(least)} on` : `from ${shown(least)} to ${shown(most)}`
  return [`a whole number ${what}`, (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= (most ?? Infinity)]
}

/** @param example How it looks. */
export function anObject(example?: string): Rule {
  return [`an object${example === undefined ? '' : `, as ${example}`}`, hasFields]
}

/** What a model can do, as its user says it. */
export const abilityRules = {
  structuredOutput: oneOf('native', 'tool', 'prompt'),
  parallelCalls: aBoolean,
  imagesInResults: aBoolean,
  reasoning: aBoolean,
} as const
export const capabilityRules: Rules<ModelCapabilities> = { ...abilityRules, contextWindow: tokens, maxOutputTokens: tokens }

export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

export function isPositive(value: unknown): boolean {
  return typeof value === 'number' && value > 0
}

/** Something with fields. Lists, `Headers` and `Map` have none to read: they would be ignored in silence. */
export function hasFields(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !(Symbol.iterator in value)
}

interface Place {
  /** Names the group that the options stand in: 'timeouts.'. */
  readonly prefix?: string
  /** What others call these. */
  readonly words?: { readonly [word: string]: string }
  readonly required?: readonly string[]
  /** Whether texts are shown, which are no secrets in their wrong place. */
  readonly shows?: boolean
}

/** What is wrong with options, in words. An option that is undefined was not given. */
export function faultsIn(options: object, rules: Rules, { prefix = '', words = {}, required = [], shows = false }: Place = {}): string[] {
  const wrong = unknownKeys(options, new Set(Object.keys(rules)), prefix, words)
  for (const [name, [what, fits]] of Object.entries(rules)) {
    const value: unknown = Reflect.get(options, name)
    if (value === undefined && required.includes(name)) wrong.push(`${prefix}${name} is missing: it must be ${what}`)
    if (value !== undefined && !fits(value)) wrong.push(`${prefix}${name} must be ${what}${butIs(value, what, shows)}`)
  }
  return wrong
}

/** What it is instead, where its kind says that. */
function butIs(value: unknown, what: string, shows: boolean): string {
  const kind = shows && typeof value === 'string' ? `'${safeText(value, 50)}'` : kindOf(value)
  return what.startsWith(kind) || (Array.isArray(value) && what.startsWith('a list')) ? '' : `, not ${kind}`
}

/** Of a group of options, which may be absent; what is no group is told by the rule of its own name. */
export function faultsInGroup(group: unknown, rules: Rules, place: Place): string[] {
  return hasFields(group) ? faultsIn(group, rules, place) : []
}

/** Throws `ConfigInvalid` where something is wrong. @param maker The function that the options were given to. */
export function refuse(maker: string, wrong: readonly string[]): void {
  if (wrong.length > 0) throw invalidOptions(maker, wrong)
}

export function invalidOptions(maker: string, wrong: readonly string[]): RondoError {
  return new RondoError('ConfigInvalid', `${maker}: ${sentenceOf(wrong)}`)
}

/** A text is not shown: it may be a key in the wrong place. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'number') return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value !== 'object') return `a ${typeof value}`
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1)
  return name === 'Object' ? 'an object' : `a ${name}`
}
