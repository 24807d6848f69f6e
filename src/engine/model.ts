import { Assembler, type Piece } from '../core/assemble.ts'
import { overdue } from '../core/decide-stop.ts'
import { type EntryBody, messageIdOf } from '../core/entry.ts'
import { type ErrorData, errorData, messageOf, RondoError } from '../core/error.ts'
import type { EventBody } from '../core/event.ts'
import type { Model, ModelDelta, ModelFinish, ModelRequest } from '../core/model.ts'
import type { OpenModelCall, SessionState } from '../core/state.ts'
import { cutText } from '../core/text.ts'
import { type Activation, activePorts, driverFacts, type Running } from './activation.ts'
import type { Fact } from './facts.ts'
import { readFinish } from './finish.ts'
import { withMedia } from './media.ts'
import { within } from './patience.ts'
import { retryAt } from './retry.ts'
import type { LazySignal } from './signal.ts'

/** One attempt of a model call while it streams. */
interface Attempt {
  readonly a: Activation
  readonly open: OpenModelCall
  readonly running: Running
  readonly messageId: string
  readonly assembler: Assembler
  readonly begun: number
  closed: boolean
  /** Whether a limit on responses stopped it. */
  overLimit: boolean
  /** The text or reasoning part that is being shown. */
  shown: { readonly kind: 'text' | 'reasoning'; readonly part: number } | undefined
  resolve(facts: readonly Fact[]): void
  cancelTimer?: () => void
}

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

/** Runs one attempt. Resolves once, whatever the model does: also when it throws at once, never settles, or goes on after its end. */
export function runModel(a: Activation, open: OpenModelCall, running: Running): Promise<readonly Fact[]> {
  return new Promise((resolve) => {
    const attempt: Attempt = {
      a,
      open,
      running,
      messageId: messageIdOf(open.n),
      assembler: new Assembler({ n: open.n }),
      begun: a.world.clock.monotonic(),
      closed: false,
      overLimit: false,
      shown: undefined,
      resolve,
    }
    running.shownText = () => attempt.assembler.text()
    a.shown = { seq: open.seq, pieces: () => shownPieces(attempt) }
    running.close = () => {
      finishShown(attempt)
      close(attempt)
    }
    begin(attempt)
  })
}

function begin(attempt: Attempt): void {
  const { a, open } = attempt
  const ports = activePorts(a, a.state)
  try {
    const { model, request } = ports.modelCall(a.state, open)
    if (ports.modelTimeoutMs !== Number.POSITIVE_INFINITY) limitTime(attempt, ports.modelTimeoutMs)
    const whole = withMedia(a.store.blobs, a.media, a.state, request)
    if (!(whole instanceof Promise)) return ask(attempt, model, whole)
    within(a.world.clock, 'blobs.get', a.sessionId, whole).then(
      (ready) => ask(attempt, model, ready),
      (error: unknown) => fail(attempt, mediaError(error)),
    )
  } catch (error) {
    fail(attempt, modelError(error))
  }
}

function ask(attempt: Attempt, model: Model, request: ModelRequest): void {
  const { a, running } = attempt
  // It may have been told to stop while media was read.
  if (attempt.closed) return
  if (running.signal.aborted) return fail(attempt, errorData('ModelUnknownError', 'The model call was stopped before it began.'))
  try {
    model
      .stream(request, (delta) => take(attempt, delta), new CallOptions(a.sessionId, running.signal))
      .then(
        (finish) => finished(attempt, readFinish(finish)),
        (error: unknown) => fail(attempt, modelError(error)),
      )
      // An adapter may resolve with what is no finish.
      .catch((error: unknown) => fail(attempt, modelError(error)))
  } catch (error) {
    fail(attempt, modelError(error))
  }
}

function limitTime(attempt: Attempt, ms: number): void {
  attempt.cancelTimer = attempt.a.world.clock.timer(ms, () => {
    fail(attempt, errorData('ModelTimeout', `The model did not answer within ${ms} ms (settings.timeoutMs).`))
  })
}

function close(attempt: Attempt): void {
  attempt.closed = true
  attempt.cancelTimer?.()
}

/** Takes a delta. What breaks a rule or a limit ends the attempt here, even if the adapter swallows the throw. */
function take(attempt: Attempt, delta: ModelDelta): void {
  if (attempt.closed) return
  let piece: Piece | undefined
  try {
    piece = attempt.assembler.push(delta)
  } catch (error) {
    // A garbled stream may do better next time; one without end would not.
    attempt.overLimit = RondoError.is(error) && !error.retryable
    fail(attempt, modelError(error))
    throw error
  }
  if (piece === undefined) return
  if (attempt.a.hub.active) show(attempt, piece)
  else if (piece.opened) noteShown(attempt, piece)
}

/** For a reader that comes later: which part it finds open. */
function noteShown(attempt: Attempt, { type, part }: Piece): void {
  if (type === 'call-input') attempt.shown = undefined
  else if (attempt.shown?.part !== part) attempt.shown = { kind: type, part }
}

function show(attempt: Attempt, piece: Piece): void {
  const { messageId } = attempt
  if (piece.type === 'call-input') {
    finishShown(attempt)
    send(attempt, { type: 'call.input.delta', callId: piece.callId, messageId, toolName: piece.toolName, text: piece.text })
    return
  }
  const { type, part, text } = piece
  if (attempt.shown?.part !== part) {
    finishShown(attempt)
    noteShown(attempt, piece)
    if (piece.opened) send(attempt, { type: `${type}.started`, messageId, part })
  }
  send(attempt, { type: type === 'text' ? 'text.delta' : 'reasoning.delta', messageId, part, text })
}

/** What was shown so far, each part as one delta. */
function shownPieces(attempt: Attempt): readonly EventBody[] {
  const { assembler, messageId } = attempt
  return assembler.pieces().flatMap(({ type, part, text, callId, toolName }): EventBody[] => {
    if (type === 'call-input') return [{ type: 'call.input.delta', callId, messageId, toolName, text }]
    const begun: EventBody[] = [
      { type: `${type}.started`, messageId, part },
      { type: `${type}.delta`, messageId, part, text },
    ]
    return attempt.shown?.part === part ? begun : [...begun, { type: `${type}.finished`, messageId, part }]
  })
}

function finishShown(attempt: Attempt): void {
  if (attempt.shown === undefined) return
  const { kind, part } = attempt.shown
  attempt.shown = undefined
  if (attempt.a.hub.active) send(attempt, { type: `${kind}.finished`, messageId: messageIdOf(attempt.open.n), part })
}

function send({ a, open }: Attempt, body: EventBody): void {
  const run = a.state.live.run
  if (run !== undefined) a.hub.piece(a.world.clock.wall(), run.id, run.iteration, open.seq, body)
}

function finished(attempt: Attempt, finish: ModelFinish): void {
  if (attempt.closed) return
  const { a, open, assembler, begun } = attempt
  finishShown(attempt)
  close(attempt)
  const { finishReason, rawFinishReason, usage, requestId } = finish
  attempt.resolve([
    {
      kind: 'model.responded',
      data: {
        n: open.n,
        attempt: open.attempt,
        message: assembler.finish(),
        finish: rawFinishReason === undefined ? { unified: finishReason } : { unified: finishReason, raw: rawFinishReason },
        usage,
        ...(requestId === undefined ? {} : { requestId }),
        durationMs: sinceMs(a, begun),
      },
    },
  ])
}

function fail(attempt: Attempt, error: ErrorData): void {
  if (attempt.closed) return
  const { a, open, running, assembler, begun } = attempt
  finishShown(attempt)
  close(attempt)
  // What has no end is of no use as a whole, and would fill every later request.
  const text = attempt.overLimit ? cutText(assembler.text()).text : assembler.text()
  const failed = { error, text, random: a.world.random(), durationMs: sinceMs(a, begun) }
  // Does nothing when it was told to stop already; else it shall not go on for nobody.
  running.signal.abort(new RondoError('ModelUnknownError', error.message))
  attempt.resolve([(state) => failedBody(a, state, open, failed)])
}

function sinceMs(a: Activation, begun: number): number {
  return Math.max(0, Math.round(a.world.clock.monotonic() - begun))
}

interface Failed {
  readonly error: ErrorData
  readonly text: string
  readonly random: number
  readonly durationMs: number
}

/** What a failure means is decided when it is staged: after a cancel or at a limit it is no failure of the model. */
function failedBody(a: Activation, state: SessionState, open: OpenModelCall, failed: Failed): EntryBody {
  const run = state.live.run
  const { error, text, random, durationMs } = failed
  const ids = { n: open.n, attempt: open.attempt, durationMs }
  const partial = text === '' ? {} : { partial: text }
  if (run?.cancelledAt !== undefined) {
    const cancelled = errorData('RunAborted', 'The run was cancelled during this model call.')
    return { kind: 'model.failed', data: { ...ids, error: cancelled, cause: 'cancelled', ...partial } }
  }
  const ports = activePorts(a, state)
  const now = a.world.clock.wall()
  if (run !== undefined && overdue(state, run, ports.config, now, driverFacts(a, ports, state)) !== undefined) {
    const over = errorData('RunTimeout', 'The time limit of the run was reached during this model call.')
    return { kind: 'model.failed', data: { ...ids, error: over, cause: 'limit', ...partial } }
  }
  const again = retryAt(ports.retry, {
    attempt: open.attempt,
    firstAt: now - a.ages.of(open.firstSeq, open.firstAt),
    now,
    error,
    shown: text !== '',
    wrapUp: open.purpose === 'wrap-up',
    random,
  })
  const data = again === undefined ? { ...ids, error, ...partial } : { ...ids, error, retryAt: again, retryInMs: again - now }
  return { kind: 'model.failed', data }
}

function mediaError(error: unknown): ErrorData {
  if (RondoError.is(error)) return error.toData()
  return errorData('SessionReadFailed', `Media of the session could not be read: ${messageOf(error)}`)
}

/** Adapters classify their errors; what comes unclassified is not tried again, for nobody knows what it was. */
function modelError(error: unknown): ErrorData {
  if (RondoError.is(error)) return error.toData()
  return errorData('ModelUnknownError', messageOf(error), { retryable: false })
}
