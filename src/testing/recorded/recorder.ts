import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ErrorCode, RondoError } from '../../core/error.ts'
import type { Model, ModelDelta, ModelFinish, ModelRequest } from '../../core/model.ts'
import { isNotFound } from '../../models/not-found.ts'
import { type Answer, isFinish, play } from './answer.ts'
import { type Described, Describer } from './description.ts'
import { nearestDifference } from './difference.ts'
import type { RecordedOptions } from './options.ts'
import { addAnswer, type Recording, readRecording } from './recording.ts'

const ofTheRequest: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['ModelBadRequest', 'ModelContextOverflow', 'ModelContentBlocked'])

type StreamOptions = Parameters<Model['stream']>[2]

/** Answers the requests to one model out of a file, or asks it and writes down what it says. */
export class Recorder {
  readonly #model: Model
  readonly #path: string
  readonly #mode: RecordedOptions['mode']
  readonly #describer: Describer
  /** How often each request was asked, and how many answers to it were recorded here. */
  readonly #asked = new Map<string, number>()
  readonly #recorded = new Map<string, number>()
  /** As it was read last: a replay reads the file once. */
  #recording: (Recording & { readonly exists: boolean }) | undefined

  constructor(model: Model, file: string | URL, { mode, normalize }: RecordedOptions) {
    this.#model = model
    this.#path = resolve(file instanceof URL ? fileURLToPath(file) : file)
    this.#mode = mode
    this.#describer = new Describer(model, normalize)
  }

  async stream(request: ModelRequest, sink: (delta: ModelDelta) => void, options: StreamOptions): Promise<ModelFinish> {
    const described = this.#describer.describe(request)
    const { fingerprint } = described
    if (this.#mode === 'record') return this.#record(described, request, sink, options)
    const turn = this.#asked.get(fingerprint) ?? 0
    this.#asked.set(fingerprint, turn + 1)
    this.#recording ??= await readRecording(this.#path)
    // Another one may have recorded it since.
    if (this.#mode === 'auto' && answersTo(this.#recording, fingerprint)[turn] === undefined)
      this.#recording = await readRecording(this.#path)
    options.signal.throwIfAborted()
    const answers = answersTo(this.#recording, fingerprint)
    const answer = answers[turn]
    if (answer !== undefined) return play(answer, sink)
    if (this.#mode === 'auto') return this.#record(described, request, sink, options)
    const often = `it was asked ${turn + 1} times, and ${answers.length} answers are recorded`
    throw this.#missing(described, answers.length > 0 ? often : missingWords(described, this.#recording))
  }

  async #record(
    described: Described,
    request: ModelRequest,
    sink: (delta: ModelDelta) => void,
    options: StreamOptions,
  ): Promise<ModelFinish> {
    // A damaged file is told before the model is asked: its answer could not be kept.
    await readRecording(this.#path)
    options.signal.throwIfAborted()
    const deltas: ModelDelta[] = []
    const pass = (delta: ModelDelta) => {
      deltas.push(delta)
      sink(delta)
    }
    let finish: ModelFinish
    try {
      finish = await this.#model.stream(request, pass, options)
    } catch (thrown) {
      if (this.#isAnswer(thrown) && !options.signal.aborted) await this.#keep(described, { deltas, error: thrown.toData() })
      throw thrown
    }
    // What is no finish is for the engine to judge.
    if (isFinish(finish) && !options.signal.aborted) await this.#keep(described, { deltas, finish })
    return finish
  }

  /**
   * Errors that the same request would meet again. Others are of the hour, a limit, an outage, a key that was not set yet: kept by `auto`, they would be
   * played for ever, however often it is run again.
   */
  #isAnswer(thrown: unknown): thrown is RondoError {
    if (!RondoError.is(thrown) || thrown.category !== 'model') return false
    return this.#mode === 'record' || (ofTheRequest.has(thrown.code) && !isNotFound(thrown))
  }

  #keep(described: Described, answer: Answer): Promise<void> {
    if (this.#mode === 'auto') return addAnswer(this.#path, described, answer)
    const index = this.#recorded.get(described.fingerprint) ?? 0
    this.#recorded.set(described.fingerprint, index + 1)
    return addAnswer(this.#path, described, answer, index)
  }

  #missing({ purpose, messages }: Described, why: string): RondoError {
    const how = "To record it, run this outside of CI with mode 'auto' (or 'record', which asks for all anew), and commit the file."
    const what = `has no answer to this request (${purpose}, ${messages.length} message${messages.length === 1 ? '' : 's'})`
    return new RondoError('ModelBadRequest', `The recording ${this.#path} ${what}: ${why}. ${how}`)
  }
}

function answersTo({ requests }: Recording, fingerprint: string): readonly Answer[] {
  return requests.get(fingerprint)?.answers ?? []
}

function missingWords(described: Described, recording: Recording & { readonly exists: boolean }): string {
  if (!recording.exists) return 'there is no such file'
  const difference = nearestDifference(described, recording)
  return difference === undefined ? 'nothing is recorded' : `the one most like it differs in ${difference}`
}
