import type { CoreEvent, EventBody } from '../core/event.ts'
import { placeBefore } from './cursor.ts'

/**
 * The last events of one run, for readers that come when they like and take their time. Adjacent deltas of a part become one for
 * readers that lag. What falls out of the ring is read again from the journal, and text that is in no entry yet from the model call
 * that is still open, so nothing is kept for anybody. The run never waits for a reader.
 */
export class EventRing {
  readonly #capacity: number
  #events: CoreEvent[] = []
  /** The absolute position of `#events[0]`. */
  #first = 0
  #ended = false
  /** Pieces of a model call have left whose end has not come, or is still here. */
  #torn = false
  #origin = ''
  /** The last event, where it is a copy that nobody else has: it may grow in place. */
  #own: { at: number; cursor: string; text: string } | undefined
  /** Which piece is its last one: it is named by it once somebody looks. */
  #seq = 0
  #index = -1
  readonly #cursors = new Set<RingCursor>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get ended(): boolean {
    return this.#ended
  }

  push(event: CoreEvent): void {
    if (this.#origin === '') this.#origin = placeBefore(event.cursor)
    if ('text' in event && this.#grow(event.at, event.of, event, event.text)) {
      this.#index = -1
      if (this.#own !== undefined) this.#own.cursor = event.cursor
      return
    }
    this.#disown()
    this.#events.push(event)
    if (this.#events.length > this.#capacity * 2) this.#trim()
    for (const cursor of this.#cursors) cursor.wake()
  }

  /**
   * Makes a delta, the piece `seq.index`, part of the last event, when it goes on with that and every reader lags behind it: a copy, which
   * then grows in place.
   */
  grow(at: number, seq: number, index: number, of: number | undefined, body: EventBody): boolean {
    if (!('text' in body) || !this.#grow(at, of, body, body.text)) return false
    this.#seq = seq
    this.#index = index
    return true
  }

  #grow(at: number, of: number | undefined, body: EventBody, text: string): boolean {
    const place = this.#events.length - 1
    const last = this.#events[place]
    if (last === undefined || !('text' in last) || !continues(last, of, body) || this.#hasReaderAt(this.length)) return false
    if (this.#own === undefined) {
      const own = { ...last }
      this.#events[place] = own
      this.#own = own
    }
    this.#own.at = at
    this.#own.text += text
    return true
  }

  /** Somebody looks at the last event, or another one comes behind it: it stays as it is. */
  #disown(): void {
    if (this.#own !== undefined && this.#index >= 0) this.#own.cursor = `${this.#seq}.${this.#index}`
    this.#own = undefined
    this.#index = -1
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

  /** The place before the first event that was ever here. */
  get origin(): string {
    return this.#origin
  }

  /** The event at an absolute position; 'gap' when it has left; `undefined` when it has not come yet. */
  at(position: number): CoreEvent | 'gap' | undefined {
    if (position === this.length - 1) this.#disown()
    return position < this.#first ? 'gap' : this.#events[position - this.#first]
  }

  get first(): number {
    return this.#first
  }

  /** How many events there have been, those that left included. */
  get length(): number {
    return this.#first + this.#events.length
  }

  /** The first position from which on nothing is missing: of a model call whose first pieces have left, only its end is of use. */
  get whole(): number {
    if (!this.#torn) return this.#first
    const end = this.#events.findIndex(endsModelCall)
    return end < 0 ? this.latest : this.#first + end
  }

  /** The position of what comes next, or of the event that ends the stream. */
  get latest(): number {
    const last = this.#events[this.#events.length - 1]
    return last?.type === 'run.finished' || last?.type === 'run.parked' ? this.length - 1 : this.length
  }

  /** Somebody has read everything and waits: what comes next must not change what it already has. */
  #hasReaderAt(end: number): boolean {
    for (const cursor of this.#cursors) if (cursor.position === end) return true
    return false
  }

  /** Drops half at a time, so that an event costs the same however full the ring is. */
  #trim(): void {
    const dropped = this.#events.length - this.#capacity
    for (let index = 0; index < dropped; index++) {
      const event = this.#events[index]
      if (event !== undefined) this.#torn = isPieceOfModelCall(event) || (this.#torn && !endsModelCall(event))
    }
    this.#events = this.#events.slice(dropped)
    this.#first += dropped
  }
}

export class RingCursor {
  position = 0
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

  get closed(): boolean {
    return this.#closed
  }

  /** Goes on behind what is there, or at the end of the stream. Says which event that is, if it has come. */
  skip(): string | undefined {
    return this.#goTo(this.#ring.latest)
  }

  /** After a gap: goes on where nothing is missing from there on. Says which event that is, if it has come. */
  rejoin(): string | undefined {
    return this.#goTo(this.#ring.whole)
  }

  #goTo(position: number): string | undefined {
    this.position = position
    const event = this.#ring.at(position)
    return typeof event === 'object' ? event.cursor : undefined
  }

  /** The next event, if it is there; 'gap' when events have left that this reader has not got. */
  take(): CoreEvent | 'gap' | undefined {
    const found = this.#closed ? undefined : this.#ring.at(this.position)
    if (found !== undefined && found !== 'gap') this.position++
    return found
  }

  /** Waits until there may be more to take. False: nothing more will come. */
  async more(): Promise<boolean> {
    if (this.#closed || this.#ring.ended) return false
    await new Promise<void>((resolve) => {
      this.#waiting = resolve
    })
    return true
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#onClose(this)
    this.wake()
  }
}

function isPieceOfModelCall({ type }: CoreEvent): boolean {
  return type.startsWith('text.') || type.startsWith('reasoning.') || type === 'call.input.delta'
}

function endsModelCall({ type }: CoreEvent): boolean {
  return type === 'model.finished' || type === 'model.failed'
}

/** Whether a delta goes on with what the last event tells. */
function continues(last: CoreEvent, of: number | undefined, body: EventBody): boolean {
  if (last.of !== of || last.type !== body.type) return false
  if (last.type === 'call.input.delta') return body.type === last.type && body.callId === last.callId
  if (last.type !== 'text.delta' && last.type !== 'reasoning.delta') return false
  return body.type === last.type && body.messageId === last.messageId && body.part === last.part
}
