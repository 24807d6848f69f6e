import type { RunResult } from '../index.ts'
import { runningLine } from './call-line.ts'
import type { Page, StartedCall } from './page.ts'
import type { Output, Terminal } from './terminal.ts'
import { plain, withNewline } from './text.ts'

/** A call that is not done after this time (ms) is announced on a screen. */
const announceAfterMs = 300

/**
 * A page that only grows. The answer goes to stdout, all else to stderr, or nowhere (`quiet`). On a screen the answer appears as it comes; elsewhere it is
 * written once, when it is certain that no call follows and that it is not taken back.
 */
export class PlainPage implements Page {
  readonly asks = false
  readonly #terminal: Terminal
  readonly #quiet: boolean
  readonly #running = new Map<string, () => void>()
  /** Text of the message at hand that has not been written. */
  #held = ''
  /** Of the message at hand, some has been shown. */
  #shown = false
  /** The cursor stands after text that has no newline yet. */
  #midLine = false
  /** Something stands above, so that a blank line sets the next block off. */
  #below: 'nothing' | 'calls' | 'text' = 'nothing'

  constructor(terminal: Terminal, quiet = false) {
    this.#terminal = terminal
    this.#quiet = quiet
  }

  begin(): void {
    this.#held = ''
    this.#shown = false
  }

  text(piece: string): void {
    const { stdout } = this.#terminal
    this.#held += piece
    if (!stdout.isTTY || /^\s*$/.test(this.#held)) return
    // The second half of a character may come with the next piece.
    const cut = /[\ud800-\udbff]$/.test(this.#held) ? this.#held.length - 1 : this.#held.length
    this.#show(stdout, this.#held.slice(0, cut))
    this.#held = this.#held.slice(cut)
  }

  textEnd(): void {
    if (this.#midLine) this.#terminal.stdout.write('\n')
    this.#midLine = false
  }

  retract(): boolean {
    this.#held = ''
    return this.#shown
  }

  commentary(): void {
    if (this.#held.trim() !== '' && !this.#quiet) this.#show(this.#terminal.stderr, withNewline(this.#held))
    this.#held = ''
  }

  lines(text: string): void {
    this.textEnd()
    if (this.#quiet) return
    if (this.#below === 'text') this.#terminal.stderr.write('\n')
    this.#below = 'calls'
    this.#terminal.stderr.write(text)
  }

  running(callId: string, call: StartedCall | undefined): void {
    const { stderr } = this.#terminal
    this.#running.get(callId)?.()
    this.#running.delete(callId)
    if (call === undefined || !stderr.isTTY || this.#quiet) return
    this.#running.set(
      callId,
      this.#terminal.after(announceAfterMs, () => this.lines(runningLine(call, stderr))),
    )
  }

  busy(): void {}

  end(result: RunResult): void {
    this.still()
    this.textEnd()
    const { stdout, stderr } = this.#terminal
    // What was said before calls that wait is no answer, and has been told.
    if (stdout.isTTY || result.text === '' || result.status === 'parked') return
    // Both may go into one file; on a screen that shows only stderr it would be one blank line too many.
    if (!stderr.isTTY && this.#below !== 'nothing') stderr.write('\n')
    stdout.write(withNewline(plain(result.text)))
  }

  still(): void {
    for (const cancel of this.#running.values()) cancel()
    this.#running.clear()
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
}
