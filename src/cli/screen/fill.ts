import type { styleText } from 'node:util'
import type { Output } from '../terminal.ts'
import { columnsOf, pieced, styled } from '../text.ts'

type OneStyle = Extract<Parameters<typeof styleText>[0], string>

/** Text in one style; a newline in it breaks the line. */
export interface Span {
  readonly text: string
  readonly style?: readonly OneStyle[]
}

/** The spans in lines of at most `columns`, broken at spaces; a word that is longer than a line is broken anywhere. */
export function filled(spans: readonly Span[], columns: number, screen: Pick<Output, 'color'>): readonly string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  const next = () => {
    lines.push(line.trimEnd())
    line = ''
    used = 0
  }
  const add = (text: string, style: Span['style']) => {
    line += style === undefined || style.length === 0 ? text : styled(text, [...style], screen)
    used += columnsOf(text)
  }
  for (const { text, style } of spans)
    for (const piece of text.match(/\n|[^\S\n]+|[^\s]+/g) ?? []) {
      if (piece === '\n') next()
      else if (/^\s/.test(piece)) {
        if (used > 0 && used < columns) add(' ', style)
      } else {
        const width = columnsOf(piece)
        if (used > 0 && used + width > columns) next()
        const parts = width > columns ? pieced(piece, columns) : [piece]
        parts.forEach((part, index) => {
          if (index > 0) next()
          add(part, style)
        })
      }
    }
  if (line !== '' || lines.length === 0) next()
  return lines
}
