import { applyTo } from '../core/apply.ts'
import { type Entry, messageIdOf } from '../core/entry.ts'
import type { CoreEvent, EventBody } from '../core/event.ts'
import type { Message } from '../core/message.ts'
import { finishedResult, type Naming } from '../core/outcome.ts'
import { glimpse, project } from '../core/project.ts'
import type { SessionState } from '../core/state.ts'
import { type Cursor, cursorOf, isAfter } from './cursor.ts'
import { type Hub, isWanted } from './hub.ts'

/**
 * Folds an entry that was not written by this process's activation (an input, or what another process wrote) and shows what it means.
 * Whoever folds an entry first shows it; it is shown once. Its pieces were shown elsewhere, if at all: the settled message stands for them.
 */
export function foldAndShow(hub: Hub, state: SessionState, entry: Entry, naming: Naming): void {
  const before = hub.isNews(entry.seq) ? glimpse(state, entry) : undefined
  applyTo(state, entry)
  if (before === undefined) return
  const runId = entry.runId ?? before.runId ?? ''
  const { wants } = hub
  const wanted = isWanted(wants, entry.kind)
  if (wanted && !hub.wasTold(entry.id))
    for (const body of settledPieces(entry))
      if (wants === 'events' || body.type === 'text.delta') hub.piece(entry.at, runId, before.iteration, before.model?.seq, body)
  const events = wanted ? project(before, entry, state, naming) : []
  const { ended } = state.live
  if (entry.kind !== 'run.finished' || ended === undefined) return hub.facts(entry.seq, events)
  hub.ended(entry.seq, entry.seq, events, [{ runId: ended.id, result: finishedResult(state, ended, naming, true) }])
}

/**
 * What was shown of a message while it came, or would have been: each part whole, as one delta. Nothing of entries that settle no model
 * call. For a reader that has got some of it already, the parts bear the numbers by which it knows them.
 */
export function* settledPieces(entry: Entry, shown: Shown = new Shown()): Generator<EventBody, void, undefined> {
  if (entry.kind !== 'model.responded' && entry.kind !== 'model.failed') return
  const messageId = messageIdOf(entry.data.n)
  const parts = entry.kind === 'model.responded' ? messageParts(entry.data.message, shown) : partialPart(entry.data.partial ?? '', shown)
  for (const { type, part, text } of parts) {
    yield { type: `${type}.started`, messageId, part }
    yield { type: `${type}.delta`, messageId, part, text }
    yield { type: `${type}.finished`, messageId, part }
  }
  // What is retracted ends as well.
  for (const { type, part } of shown.parts) yield { type: `${type}.finished`, messageId, part }
}

interface WholePart {
  readonly type: 'text' | 'reasoning'
  readonly part: number
  readonly text: string
}

/**
 * Parts are shown in their order, and an empty one that came before them is not in the message: the place counts, not the number. Among
 * those of its kind, for a reader of the text has got no reasoning.
 */
function* messageParts({ parts }: Message, shown: Shown): Generator<WholePart, void, undefined> {
  const known = [...shown.parts].sort((a, b) => a.part - b.part)
  const numbersOf = (kind: ShownPart['type']) => known.filter(({ type }) => type === kind).map(({ part }) => part)
  const numbers = { text: numbersOf('text'), reasoning: numbersOf('reasoning') }
  let last = -1
  for (const [index, part] of parts.entries()) {
    if ((part.type !== 'text' && part.type !== 'reasoning') || part.text === '') continue
    last = numbers[part.type].shift() ?? Math.max(index, last + 1)
    yield { type: part.type, part: last, text: part.text }
  }
}

/**
 * A failed call keeps all its text as one: what a reader lacks of it goes on in the last part that it has. Of several parts of text that
 * grew by turns it is not known any more what belonged to which.
 */
function partialPart(partial: string, shown: Shown): readonly WholePart[] {
  if (partial === '') return []
  const texts = shown.parts.filter(({ type }) => type === 'text')
  const last = texts.at(-1)
  if (last === undefined) return [{ type: 'text', part: Math.max(-1, ...shown.parts.map(({ part }) => part)) + 1, text: partial }]
  const before = texts.reduce((sum, { length }) => sum + length, -last.length)
  return [{ type: 'text', part: last.part, text: partial.slice(before) }]
}

interface ShownPart {
  readonly type: 'text' | 'reasoning'
  readonly part: number
  /** Characters. */
  length: number
  open: boolean
}

/** How far a reader is, and what it has got of the model call that is being shown: it gets the rest, from wherever that comes. */
export class Shown {
  /** The cursor of its last event, or of a later one that it had before; '' = none. */
  last: string
  readonly #parts = new Map<number, ShownPart>()
  /** Characters of the input of each call. */
  readonly #inputs = new Map<string, number>()

  /** Where the reader was when it came, until it gets something behind that. */
  #floor: Cursor | undefined
  /** The last end of a model call that the reader knew when it came, and this process did not; 0 = none. */
  knownEnd = 0

  constructor(after = '') {
    this.last = after
    if (after !== '') this.#floor = cursorOf(after)
  }

  /** Whether the reader had this when it came: it may have read in another process what this one does not know yet. */
  had({ cursor: text, of }: CoreEvent): boolean {
    if (this.#floor === undefined) return false
    const cursor = cursorOf(text)
    // Each process numbers its pieces, so that their place says nothing.
    if (cursor.piece) return of !== undefined && of < this.knownEnd
    return !isAfter(cursor, this.#floor)
  }

  /** In the order in which they began. */
  get parts(): readonly ShownPart[] {
    return [...this.#parts.values()]
  }

  /** The reader gets this event. */
  note(event: CoreEvent): void {
    if (this.#floor === undefined || isAfter(cursorOf(event.cursor), this.#floor)) {
      this.last = event.cursor
      this.#floor = undefined
    }
    switch (event.type) {
      case 'model.started':
      case 'model.finished':
      case 'model.failed':
        this.#parts.clear()
        this.#inputs.clear()
        return
      case 'call.input.delta':
        this.#inputs.set(event.callId, this.#inputOf(event.callId) + event.text.length)
        return
      case 'text.started':
      case 'text.delta':
      case 'text.finished':
        return this.#notePart(event, 'text')
      case 'reasoning.started':
      case 'reasoning.delta':
      case 'reasoning.finished':
        return this.#notePart(event, 'reasoning')
    }
  }

  #notePart(event: PartEvent, type: ShownPart['type']): void {
    const known = this.#parts.get(event.part)
    const length = 'text' in event ? event.text.length : 0
    const open = event.type !== `${type}.finished`
    if (known === undefined) {
      this.#parts.set(event.part, { type, part: event.part, length, open })
      return
    }
    known.length += length
    known.open = open
  }

  /** Of an event that shows a part or an input whole, what the reader lacks: that is noted. */
  rest(event: CoreEvent): CoreEvent | undefined {
    const rest = this.had(event) ? undefined : this.#restOf(event)
    if (rest !== undefined) this.note(rest)
    return rest
  }

  #restOf(event: CoreEvent): CoreEvent | undefined {
    switch (event.type) {
      case 'text.started':
      case 'reasoning.started':
        return this.#parts.has(event.part) ? undefined : event
      case 'text.delta':
      case 'reasoning.delta':
        return behind(event, this.#parts.get(event.part)?.length ?? 0)
      case 'text.finished':
      case 'reasoning.finished':
        return this.#parts.get(event.part)?.open === true ? event : undefined
      case 'call.input.delta':
        return behind(event, this.#inputOf(event.callId))
      default:
        return event
    }
  }

  #inputOf(callId: string): number {
    return this.#inputs.get(callId) ?? 0
  }
}

type PartEvent = CoreEvent & { readonly part: number }

function behind<E extends CoreEvent & { readonly text: string }>(event: E, had: number): E | undefined {
  if (had >= event.text.length) return undefined
  return had === 0 ? event : { ...event, text: event.text.slice(had) }
}
