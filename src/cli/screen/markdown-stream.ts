import type { Output } from '../terminal.ts'
import { markdownLines } from './markdown.ts'

/** Of a block that is not certain no more than a screen can show is looked at again with each piece: so many lines, so much (code units) of each. */
const maxPreviewLines = 100
const maxPreviewLength = 2_000

/**
 * Markdown that comes in pieces: hands out lines as soon as nothing that follows can change them, block by block and of fenced code line by line, so that a
 * long answer costs no more per piece than a short one.
 */
export class MarkdownStream {
  readonly #columns: () => number
  readonly #screen: Pick<Output, 'color'>
  /** Whole lines of a block that may go on. */
  #block: string[] = []
  #partial = ''
  /** The fence that closes the code at hand. */
  #fence: string | undefined
  #afterBlank = false
  #any = false

  constructor(columns: () => number, screen: Pick<Output, 'color'>) {
    this.#columns = columns
    this.#screen = screen
  }

  /** The lines that have become certain. */
  add(text: string): readonly string[] {
    // A carriage return at the end may be half of a line ending; it belongs to the text that comes next.
    if (!/[\r\n]/.test(text) && !this.#partial.endsWith('\r')) {
      this.#partial += text
      return []
    }
    const lines = (this.#partial + text).split(/\r\n|\n|\r(?!$)/)
    this.#partial = lines.pop() ?? ''
    return lines.flatMap((line) => this.#line(line))
  }

  /** What is not certain yet, as it would be shown now; of a long block its end. */
  preview(): readonly string[] {
    const partial = this.#partial.slice(-maxPreviewLength)
    const block = this.#block.slice(-maxPreviewLines).map((line) => line.slice(-maxPreviewLength))
    const rest = partial === '' ? block : [...block, partial]
    if (rest.every((line) => line.trim() === '')) return []
    return this.#spaced(this.#fence === undefined ? this.#rendered(rest) : this.#rendered([this.#fence, ...rest]))
  }

  /** The rest: nothing follows. */
  end(): readonly string[] {
    const last = this.#partial === '' ? [] : this.#line(this.#partial)
    this.#partial = ''
    const rest = this.#flush()
    this.#fence = undefined
    this.#any = false
    return [...last, ...rest]
  }

  #line(line: string): readonly string[] {
    if (this.#fence !== undefined) return this.#inFence(line, this.#fence)
    const fence = /^ {0,3}(`{3,}(?!.*`)|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      const before = this.#flush()
      this.#fence = fence
      const gap = this.#any ? [''] : []
      this.#any = true
      return [...before, ...gap]
    }
    // A line that stands at the edge after a blank one belongs to nothing above; but for the next item of a list.
    const begins = this.#afterBlank && /^\S/.test(line) && !/^(?:[-*+]|\d{1,9}[.)])\s/.test(line)
    const before = begins ? this.#flush() : []
    this.#afterBlank = line.trim() === ''
    this.#block.push(line)
    return before
  }

  #inFence(line: string, fence: string): readonly string[] {
    if (new RegExp(`^ {0,3}${fence[0]}{${fence.length},}\\s*$`).test(line)) {
      this.#fence = undefined
      this.#afterBlank = true
      return []
    }
    return this.#rendered([fence, line])
  }

  #flush(): readonly string[] {
    const lines = this.#spaced(this.#rendered(this.#block))
    this.#block = []
    this.#afterBlank = false
    if (lines.length > 0) this.#any = true
    return lines
  }

  /** Blocks stand apart; the lines of fenced code do not. */
  #spaced(lines: readonly string[]): readonly string[] {
    return this.#any && lines.length > 0 && this.#fence === undefined ? ['', ...lines] : lines
  }

  #rendered(lines: readonly string[]): readonly string[] {
    return markdownLines(lines.join('\n'), this.#columns(), this.#screen)
  }
}
