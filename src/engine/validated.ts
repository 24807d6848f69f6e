import { copyJson, type Json } from '../core/json.ts'
import { withoutNullFields } from '../core/null-fields.ts'
import type { Schema, ValidationIssue, ValidationResult } from '../core/schema.ts'
import type { Tool } from '../core/tool.ts'
import { isThenable } from './thenable.ts'

/**
 * What a schema says of a copy of a value: what it does to that must not reach the journal. Throws what the schema throws, and for an answer that is no
 * result by the specification; where the schema is asynchronous the promise rejects with it.
 */
export function validated(schema: Schema, value: Json): ValidationResult<unknown> | Promise<ValidationResult<unknown>> {
  const answer: unknown = schema['~standard'].validate(copyJson(value))
  return isThenable(answer) ? Promise.resolve(answer).then(resultOf) : resultOf(answer)
}

/**
 * What a tool's schema makes of the arguments of a call. Null for an optional field that can't be null counts as not given (B181), whichever model sent
 * it; the journal keeps what was sent. Throws and rejects as `validated`.
 */
export function parsedInput(tool: Tool, input: Json): ValidationResult<unknown> | Promise<ValidationResult<unknown>> {
  return validated(tool.inputSchema, withoutNullFields(tool.inputJsonSchema, input))
}

function resultOf(answer: unknown): ValidationResult<unknown> {
  if (!isResult(answer)) throw new Error('the schema has answered with neither a value nor a list of issues')
  return answer
}

function isResult(answer: unknown): answer is ValidationResult<unknown> {
  if (typeof answer !== 'object' || answer === null) return false
  const issues: unknown = Reflect.get(answer, 'issues')
  return issues === undefined || (Array.isArray(issues) && issues.every(isIssue))
}

function isIssue(issue: unknown): issue is ValidationIssue {
  if (typeof issue !== 'object' || issue === null || typeof Reflect.get(issue, 'message') !== 'string') return false
  const path: unknown = Reflect.get(issue, 'path')
  return path === undefined || (Array.isArray(path) && path.every((key) => key !== null && key !== undefined))
}
