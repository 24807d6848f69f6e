import type { EntryBody } from './entry.ts'
import type { Purpose } from './model.ts'
import type { LimitReason } from './reason.ts'
import type { CallState, OpenModelCall } from './state.ts'

/** Something that should be running now. Two activities are the same exactly when their keys are. */
export type Activity =
  | {
      readonly kind: 'setup'
      readonly key: string
      readonly n: number
      readonly attempt: number
      readonly purpose: Purpose
      readonly reason?: LimitReason
    }
  | { readonly kind: 'model'; readonly key: string; readonly model: OpenModelCall }
  | { readonly kind: 'prepare'; readonly key: string }
  | { readonly kind: 'tool'; readonly key: string; readonly call: CallState }
  | { readonly kind: 'reconcile'; readonly key: string; readonly call: CallState }
  | { readonly kind: 'complete'; readonly key: string }

export interface Plan {
  /** Facts that follow at once. While there are any, `want` and `wakeAt` don't count yet. */
  readonly append: EntryBody[]
  /** The full set of activities that should be running. */
  readonly want: Activity[]
  /** When to decide again though nothing happened (ms since 1970). */
  readonly wakeAt?: number | undefined
}

/** A plan while it is made. */
export interface PlanDraft extends Plan {
  wakeAt: number | undefined
  wake(at: number): void
}

export function openPlan(): PlanDraft {
  return {
    append: [],
    want: [],
    wakeAt: undefined,
    wake(at) {
      if (at !== Number.POSITIVE_INFINITY && (this.wakeAt === undefined || at < this.wakeAt)) this.wakeAt = at
    },
  }
}
