import type { CoreEvent } from '../core/event.ts'

/** What a reader is told when it lagged so far behind that events left the ring: read the facts in between from the journal. */
export interface Gap {
  readonly gap: true
  /** The cursor of the last event that the reader got, if any. */
  readonly after: string | undefined
  /** The cursor of the first event that the ring still has. */
  readonly until: string
}

/**
 * The last events of one run, for readers that come when they like and take their time. Adjacent deltas of a part become one for
 * readers that lag; what falls out of the ring is read again from the journal. The run never waits for a reader.
 */
export class EventRing {
  readonly #capacity: number
  #events: CoreEvent[] = []
  /** The absolute position of `#events[0]`. */
  #first = 0
  #ended = false
  readonly #cursors = new Set<RingCursor>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get ended(): boolean {
    return this.#ended
  }

  push(event: CoreEvent): void {
    const end = this.#first + this.#events.length
    const last = this.#events[this.#events.length - 1]
    const merged = last === undefined ? undefined : mergeDeltas(last, event)
    if (merged !== undefined && !this.#hasReaderAt(end)) this.#events[this.#events.length - 1] = merged
    else this.#events.push(event)
    if (this.#events.length > this.#capacity * 2) this.#trim()
    for (const cursor of this.#cursors) cursor.wake()
  }

  end(): void {
    this.#ended = true
    for (const cursor of this.#cursors) cursor.wake()
  }

  /** Reads from the first event of the run that is still there. */
  cursor(): RingCursor {
    const cursor = new RingCursor(this, (closed) => this.#cursors.delete(closed))
    this.#cursors.add(cursor)
    return cursor
  }

  /** The event at an absolute position; a gap when it has left; `undefined` when it has not come yet. */
  at(position: number, after: string | undefined): CoreEvent | Gap | undefined {
    if (position < this.#first) return { gap: true, after, until: this.#events[0]?.cursor ?? '' }
    return this.#events[position - this.#first]
  }

  get first(): number {
    return this.#first
  }

  /** How many events there have been, those that left included. */
  get length(): number {
    return this.#first + this.#events.length
  }

  /** Somebody has read everything and waits: what comes next must not change what it already has. */
  #hasReaderAt(end: number): boolean {
    for (const cursor of this.#cursors) if (cursor.position === end) return true
    return false
  }

  /** Drops half at a time, so that an event costs the same however full the ring is. */
  #trim(): void {
    const dropped = this.#events.length - this.#capacity
    this.#events = this.#events.slice(dropped)
    this.#first += dropped
  }
}

export class RingCursor {
  position = 0
  #last: string | undefined
  #waiting: (() => void) | undefined
  #closed = false
  readonly #ring: EventRing
  readonly #onClose: (cursor: RingCursor) => void

  constructor(ring: EventRing, onClose: (cursor: RingCursor) => void) {
    this.#ring = ring
    this.#onClose = onClose
  }

  wake(): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.()
  }

  /** Passes over everything that is there. */
  skip(): void {
    this.position = this.#ring.length
  }

  /** The next event, a gap, or `undefined` at the end. */
  async next(): Promise<CoreEvent | Gap | undefined> {
    for (;;) {
      if (this.#closed) return undefined
      const found = this.#ring.at(this.position, this.#last)
      if (found === undefined) {
        if (this.#ring.ended) return undefined
        await new Promise<void>((resolve) => {
          this.#waiting = resolve
        })
        continue
      }
      if ('gap' in found) {
        this.position = this.#ring.first
        return found
      }
      this.position++
      this.#last = found.cursor
      return found
    }
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#onClose(this)
    this.wake()
  }
}

function mergeDeltas(last: CoreEvent, next: CoreEvent): CoreEvent | undefined {
  if (last.type === 'text.delta' || last.type === 'reasoning.delta') {
    if (next.type !== last.type || next.messageId !== last.messageId || next.part !== last.part || next.of !== last.of) return undefined
    return { ...next, text: last.text + next.text }
  }
  if (last.type === 'call.input.delta' && next.type === 'call.input.delta' && next.callId === last.callId && next.of === last.of)
    return { ...next, text: last.text + next.text }
  return undefined
}
