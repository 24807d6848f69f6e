import { errorData } from '../../core/error.ts'
import type { Json } from '../../core/json.ts'
import type { ToolCallPart } from '../../core/message.ts'
import { storableCopy } from '../../core/storable.ts'
import { garbled } from '../unusable.ts'
import { isWire, textOrNothing, type Wire } from '../wire.ts'
import type { Out } from './out.ts'

interface OpenCall {
  readonly part: number
  readonly id: string
  readonly name: string
  /** The arguments so far. */
  text: string
  metadata: unknown
  /** Once the whole call has come. */
  whole: ToolCallPart | undefined
  /** The sink knows of it. */
  told: boolean
}

/** Tool calls of one response, in pieces or at once, and the results of those that the provider ran. */
export class Calls {
  readonly #out: Out
  /** The last one of each id. */
  readonly #byId = new Map<string, OpenCall>()
  #begun = 0
  #whole = 0
  #executed = 0

  constructor(out: Out) {
    this.#out = out
  }

  /** How many there are for us to run. */
  get count(): number {
    return this.#whole - this.#executed
  }

  /** Whether one has begun and did not come whole: it is none. */
  get isCut(): boolean {
    return this.#whole < this.#begun
  }

  begin({ id, toolName, providerExecuted, providerMetadata }: Wire): void {
    const before = this.#byId.get(String(id))
    if (before !== undefined && before.whole === undefined) return
    const call = this.#open(String(id), textOrNothing(toolName))
    call.metadata = providerMetadata
    if (providerExecuted !== true) this.#tell(call, before !== undefined)
  }

  more({ id, delta }: Wire): void {
    const call = this.#byId.get(String(id))
    const text = textOrNothing(delta)
    if (call === undefined || call.whole !== undefined || text === '') return
    call.text += text
    if (call.told) this.#out.send({ type: 'call-input', part: call.part, text })
  }

  end({ id, providerMetadata }: Wire): void {
    const call = this.#byId.get(String(id))
    if (call !== undefined) call.metadata = providerMetadata ?? call.metadata
  }

  /** The whole call: it is what counts, whatever its pieces were. */
  take({ toolCallId, toolName, input, providerExecuted, providerMetadata }: Wire): void {
    const id = String(toolCallId)
    const before = this.#byId.get(id)
    const begun = before?.whole === undefined ? before : undefined
    const name = textOrNothing(toolName)
    const call = begun ?? this.#open(id, name)
    call.metadata = providerMetadata ?? call.metadata
    const given: Json = typeof input === 'string' ? input : storableCopy(input).json
    const whole = { type: 'tool-call', callId: '', toolName: name, input: given } as const
    call.whole = whole
    this.#whole++
    if (providerExecuted === true) return this.#setExecuted(call, {})
    if (!call.told) this.#tell(call, before !== undefined && begun === undefined)
    if (typeof input === 'string' && call.text === '') this.#out.send({ type: 'call-input', part: call.part, text: input })
    else if (input !== call.text || name !== call.name) this.#out.part(whole, call.part)
    if (isWire(call.metadata)) this.#out.send({ type: 'data', part: call.part, providerData: this.#out.data({}, call.metadata) })
  }

  /**
   * What a call gave that the provider ran: on the call for whoever reads it, and where it stood for the provider. The call may be one of an
   * earlier response.
   */
  result({ toolCallId, toolName, result, isError, preliminary, providerMetadata }: Wire): void {
    if (preliminary === true) return
    const id = String(toolCallId)
    const output = storableCopy(result).json
    const failed = isError === true
    const call = this.#byId.get(id)
    if (call?.whole !== undefined) this.#setExecuted(call, { settlement: failed ? failure(output) : { outcome: 'ok', output } })
    const isOnCall = call?.whole !== undefined && !failed
    const kept = { id, name: textOrNothing(toolName), ...(isOnCall ? {} : { output }), ...(failed ? { isError: true as const } : {}) }
    this.#out.hidden('text', { result: kept }, providerMetadata)
  }

  #open(id: string, name: string): OpenCall {
    if (name === '') throw garbled('a tool call has no name')
    const call: OpenCall = { part: this.#out.next(), id, name, text: '', metadata: undefined, whole: undefined, told: false }
    this.#byId.set(id, call)
    this.#begun++
    return call
  }

  /** The id of another call is none (B015). */
  #tell(call: OpenCall, isTaken: boolean): void {
    const { part, id, name } = call
    call.told = true
    this.#out.send({ type: 'call', part, ...(isTaken || id === '' ? {} : { providerCallId: id }), toolName: name })
  }

  /** Nobody here runs it, also where only its result tells that the provider did. */
  #setExecuted(call: OpenCall, more: Pick<ToolCallPart, 'settlement'>): void {
    if (call.whole === undefined) return
    if (call.whole.providerExecuted !== true) this.#executed++
    const providerData = this.#out.data({}, call.metadata)
    call.whole = { ...call.whole, providerCallId: call.id, providerExecuted: true, ...more, providerData }
    this.#out.part(call.whole, call.part)
  }
}

function failure(output: Json): NonNullable<ToolCallPart['settlement']> {
  const message = typeof output === 'string' ? output : JSON.stringify(output)
  return { outcome: 'error', error: errorData('ToolExecutionError', message.slice(0, 2_000)) }
}
