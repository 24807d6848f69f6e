import { type RunEvent, textOf } from '../index.ts'
import { oneLine, shorten } from './text.ts'

/** Columns of previews: of a result, of a text of the model, of what the user said. */
const previews = { result: 200, text: 100, user: 50 } as const

/** The run as a log, one line per fact, each behind a tag in brackets. */
export class TaggedLog {
  readonly #line: (line: string) => void
  #text = ''
  #asked = true

  constructor(line: (line: string) => void) {
    this.#line = line
  }

  say(tag: string, text: string): void {
    this.#line(`[${tag}] ${oneLine(text)}`)
  }

  event(event: RunEvent): void {
    switch (event.type) {
      case 'run.started':
        for (const message of event.input) this.say('AGENT', `Task: ${preview(textOf(message), previews.user)}`)
        return
      case 'model.started':
        this.#text = ''
        return this.say('LLM', `Asking ${event.model} (iteration ${event.iteration}, attempt ${event.attempt})`)
      case 'text.delta':
        // No more is shown of it.
        if (this.#text.length < previews.text * 4) this.#text += event.text
        return
      case 'model.finished': {
        const { usage } = event
        if (event.model !== undefined) this.say('LLM', `Answered by: ${event.model}`)
        this.say('LLM', `Response stop_reason: ${stopReason(event.finishReason)}`)
        this.say('LLM', `Tokens: ${usage.inputTokens} in, ${usage.outputTokens} out`)
        if (this.#text.trim() !== '') this.say('LLM', `Text: ${preview(this.#text, previews.text)}`)
        this.#asked = event.finishReason === 'tool-calls'
        return
      }
      case 'model.failed':
        return this.say(
          'ERROR',
          `The model call failed: ${event.error.message}${event.retryInMs === undefined ? '' : ` Again in ${event.retryInMs} ms.`}`,
        )
      case 'model.retracted':
        // None of it was told.
        this.#text = ''
        return
      case 'approval.requested':
        return this.say('ACT', `Waiting for an approval: ${event.toolName} ${event.callId}`)
      case 'approval.decided':
        return this.say('ACT', `${event.toolName} ${event.callId}: ${event.decision}${event.by === undefined ? '' : ` by ${event.by}`}`)
      case 'call.started':
        this.say('ACT', `Executing tool: ${event.toolName}`)
        return this.say('ACT', `Arguments: ${preview(JSON.stringify(event.input), previews.result)}`)
      case 'call.settled': {
        if (event.outcome !== 'ok') return this.say('OBSERVE', `Result ${event.outcome}: ${preview(event.error.message, previews.result)}`)
        const text = typeof event.output === 'string' ? event.output : (JSON.stringify(event.output) ?? '')
        return this.say('OBSERVE', `Result preview: ${preview(text, previews.result)}`)
      }
      case 'limit.warning':
        return this.say('AGENT', `${event.used} of ${event.of} used of the limit ${event.limit}`)
      case 'hook.failed':
        return this.say('ERROR', `The hook ${event.hook} failed: ${event.error.message}`)
      default:
        return
    }
  }

  /** After the last event. */
  end(): void {
    if (!this.#asked) this.say('THINK', 'No tools were asked for, ending loop')
  }
}

/** In the words that most providers share. */
function stopReason(reason: string): string {
  if (reason === 'tool-calls') return 'tool_use'
  return reason === 'stop' ? 'end_turn' : reason
}

/** The beginning, with `...` where it is cut. */
function preview(text: string, columns: number): string {
  // A text that could never fit is not looked at as a whole.
  const line = oneLine(text.slice(0, columns * 16))
  const cut = shorten(line, columns)
  return cut === line && text.length <= columns * 16 ? line : `${cut.replace(/…$/, '')}...`
}
