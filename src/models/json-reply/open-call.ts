import { clip } from '../../core/text.ts'
import type { Parts } from './parts.ts'

/** What a call is named that has no name, or whose reply can't be read: no tool has it, so the model is told what is wrong. */
export const unreadable = 'unreadable_call'

/** Keys under which models write the arguments. */
export const inputKeys: ReadonlySet<string> = new Set(['input', 'arguments', 'args', 'parameters'])

/** A call of a reply that is being read. It is told as soon as its name is known; arguments that stand before it wait. */
export class OpenCall {
  readonly #parts: Parts
  #name: string | undefined
  #id: string | undefined
  #part: number | undefined
  #input: 'none' | 'begun' | 'whole' = 'none'
  #waiting = ''
  /** The first thing that is wrong with it. */
  #wrong: string | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** What stands under `name`. */
  named(name: string): void {
    if (this.#name !== undefined && this.#name !== name)
      return this.spoil(`it has two names, '${clip(this.#name, 100)}' and '${clip(name, 100)}'`)
    if (this.#name !== undefined || name.trim() === '') return
    this.#name = name
    this.#part = this.#parts.call(name, this.#id)
    this.#parts.input(this.#part, this.#waiting)
    this.#waiting = ''
  }

  /** What stands under `id`: kept where it comes before the name. */
  identified(id: string): void {
    if (id !== '') this.#id ??= id
  }

  beginInput(): void {
    if (this.#input !== 'none') this.spoil('it has arguments twice')
    this.#input = 'begun'
  }

  addInput(text: string): void {
    if (this.#part === undefined) this.#waiting += text
    else this.#parts.input(this.#part, text)
  }

  endInput(): void {
    this.#input = 'whole'
  }

  spoil(why: string): void {
    this.#wrong ??= why
  }

  /** It is over; `raw` is what the model wrote of it. */
  close(raw: string): void {
    // Where a call is none, models write an empty one too.
    if (/^\{\s*\}$/.test(raw)) return
    if (this.#name === undefined) this.spoil('it has no name: put the name of the tool under "name"')
    if (this.#wrong !== undefined) this.#tellInvalid(raw, this.#wrong)
  }

  /** The text ended within it. When its arguments are whole, what is missing is only the braces round them. */
  end(raw: string): void {
    if (this.#name !== undefined && this.#input === 'whole') this.close(raw)
    else this.#tellInvalid(raw, this.#wrong ?? (/[}\]]\s*`*\s*$/.test(raw.slice(-100)) ? notClosed : cutShort))
  }

  /** The reply broke within it. */
  breakOff(raw: string): void {
    this.#tellInvalid(raw, this.#wrong ?? 'it is not valid JSON. Send the whole reply again, as one JSON object')
  }

  #tellInvalid(raw: string, why: string): void {
    this.#parts.invalidCall(this.#part, invalidCall(this.#name ?? unreadable, raw, why))
  }
}

const notClosed =
  'it is not valid JSON: a quote, a brace or a bracket is not closed, or not escaped. Send the whole reply again, as one JSON object'
const cutShort = 'the reply ended before it was complete. Send the whole reply again; if it is long, split the work into smaller calls'

/** What is kept of a text that can't be used (characters). */
const maxRaw = 20_000

export function invalidCall(toolName: string, raw: string, why: string): { toolName: string; rawInput: string; inputError: string } {
  return { toolName, rawInput: clip(raw, maxRaw), inputError: `This call cannot be run: ${why}.` }
}
