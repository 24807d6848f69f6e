import type { Output } from '../terminal.ts'
import { columnsOf, plain, styled, wrapped } from '../text.ts'

type Screen = Pick<Output, 'color' | 'columns'>

/** Deeper indentation is not kept where a line must be broken. */
const maxKeptIndent = 24

/**
 * The words of others, each line behind a mark. On a screen a long line is broken here and not by the terminal, so that no piece of it stands
 * at the beginning of a line and passes for one of ours.
 */
export function quoted(text: string, { mark, style, indent = '' }: Mark, screen: Screen): string {
  const before = `${indent}${styled(mark, style, screen)}`
  return text
    .split('\n')
    .flatMap((line) => broken(line, screen.columns, indent.length + mark.length + 1))
    .map((line) => (line === '' ? `${before}\n` : `${before} ${line}\n`))
    .join('')
}

export interface Mark {
  readonly mark: string
  readonly style: 'cyan' | 'dim'
  readonly indent?: string
}

/** What was asked. */
export const asked: Mark = { mark: '>', style: 'cyan' }
/** What a model says. */
export const said: Mark = { mark: '│', style: 'dim' }

function broken(line: string, columns: number | undefined, used: number): readonly string[] {
  if (columns === undefined) return [line]
  // A tab takes as much room as the terminal likes.
  const spaced = line.replaceAll('\t', '    ')
  if (columnsOf(spaced) <= columns - used) return [spaced]
  const indent = ' '.repeat(Math.min(/^ */.exec(spaced)?.[0].length ?? 0, maxKeptIndent))
  return wrapped(spaced.trimStart(), columns - used, indent)
    .trimEnd()
    .split('\n')
}

/** Text of others in lines, without the blank ones at its end. */
export function linesToQuote(text: string): string {
  return plain(text).trimEnd()
}
