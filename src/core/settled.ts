import type { CallState, OpenTurn } from './call-state.ts'
import type { SettlementData } from './entry.ts'
import { assert } from './error.ts'
import { type Json, jsonEqual } from './json.ts'
import type { Message, Settlement, ToolCallPart } from './message.ts'

/** A call that the client must answer; the provider has run the others itself. */
export function isOpenCall(part: ToolCallPart): boolean {
  return part.settlement === undefined && part.providerExecuted !== true
}

/** The assistant message as it came, with the outcome on each call. */
export function settledMessage(turn: OpenTurn): Message {
  let next = 0
  const parts = turn.message.parts.map((part) => {
    if (part.type !== 'tool-call') return part
    const call = turn.calls[next++]
    if (!isOpenCall(part)) return part
    assert(call?.settlement !== undefined, 'every call of a sealed turn has settled')
    return settledPart(part, call, call.settlement)
  })
  return { ...turn.message, parts: Object.freeze(parts) }
}

/** The part with the outcome on it. */
export function settledPart(part: ToolCallPart, call: CallState, data: SettlementData): ToolCallPart {
  const { content } = data
  const changed = call.input !== part.input && !jsonEqual(call.input, part.input)
  const shown = { ...part, settlement: shownSettlement(data) }
  const settled = call.background === true ? ({ ...shown, background: true } as const) : shown
  if (content === undefined && !changed) return Object.freeze(settled)
  return Object.freeze({ ...settled, ...(content === undefined ? {} : { content }), ...(changed ? { ranWith: call.input } : {}) })
}

/** A settlement as results and later model calls see it: without what only the entry keeps. */
export function shownSettlement(data: SettlementData): Settlement<Json> {
  if (data.content === undefined) return data
  return data.outcome === 'ok' ? { outcome: 'ok', output: data.output } : { outcome: data.outcome, error: data.error }
}

/** Whether two assistant messages have the same calls with the same results (what `noProgress` counts). */
export function sameBatch(a: Message, b: Message): boolean {
  let i = -1
  let j = -1
  for (let any = false; ; any = true) {
    i = nextCall(a, i)
    j = nextCall(b, j)
    const call = a.parts[i]
    const other = b.parts[j]
    if (call?.type !== 'tool-call' || other?.type !== 'tool-call') return any && call === other
    if (call.toolName !== other.toolName || !jsonEqual(call.input, other.input) || !sameSettlement(call, other)) return false
  }
}

/** Where the next call stands; the number of parts when there is none. */
function nextCall({ parts }: Message, after: number): number {
  let i = after + 1
  while (i < parts.length && parts[i]?.type !== 'tool-call') i++
  return i
}

function sameSettlement(a: ToolCallPart, b: ToolCallPart): boolean {
  if (a.settlement === undefined || b.settlement === undefined) return a.settlement === b.settlement
  if (a.settlement.outcome === 'ok' && b.settlement.outcome === 'ok') return jsonEqual(a.settlement.output, b.settlement.output)
  if (a.settlement.outcome === 'ok' || b.settlement.outcome === 'ok') return false
  return a.settlement.outcome === b.settlement.outcome && a.settlement.error.message === b.settlement.error.message
}
