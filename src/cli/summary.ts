import type { ErrorData, RunResult, Usage } from '../index.ts'
import type { Output, Terminal } from './terminal.ts'
import { count, duration, oneLine, row } from './text.ts'

/** How a run ended, from its result or from the journal. */
export interface RunSummary {
  readonly status: RunResult['status']
  readonly reason: string
  readonly iterations: number
  readonly calls: number
  readonly usage: Usage
  readonly durationMs?: number
  readonly error?: ErrorData
  readonly abortReason?: string
}

const exitCodes: { readonly [status in RunResult['status']]: number } = { completed: 0, failed: 1, incomplete: 3, parked: 4, aborted: 130 }

/** What the run command's process ends with; 2 is for what could not begin. */
export function exitCodeOf({ status }: Pick<RunResult, 'status'>): number {
  return exitCodes[status]
}

export const statusStyles = { completed: 'green', failed: 'red', incomplete: 'yellow', parked: 'yellow', aborted: 'yellow' } as const

/** `completed · 3 iterations · 4 tool calls · 1,234 tokens · 92 ms`, and what there is to say about a bad end. */
export function summaryLines(summary: RunSummary, screen: Pick<Output, 'color' | 'columns'>): string {
  const { status, reason, iterations, calls, usage, durationMs } = summary
  const name = reason === status ? status : `${status} (${reason})`
  const facts = [count(iterations, 'iteration'), count(calls, 'tool call'), tokens(usage)]
  if (usage.costUsd !== undefined) facts.push(`$${usage.costUsd.toFixed(4)}`)
  if (durationMs !== undefined) facts.push(duration(durationMs))
  const line = row([{ text: name, style: statusStyles[status] }, ...facts.map((text) => ({ text, style: 'dim' }) as const)], screen, '  ')
  return [line, ...remarks(summary).map((text) => `${text}\n`)].join('')
}

export function tokens({ inputTokens, outputTokens, complete }: Usage): string {
  const total = inputTokens + outputTokens
  const least = complete ? '' : 'at least '
  const parts = total === 0 ? '' : ` (${inputTokens.toLocaleString('en-US')} in, ${outputTokens.toLocaleString('en-US')} out)`
  return `${least}${count(total, 'token')}${parts}`
}

export function remarks({ status, reason, error, abortReason }: RunSummary): readonly string[] {
  if (error !== undefined) return [oneLine(error.message)]
  if (abortReason !== undefined) return [oneLine(abortReason)]
  if (status === 'incomplete' && reason === 'max_iterations') return ['It met the limit of iterations: raise it with --max-iterations.']
  return []
}

export function summaryOf(result: RunResult, durationMs: number): RunSummary {
  return {
    status: result.status,
    reason: result.reason,
    iterations: result.iterations,
    calls: result.calls.length,
    usage: result.usage,
    durationMs,
    ...(result.status === 'failed' ? { error: result.error } : {}),
    ...(result.status === 'aborted' && result.abortReason !== undefined ? { abortReason: result.abortReason } : {}),
  }
}

/** The words that start this command in the user's shell: npx and npm set a variable for what they run. */
export function commandName({ env }: Pick<Terminal, 'env'>): string {
  const runsUnderNpm = env['npm_lifecycle_event'] === 'npx' || env['npm_lifecycle_event'] === 'start'
  return runsUnderNpm ? 'npx rondo' : 'rondo'
}
