import { RondoError } from '../../core/error.ts'
import { parsedUrl } from '../../core/url.ts'
import {
  aBoolean,
  aFunction,
  anObject,
  capabilityRules,
  faultsIn,
  faultsInGroup,
  hasFields,
  isFunction,
  isName,
  isPositive,
  kindOf,
  type Rules,
  refuse,
} from '../option-rules.ts'
import { safeText } from '../safe-text.ts'
import { timeoutsWith } from '../transport/transport.ts'
import type { HttpOptions } from './options.ts'

const optionRules: Rules<HttpOptions> = {
  apiKey: ['a string or a function', (value) => typeof value === 'string' || isFunction(value)],
  baseURL: ['a string', (value) => typeof value === 'string'],
  headers: ['an object of names and texts', hasFields],
  stream: aBoolean,
  timeouts: ['an object of limits in ms, as { firstByteMs: 300_000 }', hasFields],
  maxResponseBytes: ['a positive number of bytes', isPositive],
  fetch: aFunction,
  capabilities: anObject('{ contextWindow: 128_000 }'),
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

/**
 * Throws `ConfigInvalid` for options that can't work, and names all of them. An option that is undefined was not given.
 *
 * @param maker The function that they were given to.
 * @param whole What they must be as a whole, in words.
 */
export function checkOptions(options: unknown, maker: string, more: Rules = {}, whole = 'an object'): void {
  if (!hasFields(options)) return refuse(maker, [`the options must be ${whole}, not ${kindOf(options)}`])
  const wrong = faultsIn(options, { ...optionRules, ...more }, { words })
  const { headers, capabilities, timeouts } = options
  if (hasFields(headers))
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined && typeof value !== 'string') wrong.push(`the header '${name}' must be a text, not ${kindOf(value)}`)
  wrong.push(...faultsInGroup(capabilities, capabilityRules, { prefix: 'capabilities.', shows: true }))
  refuse(maker, wrong)
  timeoutsWith(timeouts as HttpOptions['timeouts'])
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
    `baseURL must be a URL that begins with http:// or https://, as '${example}', not ${baseURL === '' ? 'an empty text' : safeText(String(baseURL), 100)}.`,
  )
}
