import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataFolder, placeless } from '../store.ts'
import type { Terminal } from '../terminal.ts'

/** Messages that are kept for the next chat. */
const kept = 1_000
/** Bytes of one that is kept: what was pasted whole is not said again. */
const maxLength = 10_000

/** What was said before, oldest first, with a place in it: the message that is looked at. */
export class ChatHistory {
  readonly #file: string | undefined
  readonly #texts: string[]
  #at: number
  /** What was being written when the looking began. */
  #own = ''

  constructor(terminal: Terminal) {
    this.#file = placeless(terminal) === undefined ? join(dataFolder(terminal), 'chat-history.jsonl') : undefined
    this.#texts = this.#file === undefined ? [] : read(this.#file)
    this.#at = this.#texts.length
  }

  add(text: string): void {
    if (text !== this.#texts.at(-1) && text.length <= maxLength) {
      this.#texts.push(text)
      this.#append(text)
    }
    this.#at = this.#texts.length
  }

  /** The message before or after the one that is looked at; `undefined` where there is none. `draft` comes back below the newest. */
  move(by: -1 | 1, draft: string): string | undefined {
    const to = this.#at + by
    if (to < 0 || to > this.#texts.length) return undefined
    if (this.#at === this.#texts.length) this.#own = draft
    this.#at = to
    return this.#texts[to] ?? this.#own
  }

  /** Kept as far as it can be: no chat fails for it. */
  #append(text: string): void {
    if (this.#file === undefined) return
    try {
      mkdirSync(join(this.#file, '..'), { recursive: true, mode: 0o700 })
      if (this.#texts.length > kept * 2) {
        this.#texts.splice(0, this.#texts.length - kept)
        writeFileSync(this.#file, this.#texts.map(line).join(''), { mode: 0o600 })
      } else appendFileSync(this.#file, line(text), { mode: 0o600 })
    } catch {}
  }
}

function line(text: string): string {
  return `${JSON.stringify(text)}\n`
}

function read(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').flatMap(parsed)
  } catch {
    return []
  }
}

/** A line that another process was cut off in is no message. */
function parsed(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? [value] : []
  } catch {
    return []
  }
}
