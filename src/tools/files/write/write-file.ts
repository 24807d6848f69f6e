import { tool } from '../../tool.ts'
import type { WriteFileInput } from './inputs.ts'
import { writeFileSchema } from './inputs.ts'
import type { Place } from './place.ts'
import { withPlace } from './place.ts'
import type { Plan } from './plan.ts'
import { planWrite } from './plan.ts'
import { put } from './put.ts'
import { removeLeftovers } from './temporary.ts'
import type { ChangedLines } from './text.ts'
import { changedLines, countLines, sha256, wholeOf } from './text.ts'
import { inTurn } from './turns.ts'
import type { NeedsApproval, Writer, Writing } from './writer.ts'

export interface WriteFileOutput {
  readonly path: string
  /** `unchanged`: the file was so already. */
  readonly action: 'created' | 'replaced' | 'unchanged'
  /** Of the file as it is now. */
  readonly bytes: number
  readonly lines: number
  readonly sha256: string
  /** Of a text file that was replaced. */
  readonly changed?: ChangedLines
  /** Where the file lies, if the path leads through links. */
  readonly realPath?: string
  /** Folders that were made. */
  readonly newFolders?: readonly string[]
}

/**
 * `idempotent`: a call that is made again leaves the same file behind. With `exclusive` too: only a later attempt of the same call takes a file with
 * exactly its content for its own. What a later attempt can undo is a change that somebody has made since, as any write can.
 */
export function writeFile(writer: Writer, needsApproval: NeedsApproval) {
  return tool({
    name: 'write_file',
    description:
      `Creates a text file, or replaces all of it. At most ${writer.limits.fileBytes} bytes. Folders on the way are made. To change a part of a ` +
      `file use edit_file.${writer.root.layer?.note ?? ''}`,
    effect: 'idempotent',
    inputSchema: writeFileSchema(),
    needsApproval:
      typeof needsApproval === 'function' ? (input, call) => needsApproval({ toolName: 'write_file', input }, call) : needsApproval,
    execute: (input, { idempotencyKey: key, attempt, signal }) =>
      inTurn(writer.root.identity, signal, () => write(writer, input, { key, attempt, signal })),
  })
}

async function write(writer: Writer, input: WriteFileInput, writing: Writing): Promise<WriteFileOutput> {
  const { signal, attempt, key } = writing
  // First of all, so that an earlier process that was only asleep can't put its file in the place of a later one.
  if (attempt > 1 && writer.root.layer === undefined)
    await withPlace(writer, input.path, signal, 'look', ({ folder }) => removeLeftovers(writer.disk, folder, key))
  return withPlace(writer, input.path, signal, 'make', async (place) => {
    const plan = await planWrite(writer, place, input, attempt)
    if (!plan.isDone) await put(writer, place, plan, input.exclusive === true ? 'exclusive' : 'replace', writing)
    return outputOf(place, plan)
  })
}

function outputOf(place: Place, plan: Plan): WriteFileOutput {
  const { path, realPath, newFolders } = place
  const { action, bytes, after, before } = plan
  const was = action === 'replaced' ? before?.text : undefined
  return {
    path,
    action,
    bytes: bytes.length,
    lines: countLines(after),
    sha256: sha256(bytes),
    ...(was === undefined ? {} : { changed: changedLines(wholeOf(was), after) }),
    ...(realPath === path ? {} : { realPath }),
    ...(newFolders.length === 0 ? {} : { newFolders: [...newFolders] }),
  }
}
