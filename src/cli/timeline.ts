import { addUsage, type Entry, type EntryOf, type Json, type Message, noUsage, type Pending, type ToolCallPart, textOf } from '../index.ts'
import { callLine } from './call-line.ts'
import { type CallOutcome, outcomeOf } from './outcome-of.ts'
import { answerHint, waitingLines } from './pending-lines.ts'
import { summaryLines } from './summary.ts'
import type { Output, Terminal } from './terminal.ts'
import { againIn, dateAndTime, oneLine, plain, shorten, styled } from './text.ts'

const maxNoteLength = 240

interface RunTotals {
  readonly startedAt: number
  iterations: number
  calls: number
  usage: typeof noUsage
}

/** Prints a session's journal as what a person wants to know of it, entry by entry, so that a long one needs no memory. */
export class Timeline {
  readonly #sessionId: string
  readonly #terminal: Terminal
  readonly #out: Output
  readonly #runs = new Map<string, RunTotals>()
  /** Calls that have not settled. */
  readonly #calls = new Map<string, ToolCallPart>()
  /** Since when calls wait for an answer. */
  readonly #since = new Map<string, number>()
  /** The calls of entries that asked for an approval. */
  readonly #asked = new Map<string, string>()
  readonly #purposes = new Map<number, EntryOf<'model.started'>['data']['purpose']>()
  #runId = ''
  /** Lines of calls stand together, also when several model calls asked for them. */
  #afterCall = false
  /** A blank line is due before the next line. */
  #gap = false

  constructor(sessionId: string, terminal: Terminal) {
    this.#sessionId = sessionId
    this.#terminal = terminal
    this.#out = terminal.stdout
  }

  get hasOpenCalls(): boolean {
    return this.#calls.size > 0
  }

  entry(entry: Entry): void {
    const outcome = outcomeOf(entry)
    if (outcome !== undefined) return this.#settled(outcome)
    switch (entry.kind) {
      case 'session':
        return this.#session(entry)
      case 'run.requested':
        return this.#requested(entry)
      case 'message':
        return entry.data.hidden === true ? undefined : this.#message(entry.data.message)
      case 'run.claimed':
        this.#runId = entry.runId ?? this.#runId
        return entry.data.cause === 'resume' ? this.#note('resumed', entry.at) : undefined
      case 'model.started':
        this.#purposes.set(entry.data.n, entry.data.purpose)
        return
      case 'model.responded':
        return this.#responded(entry)
      case 'model.failed':
        return this.#failed(entry)
      case 'call.settled':
        return this.#note(`${this.#calls.get(entry.data.callId)?.toolName ?? 'a call'} goes on in the background`, entry.at)
      case 'control':
        return this.#note([entry.data.action, entry.data.reason].filter(Boolean).join(': '), entry.at)
      case 'approval.decided':
        return this.#decided(entry)
      case 'call.deferred':
        this.#since.set(entry.data.callId, entry.at)
        return this.#note(`${this.#calls.get(entry.data.callId)?.toolName ?? 'a call'} waits (${entry.data.why})`, entry.at)
      case 'history.revised':
        return this.#note(`the history was revised (${entry.data.reason})`, entry.at)
      case 'run.finished':
        return this.#finished(entry)
      case 'call.prepared':
        return this.#prepared(entry)
      case 'call.started':
      case 'custom':
        return
    }
  }

  /** After the last entry: what is not done, and what of it waits for an answer. */
  end(pending: readonly Pending[]): void {
    const waiting = new Set(pending.map(({ callId }) => callId))
    for (const { callId, toolName } of this.#calls.values()) if (!waiting.has(callId)) this.#note(`${toolName} has not settled`)
    for (const call of pending) {
      const about = { sessionId: this.#sessionId, since: this.#since.get(call.callId) }
      this.#block(waitingLines(call, about, this.#terminal, this.#out))
    }
    if (this.#runs.size === 0) return
    this.#block(`${styled('unfinished', 'yellow', this.#out)}\n${answerHint(pending, this.#out)}`)
  }

  #session({ data, at }: EntryOf<'session'>): void {
    const folder = data.metadata?.['folder']
    const where = typeof folder === 'string' ? ` in ${oneLine(folder)}` : ''
    this.#out.write(`${styled(`begun ${dateAndTime(at)}${where}`, 'dim', this.#out)}\n`)
  }

  #requested({ runId = '', data, at }: EntryOf<'run.requested'>): void {
    this.#runs.set(runId, { startedAt: at, iterations: 0, calls: 0, usage: noUsage })
    this.#runId = runId
    this.#block(`${styled(`run ${oneLine(runId)} · ${dateAndTime(at)}`, 'bold', this.#out)}\n`)
    for (const message of data.input) this.#message(message)
  }

  #message(message: Message): void {
    const text = plain(textOf(message)).trimEnd()
    const others = message.parts.filter(({ type }) => type === 'image' || type === 'file').map(({ type }) => `(${type})`)
    const lines = [...(text === '' ? [] : text.split('\n')), ...others]
    this.#line(lines.map((line) => `${styled('>', 'cyan', this.#out)} ${line}\n`).join(''))
  }

  #responded({ runId = this.#runId, data }: EntryOf<'model.responded'>): void {
    const run = this.#runs.get(runId)
    const purpose = this.#purposes.get(data.n) ?? 'main'
    this.#purposes.delete(data.n)
    if (run !== undefined) {
      if (purpose === 'main' || purpose === 'output') run.iterations++
      run.usage = addUsage(run.usage, data.usage)
    }
    const text = textOf(data.message).trim()
    // Behind a bar, so that none of its lines passes for one of the journal: a call, a yes, an end.
    const bar = styled('│', 'dim', this.#out)
    if (text !== '')
      this.#block(
        plain(text)
          .replace(/^.*$/gm, (line) => (line === '' ? bar : `${bar} ${line}`))
          .concat('\n'),
      )
    const calls = data.message.parts.filter((part) => part.type === 'tool-call')
    if (run !== undefined) run.calls += calls.length
    for (const call of calls) this.#calls.set(call.callId, call)
    if (calls.length > 0 && !this.#afterCall) this.#gap = true
    this.#afterCall = calls.length > 0
  }

  #failed({ runId = this.#runId, data, at }: EntryOf<'model.failed'>): void {
    const run = this.#runs.get(runId)
    if (run !== undefined) run.usage = addUsage(run.usage, data.usage ?? { ...noUsage, complete: false })
    const again = data.retryAt === undefined ? '' : ` ${againIn(data.retryAt - at)}`
    this.#note(`model call ${data.cause ?? 'failed'}: ${data.error.message}${again}`, at)
  }

  #prepared({ id, at, data }: EntryOf<'call.prepared'>): void {
    const { callId, arguments: changed, approval } = data
    if (changed !== undefined) this.#change(callId, changed)
    if (approval === undefined) return
    this.#asked.set(id, callId)
    this.#since.set(callId, at)
  }

  #decided({ at, data }: EntryOf<'approval.decided'>): void {
    const { request, decision, by, arguments: changed } = data
    const callId = this.#asked.get(request) ?? ''
    this.#asked.delete(request)
    const toolName = this.#calls.get(callId)?.toolName
    const call = toolName === undefined ? '' : ` of ${toolName} ${callId}`
    // What was decided with them is what is told from here on, also where they were refused then.
    if (changed !== undefined) this.#change(callId, changed)
    const edited = changed === undefined ? '' : ', with other arguments'
    this.#note(`approval${call}: ${decision}${by === undefined ? '' : ` by ${by}`}${edited}`, at)
  }

  #change(callId: string, input: Json): void {
    const call = this.#calls.get(callId)
    if (call !== undefined) this.#calls.set(callId, { ...call, input })
  }

  #settled({ callId, settlement, durationMs }: CallOutcome): void {
    const part = this.#calls.get(callId)
    this.#calls.delete(callId)
    this.#since.delete(callId)
    const call = { toolName: part?.toolName ?? callId, input: part?.input ?? {}, ...settlement }
    this.#line(callLine(durationMs === undefined ? call : { ...call, durationMs }, this.#out))
  }

  #finished({ runId = this.#runId, data, at }: EntryOf<'run.finished'>): void {
    const run = this.#runs.get(runId) ?? { startedAt: at, iterations: 0, calls: 0, usage: noUsage }
    this.#runs.delete(runId)
    const { iterations, calls, usage, startedAt } = run
    this.#block(summaryLines({ ...data, iterations, calls, usage, durationMs: at - startedAt }, this.#out))
  }

  #note(text: string, at?: number): void {
    const time = at === undefined ? '' : `${dateAndTime(at)} `
    this.#line(`${styled(`· ${time}${shorten(oneLine(text), maxNoteLength)}`, 'dim', this.#out)}\n`)
  }

  #line(text: string): void {
    this.#out.write(this.#gap ? `\n${text}` : text)
    this.#gap = false
  }

  /** Set off by a blank line. */
  #block(text: string): void {
    this.#afterCall = false
    this.#gap = false
    this.#out.write(`\n${text}`)
  }
}
