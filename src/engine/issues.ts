import type { ValidationIssue } from '../core/schema.ts'
import { clip } from '../core/text.ts'

const maxIssues = 5

/** What is wrong with the arguments, so that the model can mend them: tool, path, expected and received; bounded. */
export function issuesText(toolName: string, issues: readonly ValidationIssue[]): string {
  return `The arguments of '${toolName}' are not valid. ${issueLines(issues, 'arguments')}. Send the call again with valid arguments.`
}

/** Each problem with its path; `root` names the value itself. */
export function issueLines(issues: readonly ValidationIssue[], root = 'result'): string {
  const lines = issues.slice(0, maxIssues).map((issue) => `${pathText(issue, root)}: ${clip(issue.message, 300)}`)
  const more = issues.length > maxIssues ? [`… and ${issues.length - maxIssues} more`] : []
  return [...lines, ...more].join('; ')
}

function pathText(issue: ValidationIssue, root: string): string {
  const keys = (issue.path ?? []).map((key) => String(typeof key === 'object' ? key.key : key))
  return keys.length === 0 ? root : clip(keys.join('.'), 200)
}
