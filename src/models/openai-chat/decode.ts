import { RondoError } from '../../core/error.ts'
import type { FinishReason, ModelDelta, ModelFinish } from '../../core/model.ts'
import { streamError } from '../errors.ts'
import { JoinedDeltas } from '../joined-deltas.ts'
import { safeText } from '../safe-text.ts'
import { ChatCalls, type OpenCall } from './calls.ts'
import { EventTemplate } from './template.ts'
import { ChatUsage } from './usage.ts'
import { isWire, textOrNothing, type Wire, wires } from './wire.ts'

/**
 * Reads one response of a Chat Completions API: the events of a stream, or a whole completion as if it were one event. What servers
 * differ in is taken as it comes; what nobody can read is a `ModelServerError`.
 */
export class ChatDecoder {
  readonly #provider: string
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
  #kind: 'text' | 'reasoning' | 'call' | undefined
  #finish: string | undefined
  #refused = false
  #done = false
  /** Whether anything came at all. */
  #begun = false

  constructor(provider: string, sink: (delta: ModelDelta) => void) {
    this.#provider = provider
    this.#deltas = new JoinedDeltas(sink)
    this.#calls = new ChatCalls(this.#deltas, () => this.#newPart('call'))
  }

  /** One event: its data and, where it has one, its name. */
  push(data: string, name?: string): void {
    if (name !== 'error' && this.#isMore(data)) return
    const trimmed = data.trim()
    if (trimmed === '[DONE]') this.#done = true
    else if (name === 'error') throw streamError(anything(trimmed), this.#provider)
    else if (trimmed !== '') this.#event(parsed(trimmed, this.#provider), data)
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
    if (data.trim() === '[DONE]' || isWire(anything(data))) this.push(data)
  }

  /** Whether the server has said that nothing follows. */
  get isDone(): boolean {
    return this.#done
  }

  /** A completion that came at once: nothing can follow it. */
  whole(completion: unknown): void {
    this.#done = true
    this.#event(completion, '')
  }

  /** The end of the body. Throws when the response is not complete. */
  end(): ModelFinish {
    this.flush()
    if (!this.#begun) throw incomplete(`${this.#provider} answered with nothing`)
    if (this.#finish === undefined && !this.#done) {
      const where = this.#calls.isOpen ? ', in the middle of the arguments of a tool call' : ''
      throw incomplete(`The response of ${this.#provider} ended cleanly but without its last event${where}`)
    }
    const finishReason = this.#refused ? 'refusal' : finishReasonOf(this.#finish, this.#calls.count > 0)
    const finish = { finishReason, usage: this.#usage.usage }
    return this.#finish === undefined ? finish : { ...finish, rawFinishReason: this.#finish }
  }

  #event(event: unknown, data: string): void {
    if (!isWire(event)) throw garbled(this.#provider, 'an event is no JSON object', data)
    const error = errorIn(event)
    if (error !== undefined) throw streamError(error, this.#provider)
    this.#usage.read(event['usage'])
    if (isWire(event['x_groq'])) this.#usage.read(event['x_groq']['usage'])
    const choice = firstChoice(event)
    if (choice === undefined) return
    this.#begun = true
    const plain = this.#choice(choice)
    const before = this.#plain
    this.#plain = plain
    this.#alike = plain !== undefined && plain.kind === before?.kind && plain.call === before.call ? this.#alike + 1 : 0
    // What is short is read sooner than learnt: text goes on after its second event, most arguments end after a few.
    if (plain === undefined || this.#alike < (plain.kind === 'call-input' ? 3 : 1)) return
    if (data === '' || (event['usage'] ?? event['x_groq'] ?? undefined) !== undefined) return
    if (this.#template.learn(data, plain.kind, plain.text, plain.in)) this.#call = plain.call
  }

  /** Takes what a choice holds. When that was one text, or more arguments of one call, and nothing else, says which. */
  #choice(choice: Wire): Plain | undefined {
    if (choice['error'] !== undefined && choice['error'] !== null) throw streamError(choice['error'], this.#provider)
    const finish = textOrNothing(choice['finish_reason'])
    if (finish !== '') this.#finish = finish
    const message = messageOf(choice)
    const reasoning = reasoningField(message)
    if (reasoning !== undefined) this.#text('reasoning', textOrNothing(message[reasoning]))
    const content = message['content']
    this.#content(content)
    const refusal = textOrNothing(message['refusal'])
    if (refusal !== '') {
      this.#refused = true
      this.#text('text', refusal)
    }
    const calls = wires(message['tool_calls'])
    const isWhole = !isWire(choice['delta'])
    let more: OpenCall | undefined
    for (const call of calls) more = this.#calls.take(call, isWhole)
    if (isWire(message['function_call'])) this.#calls.take(message['function_call'], isWhole)
    if (finish !== '' || refusal !== '' || isWire(message['function_call'])) return undefined
    const hasContent = content !== '' && content !== null && content !== undefined
    if (calls.length > 0) {
      const text = calls.length === 1 ? inputOf(calls[0]) : ''
      if (more === undefined || text === '' || hasContent || reasoning !== undefined) return undefined
      return { kind: 'call-input', text, in: inputIn, call: more }
    }
    if (typeof content === 'string' && hasContent && reasoning === undefined) return { kind: 'text', text: content, in: contentIn }
    if (reasoning === undefined || hasContent) return undefined
    return { kind: 'reasoning', text: textOrNothing(message[reasoning]), in: (event) => fieldIn(event, reasoning) }
  }

  /** Text, or a list of parts: text, thinking (Mistral). An object is an answer in JSON that the server has parsed already (Cloudflare). */
  #content(content: unknown): void {
    if (typeof content === 'string') return this.#text('text', content)
    if (isWire(content)) return this.#text('text', JSON.stringify(content))
    for (const part of wires(content)) {
      this.#text('text', textOrNothing(part['text']))
      const thinking = part['thinking']
      this.#text('reasoning', textOrNothing(thinking))
      for (const piece of wires(thinking)) this.#text('reasoning', textOrNothing(piece['text']))
    }
  }

  #text(kind: 'text' | 'reasoning', text: string): void {
    if (text === '') return
    if (this.#kind !== kind) this.#newPart(kind)
    this.#deltas.text(kind, this.#part, text)
  }

  #newPart(kind: 'text' | 'reasoning' | 'call'): number {
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

/** The error that an event is: under `error`, or, where nothing else of an answer is there, the event itself. */
function errorIn(event: Wire): unknown {
  const error = event['error']
  if (error !== undefined && error !== null && error !== '') return error
  if (event['choices'] !== undefined || event['usage'] !== undefined) return undefined
  const coded = typeof event['message'] === 'string' && (event['code'] !== undefined || event['type'] !== undefined)
  return event['object'] === 'error' || event['detail'] !== undefined || coded ? event : undefined
}

function messageOf(choice: Wire): Wire {
  const message = choice['delta'] ?? choice['message']
  return isWire(message) ? message : {}
}

/** Of several choices (`n` in providerOptions) the first one is the answer. */
function firstChoice(event: Wire): Wire | undefined {
  const choices = event['choices']
  if (!Array.isArray(choices)) return undefined
  for (const choice of choices) if (isWire(choice) && (choice['index'] ?? 0) === 0) return choice
  return undefined
}

const reasoningFields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const

/** The field that carries reasoning; some servers send it under two names at once. */
function reasoningField(message: Wire): string | undefined {
  for (const field of reasoningFields) if (textOrNothing(message[field]) !== '') return field
  return undefined
}

function fieldIn(event: unknown, field: string): unknown {
  const choice = isWire(event) ? firstChoice(event) : undefined
  return choice === undefined ? undefined : messageOf(choice)[field]
}

function contentIn(event: unknown): unknown {
  return fieldIn(event, 'content')
}

function inputIn(event: unknown): unknown {
  return inputOf(wires(fieldIn(event, 'tool_calls'))[0])
}

/** The arguments in an entry of `tool_calls`, as text. */
function inputOf(entry: Wire | undefined): string {
  const body = entry?.['function'] ?? entry
  return isWire(body) ? textOrNothing(body['arguments']) : ''
}

const finishReasons: { readonly [reason: string]: FinishReason } = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'content-filter',
  sensitive: 'content-filter',
  refusal: 'refusal',
  error: 'error',
}

/** A reason that we don't know is no success (B054). A server that says that it is done and gives none has just stopped. */
function finishReasonOf(reason: string | undefined, hasCalls: boolean): FinishReason {
  if (reason === undefined) return hasCalls ? 'tool-calls' : 'stop'
  const known = reason.toLowerCase()
  return Object.hasOwn(finishReasons, known) ? (finishReasons[known] ?? 'other') : 'other'
}

function parsed(text: string, provider: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw garbled(provider, 'an event is not JSON', text)
  }
}

/** The JSON value of a text, or the text itself. */
function anything(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function garbled(provider: string, what: string, data: string): RondoError {
  return new RondoError('ModelServerError', `The response of ${provider} is garbled: ${what}: ${safeText(data, 200)}`)
}

function incomplete(what: string): RondoError {
  return new RondoError('ModelServerError', `${what}: it is not complete, and nothing of it is used.`)
}
