import type { DriverFacts, MachineConfig } from './config.ts'
import type { LimitReason } from './reason.ts'
import type { RunState } from './state.ts'

/** How long ago an entry was written (ms): what the driver knows, else the difference of the clocks. */
export function ageOf(seq: number, at: number, now: number, driver: Pick<DriverFacts, 'age'>): number {
  return driver.age === undefined ? Math.max(0, now - at) : driver.age(seq, at)
}

/** Working time of a run (ms): time with an open started entry, without parked time and crash gaps. */
export function activeTime(run: RunState, now: number, driver: Pick<DriverFacts, 'age'>): number {
  return run.activeMs + (run.open > 0 ? ageOf(run.openSeq, run.openSince, now, driver) : 0)
}

/**
 * What is left of a run's time limit (ms) for an activity that no entry has begun, and which therefore is no working time: verdicts, a setup. It
 * counts against the limit while it is waited for.
 */
export function timeLeft(run: RunState, { limits }: MachineConfig, key: string, driver: DriverFacts): number {
  return limits.maxDurationMs === Number.POSITIVE_INFINITY
    ? Number.POSITIVE_INFINITY
    : limits.maxDurationMs - (driver.workedBefore?.(key) ?? run.activeMs) - (driver.waited?.(key) ?? 0)
}

/** The limit that forbids another model call; of several the first in the order of rule 12. Tested before a call only (checklist C3). */
export function limitReached(run: RunState, { limits }: MachineConfig, now: number, driver: DriverFacts): LimitReason | undefined {
  if (run.iterations >= limits.maxIterations) return 'max_iterations'
  if (run.toolRounds >= limits.maxToolRounds) return 'max_tool_rounds'
  if (activeTime(run, now, driver) >= limits.maxDurationMs) return 'timeout'
  const { usage } = run
  if (usage.inputTokens + usage.outputTokens >= limits.maxTokens || run.knownCostUsd >= limits.maxCostUsd) return 'budget_exceeded'
  if (run.consecutiveErrors >= limits.maxConsecutiveErrors) return 'max_consecutive_errors'
  return undefined
}
