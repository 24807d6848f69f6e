import type { Json, JsonObject } from '../../core/json.ts'
import type { ModelDelta, ModelFinish } from '../../core/model.ts'
import { type Answerer, countsOf, streamError, windowExceeded, windowFilled } from '../errors.ts'
import { EventTemplate } from '../event-template.ts'
import type { ApiAnswerer, ResponseDecoder } from '../http/decoder.ts'
import { JoinedDeltas } from '../joined-deltas.ts'
import { brokenOff, eventOf, garbled, incomplete, isBrokenOff, jsonOrText } from '../unusable.ts'
import { isWire, textOrNothing, type Wire, wires } from '../wire.ts'
import { ChatCalls } from './calls.ts'
import {
  contentIn,
  errorIn,
  fieldIn,
  firstChoice,
  inputIn,
  inputOf,
  isError,
  messageOf,
  reasoningField,
  saysNothing,
  textsOf,
} from './event.ts'
import { finishReasonOf } from './finish.ts'
import type { OpenCall } from './open-call.ts'
import { type ReasoningData, ReasoningDetails, thinking } from './reasoning.ts'
import { type Source, sourcesOf } from './sources.ts'
import { ChatUsage } from './usage.ts'

type From = Answerer & Pick<ApiAnswerer, 'contextWindow'>

/**
 * Reads one response of a Chat Completions API: the events of a stream, or a whole completion as if it were one event. What servers
 * differ in is taken as it comes; what nobody can read is a `ModelServerError`.
 */
export class ChatDecoder implements ResponseDecoder {
  readonly #from: From
  readonly #keeps: string | undefined
  readonly #deltas: JoinedDeltas
  readonly #calls: ChatCalls
  readonly #usage = new ChatUsage()
  readonly #template = new EventTemplate<Plain['kind']>()
  /** The last event that was read as what it is, if it held one text only, and how many like it have followed each other. */
  #plain: Plain | undefined
  #alike = 0
  /** Of a template of arguments: whose they are. */
  #call: OpenCall | undefined
  #part = -1
  #kind: 'text' | 'reasoning' | 'call' | 'other' | undefined
  #finish: string | undefined
  #refused = false
  #done = false
  /** Whether anything came at all. */
  #begun = false
  /** Whether it came in deltas: a message that follows them tells them once more. */
  #inDeltas = false

  readonly #details = new ReasoningDetails()
  #extra: JsonObject | undefined
  #hasImages = false
  /** Each source once. */
  readonly #sources = new Set<string>()

  /** @param keeps Under which key it is kept how reasoning came, so that it goes back; `undefined` where it does not. */
  constructor(from: From, sink: (delta: ModelDelta) => void, keeps?: string) {
    this.#from = from
    this.#keeps = keeps
    this.#deltas = new JoinedDeltas(sink)
    this.#calls = new ChatCalls(this.#deltas, () => this.#newPart('call'), keeps)
  }

  /** One event: its data and, where it has one, its name. */
  push(data: string, name?: string): void {
    if (name !== 'error' && this.#isMore(data)) return
    // What follows the end is not read: else the result would depend on where the body is cut.
    if (this.#done) return
    const trimmed = data.trim()
    if (trimmed === '[DONE]') this.#setDone()
    else if (name === 'error') throw streamError(jsonOrText(trimmed), this.#from)
    else if (trimmed !== '') this.#event(eventOf(trimmed, this.#from), data)
  }

  /** Takes the events out of a piece of a stream that are like the one before. Says where the first other one begins. */
  takeRun(piece: string, from: number): number {
    if (!this.#mayGoOn()) return from
    const { end, text } = this.#template.run(piece, from)
    if (end > from) this.#goOn(text)
    return end
  }

  /** Whether an event is like the one before, with more of the same text or arguments; then they are taken. */
  #isMore(data: string): boolean {
    const text = this.#mayGoOn() ? this.#template.match(data) : undefined
    if (text !== undefined) this.#goOn(text)
    return text !== undefined
  }

  /** Whether what the template reads belongs to the part that is open. */
  #mayGoOn(): boolean {
    const { kind } = this.#template
    if (kind !== 'call-input') return kind !== undefined && kind === this.#kind
    return this.#call !== undefined && this.#calls.isLast(this.#call)
  }

  #goOn(text: string): void {
    const { kind } = this.#template
    if (kind === 'text' || kind === 'reasoning') this.#deltas.text(kind, this.#part, text)
    else if (this.#call !== undefined) this.#calls.goOn(this.#call, text)
  }

  /** What has been read and is held goes out: at the end of each piece of the body. */
  flush(): void {
    this.#deltas.flush()
  }

  /** What stands after the last event: it may lack its blank line (B095), or be the beginning of one that was cut off. */
  pushRest(data: string): void {
    if (data.trim() === '[DONE]' || isWire(jsonOrText(data))) this.push(data)
  }

  /** Whether the server has said that nothing follows. */
  get isDone(): boolean {
    return this.#done
  }

  /** A completion that came at once: nothing can follow it. Some send it as a list of one. */
  whole(body: unknown): boolean {
    const completion: unknown = Array.isArray(body) ? body[0] : body
    if (!isWire(completion) || (completion['choices'] === undefined && !isError(completion['error']))) return false
    this.#setDone()
    this.#event(completion, '')
    return true
  }

  #setDone(): void {
    this.#done = true
    this.#template.kind = undefined
  }

  /** The end of the body. Throws when the response is not complete. */
  end(): ModelFinish {
    this.#calls.end()
    this.flush()
    const { all: details } = this.#details
    if (details.length > 0) this.#keep({ details }, this.#newPart('reasoning'))
    if (this.#extra !== undefined) this.#keep({ extra: this.#extra }, this.#newPart('reasoning'))
    const { provider } = this.#from
    if (!this.#begun) throw incomplete(`${provider} answered with nothing`)
    if (this.#finish === undefined && !this.#done) {
      const where = this.#calls.isOpen ? ', in the middle of the arguments of a tool call' : ''
      throw incomplete(`The response of ${provider} ended cleanly but without its last event${where}`)
    }
    if (this.#finish !== undefined && isBrokenOff(this.#finish)) throw brokenOff(this.#finish, this.#from)
    if (this.#finish === windowExceeded && this.#part < 0)
      throw windowFilled({ ...this.#from, finishReason: this.#finish, ...countsOf(this.#usage.usage) })
    const finishReason = this.#refused ? 'refusal' : finishReasonOf(this.#finish, this.#calls.count > 0)
    const finish = { finishReason, usage: this.#usage.usage }
    return this.#finish === undefined ? finish : { ...finish, rawFinishReason: this.#finish }
  }

  #event(event: unknown, data: string): void {
    if (!isWire(event)) throw garbled('an event is no JSON object', this.#from, data)
    const error = errorIn(event)
    if (error !== undefined) throw streamError(error, this.#from)
    this.#usage.read(event['usage'])
    if (isWire(event['x_groq'])) this.#usage.read(event['x_groq']['usage'])
    for (const source of sourcesOf(event)) this.#source(source)
    const choice = firstChoice(event)
    if (choice === undefined) return
    this.#usage.read(choice['usage'])
    this.#begun = true
    const plain = this.#choice(choice)
    const before = this.#plain
    this.#plain = plain
    this.#alike = plain !== undefined && plain.kind === before?.kind && plain.call === before.call ? this.#alike + 1 : 0
    // What is short is read sooner than learnt: text goes on after its second event, most arguments end after a few.
    if (plain === undefined || this.#alike < (plain.kind === 'call-input' ? 3 : 1)) return
    if (data === '' || (event['usage'] ?? event['x_groq'] ?? choice['usage'] ?? undefined) !== undefined) return
    if (this.#template.learn(data, plain.kind, plain.text, plain.in)) this.#call = plain.call
  }

  /** Takes what a choice holds. When that was one text, or more arguments of one call, and nothing else, says which. */
  #choice(choice: Wire): Plain | undefined {
    if (isError(choice['error'])) throw streamError(choice['error'], this.#from)
    const finish = textOrNothing(choice['finish_reason'])
    if (finish !== '') this.#finish = finish
    const { delta, message } = choice
    // Some have an empty delta beside the message (Perplexity).
    if (isWire(delta) && !(isWire(message) && saysNothing(delta))) return this.#delta(delta, finish)
    this.#message(messageOf(choice))
    return undefined
  }

  #delta(delta: Wire, finish: string): Plain | undefined {
    this.#inDeltas = true
    const reasoning = reasoningField(delta)
    if (reasoning !== undefined) this.#text('reasoning', textOrNothing(delta[reasoning]), reasoning)
    const isMore = this.#besides(delta)
    const { content } = delta
    if (typeof content === 'string') this.#text('text', content)
    else for (const [kind, text] of textsOf(content)) this.#text(kind, text, thinking)
    const refusal = this.#refusal(delta)
    this.#text('text', refusal)
    const calls = wires(delta['tool_calls'])
    let more: OpenCall | undefined
    for (const call of calls) more = this.#calls.take(call)
    if (isWire(delta['function_call'])) this.#calls.take(delta['function_call'])
    if (finish !== '' || refusal !== '' || isMore || isWire(delta['function_call'])) return undefined
    const hasContent = content !== '' && content !== null && content !== undefined
    if (calls.length > 0) {
      const text = calls.length === 1 ? inputOf(calls[0]) : ''
      if (more === undefined || text === '' || hasContent || reasoning !== undefined) return undefined
      return { kind: 'call-input', text, in: inputIn, call: more }
    }
    if (typeof content === 'string' && hasContent && reasoning === undefined) return { kind: 'text', text: content, in: contentIn }
    if (reasoning === undefined || hasContent) return undefined
    return { kind: 'reasoning', text: textOrNothing(delta[reasoning]), in: (event) => fieldIn(event, reasoning) }
  }

  /** A message that came at once, or, after its deltas, tells once more what they told: then what was said stands, and only more is taken. */
  #message(message: Wire): void {
    const calls = wires([...wires(message['tool_calls']), message['function_call']])
    const field = reasoningField(message)
    const texts = textsOf(message['content'])
    if (field !== undefined) texts.unshift(['reasoning', textOrNothing(message[field])])
    texts.push(['text', this.#refusal(message)])
    const { reasoning_details: details, images, ...others } = message
    const again = {
      ...others,
      ...(this.#details.all.length > 0 ? {} : { reasoning_details: details }),
      ...(this.#hasImages ? {} : { images }),
    }
    this.#besides(this.#inDeltas ? again : message)
    if (!this.#inDeltas) {
      for (const [kind, text] of texts) this.#text(kind, text, field ?? thinking)
      return this.#calls.takeWhole(calls)
    }
    for (const kind of ['reasoning', 'text'] as const) {
      const whole = texts.map(([of, text]) => (of === kind ? text : '')).join('')
      this.#text(kind, this.#deltas.restOf(kind, whole), field ?? thinking)
    }
    return this.#calls.restate(calls)
  }

  #refusal(message: Wire): string {
    const refusal = textOrNothing(message['refusal'])
    this.#refused ||= refusal !== ''
    return refusal
  }

  /** @param field In which field reasoning came. */
  #text(kind: 'text' | 'reasoning', text: string, field?: string): void {
    if (text === '') return
    if (this.#kind !== kind) {
      this.#newPart(kind)
      if (field !== undefined && kind === 'reasoning') this.#keep({ field }, this.#part)
    }
    this.#deltas.text(kind, this.#part, text)
  }

  /** What a message has besides its text and its calls. Says whether there was any. */
  #besides(message: Wire): boolean {
    const details = wires(message['reasoning_details'])
    const { extra_content: extra } = message
    const images = wires(message['images'])
    const sources = sourcesOf(message)
    this.#details.take(details)
    if (isWire(extra)) this.#extra = extra as JsonObject
    for (const image of images) this.#image(image)
    for (const source of sources) this.#source(source)
    return details.length + images.length + sources.length > 0 || isWire(extra)
  }

  #keep(data: { readonly [key in keyof ReasoningData]: Json }, part: number): void {
    if (this.#keeps !== undefined) this.#deltas.other({ type: 'data', part, providerData: { [this.#keeps]: data } })
  }

  /** An image that the model made, as a `data:` URL (OpenRouter). */
  #image(image: Wire): void {
    const { image_url: named } = image
    const url = isWire(named) ? textOrNothing(named['url']) : ''
    const base64 = /^data:(?<mediaType>[^;,]{1,100});base64,/.exec(url)
    if (url === '') return
    this.#hasImages = true
    const mediaType = base64?.groups?.['mediaType'] ?? 'image/png'
    const value = { type: 'image', mediaType, data: base64 === null ? url : url.slice(base64[0].length) } as const
    this.#deltas.other({ type: 'part', part: this.#newPart('other'), value })
  }

  #source(source: Source): void {
    if (this.#sources.has(source.url)) return
    this.#sources.add(source.url)
    this.#deltas.other({ type: 'part', part: this.#newPart('other'), value: { type: 'source', ...source } })
  }

  #newPart(kind: 'text' | 'reasoning' | 'call' | 'other'): number {
    this.#kind = kind
    return ++this.#part
  }
}

interface Plain {
  readonly kind: 'text' | 'reasoning' | 'call-input'
  readonly text: string
  readonly in: (event: unknown) => unknown
  readonly call?: OpenCall
}
