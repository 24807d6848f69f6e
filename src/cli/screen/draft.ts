import { columnsOf } from '../text.ts'
import type { Key } from './keys.ts'

/** A text that is being written, and the place in it (in code units) before which the next character goes. */
export interface Draft {
  readonly text: string
  readonly at: number
}

export const emptyDraft: Draft = { text: '', at: 0 }

/** The draft with this text, ready to go on at its end. */
export function draftOf(text: string): Draft {
  return { text, at: text.length }
}

const segments = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** What a key makes of a draft; `undefined` for a key that is not for writing. */
export function edited(draft: Draft, key: Key): Draft | undefined {
  if (key.kind !== 'key') return inserted(draft, key.text)
  return edits[key.name]?.(draft)
}

// The keys of readline, as every shell has them.
const edits: { readonly [name: string]: (draft: Draft) => Draft } = {
  'alt-enter': (draft) => inserted(draft, '\n'),
  'ctrl-j': (draft) => inserted(draft, '\n'),
  left: ({ text, at }) => ({ text, at: before(text, at) }),
  'ctrl-b': ({ text, at }) => ({ text, at: before(text, at) }),
  right: ({ text, at }) => ({ text, at: after(text, at) }),
  'ctrl-f': ({ text, at }) => ({ text, at: after(text, at) }),
  'alt-b': ({ text, at }) => ({ text, at: wordBefore(text, at) }),
  'ctrl-left': ({ text, at }) => ({ text, at: wordBefore(text, at) }),
  'alt-left': ({ text, at }) => ({ text, at: wordBefore(text, at) }),
  'alt-f': ({ text, at }) => ({ text, at: wordAfter(text, at) }),
  'ctrl-right': ({ text, at }) => ({ text, at: wordAfter(text, at) }),
  'alt-right': ({ text, at }) => ({ text, at: wordAfter(text, at) }),
  home: ({ text, at }) => ({ text, at: lineStart(text, at) }),
  'ctrl-a': ({ text, at }) => ({ text, at: lineStart(text, at) }),
  end: ({ text, at }) => ({ text, at: lineEnd(text, at) }),
  'ctrl-e': ({ text, at }) => ({ text, at: lineEnd(text, at) }),
  backspace: ({ text, at }) => cut(text, before(text, at), at),
  'ctrl-h': ({ text, at }) => cut(text, before(text, at), at),
  delete: ({ text, at }) => cut(text, at, after(text, at)),
  'alt-backspace': ({ text, at }) => cut(text, wordBefore(text, at), at),
  'ctrl-w': ({ text, at }) => cut(text, wordBefore(text, at), at),
  'alt-d': ({ text, at }) => cut(text, at, wordAfter(text, at)),
  'ctrl-u': ({ text, at }) => cut(text, lineStart(text, at), at),
  // At the end of a line it takes the line end, as editors do.
  'ctrl-k': ({ text, at }) => cut(text, at, Math.max(lineEnd(text, at), Math.min(at + 1, text.length))),
}

/** The draft with its cursor a line up or down, at the same column where the line is so long; `undefined` where there is no such line. */
export function movedLine({ text, at }: Draft, by: -1 | 1): Draft | undefined {
  const start = lineStart(text, at)
  if (by < 0 ? start === 0 : lineEnd(text, at) === text.length) return undefined
  const target = by < 0 ? lineStart(text, start - 1) : lineEnd(text, at) + 1
  const columns = columnsOf(text.slice(start, at))
  let to = target
  let passed = 0
  for (const { segment } of segments.segment(text.slice(target, lineEnd(text, target)))) {
    if (passed >= columns) break
    passed += columnsOf(segment)
    to += segment.length
  }
  return { text, at: to }
}

function inserted({ text, at }: Draft, more: string): Draft {
  return { text: `${text.slice(0, at)}${more}${text.slice(at)}`, at: at + more.length }
}

function cut(text: string, from: number, to: number): Draft {
  return { text: `${text.slice(0, from)}${text.slice(to)}`, at: from }
}

/** No grapheme that anybody writes is longer (code units). */
const maxGrapheme = 200

/** Only the line is looked at, and no more of it than one grapheme can take: what a grapheme is does not depend on the rest. */
function before(text: string, at: number): number {
  if (at === 0) return 0
  const start = Math.max(lineStart(text, at), at - maxGrapheme)
  if (start === at) return at - 1
  let last = 0
  for (const { index } of segments.segment(text.slice(start, at))) last = index
  return start + last
}

function after(text: string, at: number): number {
  if (at >= text.length || text[at] === '\n') return Math.min(at + 1, text.length)
  for (const { segment } of segments.segment(text.slice(at, Math.min(lineEnd(text, at), at + maxGrapheme)))) return at + segment.length
  return at
}

/** Each character is looked at once: a search from the beginning would take forever in a text that was pasted. */
function wordBefore(text: string, at: number): number {
  let from = at
  while (from > 0 && !isOfWord(text, from)) from--
  while (from > 0 && isOfWord(text, from)) from--
  return from
}

/** Whether the code unit before this place belongs to a word; both halves of a character do or do not. */
function isOfWord(text: string, at: number): boolean {
  const last = text.charCodeAt(at - 1)
  const isLow = last >= 0xdc00 && last <= 0xdfff
  const isHigh = last >= 0xd800 && last <= 0xdbff
  const character = isLow ? text.slice(at - 2, at) : isHigh ? text.slice(at - 1, at + 1) : text.charAt(at - 1)
  return /[\p{L}\p{N}_]/u.test(character)
}

function wordAfter(text: string, at: number): number {
  return at + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(at))?.[0].length ?? 0)
}

/** Where the line begins that this place is in. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

/** Where it ends: before its newline. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}
