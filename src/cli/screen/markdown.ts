import { lexer, type Token, type Tokens } from 'marked'
import type { Output } from '../terminal.ts'
import { columnsOf, padEnd, padStart, plain, shorten, styled } from '../text.ts'
import { filled, type Span } from './fill.ts'

type Screen = Pick<Output, 'color'>

/** Markdown as lines of a terminal, each at most `columns` wide (code excepted, which is cut nowhere). Nothing in it reaches the terminal but text. */
export function markdownLines(text: string, columns: number, screen: Screen): readonly string[] {
  return blocks(lexer(plain(text), { gfm: true }), Math.max(16, columns), screen)
}

function blocks(tokens: readonly Token[], columns: number, screen: Screen): readonly string[] {
  const lines: string[] = []
  for (const token of tokens) {
    const made = block(token, columns, screen)
    if (made === undefined) continue
    if (lines.length > 0) lines.push('')
    for (const line of made) lines.push(line)
  }
  return lines
}

/** `undefined`: nothing of it is shown. */
function block(token: Token, columns: number, screen: Screen): readonly string[] | undefined {
  switch (token.type) {
    case 'space':
    case 'def':
      return undefined
    case 'heading':
      return filled(spans((token as Tokens.Heading).tokens, ['bold']), columns, screen)
    case 'paragraph':
    case 'text':
      return filled(spans((token as Tokens.Paragraph).tokens ?? [token]), columns, screen)
    case 'code':
      return (token as Tokens.Code).text.split('\n').map((line) => (line.trim() === '' ? '' : `  ${styled(line, 'cyan', screen)}`))
    case 'blockquote': {
      const bar = styled('│', 'dim', screen)
      return blocks((token as Tokens.Blockquote).tokens, columns - 2, screen).map((line) => `${bar} ${line}`)
    }
    case 'list':
      return list(token as Tokens.List, columns, screen)
    case 'table':
      return table(token as Tokens.Table, columns, screen)
    case 'hr':
      return [styled('─'.repeat(Math.min(columns, 40)), 'dim', screen)]
    default:
      return filled([{ text: token.raw.trimEnd() }], columns, screen)
  }
}

function list({ items, ordered, start, loose }: Tokens.List, columns: number, screen: Screen): readonly string[] {
  const first = start === '' ? 1 : start
  return items.flatMap((item, index) => {
    const mark = item.task ? (item.checked === true ? '☑ ' : '☐ ') : ordered ? `${first + index}. ` : '• '
    const indent = ' '.repeat(columnsOf(mark))
    // A nested list stands right below its item, other blocks are set off.
    const inner = item.tokens.filter(({ type }) => type !== 'checkbox')
    const lines = inner.flatMap((token, at) => {
      const made = block(token, columns - indent.length, screen) ?? []
      return at > 0 && made.length > 0 && (loose || token.type !== 'list') ? ['', ...made] : made
    })
    const marked = (lines.length === 0 ? [''] : lines).map((line, at) =>
      at === 0 ? `${mark}${line}` : line === '' ? '' : `${indent}${line}`,
    )
    return loose && index > 0 ? ['', ...marked] : marked
  })
}

/** Aligned where it fits, else with shortened cells. */
function table({ header, rows, align }: Tokens.Table, columns: number, screen: Screen): readonly string[] {
  const cellText = (cell: Tokens.TableCell) =>
    spans(cell.tokens)
      .map(({ text }) => text)
      .join('')
      .replaceAll('\n', ' ')
  const all = [header, ...rows].map((row) => row.map(cellText))
  const gap = 2
  const natural = header.map((_, column) => all.reduce((most, row) => Math.max(most, columnsOf(row[column] ?? '')), 3))
  const widths = shrunk(natural, columns - gap * (header.length - 1))
  const line = (row: readonly string[]) =>
    row
      .map((text, column) => {
        const width = widths[column] ?? 3
        const cut = shorten(text, width)
        return align[column] === 'right' ? padStart(cut, width) : padEnd(cut, width)
      })
      .join(' '.repeat(gap))
      .trimEnd()
  const rule = widths.map((width) => '─'.repeat(width)).join(' '.repeat(gap))
  const [head = [], ...body] = all
  return [styled(line(head), 'bold', screen), styled(rule, 'dim', screen), ...body.map(line)]
}

/** The widest give way, until all fit. */
function shrunk(natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural]
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths))
    if ((widths[widest] ?? 0) <= 3) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

function spans(tokens: readonly Token[], style: readonly Style[] = []): readonly Span[] {
  return tokens.flatMap((token): readonly Span[] => {
    switch (token.type) {
      case 'strong':
        return spans((token as Tokens.Strong).tokens, [...style, 'bold'])
      case 'em':
        return spans((token as Tokens.Em).tokens, [...style, 'italic'])
      case 'del':
        return spans((token as Tokens.Del).tokens, [...style, 'strikethrough'])
      case 'codespan':
        return [{ text: (token as Tokens.Codespan).text, style: [...style, 'cyan'] }]
      case 'br':
        return [{ text: '\n' }]
      case 'link':
        return linkSpans(token as Tokens.Link, style)
      case 'image':
        return [{ text: `${(token as Tokens.Image).text} (${(token as Tokens.Image).href})`, style }]
      default: {
        const { tokens: inner, text, raw } = token as Tokens.Text
        return inner === undefined ? [{ text: text ?? raw, style }] : spans(inner, style)
      }
    }
  })
}

type Style = NonNullable<Span['style']>[number]

/** Where it leads is always seen: a name can say anything. */
function linkSpans({ tokens, href, text }: Tokens.Link, style: readonly Style[]): readonly Span[] {
  if (text === href || `mailto:${text}` === href) return [{ text, style: [...style, 'underline'] }]
  return [...spans(tokens, [...style, 'underline']), { text: ` (${href})`, style: [...style, 'dim'] }]
}
