import type { EntryOf, Json, ToolCallPart } from '../../index.ts'
import type { CallOutcome } from '../outcome-of.ts'
import { count, duration, oneLine, spelledOut } from '../text.ts'

/** A tool call between its announcement and its outcome: what the entries about it have said so far, folded. */
export class OpenCall {
  readonly part: ToolCallPart
  /** The arguments that run or were decided about. */
  input: Json
  /** Of the first start. */
  startedAt: number | undefined
  /** Since when it waits for an answer. */
  waitsSince: number | undefined
  waitedMs = 0
  #starts = 0
  #startedIn = 0
  #isResumed = false
  readonly #facts: string[] = []

  constructor(part: ToolCallPart) {
    this.part = part
    this.input = part.input
  }

  prepared({ at, data }: EntryOf<'call.prepared'>): void {
    if (data.arguments !== undefined) this.input = data.arguments
    if (data.approval !== undefined) this.waitsSince = at
  }

  /** `claim` counts how often the run was claimed: another one than at the first start means that it was resumed meanwhile. */
  started(at: number, claim: number): void {
    this.#endWait(at)
    this.#starts++
    this.startedAt ??= at
    if (this.#starts === 1) this.#startedIn = claim
    else if (claim !== this.#startedIn) this.#isResumed = true
  }

  decided({ at, data }: EntryOf<'approval.decided'>): void {
    const waited = this.#endWait(at)
    if (data.arguments !== undefined) this.input = data.arguments
    const by = data.by === undefined ? '' : ` by ${oneLine(data.by)}`
    const edited = data.arguments === undefined ? '' : ', with other arguments'
    const remembered = data.remember === undefined ? '' : `, remembered for the ${data.remember}`
    this.#facts.push(`approval: ${data.decision}${by} after ${duration(waited)}${edited}${remembered}`)
  }

  deferred({ at, data }: EntryOf<'call.deferred'>): void {
    this.waitsSince = at
    this.#facts.push(`went outside (${data.why})`)
  }

  settled(at: number, by: CallOutcome['by']): void {
    const waited = this.#endWait(at)
    if (by === 'client') this.#facts.push(`result from outside after ${duration(waited)}`)
    else if (by === 'reconcile') this.#facts.push('outcome found out afterwards (reconcile)')
  }

  /** Starts beyond the first. */
  get repeats(): number {
    return Math.max(0, this.#starts - 1)
  }

  get details(): readonly string[] {
    const again = this.#isResumed ? ' (begun again when the run was resumed)' : ''
    const attempts = this.#starts > 1 ? [`${count(this.#starts, 'attempt')}${again}`] : []
    return [...attempts, ...this.#facts.map((fact) => spelledOut(oneLine(fact)))]
  }

  #endWait(at: number): number {
    if (this.waitsSince === undefined) return 0
    const waited = at - this.waitsSince
    this.waitsSince = undefined
    this.waitedMs += waited
    return waited
  }
}
