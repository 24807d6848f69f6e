import { RondoError, type RunEvent, type RunResult, textOf } from '../../index.ts'
import { samePressMs } from '../follow-run.ts'
import { LivePage } from '../live-page.ts'
import { RunView } from '../run-view.ts'
import { sandboxLines } from '../sandbox-lines.ts'
import type { Key } from '../screen/keys.ts'
import { markdownLines } from '../screen/markdown.ts'
import { openStand, type Stand } from '../stand.ts'
import { commandName, exitCodeOf, summaryLines, summaryOf } from '../summary.ts'
import { CannotRun, type Interruption, type Terminal } from '../terminal.ts'
import { oneLine, plain, sessionWord, styled } from '../text.ts'
import { Composer } from './composer.ts'
import { ChatHistory } from './history.ts'
import type { ChatSettings } from './settings.ts'
import { slashOf } from './slash.ts'
import { Slashes } from './slashes.ts'
import { Talk } from './talk.ts'

/** A second Ctrl-C within this time (ms) leaves. */
const leaveWithinMs = 2_000

/** A conversation on a terminal; resolves with the exit code when it is left. */
export function chatOnScreen(settings: ChatSettings, sessionId: string | undefined, first: string, terminal: Terminal): Promise<number> {
  return new ScreenChat(settings, terminal).talk(sessionId, first)
}

class ScreenChat {
  readonly #settings: ChatSettings
  readonly #terminal: Terminal
  readonly #stand: Stand
  readonly #composer: Composer
  readonly #page: LivePage
  readonly #view: RunView
  #talk: Talk
  #interruptedAt = Number.NEGATIVE_INFINITY
  #leaves = false
  #endedAt: number | undefined
  /** Of the last run. */
  #code = 0
  #wake = () => {}
  readonly #queue: string[] = []

  constructor(settings: ChatSettings, terminal: Terminal) {
    const stand = openStand(terminal, {
      planned: (call) => settings.toolset.planned(call),
      decide: async (decision) => this.#talk.drive?.decide(decision),
      isWriting: () => !this.#composer.isEmpty,
      changed: () => this.#composer.show(),
      onInterrupt: () => this.#interrupted(),
      onKey: (key) => this.#key(key),
      onResize: () => this.#composer.show(),
    })
    if (stand === undefined) throw new CannotRun('This terminal can’t be drawn on: give the chat lines on standard input.')
    this.#settings = settings
    this.#terminal = terminal
    this.#stand = stand
    this.#page = new LivePage(terminal, stand.screen)
    this.#view = new RunView(this.#page, terminal.stderr)
    this.#composer = new Composer(stand.screen, terminal.stdout, new ChatHistory(terminal), {
      submit: (text) => this.#submitted(text),
      isHidden: () => stand.desk.isAsking,
    })
    this.#talk = this.#begin(undefined)
  }

  async talk(sessionId: string | undefined, first: string): Promise<number> {
    const stop = this.#terminal.onInterruption((why) => this.#ended(why))
    try {
      this.#say(`${styled(`${oneLine(this.#settings.chosen.line)}`, 'dim', this.#terminal.stdout)}\n`)
      this.#say(`${styled(`In ${oneLine(this.#settings.folder)} · /help shows commands and keys`, 'dim', this.#terminal.stdout)}\n`)
      this.#composer.show()
      await this.#open(sessionId)
      if (first !== '') this.#submitted(first)
      while (!this.#leaves) {
        const text = this.#queue.shift()
        if (text === undefined)
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
        else await this.#turn(text)
      }
    } finally {
      stop()
      this.#stand.close()
    }
    await this.#sayGoodbye()
    return this.#code
  }

  #begin(sessionId: string | undefined): Talk {
    const listener = { event: (event: RunEvent) => this.#view.event(event), answering: this.#stand.desk }
    return new Talk(this.#settings, listener, sessionId)
  }

  /** Goes on with a session: shows how it ended, and drives a run on that has not. */
  async #open(sessionId: string | undefined): Promise<void> {
    this.#talk = this.#begin(sessionId)
    if (sessionId === undefined) return
    await this.#guarded(async () => {
      await this.#showEnd(sessionId)
      return this.#talk.goOn()
    })
  }

  /** The last question and the last answer. */
  async #showEnd(sessionId: string): Promise<void> {
    const last: { user?: string; assistant?: string } = {}
    try {
      for await (const message of this.#talk.agent.session(sessionId).messages()) {
        const text = textOf(message).trim()
        if (text === '' || (message.role !== 'user' && message.role !== 'assistant')) continue
        if (message.role === 'user') delete last.assistant
        last[message.role] = text
      }
    } catch (error) {
      if (!RondoError.is(error) || error.code !== 'SessionNotFound') throw error
      return this.#say(`${styled(`Session ${oneLine(sessionId)} is new.`, 'dim', this.#terminal.stdout)}\n`)
    }
    this.#say(`${styled(`Session ${oneLine(sessionId)}; it ended with:`, 'dim', this.#terminal.stdout)}\n`)
    if (last.user !== undefined) this.#echo(last.user)
    const { stdout } = this.#terminal
    if (last.assistant !== undefined)
      this.#say(
        `\n${markdownLines(last.assistant, this.#stand.screen.textWidth, stdout)
          .map((line) => `${line}\n`)
          .join('')}`,
      )
  }

  async #turn(text: string): Promise<void> {
    const slash = slashOf(text)
    if (slash === undefined) {
      this.#echo(text)
      await this.#guarded(() => this.#talk.say(text.replace(/^\/\//, '/')))
      return
    }
    this.#page.block(`${styled(oneLine(text), 'cyan', this.#terminal.stdout)}\n`)
    const slashes = new Slashes(this.#settings, this.#terminal, {
      sessionId: this.#talk.sessionId,
      say: (said) => this.#say(said),
      open: (id) => this.#open(id),
      leave: () => {
        this.#leaves = true
      },
    })
    // A command that can't be done is no run that failed.
    await this.#guarded(() => slashes.run(slash), this.#code)
  }

  /** What goes wrong is told; the conversation goes on. */
  async #guarded(work: () => Promise<RunResult | undefined>, codeOfError = 1): Promise<void> {
    const since = this.#terminal.now()
    try {
      const result = await work()
      if (result === undefined) return
      this.#page.end()
      this.#code = exitCodeOf(result)
      this.#page.block(summaryLines(summaryOf(result, this.#terminal.now() - since), this.#terminal.stdout))
    } catch (error) {
      if (!RondoError.is(error) && !(error instanceof CannotRun)) throw error
      this.#page.end()
      this.#code = codeOfError
      this.#say(`${styled(plain(error.message), 'red', this.#terminal.stdout)}\n`)
    }
  }

  #key(key: Key): void {
    if (key.kind === 'key' && key.name === 'ctrl-d') return this.#endOfInput()
    if (key.kind === 'key' && key.name === 'ctrl-l') return this.#stand.screen.clear()
    this.#composer.key(key)
    this.#stand.desk.show()
  }

  #submitted(text: string): void {
    const { run } = this.#talk
    if (run === undefined || slashOf(text) !== undefined) {
      if (this.#talk.isBusy && slashOf(text)?.name === 'quit') return this.#endOfInput()
      if (this.#talk.isBusy) this.#composer.hint('Comes when the agent is done.')
      this.#queue.push(text)
      return this.#wake()
    }
    this.#echo(text, 'read before the next step')
    run.send(text.replace(/^\/\//, '/')).catch((error: unknown) => {
      // It has ended in this instant: said to the next one.
      this.#queue.push(text)
      if (!RondoError.is(error)) throw error
      this.#wake()
    })
  }

  #echo(text: string, note?: string): void {
    const { stdout } = this.#terminal
    const lines = plain(text).trimEnd().split('\n')
    const remark = note === undefined ? '' : `${styled(`  (${note})`, 'dim', stdout)}\n`
    this.#page.block(`${lines.map((line) => `${styled('>', 'cyan', stdout)} ${line}\n`).join('')}${remark}`)
  }

  #say(text: string): void {
    this.#stand.screen.print(text)
  }

  /** Ctrl-C: stops the agent, or clears the line; a second one leaves. */
  #interrupted(): void {
    const again = this.#terminal.now() - this.#interruptedAt < leaveWithinMs
    this.#interruptedAt = this.#terminal.now()
    if (this.#talk.isBusy) {
      if (again) return this.#hardExit()
      this.#view.note('aborting …')
      return this.#talk.abort('Interrupted by Ctrl-C.')
    }
    if (again) return this.#leave()
    if (!this.#composer.isEmpty) {
      this.#interruptedAt = Number.NEGATIVE_INFINITY
      return this.#composer.clear()
    }
    this.#composer.hint('Ctrl-C once more leaves.')
  }

  #hardExit(): void {
    this.#stand.close()
    this.#terminal.exit(130)
  }

  /** Ctrl-D: leaves. A call that waits for an approval waits on. */
  #endOfInput(): void {
    if (!this.#composer.isEmpty && !this.#stand.desk.isAsking) return
    if (this.#stand.desk.isAsking) {
      this.#leaves = true
      this.#talk.drive?.leave()
      return
    }
    if (this.#talk.isBusy) return this.#composer.hint('The agent is at work: Ctrl-C stops it.')
    this.#leave()
  }

  /** A second one does not wait for a tool that ignores the first. */
  #ended(why: Interruption): void {
    const now = this.#terminal.now()
    if (this.#endedAt !== undefined) return why !== 'reader-gone' && now - this.#endedAt >= samePressMs ? this.#hardExit() : undefined
    this.#endedAt = now
    this.#leaves = true
    this.#code = 130
    this.#talk.abort(`Ended by ${why}.`)
    this.#wake()
  }

  #leave(): void {
    this.#leaves = true
    this.#wake()
  }

  async #sayGoodbye(): Promise<void> {
    this.#terminal.stdout.write(await sandboxLines(this.#settings.toolset.sandbox, this.#terminal.stdout))
    const { sessionId } = this.#talk
    if (sessionId === undefined || !this.#settings.kept) return
    const { stdout } = this.#terminal
    const command = `${commandName(this.#terminal)} chat --resume ${sessionWord(sessionId)}`
    stdout.write(`${styled(`To go on: ${command}`, 'dim', stdout)}\n`)
  }
}
