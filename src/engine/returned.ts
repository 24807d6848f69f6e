import { findCall } from '../core/background.ts'
import type { SettlementData } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import type { Live } from '../core/state.ts'
import { type Tool, type ToolSignalData, toolSignalMarker } from '../core/tool.ts'
import type { Keep } from './media.ts'
import type { RunPorts } from './ports.ts'
import { contentSettlement, settlementOf } from './result-value.ts'

/** What a call settles with, and what that means for its batch. */
export interface Settled {
  readonly settlement: SettlementData
  readonly end?: 'done' | 'fail'
}

/** Where a value comes from: from a call of this tool, as far as that is known. */
interface Origin {
  readonly keep: Keep
  readonly ports: RunPorts
  readonly tool: Tool | undefined
  readonly callId: string
}

export function signalOf(value: unknown): ToolSignalData | undefined {
  return isSignal(value) ? value['~signal'] : undefined
}

/** By marker, not by class: there may be two copies of the package. */
function isSignal(value: unknown): value is { readonly '~signal': ToolSignalData } {
  return typeof value === 'object' && value !== null && toolSignalMarker in value
}

/** What a value means, whether `execute` returned it, `reconcile` found it or a client sent it. Throws for `suspend()`: only `execute` can. */
export function settledBy({ keep, ports, tool, callId }: Origin, value: unknown): Settled | Promise<Settled> {
  const signal = signalOf(value)
  if (signal?.kind === 'suspend')
    throw new RondoError('ContextInvalidInput', `The result of call '${callId}' can't be suspend(): that is for execute to return.`)
  const settlement =
    signal?.kind === 'content'
      ? contentSettlement(keep, callId, ports.results, signal.parts, signal.isError, ports.report)
      : settlementOf(keep, tool, callId, ports.results, signal === undefined ? value : signal.output, ports.report)
  // A result that is an error, or that its schema refuses, neither ends the run as done nor escapes the failure mode.
  const failing = ports.toolFailureMode === 'fail' ? 'fail' : undefined
  const settled = (data: SettlementData) => withEnd(data, data.outcome !== 'ok' ? failing : signal?.kind === 'done' ? 'done' : undefined)
  return settlement instanceof Promise ? settlement.then(settled) : settled(settlement)
}

function withEnd(settlement: SettlementData, end: Settled['end'] | undefined): Settled {
  return end === undefined ? { settlement } : { settlement, end }
}

/** The result of a call that was run outside. Throws `ContextInvalidInput` for one that its tool's schema refuses, where the tool is known. */
export async function outsideResult(keep: Keep, ports: RunPorts, live: Live, callId: string, output: unknown): Promise<Settled> {
  const call = findCall(live, callId)
  const tool = call === undefined ? undefined : ports.tools.get(call.part.toolName)
  const settled = await settledBy({ keep, ports, tool, callId }, output)
  const { settlement } = settled
  // A client that says that its call has failed is believed; one that sends what does not fit may try again.
  if (settlement.outcome !== 'ok' && signalOf(output)?.kind !== 'content')
    throw new RondoError('ContextInvalidInput', `The result of call '${callId}' was not taken: ${settlement.error.message}`)
  return settled
}
