import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Text in a style, or as it is where the output shows none. */
export function styled(text: string, style: Style, { color }: { readonly color: boolean }): string {
  return color ? styleText(style, text, { validateStream: false }) : text
}

// All controls but newline and tab, and the characters that reorder or hide what follows them (https://trojansource.codes). Those that
// only set the direction of a neighbour (U+200E, U+200F, U+061C) belong to Arabic and Hebrew.
const unsafe = /(?![\n\t\u200e\u200f\u061c])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

function escaped(character: string): string {
  if (character === '\r') return '\\r'
  const hex = hexOf(character, 2)
  if (hex.length === 2) return `\\x${hex}`
  return hex.length < 5 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`
}

function hexOf(character: string, digits: number): string {
  return (character.codePointAt(0) ?? 0).toString(16).padStart(digits, '0')
}

/** Text of others that can be shown: nothing in it moves the cursor, colours, or talks to the terminal. Line ends become newlines. */
export function plain(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(unsafe, escaped)
}

/** As `plain`, in one line. */
export function oneLine(text: string): string {
  return plain(text.replace(/[\r\n\t ]+/g, ' ').trim())
}

// Characters that take no room and change what a word is: zero-width spaces and joiners, fillers, tags, selectors, marks of direction.
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** As `plain`, for what somebody must decide about: what can't be seen is spelled out, also where some script has a use for it. */
export function spelledOut(text: string): string {
  return plain(text).replace(unseen, escaped)
}

/** One line of JSON that is as safe to show; a reader gets the same value. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value)
  return `${text.replace(unsafe, (character) => `\\u${hexOf(character, 4)}`)}\n`
}

// East Asian wide and full-width ranges, coarsely (https://www.unicode.org/reports/tr11/); a table would be exact and forty times as long.
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
const invisible = /^[\p{M}\p{Cf}]+$/u
const graphemes = new Intl.Segmenter('en')

function columnsOfGrapheme(grapheme: string): number {
  if (wide.test(grapheme)) return 2
  return invisible.test(grapheme) ? 0 : 1
}

/** How many columns of a screen the text takes. */
export function columnsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemes.segment(text)) columns += columnsOfGrapheme(segment)
  return columns
}

/** The text, or as much of its beginning as fits with an ellipsis. */
export function shorten(text: string, columns: number): string {
  // A text that could never fit is not walked to its end.
  const near = text.length > columns * 16 ? text.slice(0, columns * 16) : text
  if (near === text && columnsOf(text) <= columns) return text
  let short = ''
  let used = 0
  for (const { segment } of graphemes.segment(near)) {
    used += columnsOfGrapheme(segment)
    if (used > columns - 1) break
    short += segment
  }
  return `${short.trimEnd()}…`
}

/** The text in lines of at most `columns`, broken at spaces, a word that is longer than a line anywhere; each line begins with the indent. */
export function wrapped(text: string, columns: number | undefined, indent: string): string {
  if (columns === undefined) return `${indent}${text}\n`
  const room = Math.max(minWrapColumns, columns - indent.length)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (columnsOf(longer) <= room) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    const pieces = pieced(word, room)
    line = pieces.pop() ?? ''
    for (const piece of pieces) lines.push(piece)
  }
  return [...lines, line].map((each) => `${indent}${each}\n`).join('')
}

/** A narrower screen is left to break lines itself. */
const minWrapColumns = 16

/** The text in pieces of at most `columns`, broken anywhere. */
export function pieced(word: string, columns: number): string[] {
  const pieces: string[] = []
  if (/^[\x20-\x7e]*$/.test(word)) {
    for (let at = 0; at < word.length; at += columns) pieces.push(word.slice(at, at + columns))
    return word === '' ? [''] : pieces
  }
  let piece = ''
  let used = 0
  for (const { segment } of graphemes.segment(word)) {
    const width = columnsOfGrapheme(segment)
    if (used + width > columns) {
      pieces.push(piece)
      piece = ''
      used = 0
    }
    piece += segment
    used += width
  }
  return [...pieces, piece]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the styles that this program itself has put in
const styles = /\x1b\[[\d;]*m/g

/** Text without the styles that `styled` has put in. */
export function withoutStyle(text: string): string {
  return text.replace(styles, '')
}

export interface Piece {
  readonly text: string
  readonly style?: Style
}

/**
 * The pieces in a row with dots between them; one that does not fit begins the next line, indented. One that is wider than a line is broken here and not by
 * the terminal: no part of it stands at the beginning of a line and passes for a row of its own.
 */
export function row(
  pieces: readonly Piece[],
  screen: { readonly color: boolean; readonly columns: number | undefined },
  indent: string,
): string {
  const room = screen.columns === undefined ? undefined : Math.max(minWrapColumns, screen.columns - indent.length)
  let line = ''
  let used = 0
  for (const { text, style } of pieces) {
    const [first = '', ...rest] = room === undefined || withoutStyle(text) !== text ? [text] : pieced(text, room)
    const width = columnsOf(withoutStyle(first))
    if (line === '') used = width
    else if (screen.columns === undefined || used + 3 + width <= screen.columns) {
      line += styled(' · ', 'dim', screen)
      used += 3 + width
    } else {
      line += `\n${indent}`
      used = indent.length + width
    }
    const parts = [first, ...rest.map((part) => `\n${indent}${part}`)]
    line += style === undefined ? parts.join('') : parts.map((part) => styled(part, style, screen)).join('')
    if (rest.length > 0) used = indent.length + columnsOf(rest.at(-1) ?? '')
  }
  return `${line}\n`
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)))
}

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - columnsOf(text))) + text
}

/** `92 ms`, `1.2 s`, `2 min 05 s`, `1 h 02 min`. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  const two = (part: number) => String(part).padStart(2, '0')
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`
}

/** `40 s`, `12 min`, `3 h`, `4 days`: for what has time. */
export function roughly(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 120) return `${Math.floor(seconds)} s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} days`
}

/** What follows a failed model call that is tried again after `ms`. */
export function againIn(ms: number): string {
  return ms <= 0 ? 'It is asked again.' : `It is asked again in ${duration(ms)}.`
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`
}

/** `2026-11-28 00:31:56`, in the time zone of the process. */
export function dateAndTime(at: number): string {
  const date = new Date(at)
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`
}

/** The text as one word of a POSIX shell, for commands that are there to be copied; safe to show. */
export function shellWord(text: string): string {
  if (/^[\w./:@%+=,-]+$/.test(text)) return text
  if (!/[\n\t]/.test(text) && text.search(unsafe) < 0) return `'${text.replaceAll("'", "'\\''")}'`
  return `$'${text
    .replace(/[\\']/g, '\\$&')
    .replace(/[\n\t]/g, shellEscape)
    .replace(unsafe, shellEscape)}'`
}

/** Of `$'…'`: `\x` is a byte there, `\u` a character, which an old bash does not know. */
function shellEscape(character: string): string {
  return character < '\u0080' ? `\\x${hexOf(character, 2)}` : `\\u${hexOf(character, 4)}`
}

/** A session as the last argument of a command: one that begins with a dash is no option. */
export function sessionWord(sessionId: string): string {
  return sessionId.startsWith('-') ? `-- ${shellWord(sessionId)}` : shellWord(sessionId)
}

export function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
