import { errorData } from '../../core/error.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { Settlement, ToolCallPart } from '../../core/message.ts'
import { checkDepth } from '../input-text.ts'
import type { JoinedDeltas } from '../joined-deltas.ts'
import { isWire, textOrNothing } from '../wire.ts'

/**
 * What the provider did itself: `executableCode` and its `codeExecutionResult`, `toolCall` and its `toolResponse`. The first of each is a call
 * that the second one settles; both are kept whole in their places, as are parts that nobody knows, and go back as they came.
 */
export class ServerCalls {
  readonly #deltas: JoinedDeltas
  readonly #newPart: () => number
  readonly #scope: string
  /** Calls without their results, the last one last. */
  readonly #open: { readonly part: number; readonly id: string; readonly call: ToolCallPart }[] = []

  constructor(deltas: JoinedDeltas, newPart: () => number, scope: string) {
    this.#deltas = deltas
    this.#newPart = newPart
    this.#scope = scope
  }

  take(part: JsonObject): void {
    checkDepth(part, 'a part of it')
    const { executableCode, toolCall, codeExecutionResult, toolResponse } = part
    const providerData = { [this.#scope]: { part: part as Json } }
    const place = this.#newPart()
    if (isJsonObject(executableCode)) return this.#begin(place, 'code_execution', executableCode, executableCode, providerData)
    if (isJsonObject(toolCall)) {
      const input = isJsonObject(toolCall['args']) ? toolCall['args'] : {}
      return this.#begin(place, textOrNothing(toolCall['toolType']).toLowerCase() || 'tool', input, toolCall, providerData)
    }
    const type = part['thought'] === true ? 'reasoning' : 'text'
    this.#deltas.other({ type: 'part', part: place, value: { type, text: '', providerData } })
    if (isWire(codeExecutionResult)) this.#end(codeExecutionResult as JsonObject)
    else if (isWire(toolResponse)) this.#end(toolResponse as JsonObject)
  }

  #begin(part: number, toolName: string, input: JsonObject, of: JsonObject, providerData: ToolCallPart['providerData']): void {
    const id = textOrNothing(of['id'])
    const ids = id === '' ? {} : { providerCallId: id }
    const call: ToolCallPart = {
      type: 'tool-call',
      callId: '',
      toolName,
      ...ids,
      input,
      providerExecuted: true,
      ...(providerData && { providerData }),
    }
    this.#open.push({ part, id, call })
    this.#deltas.other({ type: 'part', part, value: call })
  }

  #end(result: JsonObject): void {
    const id = textOrNothing(result['id'])
    const at = this.#open.findIndex((one) => one.id === id)
    const [begun] = this.#open.splice(at < 0 ? this.#open.length - 1 : at, 1)
    if (begun === undefined) return
    this.#deltas.other({ type: 'part', part: begun.part, value: { ...begun.call, settlement: settlementOf(result) } })
  }
}

/** https://ai.google.dev/api/caching#Outcome */
function settlementOf({ id: _id, toolType: _type, ...output }: JsonObject): Settlement<Json> {
  const outcome = textOrNothing(output['outcome'])
  if (outcome !== 'OUTCOME_FAILED' && outcome !== 'OUTCOME_DEADLINE_EXCEEDED') return { outcome: 'ok', output }
  const why = textOrNothing(output['output']).trim() || outcome
  return { outcome: 'error', error: errorData('ToolExecutionError', `The provider's tool failed: ${why}`) }
}
