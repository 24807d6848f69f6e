import type { RunEvent, RunResult } from '../index.ts'
import { callLine, runningLine } from './call-line.ts'
import type { Output, Terminal } from './terminal.ts'
import { againIn, oneLine, plain, shorten, styled } from './text.ts'

/** A call that is not done after this time (ms) is announced on a screen. */
const announceAfterMs = 300
const maxNoteLength = 240

/**
 * Shows a run while it happens. The answer goes to stdout, all else to stderr. On a screen the answer appears as it comes; elsewhere
 * it is written once, when it is certain that no call follows and that it is not taken back.
 */
export class RunView {
  readonly #terminal: Terminal
  readonly #running = new Map<string, () => void>()
  /** Text of the message at hand that has not been written. */
  #held = ''
  /** Of the message at hand, some has been shown. */
  #shown = false
  /** The cursor stands after text that has no newline yet. */
  #midLine = false
  /** Something stands above, so that a blank line sets the next block off. */
  #below: 'nothing' | 'calls' | 'text' = 'nothing'

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  event(event: RunEvent): void {
    switch (event.type) {
      case 'text.delta':
        return this.#text(event.text)
      case 'text.finished':
        return this.#endLine()
      case 'model.started':
        this.#held = ''
        this.#shown = false
        return
      case 'model.finished':
        this.#endLine()
        if (event.finishReason === 'tool-calls') this.#commentary()
        return
      case 'model.failed':
        // A failure that is final is told by the end of the run.
        if (event.retryInMs !== undefined) this.note(`The model call failed: ${event.error.message} ${againIn(event.retryInMs)}`)
        return
      case 'model.retracted':
        this.#held = ''
        return this.#shown ? this.note('The text above does not count: the model is asked again.') : undefined
      case 'call.started':
        return this.#started(event)
      case 'call.settled':
        return this.#settled(event)
      case 'call.deferred':
        return this.note(`${event.toolName} waits for a result from outside.`)
      case 'approval.requested':
        return this.note(`${event.toolName} waits for an approval.`)
      case 'approval.decided':
        return this.note(`${event.toolName}: ${event.decision}${event.by === undefined ? '' : ` by ${event.by}`}.`)
      case 'history.revised':
        return this.note(`The history was shortened from ${event.tokensBefore} to ${event.tokensAfter} tokens.`)
      case 'limit.warning':
        return this.note(`${event.used} of ${event.of} used of the limit ${event.limit}.`)
      case 'hook.failed':
        return this.note(`The hook ${event.hook} failed: ${event.error.message}`)
      case 'run.parked':
      case 'run.finished':
        return this.#stopTimers()
      case 'run.started':
      case 'run.status':
      case 'iteration.started':
      case 'iteration.finished':
      case 'message.added':
      case 'text.started':
      case 'reasoning.started':
      case 'reasoning.delta':
      case 'reasoning.finished':
      case 'output.partial':
      case 'call.input.delta':
      case 'call.announced':
      case 'call.progress':
      case 'usage.updated':
        return
    }
  }

  /** After the last event: writes an answer that was held back, and closes the line. */
  finish(result: RunResult): void {
    this.#stopTimers()
    this.#endLine()
    const { stdout, stderr } = this.#terminal
    // What was said before calls that wait is no answer, and has been told.
    if (stdout.isTTY || result.text === '' || result.status === 'parked') return
    // Both may go into one file; on a screen that shows only stderr it would be one blank line too many.
    if (!stderr.isTTY && this.#below !== 'nothing') stderr.write('\n')
    stdout.write(withNewline(plain(result.text)))
  }

  /** A remark on stderr; `text` may hold what others wrote. */
  note(text: string): void {
    this.#line(`${styled(shorten(oneLine(text), maxNoteLength), 'yellow', this.#terminal.stderr)}\n`)
  }

  #started(call: Extract<RunEvent, { type: 'call.started' }>): void {
    const { stderr } = this.#terminal
    if (!stderr.isTTY) return
    this.#running.get(call.callId)?.()
    const cancel = this.#terminal.after(announceAfterMs, () => this.#line(runningLine(call, stderr)))
    this.#running.set(call.callId, cancel)
  }

  #settled(call: Extract<RunEvent, { type: 'call.settled' }>): void {
    this.#running.get(call.callId)?.()
    this.#running.delete(call.callId)
    this.#line(callLine(call, this.#terminal.stderr))
  }

  #line(text: string): void {
    this.#endLine()
    if (this.#below === 'text') this.#terminal.stderr.write('\n')
    this.#below = 'calls'
    this.#terminal.stderr.write(text)
  }

  #text(text: string): void {
    const { stdout } = this.#terminal
    this.#held += text
    if (!stdout.isTTY || /^\s*$/.test(this.#held)) return
    // The second half of a character may come with the next piece.
    const cut = /[\ud800-\udbff]$/.test(this.#held) ? this.#held.length - 1 : this.#held.length
    this.#show(stdout, this.#held.slice(0, cut))
    this.#held = this.#held.slice(cut)
  }

  #show(output: Output, text: string): void {
    if (text === '') return
    if (!this.#shown && this.#below !== 'nothing') this.#terminal.stderr.write('\n')
    this.#shown = true
    this.#below = 'text'
    const safe = plain(text)
    output.write(safe)
    this.#midLine = !safe.endsWith('\n')
  }

  /** What the model says before it calls tools is no part of the answer. */
  #commentary(): void {
    if (this.#held.trim() !== '') this.#show(this.#terminal.stderr, withNewline(this.#held))
    this.#held = ''
  }

  #endLine(): void {
    if (this.#midLine) this.#terminal.stdout.write('\n')
    this.#midLine = false
  }

  #stopTimers(): void {
    for (const cancel of this.#running.values()) cancel()
    this.#running.clear()
  }
}

function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
