import type { RunEvent, RunResult } from '../index.ts'

export type StartedCall = Extract<RunEvent, { type: 'call.started' }>

/** Where a run is shown. Text of others comes as it is: a page makes it safe. */
export interface Page {
  /** Approvals are asked for on it, so that they need no note. */
  readonly asks: boolean
  /** A model call begins: text from here on is of one message. */
  begin(): void
  /** A piece of what the model says. */
  text(piece: string): void
  /** No more of this text. */
  textEnd(): void
  /** What the model has said in this message does not count. Returns whether any of it was shown. */
  retract(): boolean
  /** What it has said was said before calls: it is no answer. */
  commentary(): void
  /** Lines of ours, each with its newline. */
  lines(text: string): void
  /** A call runs; `undefined` once it does not. */
  running(callId: string, call: StartedCall | undefined): void
  /** What the model is at, in a word or two; `undefined` when it is not asked. */
  busy(what: string | undefined): void
  /** The run has ended or parked: writes an answer that was held back. */
  end(result: RunResult): void
  /** Stops all that moves. */
  still(): void
}
