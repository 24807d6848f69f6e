import type { Json, JsonObject } from '../../core/json.ts'
import type { ModelDelta, ModelFinish } from '../../core/model.ts'
import { type Answerer, streamError } from '../errors.ts'
import { EventTemplate } from '../event-template.ts'
import type { ResponseDecoder } from '../http/decoder.ts'
import { JoinedDeltas } from '../joined-deltas.ts'
import { brokenOff, eventOf, garbled, incomplete, isBrokenOff } from '../unusable.ts'
import { isWire, textOrNothing, type Wire, wires } from '../wire.ts'
import { finishReasonOf } from './finish.ts'
import { PartialArgs } from './partial-args.ts'
import { ServerCalls } from './server-calls.ts'
import { sourcesOf } from './sources.ts'
import { GeminiUsage } from './usage.ts'

/** Reads a response of `generateContent`: the events of a stream, or a whole response as if it were one. */
export class GeminiDecoder implements ResponseDecoder {
  readonly #from: Answerer
  readonly #scope: string
  readonly #deltas: JoinedDeltas
  readonly #usage = new GeminiUsage()
  readonly #serverCalls: ServerCalls
  readonly #sources = new Set<string>()
  /** The counts differ from event to event, and the last ones count. */
  readonly #template = new EventTemplate<'text' | 'reasoning'>({ varies: true })
  readonly #toolNames: ReadonlyMap<string, string>
  #part = -1
  /** The text that is open: what comes next of its kind belongs to it. */
  #open: 'text' | 'reasoning' | undefined
  /** The call whose arguments come in pieces. */
  #args: { readonly part: number; readonly args: PartialArgs } | undefined
  #calls = 0
  #finish: string | undefined
  #blocked: string | undefined
  #begun = false
  #isCut = false

  /** This API has no last event: its body ends. */
  readonly isDone = false

  /** @param toolNames Of tools that are called otherwise there: our name by that. */
  constructor(from: Answerer, sink: (delta: ModelDelta) => void, scope: string, toolNames: ReadonlyMap<string, string> = new Map()) {
    this.#from = from
    this.#scope = scope
    this.#toolNames = toolNames
    this.#deltas = new JoinedDeltas(sink)
    this.#serverCalls = new ServerCalls(this.#deltas, () => this.#newPart(), scope)
  }

  push(data: string): void {
    const more = this.#mayGoOn() ? this.#template.match(data) : undefined
    if (more !== undefined) return this.#goOn(more)
    const trimmed = data.trim()
    // What proxies put at the end of any stream says nothing here.
    if (trimmed === '' || trimmed === '[DONE]') return
    const event = eventOf(trimmed, this.#from)
    this.#event(event)
    const plain = plainIn(event)
    if (plain !== undefined && plain.kind === this.#open) this.#template.learn(data, plain.kind, plain.text, textIn)
  }

  /** Takes the events out of a piece of a stream that are like the one before. Says where the first other one begins. */
  takeRun(piece: string, from: number): number {
    if (!this.#mayGoOn()) return from
    const { end, text } = this.#template.run(piece, from)
    if (end > from) this.#goOn(text)
    return end
  }

  #mayGoOn(): boolean {
    return this.#template.kind !== undefined && this.#template.kind === this.#open
  }

  #goOn(text: string): void {
    if (this.#open !== undefined) this.#deltas.text(this.#open, this.#part, text)
  }

  /** Models that tell a reason for the end in each event would look complete wherever they are cut. */
  pushRest(data: string): void {
    if (isJson(data)) this.push(data)
    else this.#isCut = true
  }

  flush(): void {
    this.#deltas.flush()
  }

  whole(body: unknown): boolean {
    const events = wires(Array.isArray(body) ? body : [body])
    const isAnswer = events.some(
      (event) => 'candidates' in event || 'promptFeedback' in event || 'usageMetadata' in event || Boolean(event['error']),
    )
    if (isAnswer) for (const event of events) this.#event(event)
    return isAnswer
  }

  end(): ModelFinish {
    this.#readCounts()
    this.#cutCall()
    this.flush()
    const { provider } = this.#from
    const reason = this.#finish ?? this.#blocked
    if (!this.#begun) throw incomplete(`${provider} answered with nothing`)
    if (this.#isCut) throw incomplete(`The response of ${provider} ended in the middle of an event`)
    if (reason === undefined) throw incomplete(`The response of ${provider} ended cleanly but without its last event`)
    if (this.#finish !== undefined && isBrokenOff(this.#finish)) throw brokenOff(this.#finish, this.#from)
    // A prompt that was refused has no candidate.
    const finishReason = this.#finish === undefined ? 'content-filter' : finishReasonOf(this.#finish, this.#calls > 0)
    return { finishReason, rawFinishReason: reason, usage: this.#usage.usage }
  }

  #event(event: unknown): void {
    if (!isWire(event)) throw streamError(event, this.#from)
    if (event['error']) throw streamError(event, this.#from)
    this.#begun = true
    this.#readCounts()
    this.#usage.read(event['usageMetadata'])
    const { promptFeedback } = event
    if (isWire(promptFeedback)) this.#blocked = textOrNothing(promptFeedback['blockReason']) || this.#blocked
    const candidate = candidateOf(event)
    if (candidate === undefined) return
    const { content, finishReason } = candidate
    if (isWire(content)) for (const part of wires(content['parts'])) this.#take(part)
    for (const source of sourcesOf(candidate)) this.#source(source)
    if (typeof finishReason === 'string' || typeof finishReason === 'number') this.#finish = String(finishReason)
  }

  /** Those of events that were taken without being parsed: each tells all of them, so the last one is enough. */
  #readCounts(): void {
    const { last } = this.#template
    this.#template.last = undefined
    const event = last === undefined ? undefined : JSON.parse(last)
    if (isWire(event)) this.#usage.read(event['usageMetadata'])
  }

  #take(part: Wire): void {
    const { text, functionCall, inlineData } = part
    if (isWire(functionCall)) return this.#call(functionCall, signatureOf(part))
    this.#endCall()
    if (typeof text === 'string') return this.#text(part['thought'] === true ? 'reasoning' : 'text', text, signatureOf(part))
    this.#open = undefined
    // An image that is thought is a sketch, and no part of the answer.
    if (isWire(inlineData) && part['thought'] !== true) return this.#media(inlineData, signatureOf(part))
    this.#serverCalls.take(part as JsonObject)
  }

  /** What has a signature is a part of its own, be its text empty: it is sent back as it came. */
  #text(kind: 'text' | 'reasoning', text: string, signed: Signed | undefined): void {
    if (text === '' && signed === undefined) return
    if (this.#open !== kind || signed !== undefined) {
      const part = this.#newPart()
      this.#open = kind
      if (text === '') this.#deltas.other({ type: 'part', part, value: { type: kind, text } })
      if (signed !== undefined || kind === 'reasoning') this.#keep(part, signed ?? {})
    }
    this.#deltas.text(kind, this.#part, text)
    if (signed !== undefined) this.#open = undefined
  }

  /** One with a name is a new call; what has none goes on with the last one. */
  #call(call: Wire, signed: Signed | undefined): void {
    const [name, id] = [textOrNothing(call['name']), textOrNothing(call['id'])]
    const { args } = call
    if (name !== '') {
      const toolName = this.#toolNames.get(name) ?? name
      this.#endCall()
      this.#calls++
      const part = this.#newPart()
      this.#open = undefined
      this.#deltas.other(id === '' ? { type: 'call', part, toolName } : { type: 'call', part, toolName, providerCallId: id })
      const data = { ...signed, ...(id === '' ? {} : { id }) }
      if (Object.keys(data).length > 0) this.#keep(part, data)
      this.#args = { part, args: new PartialArgs() }
    } else if (this.#args !== undefined && signed !== undefined) this.#keep(this.#args.part, signed)
    if (this.#args === undefined) {
      if (isWire(args) || wires(call['partialArgs']).length > 0) throw garbled('a tool call has no name', this.#from)
      return
    }
    if (isWire(args)) this.#args.args.setAll(args)
    for (const piece of wires(call['partialArgs'])) this.#args.args.take(piece)
    if (call['willContinue'] !== true) this.#endCall()
  }

  #endCall(): void {
    if (this.#args === undefined) return
    const { part, args } = this.#args
    this.#args = undefined
    this.#deltas.text('call-input', part, args.json)
  }

  /** The response ended within a call: what there is of its arguments is no JSON, so nobody runs it (B031, B032). */
  #cutCall(): void {
    if (this.#args === undefined) return
    const { part, args } = this.#args
    this.#args = undefined
    this.#deltas.text('call-input', part, args.json.slice(0, -1))
  }

  #media({ mimeType, data }: Wire, signed: Signed | undefined): void {
    const mediaType = textOrNothing(mimeType) || 'application/octet-stream'
    const part = this.#newPart()
    const value = { type: mediaType.startsWith('image/') ? 'image' : 'file', mediaType, data: textOrNothing(data) } as const
    this.#deltas.other({ type: 'part', part, value })
    if (signed !== undefined) this.#keep(part, signed)
  }

  #source(source: { readonly url: string; readonly title?: string }): void {
    if (this.#sources.has(source.url)) return
    this.#sources.add(source.url)
    this.#open = undefined
    this.#deltas.other({ type: 'part', part: this.#newPart(), value: { type: 'source', ...source } })
  }

  #keep(part: number, data: { readonly [name: string]: Json }): void {
    this.#deltas.other({ type: 'data', part, providerData: { [this.#scope]: data } })
  }

  #newPart(): number {
    return ++this.#part
  }
}

/** Of several that were asked for the first one is the answer. */
function candidateOf(event: Wire): Wire | undefined {
  return wires(event['candidates']).find(({ index }) => typeof index !== 'number' || index === 0)
}

/** The text that an event holds, when it holds nothing else that matters. */
function plainIn(event: unknown): { readonly kind: 'text' | 'reasoning'; readonly text: string } | undefined {
  if (!isWire(event) || 'promptFeedback' in event) return undefined
  const candidate = candidateOf(event)
  if (candidate === undefined || candidate['finishReason'] !== undefined || sourcesOf(candidate).length > 0) return undefined
  const { content } = candidate
  const parts = isWire(content) ? wires(content['parts']) : []
  const [part] = parts
  if (part === undefined || parts.length > 1) return undefined
  const { text, thought, ...others } = part
  if (typeof text !== 'string' || text === '' || Object.keys(others).length > 0) return undefined
  return { kind: thought === true ? 'reasoning' : 'text', text }
}

function textIn(event: unknown): unknown {
  return plainIn(event)?.text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return text.trim() === '[DONE]'
  }
}

type Signed = { readonly thoughtSignature: string }

function signatureOf({ thoughtSignature }: Wire): Signed | undefined {
  return typeof thoughtSignature === 'string' && thoughtSignature !== '' ? { thoughtSignature } : undefined
}
