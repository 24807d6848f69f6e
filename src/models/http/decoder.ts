import type { ModelFinish } from '../../core/model.ts'
import type { Answerer } from '../errors.ts'

/**
 * Reads the events of one response and says what they hold as deltas. How a body is cut into events is the matter of `ApiResponse`. What
 * nobody can read is a `ModelServerError`; an error that the server tells in its answer is thrown by `streamError`.
 */
export interface ResponseDecoder {
  /** One event: its data and, where it has one, its name. A line of a body of JSON lines; an element of a body that is a JSON array. */
  push(data: string, name?: string): void
  /** Of an event stream: may take events out of a piece itself, and says where the first one begins that it has not taken (`SseOptions`). */
  takeRun?(piece: string, from: number): number
  /** What stands after the last event: it may lack its end (B095), or be the beginning of an event that was cut off. */
  pushRest(data: string): void
  /** What has been read and is held goes out: at the end of each piece of the body. */
  flush(): void
  /** Whether the server has said that nothing follows. */
  readonly isDone: boolean
  /** A JSON body that came at once. Says whether it is an answer of this API at all; throws the error that it tells of. */
  whole(body: unknown): boolean
  /** The end of the body. Throws when the response is not complete. */
  end(): ModelFinish
}

/** Whom a request went to, and what is known of the model and the server. */
export interface ApiAnswerer extends Answerer {
  /** What its API is called: `a Chat Completions API`. */
  readonly answerOf: string
  /** Tokens. */
  readonly contextWindow?: number | undefined
  /** This server answers 400 and nothing else when the input is too long. Default false. */
  readonly emptyMeansOverflow?: boolean | undefined
  /** This API says so when the input is too long: an answer whose counts or whose reason look like it is one all the same. Default false. */
  readonly tellsOverflow?: boolean | undefined
  /**
   * What a body that begins as JSON is: one answer (default), lines of JSON (also where there is but one), or, should it begin with `[`, a
   * list of events.
   */
  readonly json?: 'whole' | 'lines' | 'list' | undefined
}
