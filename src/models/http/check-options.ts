import { RondoError } from '../../core/error.ts'
import { sentenceOf, unknownKeys } from '../../core/known-keys.ts'
import { parsedUrl } from '../../core/url.ts'
import { safeText } from '../safe-text.ts'
import { timeoutsWith } from '../transport/transport.ts'
import type { HttpOptions } from './options.ts'

/** What a value must be, in words, and whether it is. */
export type Rule = readonly [what: string, fits: (value: unknown) => boolean]

export const isBoolean = (value: unknown) => typeof value === 'boolean'
const isFunction = (value: unknown) => typeof value === 'function'
const isName = (value: unknown) => typeof value === 'string' && value.trim() !== ''
const isPositive = (value: unknown) => typeof value === 'number' && value > 0
/** Something with fields. Lists, `Headers` and `Map` have none to read: they would be ignored in silence. */
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !(Symbol.iterator in value)

const optionRules: { readonly [name in keyof Required<HttpOptions>]: Rule } = {
  apiKey: ['a string or a function', (value) => typeof value === 'string' || isFunction(value)],
  baseURL: ['a string', (value) => typeof value === 'string'],
  headers: ['an object of names and texts', isObject],
  stream: ['a boolean', isBoolean],
  timeouts: ['an object of limits in ms, as { firstByteMs: 300_000 }', isObject],
  maxResponseBytes: ['a positive number of bytes', isPositive],
  fetch: ['a function', isFunction],
  capabilities: ['an object, as { contextWindow: 128_000 }', isObject],
}
/** Something with fields. @param example How it looks. */
export function objectRule(example: string): Rule {
  return [`an object, as ${example}`, isObject]
}

export const nameRule: Rule = ['a text that is not empty', isName]

const tokens: Rule = ['a positive whole number of tokens', (value) => Number.isSafeInteger(value) && isPositive(value)]
const capabilityRules: { readonly [name in keyof Required<NonNullable<HttpOptions['capabilities']>>]: Rule } = {
  contextWindow: tokens,
  maxOutputTokens: tokens,
  structuredOutput: ["'native', 'tool' or 'prompt'", (value) => value === 'native' || value === 'tool' || value === 'prompt'],
  parallelCalls: ['a boolean', isBoolean],
  imagesInResults: ['a boolean', isBoolean],
  reasoning: ['a boolean', isBoolean],
}

/** What others call these. */
const words = {
  api_key: 'apiKey',
  base_url: 'baseURL',
  url: 'baseURL',
  endpoint: 'baseURL',
  defaultHeaders: 'headers',
  timeout: 'timeouts',
  streaming: 'stream',
  maxRetries: 'settings.maxRetries of the agent',
  temperature: 'settings.temperature of the agent',
}

/** The rules of what an adapter has besides. */
export type MoreRules = { readonly [name: string]: Rule }

/**
 * Throws `ConfigInvalid` for options that can't work, and names all of them. An option that is undefined was not given.
 *
 * @param maker The function that they were given to.
 * @param whole What they must be as a whole, in words.
 */
export function checkOptions(options: unknown, maker: string, more: MoreRules = {}, whole = 'an object'): void {
  check(options, maker, { ...optionRules, ...more }, whole)
}

export function checkModelName(model: unknown, maker: string, example: string): void {
  if (isName(model)) return
  throw new RondoError('ConfigInvalid', `${maker}: the name of the model is missing; pass it as a text, as '${example}'.`)
}

/** @param example A URL that could be meant. */
export function checkedURL(baseURL: unknown, example = 'http://localhost:8080/v1'): string {
  if (typeof baseURL === 'string' && /^https?:\/\//.test(baseURL) && parsedUrl(baseURL) !== undefined) return baseURL
  throw new RondoError(
    'ConfigInvalid',
    `baseURL must be a URL that begins with http:// or https://, as '${example}', not ${safeText(String(baseURL), 100)}.`,
  )
}

function check(options: unknown, maker: string, rules: { readonly [name: string]: Rule }, whole: string): void {
  if (!isObject(options)) throw invalid(maker, [`the options must be ${whole}, not ${kindOf(options)}`])
  const wrong = [...unknownKeys(options, new Set(Object.keys(rules)), '', words), ...broken(options, rules, '', kindOf)]
  const { headers, capabilities, timeouts }: { headers?: unknown; capabilities?: unknown; timeouts?: object } = options
  if (isObject(headers))
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined && typeof value !== 'string') wrong.push(`the header '${name}' must be a text, not ${kindOf(value)}`)
  if (isObject(capabilities)) {
    wrong.push(...unknownKeys(capabilities, new Set(Object.keys(capabilityRules)), 'capabilities.', {}))
    wrong.push(...broken(capabilities, capabilityRules, 'capabilities.', shown))
  }
  if (wrong.length > 0) throw invalid(maker, wrong)
  timeoutsWith(timeouts)
}

function broken(values: object, rules: { readonly [name: string]: Rule }, prefix: string, say: (value: unknown) => string): string[] {
  const wrong: string[] = []
  for (const [name, [what, fits]] of Object.entries(rules)) {
    const value: unknown = Reflect.get(values, name)
    if (value !== undefined && !fits(value)) wrong.push(`${prefix}${name} must be ${what}, not ${say(value)}`)
  }
  return wrong
}

/** A text is not shown: it may be a key in the wrong place. */
function kindOf(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'number') return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value !== 'object') return `a ${typeof value}`
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1)
  return name === 'Object' ? 'an object' : `a ${name}`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${safeText(value, 50)}'` : kindOf(value)
}

function invalid(maker: string, wrong: readonly string[]): RondoError {
  return new RondoError('ConfigInvalid', `${maker}: ${sentenceOf(wrong)}`)
}
