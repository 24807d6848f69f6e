import { RondoError } from '../../core/error.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { ModelDelta, ModelFinish } from '../../core/model.ts'
import { type Usage, unknownUsage } from '../../core/usage.ts'
import { type Answerer, streamError } from '../errors.ts'
import { EventTemplate } from '../event-template.ts'
import type { ResponseDecoder } from '../http/decoder.ts'
import { JoinedDeltas } from '../joined-deltas.ts'
import { eventOf, garbled, incomplete, jsonOrText } from '../unusable.ts'
import { textOrNothing } from '../wire.ts'
import { errorIn, isEnding, isFailure, isResponse, type TextEvent, textEvent } from './event.ts'
import { endingOf } from './finish.ts'
import { type Going, Items } from './items.ts'
import type { Reading } from './reading.ts'
import { usageOf } from './usage.ts'

/**
 * Reads one response of a Responses API: the events of a stream, or a whole response as if it were the last event of one. An item is told as
 * its pieces come; what it is as a whole, in its own last event or in the last snapshot of the response, counts, and is told once (B035, B092).
 */
export class ResponsesDecoder implements ResponseDecoder {
  readonly #from: Answerer
  readonly #deltas: JoinedDeltas
  readonly #items: Items
  readonly #keepsId: boolean
  #response: JsonObject | undefined
  #usage: Usage = unknownUsage
  /** Events are numbered, and some servers pad them. */
  readonly #template = new EventTemplate<TextEvent['kind']>({ varies: true })
  /** What the last event was a piece of, and how many of the same have followed each other. */
  #going: Going | undefined
  #alike = 0
  /** Whether anything came at all. */
  #begun = false
  #done = false

  constructor(from: Answerer, sink: (delta: ModelDelta) => void, reading: Reading) {
    this.#from = from
    this.#deltas = new JoinedDeltas(sink)
    this.#items = new Items(this.#deltas, reading)
    this.#keepsId = reading.keepsId
  }

  push(data: string, name?: string): void {
    // What follows the end is not read: else the result would depend on where the body is cut.
    if (this.#done || this.#isMore(data, name)) return
    const trimmed = data.trim()
    if (trimmed === '[DONE]') this.#done = true
    else if (name === 'error') throw streamError(errorOf(jsonOrText(trimmed)), this.#from)
    else if (trimmed !== '') this.#event(eventOf(trimmed, this.#from), name, data)
  }

  takeRun(piece: string, from: number): number {
    if (this.#going === undefined || this.#done || this.#template.kind === undefined) return from
    const { end, text } = this.#template.run(piece, from)
    if (end > from) this.#items.goOn(this.#going, text)
    return end
  }

  /** Whether an event is like the one before, with more of the same text; then it is taken. */
  #isMore(data: string, name: string | undefined): boolean {
    if (this.#going === undefined || this.#template.kind === undefined || name === 'error') return false
    const text = this.#template.match(data, name)
    if (text !== undefined) this.#items.goOn(this.#going, text)
    return text !== undefined
  }

  flush(): void {
    this.#deltas.flush()
  }

  pushRest(data: string): void {
    if (data.trim() === '[DONE]' || isJsonObject(jsonOrText(data))) this.push(data)
  }

  get isDone(): boolean {
    return this.#done
  }

  whole(body: unknown): boolean {
    if (!isJsonObject(body)) return false
    const error = errorIn(body)
    if (error !== undefined) throw streamError(error, this.#from)
    if (!isResponse(body)) return false
    this.#begun = true
    this.#end(body)
    return true
  }

  end(): ModelFinish {
    this.flush()
    const { provider } = this.#from
    if (!this.#begun) throw incomplete(`${provider} answered with nothing`)
    if (this.#response === undefined) {
      const open = this.#items.hasOpenCall ? ', in the middle of a tool call' : ''
      throw incomplete(`The response of ${provider} ended without its last event${open}`)
    }
    return { ...endingOf(this.#response, this.#items.calls > 0, this.#items.refused), usage: this.#usage }
  }

  #event(event: Json, name: string | undefined, data: string): void {
    if (!isJsonObject(event)) throw garbled('an event is no JSON object', this.#from, JSON.stringify(event))
    const type = textOrNothing(event['type']) || name || ''
    const text = textEvent(type)
    if (text !== undefined) return this.#text(text, event, name, data)
    this.#goOn(undefined)
    if (isFailure({ type })) throw streamError(errorOf(event), this.#from)
    const error = errorIn(event)
    if (error !== undefined) throw streamError(error, this.#from)
    this.#begun = true
    const { item, response, output_index: place } = event
    if (isEnding({ type })) this.#end(isJsonObject(response) ? response : event)
    else if (type === 'response.output_item.added' && isJsonObject(item)) this.#items.begin(item, place)
    else if (type === 'response.output_item.done' && isJsonObject(item)) this.#items.complete(item, place)
    else if (type === 'response.output_text.annotation.added') this.#items.annotate(event)
    else if (type === '' && isResponse(event)) this.#end(event)
  }

  #text(text: TextEvent, event: JsonObject, name: string | undefined, data: string): void {
    this.#begun = true
    // Older servers send `{ text }`.
    const { field } = text
    const piece = event[field]
    const said = textOrNothing(isJsonObject(piece) ? piece['text'] : piece)
    this.#goOn(this.#items.take(text, event, said))
    // What is short is read sooner than learnt: text goes on after its second event, most arguments end after a few.
    if (this.#going !== undefined && this.#alike >= (text.kind === 'call-input' ? 3 : 1))
      this.#template.learn(data, text.kind, said, (like) => (isJsonObject(like as Json) ? (like as JsonObject)[field] : undefined), name)
  }

  #goOn(going: Going | undefined): void {
    const isSame = going !== undefined && going.item === this.#going?.item && going.slot === this.#going.slot
    this.#alike = isSame ? this.#alike + 1 : 0
    if (!isSame) this.#template.kind = undefined
    this.#going = going
  }

  /** The last snapshot: all of the response once more. */
  #end(response: JsonObject): void {
    const { status, error, output, usage, id } = response
    if (status === 'failed' || status === 'cancelled' || (error !== undefined && error !== null && error !== ''))
      throw streamError(errorOf(response), this.#from)
    if (status === 'queued' || status === 'in_progress') throw inBackground(this.#from, status)
    // mistral.rs tells reasoning beside the output.
    if (typeof response['reasoning'] === 'string') this.#items.thought(response['reasoning'])
    this.#items.restate(Array.isArray(output) ? output.filter(isJsonObject) : [])
    if (this.#keepsId && typeof id === 'string') this.#items.keepResponse(id)
    this.#usage = usageOf(usage)
    this.#response = response
    this.#done = true
  }
}

function errorOf(value: unknown): unknown {
  if (!isJsonObject(value)) return value
  const { error, response } = value
  if (isJsonObject(response)) return errorOf(response)
  if (isJsonObject(error) || (typeof error === 'string' && error !== '')) return error
  if (value['status'] === 'cancelled') return { message: 'the response was cancelled' }
  return value
}

/** A response that works on in the background is none yet, and this API is not asked for it once more. */
function inBackground({ provider }: Answerer, status: string): RondoError {
  return new RondoError(
    'ModelServerError',
    `${provider} has put the response in the background (status ${status}), from where it is not fetched: leave 'background' out of providerOptions.`,
    { retryable: false },
  )
}
