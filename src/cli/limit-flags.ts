import type { Limits } from '../index.ts'
import type { ChosenModel } from './choose-model.ts'
import { oneLine } from './text.ts'

/** What a run may use, as flags and settings say it. */
export interface LimitFlags {
  readonly maxIterations?: number
  /** US dollars. */
  readonly maxCost?: number
}

export function limitsOf({ maxIterations, maxCost }: LimitFlags): Limits {
  return {
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(maxCost === undefined ? {} : { maxCostUsd: maxCost }),
  }
}

/** A line for a limit of cost on a model whose price nobody has told; `undefined` where there is nothing to say. The offline model costs nothing. */
export function costRemark({ maxCost }: LimitFlags, { model, knownAs, isPriced }: ChosenModel): string | undefined {
  if (maxCost === undefined || isPriced || model.provider === 'rondo') return undefined
  return `What ${oneLine(knownAs)} costs is not known: the limit of $${maxCost} holds only where its server tells what calls cost. You can say its prices: "models" in rondo.config.json.`
}
