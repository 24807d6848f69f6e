import { approvalProblems } from './check-approvals.ts'
import { group, isPositive, unknownKeys, wholeNumber, words } from './checks.ts'

/** The policies that are one of a few words. */
const wordPolicies: { readonly [policy: string]: readonly string[] } = {
  approvalTiming: ['verdicts', 'answers', 'perCall'],
  doneDrain: ['skip', 'finish'],
  onTruncated: ['final', 'continue', 'error'],
  toolUseWithoutCalls: ['final', 'error'],
  toolFailureMode: ['continue', 'fail'],
  toolExecution: ['auto', 'manual'],
  lostOutcome: ['unknown', 'ask'],
  unknownTool: ['result', 'fail'],
  retryAfterOutput: ['retract', 'fail'],
  durability: ['strict', 'best-effort'],
}
const ownChecks = [
  'approvals',
  'emptyResponse',
  'noProgress',
  'termination',
  'graceMs',
  'hookTimeoutMs',
  'retry',
  'toolChoiceEvery',
  'toolResult',
  'errorText',
  'decodeRetries',
  'schemaDuringTools',
]
const policyKeys = new Set([...Object.keys(wordPolicies), ...ownChecks])
const retryKeys = ['baseMs', 'capMs', 'windowMs', 'maxRetryAfterMs']

/** What is wrong with `policies`: a number that is none would be a wait or a limit that never comes. */
export function policyProblems(options: object): string[] {
  const policies: unknown = Reflect.get(options, 'policies')
  if (policies === undefined) return []
  if (typeof policies !== 'object' || policies === null) return ['policies must be an object']
  const wrong = unknownKeys(policies, policyKeys, 'policies.')
  for (const [key, allowed] of Object.entries(wordPolicies)) wrong.push(...words(policies, key, allowed, 'policies.'))
  for (const key of ['termination', 'errorText']) wrong.push(...functionProblem(policies, key))
  for (const key of ['toolChoiceEvery', 'schemaDuringTools']) {
    const value: unknown = Reflect.get(policies, key)
    if (value !== undefined && typeof value !== 'boolean') wrong.push(`policies.${key} must be true or false`)
  }
  wrong.push(...wholeNumber(policies, 'decodeRetries', 'policies.'))
  return [...wrong, ...approvalProblems(policies), ...numberProblems(policies)]
}

function functionProblem(policies: object, key: string): string[] {
  const value: unknown = Reflect.get(policies, key)
  return value === undefined || typeof value === 'function' ? [] : [`policies.${key} must be a function`]
}

function numberProblems(policies: object): string[] {
  const noProgress: unknown = Reflect.get(policies, 'noProgress')
  const wrong: string[] = []
  for (const key of ['graceMs', 'hookTimeoutMs']) {
    const value: unknown = Reflect.get(policies, key)
    if (value !== undefined && !isPositive(value)) wrong.push(`policies.${key} must be a positive number, not ${String(value)}`)
  }
  if (noProgress !== undefined && noProgress !== false && !isPositive(noProgress))
    wrong.push(`policies.noProgress must be a positive number or false, not ${String(noProgress)}`)
  return [...wrong, ...emptyProblems(policies), ...retryProblems(policies), ...resultProblems(policies)]
}

function emptyProblems(policies: object): string[] {
  const empty: unknown = Reflect.get(policies, 'emptyResponse')
  if (empty === undefined) return []
  if (typeof empty !== 'object' || empty === null) return ['policies.emptyResponse must be an object']
  const prefix = 'policies.emptyResponse.'
  const unknown = unknownKeys(empty, new Set(['retries', 'end']), prefix)
  return [...unknown, ...wholeNumber(empty, 'retries', prefix), ...words(empty, 'end', ['final', 'error'], prefix)]
}

function retryProblems(policies: object): string[] {
  const retry: unknown = Reflect.get(policies, 'retry')
  if (retry === undefined) return []
  if (typeof retry !== 'object' || retry === null) return ['policies.retry must be an object']
  const wrong = unknownKeys(retry, new Set(retryKeys), 'policies.retry.')
  for (const key of retryKeys) {
    const value: unknown = Reflect.get(retry, key)
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      wrong.push(`policies.retry.${key} must be a number of ms, 0 or more, not ${String(value)}`)
  }
  return wrong
}

function resultProblems(policies: object): string[] {
  const keys = new Set(['maxBytes', 'maxLines', 'maxStoredBytes'])
  return group(policies, 'toolResult', keys, [], 'policies.')
}
