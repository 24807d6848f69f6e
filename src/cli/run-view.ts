import type { RunEvent, RunResult } from '../index.ts'
import { callLine } from './call-line.ts'
import type { Page } from './page.ts'
import type { Output } from './terminal.ts'
import { againIn, oneLine, shorten, styled } from './text.ts'

const maxNoteLength = 240

/** Shows a run on a page while it happens. */
export class RunView {
  readonly #page: Page
  readonly #screen: Output

  /** `screen`: where lines of the page end up. */
  constructor(page: Page, screen: Output) {
    this.#page = page
    this.#screen = screen
  }

  event(event: RunEvent): void {
    const page = this.#page
    switch (event.type) {
      case 'text.delta':
        return page.text(event.text)
      case 'text.finished':
        return page.textEnd()
      case 'reasoning.started':
        return page.busy('reasoning')
      case 'model.started':
        page.begin()
        return page.busy('thinking')
      case 'model.finished':
        page.busy(undefined)
        page.textEnd()
        if (event.finishReason === 'tool-calls') page.commentary()
        return
      case 'model.failed':
        page.busy(undefined)
        // A failure that is final is told by the end of the run.
        if (event.retryInMs !== undefined) this.note(`The model call failed: ${event.error.message} ${againIn(event.retryInMs)}`)
        return
      case 'model.retracted':
        if (page.retract()) this.note('The text above does not count: the model is asked again.')
        return
      case 'call.started':
        return page.running(event.callId, event)
      case 'call.settled':
        page.running(event.callId, undefined)
        return page.lines(callLine(event, this.#screen))
      case 'call.deferred':
        return this.note(`${event.toolName} waits for a result from outside.`)
      case 'approval.requested':
        return page.asks ? undefined : this.note(`${event.toolName} waits for an approval.`)
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
        return page.still()
      case 'run.started':
      case 'run.status':
      case 'iteration.started':
      case 'iteration.finished':
      case 'message.added':
      case 'text.started':
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

  /** After the last event. */
  finish(result: RunResult): void {
    this.#page.end(result)
  }

  /** A remark; `text` may hold what others wrote. */
  note(text: string): void {
    this.#page.lines(`${styled(shorten(oneLine(text), maxNoteLength), 'yellow', this.#screen)}\n`)
  }
}
