import type { MachineConfig } from './config.ts'
import type { LimitReason } from './reason.ts'
import type { RunState } from './state.ts'

/** Working time of a run (ms): time with an open started entry, without parked time and crash gaps. */
export function activeTime(run: RunState, now: number): number {
  return run.activeMs + (run.open > 0 ? Math.max(0, now - run.openSince) : 0)
}

/** The limit that forbids another model call; of several the first in the order of rule 12. Tested before a call only (checklist C3). */
export function limitReached(run: RunState, { limits }: MachineConfig, now: number): LimitReason | undefined {
  if (run.iterations >= limits.maxIterations) return 'max_iterations'
  if (run.toolRounds >= limits.maxToolRounds) return 'max_tool_rounds'
  if (activeTime(run, now) >= limits.maxDurationMs) return 'timeout'
  const { usage } = run
  if (usage.inputTokens + usage.outputTokens >= limits.maxTokens || run.knownCostUsd >= limits.maxCostUsd) return 'budget_exceeded'
  if (run.consecutiveErrors >= limits.maxConsecutiveErrors) return 'max_consecutive_errors'
  return undefined
}
