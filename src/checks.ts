import { unknownKeys as unknownIn } from './core/known-keys.ts'

/** Checks of single values, each with a word about what is wrong. Options may come from JavaScript: nothing is taken for granted. */

/** What other libraries call our options. */
const peerWords: { readonly [word: string]: string } = {
  maxSteps: 'limits.maxIterations',
  maxTurns: 'limits.maxIterations',
  max_iterations: 'limits.maxIterations',
  maxIterations: 'limits.maxIterations',
  recursionLimit: 'limits.maxIterations',
  system: 'instructions',
  systemPrompt: 'instructions',
  prompt: 'instructions',
  parameters: 'inputSchema (of a tool)',
  abortSignal: 'signal (of a run)',
  prepareStep: 'hooks.beforeModel',
  llm: 'model',
  functions: 'tools',
  outputType: 'output',
  outputSchema: 'output',
  responseFormat: 'output',
  temperature: 'settings.temperature',
  maxTokens: 'settings.maxOutputTokens (of a call) or limits.maxTokens (of a run)',
  maxOutputTokens: 'settings.maxOutputTokens',
  maxRetries: 'settings.maxRetries',
  topP: 'settings.topP',
  toolFailureMode: 'policies.toolFailureMode',
  sessionId: 'session',
  threadId: 'session',
  thread_id: 'session',
  parallelToolCalls: 'maxParallel',
  checkpointer: 'store',
  memory: 'store',
}

export function unknownKeys(options: object, known: ReadonlySet<string>, prefix: string): string[] {
  return unknownIn(options, known, prefix, peerWords)
}

/** A nested group: its keys are known, and what is no exception is a positive number. */
export function group(options: object, name: string, known: ReadonlySet<string>, notNumbers: readonly string[], prefix = ''): string[] {
  const value: unknown = Reflect.get(options, name)
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null) return [`${prefix}${name} must be an object`]
  const wrong = unknownKeys(value, known, `${prefix}${name}.`)
  for (const [key, number] of Object.entries(value))
    if (known.has(key) && !notNumbers.includes(key) && number !== undefined && !isPositive(number))
      wrong.push(`${prefix}${name}.${key} must be a positive number, not ${String(number)}`)
  return wrong
}

export function isPositive(value: unknown): boolean {
  return typeof value === 'number' && value > 0
}

const typeChecks = {
  boolean: { holds: (value: unknown) => typeof value === 'boolean', what: 'true or false' },
  function: { holds: (value: unknown) => typeof value === 'function', what: 'a function' },
  text: { holds: (value: unknown) => typeof value === 'string' && value !== '', what: 'a text that is not empty' },
} as const

/** A value of this type, or nothing. */
export function typed(options: object, key: string, type: keyof typeof typeChecks): string[] {
  const value: unknown = Reflect.get(options, key)
  return value === undefined || typeChecks[type].holds(value) ? [] : [`${key} must be ${typeChecks[type].what}`]
}

/** `prefix` names the group that the option stands in. */
export function words(options: object, key: string, allowed: readonly string[], prefix = ''): string[] {
  const value: unknown = Reflect.get(options, key)
  if (value === undefined || (typeof value === 'string' && allowed.includes(value))) return []
  return [
    `${prefix}${key} must be ${allowed.map((word) => `'${word}'`).join(', ')}, not ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`,
  ]
}

/** A whole number from 0 on, or nothing. */
export function wholeNumber(options: object, key: string, prefix: string): string[] {
  const value: unknown = Reflect.get(options, key)
  if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)) return []
  return [`${prefix}${key} must be a whole number from 0 on, not ${String(value)}`]
}
