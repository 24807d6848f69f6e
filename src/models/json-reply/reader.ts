import { answerIn, SpiltAnswer } from './answer.ts'
import { JsonString } from './json-string.ts'
import { KeptText } from './kept-text.ts'
import { inputKeys, invalidCall, OpenCall, unreadable } from './open-call.ts'
import { Outside } from './outside.ts'
import type { Parts } from './parts.ts'
import { isScalar, ValueEnd } from './value-end.ts'

/**
 * Where the reader is. In an object: `first` behind its brace, `key`, `name` (the text of a key), `colon`, `value`, `string` (a text that is
 * decoded), `whole` (a value of which the end is looked for), `next`. In the list of calls: `first-item`, `item`, `next-item`. `spilt`: quotes
 * of the answer were not escaped. `lost`: what comes can't be read.
 */
type State = 'outside' | Step | 'name' | 'string' | 'whole' | 'spilt' | 'lost'
/** Where one character decides. */
type Step = 'first' | 'key' | 'colon' | 'value' | 'next' | 'first-item' | 'item' | 'next-item'

/** What a value is read for; `calls`: a call or a list of them. */
type Target = 'thought' | 'answer' | 'calls' | 'call-name' | 'call-id' | 'input' | 'nothing'

/**
 * Reads a reply while it comes: JSON objects with `response`, `tool_call` or `tool_calls`, and `thought`. The text of an answer is told as it
 * comes, a call when its name is known. What is no such object is text. The work grows with the text and not faster.
 *
 * - Fences round the object, and text before and behind it, do no harm. An object begins its line; several in a row are one reply.
 * - Nothing is repaired that would run. A call that breaks or ends before it is whole is told as invalid, with what is wrong (B031).
 * - An answer with quotes that are not escaped is text all the same; calls are not looked for behind such a quote.
 */
export class ReplyReader {
  readonly #parts: Parts
  readonly #outside: Outside
  #state: State = 'outside'
  #key = ''
  #target: Target = 'nothing'
  #string = new JsonString()
  /** The text of a key, a name or an id so far. */
  #word = ''
  #value = new ValueEnd()
  #call: OpenCall | undefined
  #inList = false
  /** The object has a key of ours; and one that says what it is for. */
  #isReply = false
  #isDecided = false
  /** The object until it is decided, a call, or what looks like the end of an answer. */
  readonly #kept = new KeptText()
  #isBehindAnswer = false
  #spilt: SpiltAnswer | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#outside = new Outside(parts)
  }

  push(text: string): void {
    for (let at = 0; at < text.length; ) at = this.#read(text, at)
    this.#kept.endPiece(text)
  }

  /** Nothing more comes. */
  end(): void {
    const state = this.#state
    const raw = this.#kept.take('', 0)
    if (state === 'outside') return this.#outside.end()
    if (state === 'spilt') return this.#spilt?.end()
    if (state === 'lost') return this.#endLost(raw)
    if (this.#call !== undefined) return this.#call.end(raw)
    if (!this.#isReply) this.#parts.text(raw)
    else if (state === 'string') this.#tellString(true)
  }

  #read(text: string, at: number): number {
    switch (this.#state) {
      case 'outside':
        return this.#readOutside(text, at)
      case 'name':
      case 'string':
        return this.#readString(text, at)
      case 'whole':
        return this.#readWhole(text, at)
      case 'spilt':
        this.#spilt?.push(text.slice(at))
        return text.length
      case 'lost':
        return text.length
      default:
        return isBlank(text.charCodeAt(at)) ? at + 1 : this.#step(this.#state, text, at)
    }
  }

  #readOutside(text: string, at: number): number {
    const begin = this.#outside.read(text, at)
    if (begin < 0) return text.length
    this.#state = 'first'
    this.#isReply = false
    this.#isDecided = false
    this.#kept.begin(begin, this.#outside.held)
    return begin + 1
  }

  /** Takes one character, or leaves it to what begins with it; the place of the next. */
  #step(state: Step, text: string, at: number): number {
    const char = text.charAt(at)
    const isList = state.endsWith('item')
    if (char === (isList ? ']' : '}') && /^(?:first|next)/.test(state)) return this.#close(text, at)
    switch (state) {
      case 'first':
      case 'key':
        return char === '"' ? this.#go('name', at) : this.#break(text, at)
      case 'colon':
        return char === ':' ? this.#beginTarget(at) : this.#break(text, at)
      case 'value':
        return this.#beginValue(char, text, at)
      case 'next':
      case 'next-item':
        return char === ',' ? this.#go(isList ? 'item' : 'key', at) : this.#break(text, at)
      default:
        if (char === '{') return this.#beginCall(at)
        return char === '[' ? this.#break(text, at) : this.#beginWhole(text, at)
    }
  }

  #go(state: State, at: number): number {
    this.#state = state
    return at + 1
  }

  /** A key and its colon have been read. */
  #beginTarget(at: number): number {
    this.#target = this.#call === undefined ? this.#targetOfReply() : this.#targetOfCall(this.#call)
    return this.#go('value', at)
  }

  #targetOfReply(): Target {
    if (this.#isBehindAnswer) {
      // Now it is known that the answer has ended there.
      this.#isBehindAnswer = false
      this.#kept.drop()
    }
    const target = replyKeys.get(this.#key) ?? 'nothing'
    if (target === 'nothing') return target
    this.#isReply = true
    if (target === 'thought') return target
    this.#isDecided = true
    this.#kept.drop()
    return target
  }

  #targetOfCall(call: OpenCall): Target {
    if (this.#key === 'name') return 'call-name'
    if (this.#key === 'id') return 'call-id'
    if (!inputKeys.has(this.#key)) return 'nothing'
    call.beginInput()
    return 'input'
  }

  #beginValue(char: string, text: string, at: number): number {
    const target = this.#target
    if (target === 'calls' && char === '{') return this.#beginCall(at)
    if (target === 'calls' && char === '[') {
      this.#inList = true
      return this.#go('first-item', at)
    }
    if (target === 'answer') this.#parts.separate()
    return char === '"' && target !== 'input' && target !== 'calls' ? this.#go('string', at) : this.#beginWhole(text, at)
  }

  #beginCall(at: number): number {
    this.#call = new OpenCall(this.#parts)
    this.#kept.begin(at)
    return this.#go('first', at)
  }

  /** A value that is passed on, or over, as it stands. */
  #beginWhole(text: string, at: number): number {
    if (!/["[{]/.test(text.charAt(at)) && !isScalar(text.charCodeAt(at))) return this.#break(text, at)
    if (this.#call === undefined && this.#inList) this.#target = 'calls'
    if (this.#target === 'calls') this.#kept.begin(at)
    this.#value = new ValueEnd()
    this.#word = ''
    this.#state = 'whole'
    return at
  }

  #readWhole(text: string, at: number): number {
    const end = this.#value.push(text, at)
    const piece = text.slice(at, end)
    if (this.#target === 'input') this.#call?.addInput(piece)
    else if (this.#target === 'answer') this.#tellAnswer(piece)
    else if (this.#target !== 'nothing') this.#word += piece
    if (this.#value.isOver) this.#endWhole(text, end)
    return end
  }

  /** `null` is no answer. */
  #tellAnswer(piece: string): void {
    const come = this.#word + piece
    this.#word = /^n(?:u|ul|ull)?$/.test(come) ? come : ''
    if (this.#word === '') this.#parts.text(come)
  }

  #endWhole(text: string, at: number): void {
    const call = this.#call
    this.#state = call === undefined && this.#inList ? 'next-item' : 'next'
    if (this.#target === 'input') call?.endInput()
    else if (this.#target === 'call-id') call?.identified(this.#word)
    else if (this.#target === 'call-name') call?.spoil('its name is no text')
    else if (this.#target === 'calls') {
      const raw = this.#kept.take(text, at)
      if (!/^(?:null|none|false|"")$/i.test(raw)) this.#tellUnreadable(raw, 'a call is an object with "name" and "input"')
    }
    this.#word = ''
  }

  #readString(text: string, at: number): number {
    const { at: next, ended } = this.#string.push(text, at)
    if (this.#state === 'string') this.#tellString(ended)
    if (ended) this.#endString(next)
    return next
  }

  /** What has come of a text. */
  #tellString(isEnd: boolean): void {
    const more = this.#string.take(isEnd)
    if (this.#target === 'answer') this.#parts.text(more)
    else if (this.#target === 'thought') this.#parts.thought(more)
    else if (this.#target !== 'nothing') this.#word += more
  }

  #endString(at: number): void {
    if (this.#state === 'name') {
      this.#key = this.#string.take(true)
      this.#state = 'colon'
      return
    }
    this.#state = 'next'
    if (this.#target === 'call-name') this.#call?.named(this.#word)
    else if (this.#target === 'call-id') this.#call?.identified(this.#word)
    else if (this.#target === 'answer') {
      this.#isBehindAnswer = true
      this.#kept.begin(at - 1)
    }
    this.#word = ''
  }

  #close(text: string, at: number): number {
    if (this.#state.endsWith('item')) {
      this.#inList = false
      return this.#go('next', at)
    }
    const raw = this.#kept.take(text, at + 1)
    const call = this.#call
    if (call !== undefined) {
      this.#call = undefined
      call.close(raw)
      return this.#go(this.#inList ? 'next-item' : 'next', at)
    }
    this.#isBehindAnswer = false
    // Not decided: a value of its own, as of an answer that is JSON; or a thought, and nothing that was thought of.
    if (!this.#isDecided) this.#parts.text(raw)
    this.#outside.begin(this.#isDecided)
    return this.#go('outside', at)
  }

  /** What stands at `at` can't stand there. */
  #break(text: string, at: number): number {
    if (this.#isBehindAnswer) {
      // So the quote was not its end.
      this.#state = 'spilt'
      this.#spilt = new SpiltAnswer(this.#parts)
      this.#spilt.push(this.#kept.take(text, at))
      return at
    }
    if (this.#call === undefined && !this.#isReply) {
      this.#parts.text(this.#kept.take(text, at))
      this.#outside.begin(false)
      this.#state = 'outside'
      return at
    }
    if (this.#call === undefined && this.#isDecided) this.#kept.begin(at)
    this.#state = 'lost'
    return at
  }

  /** What can't be read: where it meant to call, the model is told what is wrong; else it is text. */
  #endLost(raw: string): void {
    const isCall = this.#isDecided ? this.#inList : /"tool_calls?"\s*:/.test(raw)
    if (this.#call !== undefined) this.#call.breakOff(raw)
    else if (isCall) this.#tellUnreadable(raw, notJson)
    else this.#parts.text(this.#isDecided ? raw : answerIn(raw))
  }

  #tellUnreadable(raw: string, why: string): void {
    this.#parts.invalidCall(undefined, invalidCall(unreadable, raw, why))
  }
}

const notJson = 'the reply is not valid JSON. Send the whole reply again, as one JSON object'

const replyKeys: ReadonlyMap<string, Target> = new Map([
  ['thought', 'thought'],
  ['response', 'answer'],
  ['tool_call', 'calls'],
  ['tool_calls', 'calls'],
])

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
}
