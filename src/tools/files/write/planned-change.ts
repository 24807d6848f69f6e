import { RondoError } from '../../../core/error.ts'
import { isJsonObject } from '../../../core/json.ts'
import { jsonSchemaOf } from '../../../core/json-schema-of.ts'
import { withoutNullFields } from '../../../core/null-fields.ts'
import type { Schema } from '../../../core/schema.ts'
import { problem } from '../problem.ts'
import type { EditFileInput, WriteCall, WriteFileInput } from './inputs.ts'
import { editFileSchema, writeFileSchema } from './inputs.ts'
import type { Place } from './place.ts'
import { withPlace } from './place.ts'
import type { Plan } from './plan.ts'
import { planEdit, planWrite } from './plan.ts'
import { sha256, wholeOf } from './text.ts'
import type { Writer } from './writer.ts'

/**
 * What a call of a write tool would do to the files as they are now.
 *
 * `bound` is the call's input, bound to what was shown: given as `input` of the decision, nothing is written if the file was changed since (or, for a new
 * one, made). A file that is larger than `limits.fileBytes` can't be bound: its input is as it was.
 */
export type PlannedChange =
  | {
      readonly kind: 'create'
      readonly path: string
      /** Where the file will lie below the root, links resolved. */
      readonly realPath: string
      readonly newFolders: readonly string[]
      readonly after: string
      readonly bound: WriteFileInput
    }
  | {
      readonly kind: 'change'
      readonly path: string
      readonly realPath: string
      /** `null`: it is no text in UTF-8, or larger than `limits.fileBytes`. */
      readonly before: string | null
      /** Bytes. */
      readonly sizeBefore: number
      readonly after: string
      readonly bound: WriteFileInput | EditFileInput
    }
  /** The file is so already. */
  | { readonly kind: 'none'; readonly path: string; readonly realPath: string }
  /** The call would fail, with this message for the model. */
  | { readonly kind: 'refused'; readonly message: string }

/** As `plannedChange`, for a writer that is there. */
export async function planFor(writer: Writer, toolName: string, input: unknown, signal: AbortSignal): Promise<PlannedChange | undefined> {
  try {
    switch (toolName) {
      case 'write_file':
        return await look(writer, { toolName, input: await validated(writeFileSchema(), input) }, signal)
      case 'edit_file':
        return await look(writer, { toolName, input: await validated(editFileSchema(writer.limits), input) }, signal)
      default:
        return undefined
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!RondoError.is(error)) throw error
    return { kind: 'refused', message: error.message }
  }
}

async function validated<T>(schema: Schema<T>, input: unknown): Promise<T> {
  // As before a call runs: null for an optional field is not given (B181).
  const given = isJsonObject(input) ? withoutNullFields(jsonSchemaOf(schema, 'input'), input) : input
  const result = await schema['~standard'].validate(given)
  if (result.issues === undefined) return result.value
  throw problem(`The input is not valid: ${result.issues.map(({ message }) => message).join('; ')}`)
}

function look(writer: Writer, call: WriteCall, signal: AbortSignal): Promise<PlannedChange> {
  const isWrite = call.toolName === 'write_file'
  return withPlace(writer, call.input.path, signal, isWrite ? 'look' : 'find', async (place) =>
    shown(place, isWrite ? await planWrite(writer, place, call.input, 1) : await planEdit(writer, place, call.input, signal), call),
  )
}

function shown({ path, realPath, newFolders }: Place, { isDone, before, after }: Plan, { toolName, input }: WriteCall): PlannedChange {
  if (isDone) return { kind: 'none', path, realPath }
  if (before !== undefined) {
    const bound = before.bytes === undefined ? input : { ...input, ifSha256: sha256(before.bytes) }
    return { kind: 'change', path, realPath, before: before.text ? wholeOf(before.text) : null, sizeBefore: before.size, after, bound }
  }
  if (toolName !== 'write_file') throw problem('internal: an edit of no file')
  return { kind: 'create', path, realPath, newFolders: [...newFolders], after, bound: { ...input, exclusive: true } }
}
