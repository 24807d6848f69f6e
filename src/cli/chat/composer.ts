import { type Draft, draftOf, edited, emptyDraft, movedLine } from '../screen/draft.ts'
import { draftPart } from '../screen/draft-lines.ts'
import type { Key } from '../screen/keys.ts'
import type { LivePart, LiveScreen } from '../screen/live.ts'
import type { Output } from '../terminal.ts'
import { padEnd, styled } from '../text.ts'
import type { ChatHistory } from './history.ts'
import { slashMatches } from './slash.ts'

const maxMatches = 9

/** Of a composer. */
export interface ComposerHost {
  submit(text: string): void
  /** An empty line is of no use now. */
  isHidden(): boolean
}

/** Where a message is written. */
export class Composer {
  readonly #screen: LiveScreen
  readonly #style: Pick<Output, 'color'>
  readonly #history: ChatHistory
  readonly #host: ComposerHost
  #draft: Draft = emptyDraft
  #hint = ''

  constructor(screen: LiveScreen, style: Pick<Output, 'color'>, history: ChatHistory, host: ComposerHost) {
    this.#screen = screen
    this.#style = style
    this.#history = history
    this.#host = host
  }

  get isEmpty(): boolean {
    return this.#draft.text === ''
  }

  clear(): void {
    this.#set(emptyDraft)
  }

  /** A line below the message, until the next key. */
  hint(text: string): void {
    this.#hint = text
    this.show()
  }

  key(key: Key): void {
    this.#hint = ''
    if (key.kind === 'key') {
      if (key.name === 'enter') return this.#enter()
      if (key.name === 'tab') return this.#complete()
      if (key.name === 'up' || key.name === 'ctrl-p') return this.#move(-1)
      if (key.name === 'down' || key.name === 'ctrl-n') return this.#move(1)
      if (key.name === 'escape') return this.show()
    }
    const next = edited(this.#draft, key)
    this.#set(next ?? this.#draft)
  }

  show(): void {
    if (this.isEmpty && this.#host.isHidden()) this.#screen.show('prompt')
    else this.#screen.show('prompt', this.#part())
  }

  #enter(): void {
    const { text, at } = this.#draft
    // A backslash at its end makes a line go on, as in a shell.
    if (at === text.length && text.endsWith('\\')) return this.#set(draftOf(`${text.slice(0, -1)}\n`))
    if (text.trim() === '') return this.show()
    this.#history.add(text)
    this.#draft = emptyDraft
    this.show()
    this.#host.submit(text)
  }

  #complete(): void {
    const matches = slashMatches(this.#draft.text)
    const [only] = matches
    if (only === undefined) return this.show()
    if (matches.length === 1) return this.#set(draftOf(`/${only.name}${only.argument === undefined ? '' : ' '}`))
    const common = matches.map(({ name }) => name).reduce(sharedStart)
    this.#set(draftOf(`/${common}`))
  }

  #move(by: -1 | 1): void {
    const line = movedLine(this.#draft, by)
    if (line !== undefined) return this.#set(line)
    const text = this.#history.move(by, this.#draft.text)
    this.#set(text === undefined ? this.#draft : draftOf(text))
  }

  #set(draft: Draft): void {
    this.#draft = draft
    this.show()
  }

  #part(): LivePart {
    const mark = styled('› ', 'cyan', this.#style)
    const maxRows = Math.max(3, Math.floor(this.#screen.rows / 2))
    const part = draftPart(this.#draft, this.#screen.width, { first: mark, rest: '  ', columns: 2 }, maxRows)
    const { row = 0, column = 0 } = part.cursor ?? {}
    return { lines: ['', ...part.lines, ...this.#below()], cursor: { row: row + 1, column } }
  }

  #below(): readonly string[] {
    if (this.#hint !== '') return [styled(this.#hint, 'dim', this.#style)]
    return slashMatches(this.#draft.text)
      .slice(0, maxMatches)
      .map(({ name, argument = '', help }) => styled(`  ${padEnd(`/${name} ${argument}`, 18)} ${help}`, 'dim', this.#style))
  }
}

function sharedStart(a: string, b: string): string {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return a.slice(0, length)
}
