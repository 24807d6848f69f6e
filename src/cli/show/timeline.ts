import { type Entry, type EntryOf, type Message, noUsage, type Pending, type ToolCallPart, textOf, type Usage } from '../../index.ts'
import { type CallOutcome, outcomeOf } from '../outcome-of.ts'
import { answerHint, waitingLines } from '../pending-lines.ts'
import { remarks } from '../summary.ts'
import type { Output, Terminal } from '../terminal.ts'
import { dateAndTime, oneLine, shorten, styled, wrapped } from '../text.ts'
import { OpenCall } from './open-call.ts'
import { OpenModelCall } from './open-model-call.ts'
import { asked, linesToQuote, quoted, said } from './quoted.ts'
import { callRow, detail, modelRow, noteRow, openCallRow, remarkLines, runHeader, sessionHeader } from './rows.ts'
import { RunTotals } from './run-totals.ts'
import { wholeCall } from './whole-call.ts'

const maxNoteLength = 240

export interface TimelineOptions {
  readonly sessionId: string
  /** Arguments and results of calls as a whole. */
  readonly verbose: boolean
}

/**
 * Prints a session's journal as what a person wants to know of it: a row for each model call and each tool call, printed when its outcome comes.
 * It keeps what is open and nothing else, so that a long journal needs no memory.
 */
export class Timeline {
  readonly #options: TimelineOptions
  readonly #terminal: Terminal
  readonly #out: Output
  readonly #runs = new Map<string, RunTotals>()
  readonly #models = new Map<number, OpenModelCall>()
  readonly #calls = new Map<string, OpenCall>()
  /** The calls of entries that asked for an approval. */
  readonly #asked = new Map<string, string>()
  #claims = 0
  /** The run under whose header the rows stand, and the day of the last time that was told. */
  #runId = ''
  #day = ''
  /** What was written last: rows stand together, also those of several model calls that said nothing. */
  #last: 'header' | 'row' | 'text' = 'header'

  constructor(options: TimelineOptions, terminal: Terminal) {
    this.#options = options
    this.#terminal = terminal
    this.#out = terminal.stdout
  }

  get hasOpenCalls(): boolean {
    return this.#calls.size > 0
  }

  isOpen(callId: string): boolean {
    return this.#calls.has(callId)
  }

  entry(entry: Entry): void {
    const outcome = outcomeOf(entry)
    if (outcome !== undefined) return this.#settled(outcome, entry)
    switch (entry.kind) {
      case 'session':
        return this.#session(entry)
      case 'run.requested':
        return this.#requested(entry)
      case 'message':
        return entry.data.hidden === true ? undefined : this.#message(entry.data.message)
      case 'run.claimed':
        this.#claims++
        return entry.data.cause === 'resume' ? this.#note('resumed', entry.at) : undefined
      case 'model.started':
        return this.#modelStarted(entry)
      case 'model.responded':
        return this.#responded(entry)
      case 'model.failed':
        return this.#modelFailed(entry)
      case 'call.prepared':
        return this.#prepared(entry)
      case 'call.started':
        return this.#calls.get(entry.data.callId)?.started(entry.at, this.#claims)
      case 'call.settled':
        return this.#note(`${this.#calls.get(entry.data.callId)?.part.toolName ?? 'a call'} goes on in the background`, entry.at)
      case 'call.deferred':
        return this.#calls.get(entry.data.callId)?.deferred(entry)
      case 'approval.decided':
        return this.#decided(entry)
      case 'control':
        return this.#note(controlText(entry), entry.at)
      case 'history.revised':
        return this.#note(`the history was revised (${entry.data.reason})`, entry.at)
      case 'run.finished':
        return this.#finished(entry)
      case 'custom':
        return
    }
  }

  /** After the last entry: what is not done, and what of it waits for an answer. */
  end(pending: readonly Pending[]): void {
    const waiting = new Set(pending.map(({ callId }) => callId))
    for (const call of this.#models.values()) {
      if (this.#last === 'text') this.#out.write('\n')
      const view = { n: call.n, state: 'open', end: 'no answer yet' } as const
      this.#row(modelRow(view, call.startedAt, this.#out) + remarkLines(call.failures, this.#out), call.startedAt)
    }
    for (const { part, input, startedAt, details } of this.#calls.values())
      if (!waiting.has(part.callId))
        this.#row(openCallRow(part.toolName, input, startedAt, this.#out) + detail(details, this.#out), startedAt)
    for (const call of pending) {
      const about = { sessionId: this.#options.sessionId, since: this.#calls.get(call.callId)?.waitsSince }
      this.#block(waitingLines(call, about, this.#terminal, this.#out))
    }
    if (this.#runs.size === 0) return
    this.#block(`${styled('unfinished', 'yellow', this.#out)}\n${answerHint(pending, this.#out)}`)
  }

  #session({ data, at }: EntryOf<'session'>): void {
    const folder = data.metadata?.['folder']
    const where = typeof folder === 'string' ? ` in ${oneLine(folder)}` : ''
    this.#out.write(sessionHeader(this.#options.sessionId, `begun ${dateAndTime(at)}${where}`, this.#out))
  }

  #requested({ runId = '', data, at }: EntryOf<'run.requested'>): void {
    this.#runs.set(runId, new RunTotals(at))
    this.#header(runId, dateAndTime(at))
    this.#day = dayOf(at)
    if (data.task === 'compact') this.#note('its task: shorten the history', at)
    for (const message of data.input) this.#message(message)
  }

  #message(message: Message): void {
    const text = linesToQuote(textOf(message))
    const others = message.parts.filter(({ type }) => type === 'image' || type === 'file').map(({ type }) => `(${type})`)
    const lines = [...(text === '' ? [] : [text]), ...others]
    if (lines.length > 0) this.#text(quoted(lines.join('\n'), asked, this.#out))
  }

  #modelStarted(entry: EntryOf<'model.started'>): void {
    const known = this.#models.get(entry.data.n)
    if (known === undefined) this.#models.set(entry.data.n, new OpenModelCall(entry))
    else known.again(entry.at)
  }

  #responded(entry: EntryOf<'model.responded'>): void {
    const { at, data } = entry
    const run = this.#run(entry)
    const call = this.#models.get(data.n)
    this.#models.delete(data.n)
    const { startedAt = at, attemptAt, purpose = 'main', attempts = 1 } = call ?? {}
    const durationMs = data.durationMs ?? (attemptAt === undefined ? undefined : at - attemptAt)
    const text = linesToQuote(textOf(data.message)).replace(/^\s*\n/, '')
    const calls = data.message.parts.filter((part) => part.type === 'tool-call')
    if (purpose === 'main' || purpose === 'output') run.iterations++
    run.spend(data.usage)
    run.calls += calls.length
    run.modelMs += durationMs ?? 0
    run.repeats += attempts - 1
    if (this.#last === 'text' || (this.#last === 'row' && text !== '')) this.#out.write('\n')
    const row = modelRow(
      { n: data.n, state: 'answered', usage: data.usage, end: oneLine(data.finish.unified), durationMs },
      startedAt,
      this.#out,
    )
    const by = data.model === undefined ? '' : remarkLines([`answered by ${shorten(oneLine(data.model), maxNoteLength)}`], this.#out)
    this.#row(row + by + this.#modelRemarks(call, at, data.usage), startedAt)
    if (text !== '') this.#text(quoted(text, said, this.#out))
    for (const part of calls) this.#announced(part, entry)
    if (calls.length > 0) this.#last = 'row'
  }

  /** A failure that is not the last is told with what became of the call. */
  #modelFailed(entry: EntryOf<'model.failed'>): void {
    const { at, data } = entry
    const { n, error, cause = 'failed', partial = '', usage } = data
    const run = this.#run(entry)
    const call = this.#models.get(n)
    run.spend(usage ?? { ...noUsage, complete: false })
    run.modelMs += data.durationMs ?? (call === undefined ? 0 : at - call.attemptAt)
    call?.failed(entry)
    if (data.retryAt !== undefined && call !== undefined) return
    this.#models.delete(n)
    const { startedAt = at, attempts = 1 } = call ?? {}
    run.repeats += attempts - 1
    if (this.#last !== 'header') this.#out.write('\n')
    const row = modelRow(
      { n, state: 'failed', usage, end: oneLine(cause), durationMs: call === undefined ? data.durationMs : at - startedAt },
      startedAt,
      this.#out,
    )
    const remarks = call === undefined ? remarkLines([shorten(oneLine(error.message), maxNoteLength)], this.#out) : ''
    this.#row(row + remarks + this.#modelRemarks(call, at, usage ?? noUsage), startedAt)
    if (partial.trim() !== '') this.#text(quoted(linesToQuote(partial), said, this.#out))
  }

  #modelRemarks(call: OpenModelCall | undefined, at: number, usage: Usage): string {
    return call === undefined ? '' : detail(call.details(at, usage), this.#out) + remarkLines(call.failures, this.#out)
  }

  #announced(part: ToolCallPart, entry: Entry): void {
    this.#calls.set(part.callId, new OpenCall(part))
    const { callId, settlement } = part
    // Of a call that the provider has made itself.
    if (settlement !== undefined) this.#settled({ callId, settlement, by: 'tool' }, entry)
  }

  #prepared(entry: EntryOf<'call.prepared'>): void {
    this.#calls.get(entry.data.callId)?.prepared(entry)
    if (entry.data.approval !== undefined) this.#asked.set(entry.id, entry.data.callId)
  }

  #decided(entry: EntryOf<'approval.decided'>): void {
    const { request, decision, by } = entry.data
    const call = this.#calls.get(this.#asked.get(request) ?? '')
    this.#asked.delete(request)
    if (call === undefined) this.#note(`approval: ${decision}${by === undefined ? '' : ` by ${by}`}`, entry.at)
    else call.decided(entry)
  }

  #settled({ callId, settlement, by, durationMs }: CallOutcome, entry: Entry): void {
    const { at } = entry
    const known = this.#calls.get(callId)
    this.#calls.delete(callId)
    known?.settled(at, by)
    const run = this.#run(entry)
    const { startedAt = at, input = {}, details = [], part } = known ?? {}
    const took = durationMs ?? (startedAt === at || by === 'client' ? undefined : at - startedAt)
    run.toolMs += took ?? 0
    run.waitedMs += known?.waitedMs ?? 0
    run.repeats += known?.repeats ?? 0
    const view = { toolName: part?.toolName ?? callId, input, ...settlement, ...(took === undefined ? {} : { durationMs: took }) }
    const whole = this.#options.verbose ? wholeCall(callId, input, settlement, this.#out) : ''
    this.#row(callRow(view, startedAt, this.#out) + detail(details, this.#out) + whole, startedAt)
  }

  #finished(entry: EntryOf<'run.finished'>): void {
    const run = this.#run(entry)
    this.#runs.delete(entry.runId ?? this.#runId)
    const { iterations, calls, usage } = run
    const more = remarks({ ...entry.data, iterations, calls, usage }).map((text) => wrapped(text, this.#out.columns, '  '))
    this.#block(`${run.lines(entry, this.#out)}${more.join('')}`)
  }

  /** The totals of an entry's run, and its header where another run's rows stand above. */
  #run({ runId = this.#runId, at }: Entry): RunTotals {
    if (runId !== this.#runId) this.#header(runId, 'goes on')
    return this.#runs.get(runId) ?? new RunTotals(at)
  }

  #header(runId: string, when: string): void {
    this.#runId = runId
    this.#block(runHeader(runId, when, this.#out))
    this.#last = 'header'
  }

  #note(text: string, at: number): void {
    this.#row(noteRow(shorten(oneLine(text), maxNoteLength), at, this.#out), at)
  }

  /** Rows have no date: where it is another one than above, it stands before them. */
  #row(text: string, at: number | undefined): void {
    const day = at === undefined ? this.#day : dayOf(at)
    if (day !== this.#day && this.#day !== '') this.#out.write(`${styled(day, 'dim', this.#out)}\n`)
    this.#day = day
    this.#out.write(text)
    this.#last = 'row'
  }

  #text(text: string): void {
    this.#out.write(text)
    this.#last = 'text'
  }

  /** Set off by a blank line. */
  #block(text: string): void {
    this.#text(`\n${text}`)
  }
}

function controlText({ data: { action, by, reason } }: EntryOf<'control'>): string {
  return `${action}${by === undefined ? '' : ` by ${by}`}${reason === undefined ? '' : `: ${reason}`}`
}

function dayOf(at: number): string {
  return dateAndTime(at).slice(0, 'YYYY-MM-DD'.length)
}
