import { setImmediate } from 'node:timers/promises'
import { problem } from '../problem.ts'
import type { Edit } from './inputs.ts'
import { explainMiss } from './miss.ts'
import { placesOf } from './search.ts'
import type { Text } from './text.ts'
import { lineAt } from './text.ts'

export interface Edited {
  readonly text: string
  /** How many places were changed. */
  readonly replacements: number
}

/** Lines that a message names, and places that are counted: those that overlap too, for of `aa` in `aaa` nobody knows which one is meant. */
const linesNamed = 10
const placesCounted = 1_000

/**
 * Makes the edits one after another, each in what the one before has left. Throws for the first that can't be made, with what the model needs to
 * write it right, and for one that makes the text longer than `most` bytes: a hundred edits that double it would fill the memory. Others of the
 * process get their turn, and an abort is seen, between two edits.
 */
export async function applyEdits(path: string, file: Text, edits: readonly Edit[], most: number, signal: AbortSignal): Promise<Edited> {
  let { text } = file
  let replacements = 0
  for (const [at, edit] of edits.entries()) {
    if (at > 0) await setImmediate(undefined, { signal })
    const which = edits.length === 1 ? 'The edit' : `Edit ${at + 1} of ${edits.length}`
    const { old, next } = inFile(edit, file)
    if (old === next) throw problem(`${which} of '${path}' changes nothing: 'old' and 'new' are the same. Nothing was written.`)
    const places = edit.all === true ? placesOf(text, old, undefined, 'apart') : placesOf(text, old, placesCounted)
    if (places.length === 0) {
      const earlier =
        at > 0 && placesOf(file.text, old, 1).length > 0 ? ` It was there before the edits above changed it.` : explainMiss(text, old, next)
      throw problem(`${which} was not made: 'old' is nowhere in '${path}'.${earlier} Nothing was written.`)
    }
    if (places.length > 1 && edit.all !== true)
      throw problem(
        `${which} was not made: 'old' is in '${path}' ${timesOf(places)} times (${linesOf(text, places)}). Add lines around it to 'old' until ` +
          `there is one place, or set 'all' to change every one. Nothing was written.`,
      )
    // A character takes a byte at least.
    if (text.length + places.length * (next.length - old.length) > most)
      throw problem(`${which} would make '${path}' larger than ${most} bytes, the limit. Nothing was written. Write less.`)
    text = replaced(text, places, old.length, next)
    replacements += places.length
  }
  if (text === file.text) throw problem(`The edits of '${path}' undo each other: the file would stay as it is. Nothing was written.`)
  return { text, replacements }
}

/** In a file whose lines all end with CR LF, a model's `\n` means that. Elsewhere each character means itself. */
function inFile(edit: Edit, { lineEnding }: Text): { old: string; next: string } {
  const own = (text: string) => (lineEnding === 'crlf' ? text.replace(/(?<!\r)\n/gu, '\r\n') : text)
  return { old: own(edit.old), next: own(edit.new) }
}

function replaced(text: string, places: readonly number[], length: number, next: string): string {
  const parts: string[] = []
  let from = 0
  for (const at of places) {
    parts.push(text.slice(from, at))
    from = at + length
  }
  parts.push(text.slice(from))
  return parts.join(next)
}

function timesOf({ length }: readonly number[]): string {
  return length < placesCounted ? String(length) : `at least ${placesCounted}`
}

function linesOf(text: string, places: readonly number[]): string {
  const lines = [...new Set(places.slice(0, linesNamed).map((at) => lineAt(text, at)))]
  const more = places.length > linesNamed ? ', …' : ''
  return `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more}`
}
