import type { Limits } from '../index.ts'

/** What a run may cost, as it stands on the command line. */
export interface LimitFlags {
  readonly maxIterations?: number
  /** US dollars, as far as the model's server tells what it costs. */
  readonly maxCost?: number
}

export function limitsOf({ maxIterations, maxCost }: LimitFlags): Limits {
  return {
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(maxCost === undefined ? {} : { maxCostUsd: maxCost }),
  }
}
