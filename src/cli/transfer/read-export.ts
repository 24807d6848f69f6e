import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Entry, Head } from '../../index.ts'
import { CannotRun } from '../terminal.ts'
import { jsonLine, oneLine, plain } from '../text.ts'
import { entryProblem, isEntry } from './entry-shape.ts'
import { formatName, formatVersion, isBlobRef, refsIn } from './format.ts'
import { isHead } from './head-shape.ts'
import { isObject, name, whole } from './shape.ts'

/** What an export holds, looked at: nothing in it is in the way of being kept as it is. */
export interface ReadExport {
  readonly sessionId: string
  readonly head: Head | undefined
  readonly entries: readonly Entry[]
  readonly blobs: ReadonlyMap<string, Uint8Array>
  /** Blobs that entries refer to and the file does not hold. */
  readonly missing: readonly string[]
}

/** Levels of objects and arrays in a line: more than any value that the library takes. */
const maxDepth = 256

/** Reads an export; throws `CannotRun` that names the line where it is none, or not whole, or not as it was written. */
export function readExport(bytes: Buffer, file: string): ReadExport {
  return new Reader(bytes, file).read()
}

interface Line {
  readonly number: number
  readonly text: string
  /** Where it begins. */
  readonly offset: number
}

class Reader {
  readonly #bytes: Buffer
  readonly #file: string
  readonly #entries: Entry[] = []
  readonly #ids = new Set<string>()
  readonly #blobs = new Map<string, Uint8Array>()
  readonly #refs = new Set<string>()

  constructor(bytes: Buffer, file: string) {
    this.#bytes = bytes
    this.#file = file
  }

  read(): ReadExport {
    const lines = this.#lines()
    const first = lines.next()
    if (first.done === true) throw new CannotRun(`${plain(this.#file)} is empty. Nothing was imported.`)
    const { session, head } = this.#header(first.value)
    let last = first.value
    for (const line of lines) {
      last = line
      const value = this.#parsed(line)
      if ('end' in value) {
        this.#end(value['end'], line)
        const after = lines.next()
        if (after.done !== true) throw this.#wrong(after.value, 'stands after the end of the export')
        return { sessionId: session, head, entries: this.#entries, blobs: this.#blobs, missing: this.#missing() }
      }
      if ('blob' in value) this.#blob(value, line)
      else this.#entry(value, line)
    }
    throw this.#wrong(last, 'is the last one, and the end of the export is missing: the file was cut. Export or copy it again')
  }

  *#lines(): Generator<Line, void, undefined> {
    const bytes = this.#bytes
    for (let offset = 0, number = 1; offset < bytes.length; number++) {
      const newline = bytes.indexOf(10, offset)
      const end = newline === -1 ? bytes.length : newline
      const piece = bytes.subarray(offset, end)
      const line = { number, text: '', offset }
      if (!isUtf8(piece)) throw this.#wrong(line, 'holds a byte that is no UTF-8')
      if (newline === -1) throw this.#wrong(line, 'has no end: the file was cut. Export or copy it again')
      yield { ...line, text: piece.toString() }
      offset = end + 1
    }
  }

  #header(line: Line): { readonly session: string; readonly head: Head | undefined } {
    const foreign = 'is not the first one of a session that rondo export has written'
    const value = parsed(line.text)
    if (!isObject(value) || value['format'] !== formatName) throw this.#wrong(line, foreign)
    this.#checkDepth(value, line)
    const { version, session, head } = value
    if (!whole(version)) throw this.#wrong(line, foreign)
    if (Number(version) > formatVersion)
      throw this.#wrong(line, `says that a newer rondo wrote it (version ${version}, this one reads ${formatVersion}): update rondo`)
    if (typeof session !== 'string' || !name(session)) throw this.#wrong(line, 'names no session')
    if (head !== undefined && !isHead(head)) throw this.#wrong(line, 'has a head that is wrong')
    return { session, head }
  }

  #parsed(line: Line): { readonly [name: string]: unknown } {
    const value = parsed(line.text)
    if (isObject(value)) return value
    throw this.#wrong(line, 'is no JSON object')
  }

  #entry(value: unknown, line: Line): void {
    this.#checkDepth(value, line)
    if (!isEntry(value)) throw this.#wrong(line, entryProblem(value) ?? 'is no entry')
    const before = this.#entries.at(-1)
    const seq = this.#entries.length + 1
    if (value.seq !== seq) throw this.#wrong(line, `is entry ${value.seq} where ${seq} follows`)
    if (value.at < (before?.at ?? 0)) throw this.#wrong(line, 'is older than the entry before it')
    if (this.#ids.has(value.id)) throw this.#wrong(line, `has the id ${oneLine(value.id)} of an entry before it`)
    // A number that is none of JavaScript's, a key twice: it would be kept as something else.
    if (jsonLine(value) !== `${line.text}\n`) throw this.#wrong(line, 'is not written as an export writes it')
    this.#entries.push(value)
    this.#ids.add(value.id)
    for (const ref of refsIn(value.data)) this.#refs.add(ref)
  }

  #checkDepth(value: unknown, line: Line): void {
    if (isTooDeep(value)) throw this.#wrong(line, `is nested more than ${maxDepth} levels deep`)
  }

  #blob({ blob, base64 }: { readonly [name: string]: unknown }, line: Line): void {
    if (!isBlobRef(blob) || typeof base64 !== 'string') throw this.#wrong(line, 'is no blob')
    const bytes = Buffer.from(base64, 'base64')
    if (bytes.toString('base64') !== base64) throw this.#wrong(line, 'is a blob whose base64 is damaged')
    if (`sha256:${sha256(bytes)}` !== blob) throw this.#wrong(line, 'is a blob whose bytes are not those that its name says')
    if (this.#blobs.has(blob)) throw this.#wrong(line, 'is a blob that the file holds already')
    this.#blobs.set(blob, bytes)
  }

  #end(end: unknown, line: Line): void {
    if (!isObject(end)) throw this.#wrong(line, 'is no end of an export')
    const counts = [this.#entries.length, this.#blobs.size]
    if (end['entries'] !== counts[0] || end['blobs'] !== counts[1])
      throw this.#wrong(line, `counts other entries or blobs than the ${counts.join(' and ')} above it: lines are missing`)
    if (this.#entries.length === 0) throw this.#wrong(line, 'ends a session without an entry')
    const unused = [...this.#blobs.keys()].find((ref) => !this.#refs.has(ref))
    if (unused !== undefined) throw this.#wrong(line, `ends a file with a blob that no entry refers to (${unused})`)
    if (end['sha256'] !== sha256(this.#bytes.subarray(0, line.offset)))
      throw this.#wrong(line, 'has another checksum than what stands above it: the file was changed or damaged. Export or copy it again')
  }

  #missing(): readonly string[] {
    return [...this.#refs].filter((ref) => !this.#blobs.has(ref))
  }

  #wrong({ number }: Pick<Line, 'number'>, why: string): CannotRun {
    return new CannotRun(`${plain(this.#file)}, line ${number.toLocaleString('en-US')} ${plain(why)}. Nothing was imported.`)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Without recursion: what is too deep would be too deep for that. */
function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    const next: unknown[] = []
    for (const each of level) if (typeof each === 'object' && each !== null) for (const inner of Object.values(each)) next.push(inner)
    level = next
  }
  return false
}
