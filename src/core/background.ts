import type { CallState } from './call-state.ts'
import type { BackgroundResult, EntryBody, EntryData, SettlementData } from './entry.ts'
import { callIndex } from './entry.ts'
import { type Message, type Part, resultText } from './message.ts'
import { settledPart } from './settled.ts'
import type { Live } from './state.ts'

/**
 * A call that runs in the background has two ends. For its message it settles at once, with a placeholder, so that the model goes on; it is
 * open all the same, among `live.background`, until its outcome has come as a message. So a call is found here by its id, wherever it is open.
 */
export function findCall({ turn, background }: Live, callId: string): CallState | undefined {
  if (background.length > 0) {
    const behind = background.find(({ part }) => part.callId === callId)
    if (behind !== undefined) return behind
  }
  const call = turn?.calls[callIndex(callId)]
  return call?.part.callId === callId ? call : undefined
}

/** Puts a call that has changed in the place of what it was. */
export function placeCall(live: Live, call: CallState): void {
  if (call.background === true) live.background = live.background.map((other) => (other.part.callId === call.part.callId ? call : other))
  else if (live.turn !== undefined) live.turn.calls[call.index] = call
}

/** What the model is told instead of a result. */
export function placeholder(callId: string): SettlementData {
  return {
    outcome: 'ok',
    output: { status: 'running_in_background' },
    content: `This call goes on in the background, as ${callId}. Its result will come in a message of its own. Do not call it again for that; go on with other work, or answer: you will be asked again when the result is there.`,
  }
}

/** The entry that says what became of a call: of one in the background, a message. */
export function settledBody(call: CallState, data: EntryData['call.settled'], id?: string): EntryBody {
  const named = id === undefined ? {} : { id }
  if (call.background !== true) return { kind: 'call.settled', ...named, data }
  const { callId, settlement, by, attempt, end, durationMs } = data
  const result: BackgroundResult = {
    settlement,
    by,
    ...(attempt === undefined ? {} : { attempt }),
    // It ends no batch: its own went on without it.
    ...(end === 'fail' ? { end } : {}),
    ...(durationMs === undefined ? {} : { durationMs }),
  }
  return {
    kind: 'message',
    ...named,
    data: { origin: 'background', callId, message: resultMessage(call, settlement), hidden: true, result },
  }
}

/** The same for whatever is about to be written. */
export function bodyFor<B extends EntryBody>({ background }: Live, body: B): EntryBody {
  if (background.length === 0 || body.kind !== 'call.settled' || body.data.background === true) return body
  const call = background.find(({ part }) => part.callId === body.data.callId)
  return call === undefined ? body : settledBody(call, body.data, body.id)
}

/** It stands among what users say, so it says what it is. */
function resultMessage(about: CallState, settlement: SettlementData): Message {
  const part = settledPart(about.part, { ...about, background: undefined }, settlement)
  const { callId, toolName } = part
  const call = `the call ${callId} of '${toolName}', which went on in the background`
  const first =
    settlement.outcome === 'ok'
      ? `This is the result of ${call}. A tool says this, not the user:`
      : `This is what became of ${call}: it did not succeed (${settlement.outcome}).`
  const media = typeof part.content === 'object' ? part.content.filter(({ type }) => type !== 'text') : []
  const parts: readonly Part[] = [{ type: 'text', text: first }, { type: 'text', text: resultText(part) }, ...media]
  return { id: `${callId}.result`, role: 'user', parts }
}
