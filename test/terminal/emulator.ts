import xterm, { type IBufferCell, type IBufferLine, type Terminal } from '@xterm/headless'

/** What of a terminal a program can change beside text and colours. */
export interface TerminalState {
  /** Of the window; empty: none was set. */
  readonly title: string
  /** How often it rang. */
  readonly bells: number
  /** What was put into the clipboard, or asked of it (OSC 52). */
  readonly clipboard: readonly string[]
  readonly isAlternate: boolean
  readonly isCursorHidden: boolean
  /** Of the margins (DECSTBM), as they were set last; `undefined`: never. */
  readonly scrollRegion: readonly number[] | undefined
  /** What the terminal typed by itself, because it was asked something (DSR, DA, DECRQSS). */
  readonly answers: readonly string[]
  /** Other things that were asked of it: `OSC 8`, `CSI t`, … */
  readonly others: readonly string[]
  readonly modes: Terminal['modes']
}

export interface Emulator {
  readonly columns: number
  readonly rows: number
  /** Resolves when the characters are on the screen. */
  write(text: string): Promise<void>
  resize(columns: number, rows: number): void
  /** The visible rows, without blanks at their ends and without empty rows at the end. */
  screen(): string
  /** All rows since the beginning, the visible ones last. */
  scrollback(): string
  /** All lines since the beginning: what was only broken at the right edge is one line. */
  lines(): string
  /** As `screen`, with the styles as words: `{green}✓{/} read_file`. */
  styledScreen(): string
  state(): TerminalState
  /** Where the cursor stands: column and row from 0, the row within the screen. */
  cursor(): { readonly column: number; readonly row: number }
}

/** Kept above the screen (rows). */
const scrollbackRows = 10_000

/** A terminal without a window. `answer` gets what it types by itself. */
export function emulator(columns: number, rows: number, answer: (text: string) => void): Emulator {
  // Without these it keeps silent about what is asked of its window.
  const windowOptions = { setWinSizeChars: true, getWinTitle: true }
  const options = { cols: columns, rows, scrollback: scrollbackRows, allowProposedApi: true, logLevel: 'off', windowOptions } as const
  const terminal = new xterm.Terminal(options)
  const watched = watch(terminal, answer)
  const all = () => rowsOf(terminal, 0)
  return {
    get columns() {
      return terminal.cols
    },
    get rows() {
      return terminal.rows
    },
    write: (text) => new Promise((resolve) => terminal.write(text, resolve)),
    resize: (newColumns, newRows) => terminal.resize(newColumns, newRows),
    screen: () => trimmed(rowsOf(terminal, terminal.buffer.active.baseY).map((row) => row.translateToString(true))),
    scrollback: () => trimmed(all().map((row) => row.translateToString(true))),
    lines: () => trimmed(joined(all())),
    styledScreen: () => trimmed(rowsOf(terminal, terminal.buffer.active.baseY).map(styledRow)),
    state: () => ({ ...watched(), isAlternate: terminal.buffer.active.type === 'alternate', modes: { ...terminal.modes } }),
    cursor: () => ({ column: terminal.buffer.active.cursorX, row: terminal.buffer.active.cursorY }),
  }
}

/** What OSC numbers beside those of title and clipboard do: names, folders, links, colours, notifications, marks of shells, images. */
const otherOsc = [4, 7, 8, 9, 10, 11, 12, 50, 104, 110, 111, 112, 133, 633, 777, 1337] as const

/** Keeps what the emulator itself does not tell. Each handler says that it has done nothing, so that the emulator acts as ever. */
function watch(terminal: Terminal, answer: (text: string) => void): () => Omit<TerminalState, 'isAlternate' | 'modes'> {
  const [clipboard, answers, others]: [string[], string[], string[]] = [[], [], []]
  let [title, bells, isCursorHidden]: [string, number, boolean] = ['', 0, false]
  let scrollRegion: readonly number[] | undefined
  const notes = (kept: string[], text: string) => {
    kept.push(text)
    return false
  }
  const { parser } = terminal
  terminal.onTitleChange((changed) => {
    title = changed
  })
  terminal.onBell(() => {
    bells++
  })
  terminal.onData((text) => {
    answers.push(text)
    answer(text)
  })
  parser.registerOscHandler(52, (data) => notes(clipboard, data))
  for (const number of otherOsc) parser.registerOscHandler(number, () => notes(others, `OSC ${number}`))
  parser.registerCsiHandler({ final: 'r' }, (parameters) => {
    scrollRegion = parameters.flat()
    return false
  })
  parser.registerCsiHandler({ final: 't' }, () => notes(others, 'CSI t'))
  parser.registerCsiHandler({ intermediates: ' ', final: 'q' }, () => notes(others, 'CSI q'))
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, () => notes(others, 'DCS $q'))
  parser.registerDcsHandler({ final: 'q' }, () => notes(others, 'DCS q'))
  parser.registerEscHandler({ final: 'c' }, () => notes(others, 'ESC c'))
  parser.registerEscHandler({ intermediates: '(', final: '0' }, () => notes(others, 'ESC (0'))
  for (const final of ['h', 'l'] as const)
    parser.registerCsiHandler({ prefix: '?', final }, (parameters) => {
      if (parameters.flat().includes(25)) isCursorHidden = final === 'l'
      return false
    })
  return () => ({ title, bells, clipboard: [...clipboard], isCursorHidden, scrollRegion, answers: [...answers], others: [...others] })
}

function rowsOf({ buffer: { active } }: Terminal, from: number): IBufferLine[] {
  return Array.from({ length: active.length - from }, (_, index) => active.getLine(from + index)).filter((row) => row !== undefined)
}

function joined(rows: readonly IBufferLine[]): string[] {
  const lines: string[] = []
  for (const [index, row] of rows.entries()) {
    // A row that goes on in the next one ends where the screen ends: blanks there belong to the text.
    const text = row.translateToString(rows[index + 1]?.isWrapped !== true)
    if (row.isWrapped) lines.push(`${lines.pop() ?? ''}${text}`)
    else lines.push(text)
  }
  return lines
}

function trimmed(rows: readonly string[]): string {
  return rows
    .map((row) => `${row.trimEnd()}\n`)
    .join('')
    .replace(/\n+$/, '\n')
    .replace(/^\n$/, '')
}

function styledRow(row: IBufferLine): string {
  let text = ''
  let before = ''
  for (let column = 0; column < row.length; column++) {
    const cell = row.getCell(column)
    // The second half of a wide character.
    if (cell === undefined || cell.getWidth() === 0) continue
    const style = styleOf(cell)
    if (style !== before) text += `${before === '' ? '' : '{/}'}${style === '' ? '' : `{${style}}`}`
    before = style
    text += cell.getChars() === '' ? ' ' : cell.getChars()
  }
  return before === '' ? text : `${text}{/}`
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

function styleOf(cell: IBufferCell): string {
  const words = [
    cell.isBold() ? 'bold' : '',
    cell.isDim() ? 'dim' : '',
    cell.isItalic() ? 'italic' : '',
    cell.isUnderline() ? 'underline' : '',
    cell.isInverse() ? 'inverse' : '',
    cell.isFgDefault() ? '' : colourName(cell.getFgColor(), cell.isFgRGB()),
    cell.isBgDefault() ? '' : `on-${colourName(cell.getBgColor(), cell.isBgRGB())}`,
  ]
  return words.filter((word) => word !== '').join(' ')
}

function colourName(colour: number, isRgb: boolean): string {
  if (isRgb) return `#${colour.toString(16).padStart(6, '0')}`
  const name = colours[colour % 8] ?? ''
  return colour < 8 ? name : colour < 16 ? `bright-${name}` : `colour-${colour}`
}
