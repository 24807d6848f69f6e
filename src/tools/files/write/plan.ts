import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { problem } from '../problem.ts'
import { applyEdits } from './edits.ts'
import type { EditFileInput, WriteFileInput } from './inputs.ts'
import type { FoundFile, Place } from './place.ts'
import type { Text } from './text.ts'
import { bytesOf, sha256, textOf, wholeOf } from './text.ts'
import type { Writer } from './writer.ts'

/** What a call is going to make of a file. */
export interface Plan {
  readonly action: 'created' | 'replaced' | 'unchanged'
  /** The file is as it shall be: there is nothing to write. */
  readonly isDone: boolean
  /** `undefined`: there is no file. */
  readonly before: Found | undefined
  readonly bytes: Buffer
  /** The bytes as text. */
  readonly after: string
  /** Places that `edit_file` changes. */
  readonly replacements: number
}

interface Found {
  readonly file: FoundFile
  readonly size: number
  /** `undefined` for a file that is larger than what is looked at. */
  readonly bytes: Buffer | undefined
  /** `undefined` for a file that is no text in UTF-8, too. */
  readonly text: Text | undefined
}

/** Looks at what is there and says what `write_file` makes of it. Throws what the model is told when that can't be. */
export async function planWrite(writer: Writer, place: Place, input: WriteFileInput, attempt: number): Promise<Plan> {
  const bytes = bytesOf(input.content, "'content'")
  checkSize(writer, place, bytes)
  const before = await lookAt(writer, place)
  const isDone = before?.bytes?.equals(bytes) === true
  // What an earlier attempt of the call has written before its process died is no file of another one.
  const isOwn = isDone && attempt > 1
  if (input.exclusive === true && before !== undefined && !isOwn)
    throw problem(`'${place.path}' is there already, and 'exclusive' was asked for. Nothing was written. Use another path, or edit_file.`)
  if (!isOwn) checkSince(place, before, input.ifSha256)
  const action = before === undefined || (input.exclusive === true && isOwn) ? 'created' : isDone ? 'unchanged' : 'replaced'
  return { action, isDone, before, bytes, after: input.content, replacements: 0 }
}

/** As `planWrite`, for `edit_file`. */
export async function planEdit(writer: Writer, place: Place, input: EditFileInput, signal: AbortSignal): Promise<Plan> {
  for (const [at, edit] of input.edits.entries()) {
    bytesOf(edit.old, `'old' of edit ${at + 1}`)
    bytesOf(edit.new, `'new' of edit ${at + 1}`)
  }
  const before = await lookAt(writer, place)
  if (before === undefined) throw problem(`'${place.path}' was removed while it was being opened. Nothing was written.`)
  const { bytes: was, text } = before
  if (was === undefined)
    throw problem(
      `'${place.path}' has ${before.size} bytes; edit_file takes files of at most ${writer.limits.fileBytes}. Nothing was written.`,
    )
  if (text === undefined) throw problem(`'${place.path}' is no text in UTF-8, so edit_file would damage it. Nothing was written.`)
  checkSince(place, before, input.ifSha256)
  const edited = await applyEdits(place.path, text, input.edits, writer.limits.fileBytes, signal)
  const after = wholeOf({ ...text, text: edited.text })
  const bytes = Buffer.from(after)
  checkSize(writer, place, bytes)
  return { action: 'replaced', isDone: false, before, bytes, after, replacements: edited.replacements }
}

function checkSize({ limits }: Writer, place: Place, { length }: Buffer): void {
  if (length > limits.fileBytes)
    throw problem(`'${place.path}' would have ${length} bytes; the limit is ${limits.fileBytes}. Nothing was written. Write less.`)
}

function checkSince(place: Place, before: Found | undefined, wanted: string | undefined): void {
  if (wanted === undefined) return
  const now = before === undefined ? 'is not there any more' : before.bytes === undefined ? 'is too large to be compared' : undefined
  if (now === undefined && before?.bytes !== undefined && sha256(before.bytes) === wanted.toLowerCase()) return
  throw problem(
    `'${place.path}' ${now ?? "was changed since: its SHA-256 is not the one in 'ifSha256'"}. Nothing was written. Read it again before you write.`,
  )
}

async function lookAt({ limits, root }: Writer, place: Place): Promise<Found | undefined> {
  const { found: file, folder, name, path } = place
  if (file === undefined) return undefined
  const { stats } = file
  if (stats.nlink > 1n)
    throw problem(`'${path}' has ${stats.nlink} names (hard links); writing would part them. Nothing was written. Use another path.`)
  // For the root user too, who may write everything: somebody has said that it shall not be changed.
  const mayWrite = async () => root.layer !== undefined || (await access(join(folder.reach, name), constants.W_OK).then(yes, no))
  const isWritable = (stats.mode & 0o222n) !== 0n && (await mayWrite())
  if (!isWritable) throw problem(`'${path}' is read-only, so it is not written. Use another path, or ask for it to be made writable.`)
  const size = Number(stats.size)
  const bytes = size > limits.fileBytes ? undefined : await readWhole(file, limits.fileBytes)
  if (bytes !== undefined && bytes.length !== size) throw changedMeanwhile(path)
  return { file, size, bytes, text: bytes && textOf(bytes) }
}

const yes = () => true
const no = () => false

export function changedMeanwhile(path: string): Error {
  return problem(`'${path}' was changed by somebody else meanwhile. Nothing was written. Read it again before you write.`)
}

/** At most one byte more than `most`. */
export async function readWhole({ handle }: FoundFile, most: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let position = 0; position <= most; ) {
    const buffer = Buffer.allocUnsafe(Math.min(131_072, most + 1 - position))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) break
    pieces.push(buffer.subarray(0, bytesRead))
    position += bytesRead
  }
  return Buffer.concat(pieces)
}
