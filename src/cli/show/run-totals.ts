import { addUsage, type EntryOf, noUsage, type Usage } from '../../index.ts'
import { statusStyles, tokens } from '../summary.ts'
import type { Output } from '../terminal.ts'
import { count, duration, oneLine, type Piece, row } from '../text.ts'

/** What a run has taken so far. */
export class RunTotals {
  readonly startedAt: number
  usage: Usage = noUsage
  iterations = 0
  calls = 0
  /** Model calls and tool calls that were begun more than once. */
  repeats = 0
  modelMs = 0
  toolMs = 0
  waitedMs = 0

  constructor(startedAt: number) {
    this.startedAt = startedAt
  }

  spend(usage: Usage): void {
    this.usage = addUsage(this.usage, usage)
  }

  /** `completed · 2 iterations · 2 tool calls · 30 tokens (20 in, 10 out) · 10.0 s`, and below it where the time went. */
  lines({ at, data }: EntryOf<'run.finished'>, screen: Pick<Output, 'color' | 'columns'>): string {
    const { status, reason } = data
    const name = reason === status ? status : `${status} (${oneLine(reason)})`
    const facts = [count(this.iterations, 'iteration'), count(this.calls, 'tool call'), tokens(this.usage)]
    if (this.usage.costUsd !== undefined) facts.push(`$${this.usage.costUsd.toFixed(4)}`)
    facts.push(duration(at - this.startedAt))
    const first = row([{ text: name, style: statusStyles[status] }, ...dim(facts)], screen, '  ')
    const times = this.#times()
    return times.length === 0 ? first : `${first}  ${row(dim(times), screen, '  ')}`
  }

  #times(): readonly string[] {
    const times: string[] = []
    if (this.modelMs > 0) times.push(`models ${duration(this.modelMs)}`)
    if (this.toolMs > 0) times.push(`tools ${duration(this.toolMs)}`)
    if (this.waitedMs > 0) times.push(`waiting for answers ${duration(this.waitedMs)}`)
    if (this.repeats > 0) times.push(count(this.repeats, 'repeated attempt'))
    return times
  }
}

function dim(texts: readonly string[]): readonly Piece[] {
  return texts.map((text) => ({ text, style: 'dim' }))
}
