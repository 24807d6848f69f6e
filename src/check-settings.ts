import { group, wholeNumber, words } from './checks.ts'
import { isJsonObject } from './core/json.ts'

const settingKeys = new Set([
  'maxOutputTokens',
  'temperature',
  'topP',
  'seed',
  'stop',
  'reasoning',
  'maxRetries',
  'timeoutMs',
  'providerOptions',
])
const ownChecks = ['stop', 'reasoning', 'providerOptions', 'temperature', 'topP', 'seed', 'maxRetries']

/** What is wrong with `settings`: a provider would refuse it in the middle of a run, or not notice. */
export function settingProblems(options: object): string[] {
  const wrong = group(options, 'settings', settingKeys, ownChecks)
  const settings: unknown = Reflect.get(options, 'settings')
  if (typeof settings !== 'object' || settings === null) return wrong
  wrong.push(...wholeNumber(settings, 'maxRetries', 'settings.'))
  wrong.push(...numberWithin(settings, 'temperature', Number.POSITIVE_INFINITY), ...numberWithin(settings, 'topP', 1))
  const seed: unknown = Reflect.get(settings, 'seed')
  if (seed !== undefined && !Number.isSafeInteger(seed)) wrong.push(`settings.seed must be a whole number, not ${String(seed)}`)
  const stop: unknown = Reflect.get(settings, 'stop')
  if (stop !== undefined && !(Array.isArray(stop) && stop.every((word) => typeof word === 'string')))
    wrong.push('settings.stop must be a list of texts')
  wrong.push(...words(settings, 'reasoning', ['none', 'low', 'medium', 'high'], 'settings.'))
  const provider: unknown = Reflect.get(settings, 'providerOptions')
  if (provider !== undefined && (typeof provider !== 'object' || provider === null))
    wrong.push('settings.providerOptions must be an object')
  else
    for (const [name, fields] of Object.entries(provider ?? {}))
      if (fields !== undefined && !isJsonObject(fields))
        wrong.push(
          `settings.providerOptions.${name} must be an object: options stand behind the name of their provider, as { openai: { … } }`,
        )
  return wrong
}

function numberWithin(settings: object, key: string, most: number): string[] {
  const value: unknown = Reflect.get(settings, key)
  if (value === undefined || (typeof value === 'number' && value >= 0 && value <= most)) return []
  return [`settings.${key} must be a number from 0 ${most === 1 ? 'to 1' : 'on'}, not ${String(value)}`]
}
