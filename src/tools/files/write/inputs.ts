import { jsonSchema } from '../../../json-schema/index.ts'
import type { WriteToolLimits } from '../limits.ts'
import { inputOf } from '../reader.ts'

/** Puts `new` in the place of `old`. */
export interface Edit {
  /** As it is in the file, character for character. */
  readonly old: string
  readonly new: string
  /** Every place where `old` is. Without it there must be exactly one. */
  readonly all?: boolean
}

export interface WriteFileInput {
  readonly path: string
  /** The whole file, byte for byte. */
  readonly content: string
  /** Fails if there is a file already. */
  readonly exclusive?: boolean
  /** SHA-256 (hexadecimal) of the file as it must be now; if it was changed since, nothing is written. */
  readonly ifSha256?: string
}

export interface EditFileInput {
  readonly path: string
  readonly edits: readonly Edit[]
  /** As for `write_file`. */
  readonly ifSha256?: string
}

/** A call of a write tool. */
export type WriteCall =
  | { readonly toolName: 'write_file'; readonly input: WriteFileInput }
  | { readonly toolName: 'edit_file'; readonly input: EditFileInput }

const pathOfFile = {
  type: 'string',
  minLength: 1,
  description: "Path of the file, relative to the root folder, such as 'src/main.ts'.",
}
const ifSha256 = {
  type: 'string',
  pattern: '^[0-9a-fA-F]{64}$',
  description: 'SHA-256 of the file as you know it (file_info and results tell it). If the file was changed since, nothing is written.',
}

export function writeFileSchema() {
  const properties = {
    path: pathOfFile,
    content: { type: 'string', description: 'The whole file, exactly. Its lines are not wrapped, nothing is added.' },
    exclusive: { type: 'boolean', description: 'Fail if the file is there already. Default false: it is replaced.' },
    ifSha256,
  }
  return jsonSchema<WriteFileInput>(inputOf(properties, ['path', 'content']))
}

export function editFileSchema(limits: WriteToolLimits) {
  const edit = {
    type: 'object',
    properties: {
      old: {
        type: 'string',
        minLength: 1,
        description: 'Text as it is in the file, character for character, with enough around it that it is there once.',
      },
      new: { type: 'string', description: 'What takes its place.' },
      all: { type: 'boolean', description: "Change every place where 'old' is. Default false." },
    },
    required: ['old', 'new'],
    additionalProperties: false,
  }
  const edits = {
    type: 'array',
    minItems: 1,
    maxItems: limits.edits,
    items: edit,
    description: 'Made one after another, each in what the one before has left; all of them or none.',
  }
  return jsonSchema<EditFileInput>(inputOf({ path: pathOfFile, edits, ifSha256 }, ['path', 'edits']))
}
