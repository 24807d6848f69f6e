import type { CallState, OpenTurn } from './call-state.ts'
import type { EntryBody } from './entry.ts'
import type { Purpose } from './model.ts'
import type { LimitReason } from './reason.ts'
import type { OpenModelCall } from './state.ts'

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
  /** `through`: the index of the last call that is to be looked at. */
  | { readonly kind: 'prepare'; readonly key: string; readonly through: number }
  | { readonly kind: 'tool'; readonly key: string; readonly call: CallState }
  | { readonly kind: 'reconcile'; readonly key: string; readonly call: CallState }
  | { readonly kind: 'complete'; readonly key: string }

export interface Plan {
  /** Facts that follow at once. While there are any, `want` and `wakeAt` don't count yet. */
  readonly append: readonly EntryBody[]
  /** The full set of activities that should be running. */
  readonly want: readonly Activity[]
  /** When to decide again though nothing happened (ms since 1970). */
  readonly wakeAt?: number | undefined
}

/** The verdicts of a batch; with `perCall` those of one call, the first that has none. */
export function prepareKey({ n, calls }: OpenTurn, perCall: boolean): string {
  return perCall ? `prepare:${n}.${firstAnnounced(calls)}` : `prepare:${n}`
}

export function firstAnnounced(calls: readonly CallState[]): number {
  return calls.findIndex(({ status }) => status === 'announced')
}

/** Of a call that is an orphan, or that others guard: its tool is asked what became of it, or of those. */
export function reconcileKey({ part }: CallState): string {
  return `reconcile:${part.callId}`
}

/** A plan while it is made. */
export class PlanDraft implements Plan {
  append: EntryBody[] = []
  want: Activity[] = []
  wakeAt: number | undefined = undefined

  /** A fact that follows at once. */
  follow(body: EntryBody): void {
    this.append = added(this.append, body)
  }

  start(activity: Activity): void {
    this.want = added(this.want, activity)
  }

  wake(at: number): void {
    if (at !== Number.POSITIVE_INFINITY && (this.wakeAt === undefined || at < this.wakeAt)) this.wakeAt = at
  }
}

/** A list with one more; most have one in all. Pushing to an empty list makes room for 17, which costs more than all else of a plan. */
export function added<X>(list: X[], item: X): X[] {
  if (list.length === 0) return [item]
  list.push(item)
  return list
}
