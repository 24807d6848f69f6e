import { problem } from '../problem.ts'
import type { Edit } from './inputs.ts'
import { explainMiss } from './miss.ts'
import type { Text } from './text.ts'
import { lineAt } from './text.ts'

export interface Edited {
  readonly text: string
  /** How many places were changed. */
  readonly replacements: number
}

/** Lines that a message names, and places that are counted. */
const linesNamed = 10
const placesCounted = 1_000

/**
 * Makes the edits one after another, each in what the one before has left. Throws for the first that can't be made, with what the model needs to
 * write it right.
 */
export function applyEdits(path: string, file: Text, edits: readonly Edit[]): Edited {
  let { text } = file
  let replacements = 0
  for (const [at, edit] of edits.entries()) {
    const which = edits.length === 1 ? 'The edit' : `Edit ${at + 1} of ${edits.length}`
    const { old, next } = inFile(edit, file)
    if (old === next) throw problem(`${which} of '${path}' changes nothing: 'old' and 'new' are the same. Nothing was written.`)
    const places = placesOf(text, old)
    if (places.length === 0) {
      const earlier = at > 0 && file.text.includes(old) ? ` It was there before the edits above changed it.` : explainMiss(text, old, next)
      throw problem(`${which} was not made: 'old' is nowhere in '${path}'.${earlier} Nothing was written.`)
    }
    if (places.length > 1 && edit.all !== true)
      throw problem(
        `${which} was not made: 'old' is in '${path}' ${timesOf(places)} times (${linesOf(text, places)}). Add lines around it to 'old' until ` +
          `there is one place, or set 'all' to change every one. Nothing was written.`,
      )
    const parts = edit.all === true ? text.split(old) : [text.slice(0, places[0]), text.slice((places[0] ?? 0) + old.length)]
    replacements += parts.length - 1
    text = parts.join(next)
  }
  if (text === file.text) throw problem(`The edits of '${path}' undo each other: the file would stay as it is. Nothing was written.`)
  return { text, replacements }
}

/** In a file whose lines all end with CR LF, a model's `\n` means that. Elsewhere each character means itself. */
function inFile(edit: Edit, { lineEnding }: Text): { old: string; next: string } {
  const own = (text: string) => (lineEnding === 'crlf' ? text.replace(/(?<!\r)\n/gu, '\r\n') : text)
  return { old: own(edit.old), next: own(edit.new) }
}

/** Where a text begins, places that overlap too: of `aa` in `aaa` nobody knows which one is meant. */
function placesOf(text: string, wanted: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(wanted); at >= 0 && places.length < placesCounted; at = text.indexOf(wanted, at + 1)) places.push(at)
  return places
}

function timesOf({ length }: readonly number[]): string {
  return length < placesCounted ? String(length) : `at least ${placesCounted}`
}

function linesOf(text: string, places: readonly number[]): string {
  const lines = [...new Set(places.slice(0, linesNamed).map((at) => lineAt(text, at)))]
  const more = places.length > linesNamed ? ', …' : ''
  return `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more}`
}
