import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { ToolCallPart } from '../../core/message.ts'
import type { ModelDelta, ModelFinish } from '../../core/model.ts'
import { countsOf, streamError, windowExceeded, windowFilled } from '../errors.ts'
import { EventTemplate } from '../event-template.ts'
import type { ApiAnswerer, ResponseDecoder } from '../http/decoder.ts'
import { JoinedDeltas } from '../joined-deltas.ts'
import { brokenOff, eventOf, garbled, incomplete, isBrokenOff, jsonOrText } from '../unusable.ts'
import { isWire, textOrNothing, type Wire, wires } from '../wire.ts'
import { type Block, blockOf, grow, impliedStart, whole } from './block.ts'
import { isError } from './event.ts'
import { finishReasonOf } from './finish.ts'
import { isServerResult, settlementOf } from './server-tools.ts'
import { MessagesUsage } from './usage.ts'

/** The deltas that hold one text, the field it stands in, and what it is of. */
const textDeltas = {
  text_delta: ['text', 'text', 'text'],
  thinking_delta: ['thinking', 'reasoning', 'reasoning'],
  input_json_delta: ['partial_json', 'call-input', 'call'],
} as const

/**
 * Reads one response of a Messages API: the events of a stream, or a message that came at once. Each block of content becomes a part, in
 * order; one that says nothing to a reader is kept on a part without text, so that it can go back.
 */
export class MessagesDecoder implements ResponseDecoder {
  readonly #from: ApiAnswerer
  readonly #scope: string
  readonly #deltas: JoinedDeltas
  readonly #usage = new MessagesUsage()
  readonly #template = new EventTemplate<'text' | 'reasoning' | 'call-input'>()
  /** Of which block the last plain text was, and how many like it have followed each other. */
  #plain: Block | undefined
  #alike = 0
  readonly #blocks = new Map<number, Block>()
  #last: Block | undefined
  #parts = 0
  /** Calls that the provider runs, by their ids, until their result has come. */
  readonly #serverCalls = new Map<string, { readonly part: number; readonly value: ToolCallPart }>()
  readonly #sources = new Set<string>()
  #calls = 0
  #stop: string | undefined
  #container: Json | undefined
  /** Of the message that has begun; '' where none has, or one without. */
  #id = ''
  #begun = false
  #done = false

  constructor(from: ApiAnswerer, scope: string, sink: (delta: ModelDelta) => void) {
    this.#from = from
    this.#scope = scope
    this.#deltas = new JoinedDeltas(sink)
  }

  push(data: string, name?: string): void {
    const more = this.#plain === undefined || name === 'error' ? undefined : this.#template.match(data, name)
    if (more !== undefined && this.#template.kind !== undefined) return this.#goOn(more)
    // What follows the end is not read: else the result would depend on where the body is cut.
    if (this.#done) return
    const trimmed = data.trim()
    if (trimmed === '[DONE]') this.#setDone()
    else if (name === 'error') throw streamError(jsonOrText(trimmed), this.#from)
    else if (trimmed !== '') this.#event(eventOf(trimmed, this.#from), data, name)
  }

  takeRun(piece: string, from: number): number {
    if (this.#plain === undefined || this.#template.kind === undefined) return from
    const { end, text } = this.#template.run(piece, from)
    if (end > from) this.#goOn(text)
    return end
  }

  pushRest(data: string): void {
    if (isWire(jsonOrText(data))) this.push(data)
  }

  flush(): void {
    this.#deltas.flush()
  }

  get isDone(): boolean {
    return this.#done
  }

  whole(body: unknown): boolean {
    if (!isWire(body)) return false
    if (isError(body)) throw streamError(body, this.#from)
    if (!Array.isArray(body['content'])) return false
    this.#message(body)
    this.#setDone()
    return true
  }

  end(): ModelFinish {
    const { provider } = this.#from
    const open = this.#last
    if (!this.#begun) throw incomplete(`${provider} answered with nothing`)
    if (this.#stop === undefined && !this.#done) {
      this.flush()
      const where = open?.kind === 'call' ? ', in the middle of the arguments of a tool call' : ''
      throw incomplete(`The response of ${provider} ended cleanly but without its last event${where}`)
    }
    if (this.#stop !== undefined && isBrokenOff(this.#stop)) {
      this.flush()
      throw brokenOff(this.#stop, this.#from)
    }
    for (const index of [...this.#blocks.keys()]) this.#close(index)
    const finishReason = finishReasonOf(this.#stop, this.#calls > 0)
    this.#note({
      ...(finishReason === 'pause-turn' ? { paused: true } : {}),
      ...(this.#container === undefined ? {} : { container: this.#container }),
    })
    this.flush()
    this.#checkWindow()
    const finish = { finishReason, usage: this.#usage.usage }
    return this.#stop === undefined ? finish : { ...finish, rawFinishReason: this.#stop }
  }

  /** An answer that the end of the window cut is one; where nothing was said, the input filled it. */
  #checkWindow(): void {
    if (this.#stop === windowExceeded && this.#parts === 0)
      throw windowFilled({ ...this.#from, finishReason: this.#stop, ...countsOf(this.#usage.usage) })
  }

  #setDone(): void {
    this.#done = true
    this.#plain = undefined
  }

  #event(event: unknown, data: string, name: string | undefined): void {
    if (!isWire(event)) throw garbled('an event is no JSON object', this.#from, data)
    if (isError(event)) throw streamError(event, this.#from)
    const { index } = event
    switch (event['type']) {
      case 'message_start':
        if (isWire(event['message'])) this.#start(event['message'], data)
        return
      case 'content_block_start':
        if (isWire(event['content_block'])) this.#open(index, event['content_block'])
        return
      case 'content_block_delta':
        if (isWire(event['delta'])) this.#delta(index, event['delta'], data, name)
        return
      case 'content_block_stop':
        return this.#close(this.#place(index))
      case 'message_delta':
        this.#begun = true
        this.#usage.read(event['usage'])
        if (isWire(event['delta'])) this.#end(event['delta'])
        return
      case 'message_stop':
        return this.#setDone()
    }
  }

  /** Some gateways send the start of a message twice, or late. That of another one in the middle of it means that neither is whole. */
  #start(message: Wire, data: string): void {
    const id = textOrNothing(message['id'])
    const isOther = this.#id !== '' && id !== this.#id
    if (this.#parts > 0 && isOther) throw garbled('another message begins in the middle of one', this.#from, data)
    this.#id = id
    if (this.#parts > 0) return this.#usage.read(message['usage'])
    this.#message(message)
  }

  /** A message that came at once, or what a stream begins with: it may hold blocks already. */
  #message(message: Wire): void {
    this.#begun = true
    this.#usage.read(message['usage'])
    for (const block of wires(message['content'])) {
      const place = -1 - this.#parts
      this.#open(place, block)
      this.#close(place)
    }
    this.#end(message)
  }

  #end(message: Wire): void {
    const { stop_reason: reason, container } = message
    if (typeof reason === 'string' && reason !== '') this.#stop = reason
    if (isWire(container) && typeof container['id'] === 'string') this.#container = container as JsonObject
  }

  /** Which block an event is about: without an index, the last one. */
  #place(index: unknown): number {
    if (typeof index === 'number') return index
    for (const [place, block] of this.#blocks) if (block === this.#last) return place
    return 0
  }

  #open(index: unknown, start: Wire): Block {
    this.#begun = true
    const place = typeof index === 'number' ? index : this.#parts
    this.#close(place)
    const block = blockOf(this.#parts++, start)
    this.#blocks.set(place, block)
    this.#last = block
    this.#plain = undefined
    this.#alike = 0
    if (block.kind === 'text') this.#say(block, 'text', textOrNothing(start['text']))
    else if (block.kind === 'reasoning') this.#say(block, 'reasoning', textOrNothing(start['thinking']))
    else if (block.kind === 'call') this.#begin(block, start)
    return block
  }

  #begin({ part }: Block, { id, name }: Wire): void {
    const toolName = textOrNothing(name)
    if (toolName === '') throw garbled('a tool call has no name', this.#from)
    this.#calls++
    const providerCallId = textOrNothing(id)
    this.#deltas.other({ type: 'call', part, toolName, ...(providerCallId === '' ? {} : { providerCallId }) })
  }

  #delta(index: unknown, delta: Wire, data: string, name: string | undefined): void {
    const place = this.#place(index)
    const start = this.#blocks.has(place) ? undefined : impliedStart(delta)
    const block = start === undefined ? this.#blocks.get(place) : this.#open(place, start)
    if (block === undefined) throw garbled('a piece belongs to no block', this.#from, data)
    const type = textOrNothing(delta['type'])
    if (isTextDelta(type) && textDeltas[type][2] === block.kind) return this.#textDelta(block, type, delta, data, name)
    this.#plain = undefined
    if (block.kind === 'reasoning' && type === 'signature_delta') block.signature += textOrNothing(delta['signature'])
    else if (block.kind === 'text' && type === 'citations_delta' && isWire(delta['citation']))
      block.citations.push(delta['citation'] as Json)
    else if (block.kind === 'item' || block.kind === 'server-call') grow(block, delta)
  }

  #textDelta(block: Block, type: keyof typeof textDeltas, delta: Wire, data: string, name: string | undefined): void {
    const [field, kind] = textDeltas[type]
    const text = textOrNothing(delta[field])
    this.#say(block, kind, text)
    this.#alike = this.#plain === block ? this.#alike + 1 : 0
    this.#plain = block
    this.#template.kind = undefined
    // What is short is read sooner than learnt: text goes on after its second event, most arguments end after a few.
    if (text === '' || this.#alike < (kind === 'call-input' ? 3 : 1)) return
    this.#template.learn(data, kind, text, (event) => (isWire(event) && isWire(event['delta']) ? event['delta'][field] : undefined), name)
  }

  #goOn(text: string): void {
    const { kind } = this.#template
    if (kind !== undefined && this.#plain !== undefined) this.#say(this.#plain, kind, text)
  }

  #say(block: Block, kind: 'text' | 'reasoning' | 'call-input', text: string): void {
    if (text === '') return
    block.begun = true
    this.#deltas.text(kind, block.part, text)
  }

  #close(place: number): void {
    const block = this.#blocks.get(place)
    if (block === undefined) return
    this.#blocks.delete(place)
    this.#plain = undefined
    const { part, item } = block
    switch (block.kind) {
      case 'text':
        if (block.citations.length > 0) this.#keep(part, { citations: block.citations })
        return this.#tellSources(block.citations)
      case 'reasoning':
        return block.signature === '' ? undefined : this.#keep(part, { signature: block.signature })
      case 'call': {
        const { input, caller } = item
        // Also arguments that are no object are said: they are then seen to be unusable.
        if (!block.begun && input !== undefined && input !== null) this.#say(block, 'call-input', JSON.stringify(input))
        if (isJsonObject(caller) && caller['type'] !== 'direct') this.#keep(part, { caller })
        return
      }
      case 'server-call':
        return this.#serverCall(part, whole(block))
      case 'item':
        return this.#item(part, whole(block))
    }
  }

  #serverCall(part: number, item: JsonObject): void {
    const { id, name, input } = item
    const value: ToolCallPart = {
      type: 'tool-call',
      callId: '',
      toolName: textOrNothing(name) || textOrNothing(item['type']),
      ...(typeof id === 'string' ? { providerCallId: id } : {}),
      input: isJsonObject(input) ? input : {},
      providerExecuted: true,
      providerData: { [this.#scope]: { item } },
    }
    this.#deltas.other({ type: 'part', part, value })
    if (typeof id === 'string') this.#serverCalls.set(id, { part, value })
  }

  #item(part: number, item: JsonObject): void {
    const type = item['type'] === 'redacted_thinking' ? 'reasoning' : 'text'
    this.#deltas.other({ type: 'part', part, value: { type, text: '', providerData: { [this.#scope]: { item } } } })
    if (!isServerResult(item['type'])) return
    const id = textOrNothing(item['tool_use_id'])
    const call = this.#serverCalls.get(id)
    if (call === undefined) return
    this.#serverCalls.delete(id)
    this.#deltas.other({ type: 'part', part: call.part, value: { ...call.value, settlement: settlementOf(item) } })
  }

  /** Each place that was cited, once. */
  #tellSources(citations: readonly Json[]): void {
    for (const citation of citations) {
      const { url, title } = isJsonObject(citation) ? citation : {}
      if (typeof url !== 'string' || url === '' || this.#sources.has(url)) continue
      this.#sources.add(url)
      const value = { type: 'source', url, ...(typeof title === 'string' && title !== '' ? { title } : {}) } as const
      this.#deltas.other({ type: 'part', part: this.#parts++, value })
    }
  }

  #keep(part: number, data: JsonObject): void {
    this.#deltas.other({ type: 'data', part, providerData: { [this.#scope]: data } })
  }

  /** On the last part: where the next request looks. */
  #note(data: JsonObject): void {
    if (this.#parts > 0 && Object.keys(data).length > 0) this.#keep(this.#parts - 1, data)
  }
}

function isTextDelta(type: string): type is keyof typeof textDeltas {
  return Object.hasOwn(textDeltas, type)
}
