import type { Json, JsonObject } from '../../core/json.ts'
import { isJsonObject } from '../../core/json.ts'
import type { ToolCallPart } from '../../core/message.ts'

/** One file, folder or matching line in a tool's result. */
export interface Row {
  readonly path: string
  /** `other`: a link, a device. A tool that does not say lists files. */
  readonly kind: 'file' | 'folder' | 'other'
  /** Bytes. */
  readonly size?: number
  /** How many lines the file has. */
  readonly lines?: number
  /** The number of this line, from 1. */
  readonly line?: number
  readonly text?: string
}

export interface Rows {
  readonly rows: readonly Row[]
  /** The tool left something out: every number is then a lower bound. */
  readonly truncated: boolean
  /** How many entries the tool passed over on purpose. */
  readonly skipped: number
  /** How many folders or files it could not read. */
  readonly unreadable: number
  /** How many files it did not search, because they are binary, say. */
  readonly filesSkipped: number
}

export interface FileText {
  /** From 1. */
  readonly fromLine: number
  readonly lines: readonly string[]
  /** Absent when the tool does not say. */
  readonly totalLines?: number
  /** Of the whole file, in bytes. */
  readonly size?: number
  readonly truncated: boolean
  /** Long lines are not whole. */
  readonly cutLines: boolean
}

/** What a successful call gave: its output, else what stands in its place when that is JSON. */
export function outputOf(call: ToolCallPart): Json | undefined {
  const output = call.settlement?.outcome === 'ok' ? call.settlement.output : undefined
  if (typeof output === 'object' && output !== null) return output
  return parsed(output) ?? parsed(call.content) ?? output
}

function parsed(text: unknown): Json | undefined {
  if (typeof text !== 'string' || !/^\s*[[{]/.test(text)) return undefined
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/** The rows of a result, wherever they stand in it. Undefined: there is no list in it. */
export function rowsOf(output: Json | undefined): Rows | undefined {
  const arrays = arraysIn(output)
  const rows = arrays.map((array) => array.flatMap(rowOf)).find((found) => found.length > 0)
  if (rows === undefined && !arrays.some((array) => array.length === 0)) return undefined
  const counts = isJsonObject(output) ? output : {}
  const numberOf = (key: string) => firstNumber(counts, [key]) ?? 0
  const left = { skipped: numberOf('skipped'), unreadable: numberOf('unreadable'), filesSkipped: numberOf('filesSkipped') }
  return { rows: rows ?? [], truncated: isTruncated(output), ...left }
}

/** Level by level, so that the outermost list is met first. */
function arraysIn(output: Json | undefined): readonly (readonly Json[])[] {
  const arrays: (readonly Json[])[] = []
  let level: readonly (Json | undefined)[] = [output]
  for (let depth = 0; depth < 4 && level.length > 0; depth++) {
    for (const value of level) if (Array.isArray(value)) arrays.push(value)
    level = level.filter(isJsonObject).flatMap((value) => Object.values(value))
  }
  return arrays
}

function rowOf(value: Json | undefined): readonly Row[] {
  if (typeof value === 'string') return [{ path: value.replace(/\/$/, ''), kind: value.endsWith('/') ? 'folder' : 'file' }]
  if (!isJsonObject(value)) return []
  const path = firstString(value, ['path', 'file', 'name'])
  if (path === undefined) return []
  const type = firstString(value, ['type', 'kind']) ?? (value['isDirectory'] === true || path.endsWith('/') ? 'folder' : 'file')
  const size = firstNumber(value, ['size', 'bytes', 'sizeBytes'])
  const lines = firstNumber(value, ['lines', 'lineCount', 'totalLines'])
  const line = firstNumber(value, ['line', 'lineNumber'])
  const text = firstString(value, ['text', 'lineText', 'preview'])
  return [
    {
      path: path.length > 1 ? path.replace(/\/$/, '') : path,
      kind: /^(?:folder|dir|directory)$/.test(type)
        ? 'folder'
        : type === 'link' || type === 'symlink' || type === 'other'
          ? 'other'
          : 'file',
      ...(size === undefined ? {} : { size }),
      ...(lines === undefined ? {} : { lines }),
      ...(line === undefined ? {} : { line }),
      ...(text === undefined ? {} : { text }),
    },
  ]
}

export function fileTextOf(output: Json | undefined): FileText | undefined {
  if (typeof output === 'string') return { fromLine: 1, lines: linesOf(output), truncated: false, cutLines: false }
  if (!isJsonObject(output)) return undefined
  const text = firstString(output, ['text', 'content'])
  if (text === undefined) return undefined
  const totalLines = firstNumber(output, ['totalLines', 'lineCount'])
  const fromLine = firstNumber(output, ['fromLine', 'startLine']) ?? 1
  const toLine = firstNumber(output, ['toLine', 'endLine'])
  const lines = linesOf(text)
  // A page that ends in an empty line looks like one that ends in a line feed: only the tool knows.
  if (toLine !== undefined && lines.length === toLine - fromLine) lines.push('')
  const size = firstNumber(output, ['size'])
  const known = { ...(totalLines === undefined ? {} : { totalLines }), ...(size === undefined ? {} : { size }) }
  const cutLines = (firstNumber(output, ['cutLines']) ?? 0) > 0
  return { fromLine, lines, truncated: isTruncated(output), cutLines, ...known }
}

export interface FileInfo {
  /** Bytes. */
  readonly size?: number
  readonly lines?: number
  /** Of a folder: what lies below it. */
  readonly files?: number
  readonly folders?: number
}

/** What is told about one file or folder. Some tools wrap the one answer that they have. */
export function fileInfoOf(output: Json | undefined): FileInfo {
  if (!isJsonObject(output) || isTruncated(output)) return {}
  const lines = infoNumber(output, ['lines', 'lineCount', 'totalLines'])
  const size = infoNumber(output, ['size', 'bytes', 'sizeBytes'])
  const files = infoNumber(output, ['files'])
  const folders = infoNumber(output, ['folders'])
  return {
    ...(size === undefined ? {} : { size }),
    ...(lines === undefined ? {} : { lines }),
    ...(files === undefined ? {} : { files }),
    ...(folders === undefined ? {} : { folders }),
  }
}

function infoNumber(output: JsonObject, keys: readonly string[]): number | undefined {
  return firstNumber(output, keys) ?? firstNumber(Object.values(output).find(isJsonObject) ?? {}, keys)
}

function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

const truncationWords = ['truncated', 'hasMore', 'more', 'incomplete', 'partial', 'limitReached']

function isTruncated(output: Json | undefined): boolean {
  return isJsonObject(output) && truncationWords.some((word) => output[word] === true)
}

function firstString(value: JsonObject, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const field = value[key]
    if (typeof field === 'string') return field
  }
  return undefined
}

function firstNumber(value: JsonObject, keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const field = value[key]
    if (typeof field === 'number') return field
  }
  return undefined
}
