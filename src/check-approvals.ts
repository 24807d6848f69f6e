import { unknownKeys, words } from './checks.ts'

const approvalKeys = new Set(['rules', 'default'])
const ruleKeys = new Set(['action', 'tool', 'effect', 'input', 'reason', 'risk', 'rememberAs'])

/** What is wrong with `policies.approvals`: a rule that is not understood must not be one that never fits. */
export function approvalProblems(policies: object): string[] {
  const approvals: unknown = Reflect.get(policies, 'approvals')
  if (approvals === undefined) return []
  if (typeof approvals !== 'object' || approvals === null) return ['policies.approvals must be an object']
  const prefix = 'policies.approvals.'
  const rules: unknown = Reflect.get(approvals, 'rules')
  const wrong = [
    ...unknownKeys(approvals, approvalKeys, prefix),
    ...words(approvals, 'default', ['allow', 'ask', 'ask-unsafe', 'deny'], prefix),
  ]
  if (rules === undefined) return wrong
  if (!Array.isArray(rules)) return [...wrong, `${prefix}rules must be a list`]
  return [...wrong, ...rules.flatMap((rule: unknown, index) => ruleProblems(rule, `${prefix}rules[${index}].`))]
}

function ruleProblems(rule: unknown, prefix: string): string[] {
  if (typeof rule !== 'object' || rule === null) return [`${prefix.slice(0, -1)} must be an object`]
  const wrong = [...unknownKeys(rule, ruleKeys, prefix), ...words(rule, 'action', ['allow', 'ask', 'deny'], prefix)]
  if (!('action' in rule)) wrong.push(`${prefix}action is missing: 'allow', 'ask' or 'deny'`)
  wrong.push(...words(rule, 'effect', ['read', 'idempotent', 'unsafe'], prefix), ...words(rule, 'risk', ['low', 'medium', 'high'], prefix))
  const { tool, input, reason, rememberAs } = {
    tool: Reflect.get(rule, 'tool'),
    input: Reflect.get(rule, 'input'),
    reason: Reflect.get(rule, 'reason'),
    rememberAs: Reflect.get(rule, 'rememberAs'),
  }
  if (tool !== undefined && !isName(tool) && !(Array.isArray(tool) && tool.length > 0 && tool.every(isName)))
    wrong.push(`${prefix}tool must be the name of a tool, with * for any characters, or a list of such names that is not empty`)
  if (input !== undefined && !isPatterns(input))
    wrong.push(`${prefix}input must hold a pattern for each field that it names, and name one (leave it out for any arguments)`)
  if (reason !== undefined && !isText(reason)) wrong.push(`${prefix}reason must be a text`)
  if (rememberAs !== undefined && rememberAs !== false && !isText(rememberAs)) wrong.push(`${prefix}rememberAs must be a text or false`)
  return wrong
}

function isName(value: unknown): boolean {
  return isText(value) && value !== ''
}

function isPatterns(input: unknown): boolean {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false
  const patterns = Object.values(input)
  return patterns.length > 0 && patterns.every(isText)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}
