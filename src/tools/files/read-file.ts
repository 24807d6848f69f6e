import { jsonSchema } from '../../json-schema/index.ts'
import { tool } from '../tool.ts'
import type { Line } from './lines.ts'
import { cutText, decode, isBinary, scanLines } from './lines.ts'
import { problem } from './problem.ts'
import type { LimitHit, Reader, Truncation } from './reader.ts'
import { inputOf, truncation } from './reader.ts'
import type { Opened } from './resolve.ts'
import { shownPath, withPath } from './resolve.ts'

const defaultLines = 2_000

export interface ReadFileInput {
  readonly path: string
  readonly fromLine?: number
  readonly lines?: number
}

/** Lines are numbered from 1; a file that is empty has none (`toLine` is then 0). */
export interface ReadFileOutput extends Truncation {
  readonly path: string
  readonly fromLine: number
  readonly toLine: number
  /** `null` for a file that is larger than what is looked at (64 MB by default). */
  readonly totalLines: number | null
  /** The lines as they are, joined by `\n`, without line numbers. */
  readonly text: string
  /** Bytes of the file. */
  readonly size: number
  /** How many lines were cut for their length; a marker says how much is missing. Absent: none. */
  readonly cutLines?: number
  /** True if bytes that are no UTF-8 were replaced by U+FFFD. Absent: none were. */
  readonly invalidUtf8?: boolean
}

export function readFile(reader: Reader) {
  const { limits } = reader
  return tool({
    name: 'read_file',
    description:
      `Reads lines of a text file (UTF-8). At most ${limits.readBytes} bytes a call; lines over ${limits.lineLength} characters are cut. If ` +
      'truncated, go on with fromLine.',
    effect: 'read',
    inputSchema: jsonSchema<ReadFileInput>(
      inputOf(
        {
          path: { type: 'string', minLength: 1, description: "Path of the file, relative to the root folder, such as 'src/main.ts'." },
          fromLine: { type: 'integer', minimum: 1, description: 'First line, counted from 1. Default 1.' },
          lines: { type: 'integer', minimum: 1, description: `How many lines. Default ${defaultLines}.` },
        },
        ['path'],
      ),
    ),
    execute: (input, { signal }) => withPath(reader.root, input.path, signal, (opened) => read(reader, input, opened, signal)),
  })
}

async function read({ limits }: Reader, input: ReadFileInput, opened: Opened, signal: AbortSignal): Promise<ReadFileOutput> {
  if (opened.kind === 'folder') throw problem(`'${shownPath(opened.path)}' is a folder. Use list_files to see what it holds.`)
  const binary = () => problem(`'${opened.path}' is a binary file, which read_file does not show. Use file_info for its size and hash.`)
  const { path, handle } = opened
  if (await isBinary(handle)) throw binary()
  const from = input.fromLine ?? 1
  const to = from + (input.lines ?? defaultLines) - 1
  const lines: ShownLine[] = []
  let bytes = 0
  let limitHit: LimitHit | undefined
  const range = { from, to, keep: limits.lineLength * 4, most: limits.scanBytes, signal }
  const scan = await scanLines(handle, range, (line) => {
    const shown = showLine(line, limits.lineLength)
    bytes += Buffer.byteLength(shown.text) + 1
    if (lines.length > 0 && bytes > limits.readBytes) {
      limitHit = 'bytes'
      return 'enough'
    }
    lines.push(shown)
    return 'on'
  })
  const last = from + lines.length - 1
  if (lines.length === 0 && from > 1) throw beyondEnd(path, from, scan.lines, scan.complete)
  if (lines.some(({ text }) => text.includes('\0'))) throw binary()
  if (limitHit === undefined && (last < scan.lines || !scan.complete)) limitHit = last < to ? 'bytes' : 'lines'
  const cutLines = lines.filter(({ cut }) => cut).length
  const { size } = await handle.stat()
  return {
    path,
    fromLine: from,
    toLine: last,
    totalLines: scan.complete ? scan.lines : null,
    text: lines.map(({ text }) => text).join('\n'),
    size,
    ...(cutLines === 0 ? {} : { cutLines }),
    ...(lines.some(({ invalid }) => invalid) ? { invalidUtf8: true } : {}),
    ...truncation(limitHit ?? (cutLines === 0 ? undefined : 'lineLength')),
  }
}

interface ShownLine {
  readonly text: string
  readonly cut: boolean
  readonly invalid: boolean
}

function showLine({ bytes, cutBytes }: Line, most: number): ShownLine {
  const { text, invalid } = decode(bytes, cutBytes > 0 ? 'cut' : 'whole')
  if (cutBytes === 0 && text.length <= most) return { text, cut: false, invalid }
  const shown = cutText(text, most)
  return { text: `${shown}… [${bytes.length + cutBytes - Buffer.byteLength(shown)} more bytes in this line]`, cut: true, invalid }
}

function beyondEnd(path: string, line: number, total: number, complete: boolean): Error {
  if (complete) return problem(`'${path}' has ${total} lines, so there is no line ${line}. Use a smaller fromLine.`)
  return problem(`Line ${line} of '${path}' lies beyond the part of a large file that read_file looks at (${total} lines).`)
}
