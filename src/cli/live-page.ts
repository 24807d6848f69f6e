import { runningLine } from './call-line.ts'
import type { Page, StartedCall } from './page.ts'
import type { LiveScreen } from './screen/live.ts'
import { MarkdownStream } from './screen/markdown-stream.ts'
import { Ticker } from './screen/ticker.ts'
import type { Terminal } from './terminal.ts'
import { duration, styled } from './text.ts'

/** A call that is done sooner (ms) is not shown before. */
const announceAfterMs = 300
/** Calls that run are named up to so many. */
const maxRunning = 6
/** From here on (ms) the time that something takes is told. */
const timeAfterMs = 2_000

/** A page on a screen whose end is drawn again and again: text under way, what runs, a spinner. All that is final is printed above that. */
export class LivePage implements Page {
  readonly asks = true
  readonly #terminal: Terminal
  readonly #screen: LiveScreen
  readonly #markdown: MarkdownStream
  readonly #ticker: Ticker
  readonly #running = new Map<string, { readonly call: StartedCall; readonly since: number }>()
  #busy: { readonly what: string; readonly since: number } | undefined
  #frame = ''
  /** Of the message at hand, lines have been printed. */
  #shown = false
  #below: 'nothing' | 'calls' | 'text' = 'nothing'

  constructor(terminal: Terminal, screen: LiveScreen) {
    this.#terminal = terminal
    this.#screen = screen
    this.#markdown = new MarkdownStream(() => screen.textWidth, terminal.stdout)
    this.#ticker = new Ticker(terminal, (frame) => {
      this.#frame = frame
      this.#status()
    })
  }

  begin(): void {
    this.#markdown.end()
    this.#shown = false
    this.#screen.show('preview')
  }

  text(piece: string): void {
    this.busy(undefined)
    this.#printed(this.#markdown.add(piece))
    const preview = this.#markdown.preview()
    const gap = !this.#shown && this.#below !== 'nothing' && preview.length > 0 ? [''] : []
    this.#screen.show('preview', { lines: [...gap, ...preview] })
  }

  textEnd(): void {
    this.#printed(this.#markdown.end())
    this.#screen.show('preview')
  }

  retract(): boolean {
    this.#markdown.end()
    this.#screen.show('preview')
    return this.#shown
  }

  commentary(): void {}

  lines(text: string): void {
    this.textEnd()
    const gap = this.#below === 'text' ? '\n' : ''
    this.#below = 'calls'
    this.#screen.print(`${gap}${text}`)
  }

  /** Lines of ours that are set off from all above. */
  block(text: string): void {
    this.textEnd()
    this.#below = 'calls'
    this.#screen.print(`\n${text}`)
  }

  running(callId: string, call: StartedCall | undefined): void {
    if (call === undefined) this.#running.delete(callId)
    else this.#running.set(callId, { call, since: this.#terminal.now() })
    this.#tick()
  }

  busy(what: string | undefined): void {
    if (what === this.#busy?.what) return
    this.#busy = what === undefined ? undefined : { what, since: this.#terminal.now() }
    this.#tick()
  }

  end(): void {
    this.still()
    this.textEnd()
  }

  still(): void {
    this.#running.clear()
    this.#busy = undefined
    this.#tick()
  }

  #tick(): void {
    if (this.#busy !== undefined || this.#running.size > 0) return this.#ticker.start()
    this.#ticker.stop()
    this.#screen.show('status')
  }

  #status(): void {
    const { stderr } = this.#terminal
    const now = this.#terminal.now()
    const old = [...this.#running.values()].filter(({ since }) => now - since >= announceAfterMs)
    const lines = old
      .slice(0, maxRunning)
      .map(({ call, since }) => runningLine(call, stderr, { mark: this.#frame, since: took(now - since) }).trimEnd())
    if (old.length > maxRunning) lines.push(styled(`  and ${old.length - maxRunning} more`, 'dim', stderr))
    if (this.#busy !== undefined && this.#running.size === 0) {
      const { what, since } = this.#busy
      lines.push(styled(`${this.#frame} ${what} …${took(now - since)}`, 'dim', stderr))
    }
    this.#screen.show('status', { lines: lines.length > 0 && this.#below === 'text' ? ['', ...lines] : lines })
  }

  #printed(lines: readonly string[]): void {
    if (lines.length === 0) return
    const gap = !this.#shown && this.#below !== 'nothing' ? '\n' : ''
    this.#shown = true
    this.#below = 'text'
    this.#screen.print(`${gap}${lines.map((line) => `${line}\n`).join('')}`)
  }
}

function took(ms: number): string {
  return ms < timeAfterMs ? '' : ` ${duration(Math.floor(ms / 1000) * 1000)}`
}
