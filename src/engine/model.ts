import { Assembler, type Piece } from '../core/assemble.ts'
import { isToldSchema } from '../core/decide-output.ts'
import { type EntryBody, messageIdOf } from '../core/entry.ts'
import { type ErrorData, errorData, RondoError } from '../core/error.ts'
import type { EventBody } from '../core/event.ts'
import type { FinishReason, Model, ModelDelta, ModelFinish, ModelRequest } from '../core/model.ts'
import type { OpenModelCall, RunState } from '../core/state.ts'
import { clip, cutText } from '../core/text.ts'
import { type Activation, deliver, type Running, type Showing } from './activation.ts'
import { readFinish } from './finish.ts'
import { withMedia } from './media.ts'
import { failedBody, mediaError, modelError } from './model-failed.ts'
import { within } from './patience.ts'
import type { OutputPort } from './ports.ts'
import type { LazySignal } from './signal.ts'

type StreamOptions = Parameters<Model['stream']>[2]

/** The signal is made when it is asked for, as a getter of the class: one of an object's own costs 1 µs a call. */
class CallOptions implements StreamOptions {
  readonly sessionId: string
  readonly #signal: LazySignal

  constructor(sessionId: string, signal: LazySignal) {
    this.sessionId = sessionId
    this.#signal = signal
  }

  get signal(): AbortSignal {
    return this.#signal.signal
  }
}

/**
 * Runs one attempt, and delivers what came of it at most once, whatever the model does: also when it throws at once, or goes on after its
 * end. One that never settles, or was closed, delivers nothing: after its grace it no longer counts.
 */
export function runModel(a: Activation, open: OpenModelCall, running: Running): void {
  const attempt = new Attempt(a, open, running)
  a.shown = attempt
  attempt.begin()
}

/** One attempt of a model call while it streams. A class, not closures: a call makes one object, and its methods are compiled once. */
class Attempt implements Showing {
  readonly #a: Activation
  readonly #open: OpenModelCall
  readonly #running: Running
  readonly #messageId: string
  /** What it shows belongs there, also when it goes on after that has ended. */
  readonly #run: RunState | undefined
  readonly #assembler: Assembler
  #closed = false
  /** Whether a limit on responses stopped it. */
  #overLimit = false
  /** The text or reasoning part that is being shown. */
  #shown: { readonly kind: 'text' | 'reasoning'; readonly part: number } | undefined
  #cancelTimer: (() => void) | undefined
  /** Of a call that is told of an output schema. */
  #output: OutputPort | undefined
  #partial: ReturnType<OutputPort['partial']> | undefined
  /** Characters of the text: what has come, and what `#partial` has read. */
  #textChars = 0
  #readChars = 0

  constructor(a: Activation, open: OpenModelCall, running: Running) {
    this.#a = a
    this.#open = open
    this.#running = running
    this.#messageId = messageIdOf(open.n)
    this.#run = a.state.live.run
    this.#assembler = new Assembler({ n: open.n })
  }

  get seq(): number {
    return this.#open.seq
  }

  text(): string {
    return this.#assembler.text()
  }

  pieces(): readonly EventBody[] {
    const messageId = this.#messageId
    return this.#assembler.pieces().flatMap(({ type, part, text, callId, toolName }): EventBody[] => {
      if (type === 'call-input') return [{ type: 'call.input.delta', callId, messageId, toolName, text }]
      const begun: EventBody[] = [
        { type: `${type}.started`, messageId, part },
        { type: `${type}.delta`, messageId, part, text },
      ]
      return this.#shown?.part === part ? begun : [...begun, { type: `${type}.finished`, messageId, part }]
    })
  }

  close(): void {
    this.#finishShown()
    this.#closed = true
    this.#cancelTimer?.()
  }

  begin(): void {
    const a = this.#a
    const ports = a.portsOf(a.state)
    try {
      const { model, request } = ports.modelCall(a.state, this.#open)
      if (ports.output !== undefined && isToldSchema(ports.config, this.#open.purpose)) this.#output = ports.output
      if (ports.modelTimeoutMs !== Number.POSITIVE_INFINITY) this.#limitTime(ports.modelTimeoutMs)
      const whole = withMedia(a.store.blobs, a.media, a.state, request)
      if (!(whole instanceof Promise)) return this.#ask(model, whole)
      within(a.world.clock, 'blobs.get', a.sessionId, whole).then(
        (ready) => this.#ask(model, ready),
        (error: unknown) => this.#fail(mediaError(error)),
      )
    } catch (error) {
      this.#fail(modelError(error))
    }
  }

  #ask(model: Model, request: ModelRequest): void {
    // It may have been told to stop while media was read.
    if (this.#closed) return
    const { signal } = this.#running
    if (signal.aborted) return this.#fail(errorData('ModelUnknownError', 'The model call was stopped before it began.'))
    try {
      model
        .stream(request, (delta) => this.#take(delta), new CallOptions(this.#a.sessionId, signal))
        .then(
          (finish) => this.#finish(finish),
          (error: unknown) => this.#fail(modelError(error)),
        )
    } catch (error) {
      this.#fail(modelError(error))
    }
  }

  #limitTime(ms: number): void {
    this.#cancelTimer = this.#a.world.clock.timer(ms, () => {
      this.#fail(errorData('ModelTimeout', `The model did not answer within ${ms} ms (settings.timeoutMs).`))
    })
  }

  /** Takes a delta. What breaks a rule or a limit ends the attempt here, even if the adapter swallows the throw. */
  #take(delta: ModelDelta): void {
    if (this.#closed) return
    let piece: Piece | undefined
    try {
      piece = this.#assembler.push(delta)
    } catch (error) {
      // A garbled stream may do better next time; one without end would not.
      this.#overLimit = RondoError.is(error) && !error.retryable
      this.#fail(modelError(error))
      throw error
    }
    if (piece === undefined) return
    if (this.#output !== undefined && piece.type === 'text') this.#textChars += piece.text.length
    const { wants } = this.#a.hub
    if (wants === 'events') return this.#show(piece)
    if (piece.opened) this.#noteShown(piece)
    if (wants === 'text' && piece.type === 'text') this.#showText(piece)
  }

  /** For a reader that comes later: which part it finds open. */
  #noteShown({ type, part }: Piece): void {
    if (type === 'call-input') this.#shown = undefined
    else if (this.#shown?.part !== part) this.#shown = { kind: type, part }
  }

  #show(piece: Piece): void {
    const messageId = this.#messageId
    const { type, part, text } = piece
    if (type === 'call-input') {
      this.#finishShown()
      return this.#send({ type: 'call.input.delta', callId: piece.callId, messageId, toolName: piece.toolName, text })
    }
    if (this.#shown?.part !== part) {
      this.#finishShown()
      this.#noteShown(piece)
      if (piece.opened) this.#send({ type: `${type}.started`, messageId, part })
    }
    if (type === 'text') {
      this.#showText(piece)
      if (this.#output !== undefined) this.#showOutput(this.#output, text)
    } else this.#send({ type: 'reasoning.delta', messageId, part, text })
  }

  #showText({ part, text }: Piece): void {
    this.#send({ type: 'text.delta', messageId: this.#messageId, part, text })
  }

  /** Whoever begins to listen in the middle has missed nothing of the value. */
  #showOutput(port: OutputPort, text: string): void {
    this.#partial ??= port.partial()
    const isNext = this.#readChars + text.length === this.#textChars
    const output = this.#partial.push(isNext ? text : this.#assembler.text().slice(this.#readChars))
    this.#readChars = this.#textChars
    if (output !== undefined) this.#send({ type: 'output.partial', output })
  }

  #finishShown(): void {
    if (this.#shown === undefined) return
    const { kind, part } = this.#shown
    this.#shown = undefined
    if (this.#a.hub.wants === 'events') this.#send({ type: `${kind}.finished`, messageId: this.#messageId, part })
  }

  #send(body: EventBody): void {
    const a = this.#a
    const run = this.#run
    if (run !== undefined) a.hub.piece(a.world.clock.wall(), run.id, run.iteration, this.#open.seq, body)
  }

  /** An adapter may resolve with what is no finish. */
  #finish(finish: ModelFinish): void {
    if (this.#closed) return
    let body: EntryBody
    try {
      body = this.#responded(readFinish(finish))
    } catch (error) {
      return this.#fail(modelError(error))
    }
    this.close()
    deliver(this.#a, this.#running.key, [body])
  }

  #responded({ finishReason, rawFinishReason, usage, requestId, model }: ModelFinish): EntryBody {
    const { n, attempt } = this.#open
    const data = {
      n,
      attempt,
      message: this.#assembler.finish(),
      finish: rawFinishReason === undefined ? finishes[finishReason] : { unified: finishReason, raw: rawFinishReason },
      usage,
      durationMs: this.#sinceMs(),
    }
    if (requestId === undefined && model === undefined) return { kind: 'model.responded', data }
    const more = { ...(requestId === undefined ? {} : { requestId }), ...(typeof model === 'string' ? { model: clip(model, 512) } : {}) }
    return { kind: 'model.responded', data: { ...data, ...more } }
  }

  #fail(error: ErrorData): void {
    if (this.#closed) return
    this.close()
    const a = this.#a
    const open = this.#open
    // What has no end is of no use as a whole, and would fill every later request.
    const text = this.#overLimit ? cutText(this.#assembler.text()).text : this.#assembler.text()
    const failed = { error, text, random: a.world.random(), durationMs: this.#sinceMs() }
    // Does nothing when it was told to stop already; else it shall not go on for nobody.
    // The code says why: a model that hands requests on learns by it that the one it had asked is at fault.
    this.#running.signal.abort(new RondoError(error.code, error.message, { retryable: error.retryable }))
    deliver(a, this.#running.key, [(state) => failedBody(a, state, open, failed)])
  }

  #sinceMs(): number {
    return Math.max(0, Math.round(this.#a.world.clock.monotonic() - this.#running.begunAt))
  }
}

/** Made once: nearly every response ends in one of these. */
const finishes: { readonly [F in FinishReason]: { readonly unified: F } } = {
  stop: { unified: 'stop' },
  'tool-calls': { unified: 'tool-calls' },
  length: { unified: 'length' },
  'content-filter': { unified: 'content-filter' },
  refusal: { unified: 'refusal' },
  'pause-turn': { unified: 'pause-turn' },
  error: { unified: 'error' },
  other: { unified: 'other' },
}
