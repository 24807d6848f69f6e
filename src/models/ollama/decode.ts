import type { FinishReason, ModelDelta, ModelFinish } from '../../core/model.ts'
import { type Usage, unknownUsage } from '../../core/usage.ts'
import { noAnswer, streamError } from '../errors.ts'
import { EventTemplate } from '../event-template.ts'
import type { ApiAnswerer, ResponseDecoder } from '../http/decoder.ts'
import { inputText } from '../input-text.ts'
import { JoinedDeltas } from '../joined-deltas.ts'
import { brokenOff, garbled, incomplete, isBrokenOff, jsonOrText } from '../unusable.ts'
import { countOf, isWire, textOrNothing, type Wire, wires } from '../wire.ts'

/** Reads a response of Ollama: a line of JSON for each piece, the last one with `done`; or one line for all. */
export class OllamaDecoder implements ResponseDecoder {
  readonly #from: ApiAnswerer
  readonly #scope: string
  readonly #deltas: JoinedDeltas
  /** The time differs from line to line. */
  readonly #template = new EventTemplate<Kind>({ varies: true })
  #part = -1
  #kind: Kind | undefined
  #calls = 0
  #done: Wire | undefined
  #begun = false

  constructor(from: ApiAnswerer, sink: (delta: ModelDelta) => void, scope: string) {
    this.#from = from
    this.#scope = scope
    this.#deltas = new JoinedDeltas(sink)
  }

  get isDone(): boolean {
    return this.#done !== undefined
  }

  push(line: string): void {
    if (this.#done !== undefined) return
    const kind = this.#kind
    const more = kind !== undefined && kind === this.#template.kind ? this.#template.match(line) : undefined
    if (kind !== undefined && more !== undefined) return this.#deltas.text(kind, this.#part, more)
    const event = jsonOrText(line)
    if (!this.#begun && !isLine(event)) throw noAnswer(line, event, this.#from.answerOf, this.#from)
    this.#line(event)
    const plain = plainIn(event)
    if (plain !== undefined) this.#template.learn(line, plain.kind, plain.text, (one) => plainIn(one)?.text)
  }

  /** A last line without its end may be cut: of JSON only what is whole counts. Words of a gateway are an error, as on any line. */
  pushRest(line: string): void {
    if (!line.startsWith('{') || isWire(jsonOrText(line))) this.push(line)
  }

  flush(): void {
    this.#deltas.flush()
  }

  whole(body: unknown): boolean {
    if (!isWire(body) || (body['message'] === undefined && body['response'] === undefined && !body['error'])) return false
    this.#line(body)
    return true
  }

  end(): ModelFinish {
    this.flush()
    const { provider } = this.#from
    if (!this.#begun) throw incomplete(`${provider} answered with nothing`)
    if (this.#done === undefined) throw incomplete(`The response of ${provider} ended cleanly but without its last line`)
    const reason = textOrNothing(this.#done['done_reason'])
    if (isBrokenOff(reason)) throw brokenOff(reason, this.#from)
    const finish = { finishReason: finishOf(reason, this.#calls > 0), usage: usageOf(this.#done) }
    return reason === '' ? finish : { ...finish, rawFinishReason: reason }
  }

  #line(line: unknown): void {
    if (!isWire(line)) throw streamError(line, this.#from)
    // B097: whatever came before, it is no answer.
    if (line['error']) throw streamError(line, this.#from)
    this.#begun = true
    const { message } = line
    if (isWire(message)) this.#message(message)
    // /api/generate has no message.
    else this.#said(line, 'response')
    if (line['done'] === true) this.#done = line
  }

  #message(message: Wire): void {
    this.#said(message, 'content')
    for (const call of wires(message['tool_calls'])) this.#call(call)
  }

  #said(message: Wire, field: 'content' | 'response'): void {
    this.#text('reasoning', textOrNothing(message['thinking']))
    this.#text('text', textOrNothing(message[field]))
  }

  #text(kind: 'text' | 'reasoning', text: string): void {
    if (text === '') return
    if (this.#kind !== kind) {
      this.#kind = kind
      this.#part++
      if (kind === 'reasoning') this.#deltas.other({ type: 'data', part: this.#part, providerData: { [this.#scope]: true } })
    }
    this.#deltas.text(kind, this.#part, text)
  }

  #call({ id, function: named }: Wire): void {
    const toolName = isWire(named) ? textOrNothing(named['name']) : ''
    if (!isWire(named) || toolName === '') throw garbled('a tool call has no name')
    this.#calls++
    this.#kind = undefined
    const part = ++this.#part
    const providerCallId = textOrNothing(id)
    this.#deltas.other(providerCallId === '' ? { type: 'call', part, toolName } : { type: 'call', part, toolName, providerCallId })
    this.#deltas.text('call-input', part, inputText(named['arguments']))
  }
}

type Kind = 'text' | 'reasoning'

/** Whether it may begin a response: words of a gateway, and errors, are for `streamError`. */
function isLine(event: unknown): boolean {
  if (!isWire(event)) return typeof event === 'string'
  return Boolean(event['error']) || event['message'] !== undefined || event['response'] !== undefined || event['done'] !== undefined
}

/** The text that a line holds, when it holds nothing else that matters. */
function plainIn(line: unknown): { readonly kind: Kind; readonly text: string } | undefined {
  if (!isWire(line) || line['done'] !== false || !isWire(line['message'])) return undefined
  const { thinking = '', content = '', tool_calls: calls } = line['message']
  if (calls !== undefined || typeof thinking !== 'string' || typeof content !== 'string') return undefined
  if (thinking !== '') return content === '' ? { kind: 'reasoning', text: thinking } : undefined
  return content === '' ? undefined : { kind: 'text', text: content }
}

function finishOf(reason: string, hasCalls: boolean): FinishReason {
  if (reason === 'length') return 'length'
  if (reason === 'stop' || reason === '') return hasCalls ? 'tool-calls' : 'stop'
  return 'other'
}

/** A server that had read the whole prompt before tells no count of it: unknown, not zero. */
function usageOf({ prompt_eval_count: input, eval_count: output }: Wire): Usage {
  const [inputTokens, outputTokens] = [countOf(input), countOf(output)]
  if (inputTokens === undefined && outputTokens === undefined) return unknownUsage
  const complete = inputTokens !== undefined && outputTokens !== undefined
  return { ...unknownUsage, inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0, complete }
}
