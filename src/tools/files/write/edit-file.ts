import { tool } from '../../tool.ts'
import { EndedCalls } from './ended.ts'
import type { EditFileInput } from './inputs.ts'
import { editFileSchema } from './inputs.ts'
import { withPlace } from './place.ts'
import { planEdit } from './plan.ts'
import { put } from './put.ts'
import { removeLeftovers } from './temporary.ts'
import type { ChangedLines } from './text.ts'
import { changedLines, countLines, sha256, wholeOf } from './text.ts'
import { inTurn } from './turns.ts'
import type { NeedsApproval, Writer, Writing } from './writer.ts'

export interface EditFileOutput {
  readonly path: string
  /** Places that were changed. */
  readonly replacements: number
  /** From the first line that differs to the last. */
  readonly changed: ChangedLines
  /** Of the file as it is now. */
  readonly bytes: number
  readonly lines: number
  readonly sha256: string
  /** Where the file lies, if the path leads through links. */
  readonly realPath?: string
}

/**
 * `unsafe`: where `new` holds `old`, as with a line that is added, an edit that is made again is made twice. After a crash the file alone doesn't
 * tell whether it was made; the temporary file does. One that is still there has not taken the file's place, and once it is removed it never will:
 * `not-started`, also if the old process was only asleep. Without one nobody knows, and the model is told to look.
 */
export function editFile(writer: Writer, needsApproval: NeedsApproval) {
  const ended = new EndedCalls<EditFileOutput>()
  return tool({
    name: 'edit_file',
    description:
      `Changes parts of a text file (UTF-8, at most ${writer.limits.fileBytes} bytes): each edit replaces text that is in it exactly as given. Read the ` +
      `file first. Line endings stay as they are.${writer.root.layer?.note ?? ''}`,
    effect: 'unsafe',
    inputSchema: editFileSchema(writer.limits),
    needsApproval:
      typeof needsApproval === 'function' ? (input, call) => needsApproval({ toolName: 'edit_file', input }, call) : needsApproval,
    execute: (input, { idempotencyKey: key, attempt, signal }) =>
      ended.keep({ key, attempt }, () => inTurn(writer.root.identity, signal, () => edit(writer, input, { key, attempt, signal }))),
    reconcile: async ({ path }, { idempotencyKey: key, attempt, signal }) => {
      const known = ended.get({ key, attempt })
      if (known !== undefined) return known
      // A layer dies with its process. In this one an attempt that is still at work is waited for.
      if (writer.root.layer !== undefined)
        return inTurn(writer.root.identity, signal, async () => ended.get({ key, attempt }) ?? 'not-started')
      const removed = await withPlace(writer, path, signal, 'look', ({ folder }) => removeLeftovers(writer.disk, folder, key))
      return removed.includes(attempt) ? 'not-started' : 'unknown'
    },
  })
}

function edit(writer: Writer, input: EditFileInput, writing: Writing): Promise<EditFileOutput> {
  return withPlace(writer, input.path, writing.signal, 'find', async (place) => {
    const plan = await planEdit(writer, place, input, writing.signal)
    await put(writer, place, plan, 'replace', writing)
    return {
      path: place.path,
      replacements: plan.replacements,
      changed: changedLines(plan.before?.text ? wholeOf(plan.before.text) : '', plan.after),
      bytes: plan.bytes.length,
      lines: countLines(plan.after),
      sha256: sha256(plan.bytes),
      ...(place.realPath === place.path ? {} : { realPath: place.realPath }),
    }
  })
}
