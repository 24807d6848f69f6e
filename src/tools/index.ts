import { RondoError } from '../core/error.ts'
import type { Tool } from '../core/tool.ts'
import type { FileInfoInput, FileInfoOutput } from './files/file-info.ts'
import { fileInfo } from './files/file-info.ts'
import type { FindFilesInput, FindFilesOutput } from './files/find-files.ts'
import { findFiles } from './files/find-files.ts'
import type { ReadToolLimits, WriteToolLimits } from './files/limits.ts'
import { completeLimits, readToolLimits, writeToolLimits } from './files/limits.ts'
import type { ListFilesInput, ListFilesOutput } from './files/list-files.ts'
import { listFiles } from './files/list-files.ts'
import type { ReadFileInput, ReadFileOutput } from './files/read-file.ts'
import { readFile } from './files/read-file.ts'
import { makeRoot } from './files/root.ts'
import type { SearchTextInput, SearchTextOutput } from './files/search-text.ts'
import { searchText } from './files/search-text.ts'
import { realDisk } from './files/write/disk.ts'
import type { EditFileOutput } from './files/write/edit-file.ts'
import { editFile } from './files/write/edit-file.ts'
import type { EditFileInput, WriteFileInput } from './files/write/inputs.ts'
import { checkRoot } from './files/write/names.ts'
import type { PlannedChange } from './files/write/planned-change.ts'
import { planFor } from './files/write/planned-change.ts'
import type { WriteFileOutput } from './files/write/write-file.ts'
import { writeFile } from './files/write/write-file.ts'
import type { NeedsApproval, Writer } from './files/write/writer.ts'

export { type AskUserInput, type AskUserOptions, askUser } from './ask-user.ts'
export {
  type FetchToolOptions,
  type FetchUrlInput,
  type FetchUrlOutput,
  fetchTool,
} from './fetch/fetch-url.ts'
export type { HtmlPage, HtmlReader, ReadablePage } from './fetch/html.ts'
export { type FetchLimits, fetchLimits } from './fetch/limits.ts'
export type { FileInfo, FileInfoInput, FileInfoOutput, FolderInfo } from './files/file-info.ts'
export type { FindFilesInput, FindFilesOutput, FoundFile } from './files/find-files.ts'
export type { ReadToolLimits, WriteToolLimits } from './files/limits.ts'
export { readToolLimits, writeToolLimits } from './files/limits.ts'
export type { ListedEntry, ListFilesInput, ListFilesOutput } from './files/list-files.ts'
export type { ReadFileInput, ReadFileOutput } from './files/read-file.ts'
export type { LimitHit, Truncation } from './files/reader.ts'
export type { SearchTextInput, SearchTextOutput, TextMatch } from './files/search-text.ts'
export type { EditFileOutput } from './files/write/edit-file.ts'
export type { Edit, EditFileInput, WriteCall, WriteFileInput } from './files/write/inputs.ts'
export type { PlannedChange } from './files/write/planned-change.ts'
export type { ChangedLines } from './files/write/text.ts'
export type { WriteFileOutput } from './files/write/write-file.ts'
export type { NeedsApproval } from './files/write/writer.ts'
export type { SandboxChange, SandboxChanges, SandboxFile } from './sandbox/changes.ts'
export { type SandboxLimits, sandboxLimits } from './sandbox/limits.ts'
export { type Sandbox, type SandboxOptions, type SandboxTools, sandboxTools } from './sandbox/sandbox-tools.ts'
export type { ShellInput, ShellToolOptions } from './shell/options.ts'
export type { ShellRules } from './shell/rules.ts'
export type { ShellExit, ShellJob, ShellRuntime } from './shell/runtime.ts'
export { type ShellOutput, shellTool } from './shell/shell-tool.ts'

export interface ReadToolsOptions {
  /** The folder that the tools may read; its real path is taken once, now. Nothing outside can be reached. */
  readonly root: string
  /** Limits that differ from `readToolLimits`. */
  readonly limits?: Partial<ReadToolLimits>
  /** Whether walks leave out what .gitignore files in the root name. `.git` and `node_modules` are left out always. Default true. */
  readonly respectGitignore?: boolean
}

export type ReadTools = readonly [
  Tool<'list_files', ListFilesInput, ListFilesInput, ListFilesOutput>,
  Tool<'find_files', FindFilesInput, FindFilesInput, FindFilesOutput>,
  Tool<'read_file', ReadFileInput, ReadFileInput, ReadFileOutput>,
  Tool<'search_text', SearchTextInput, SearchTextInput, SearchTextOutput>,
  Tool<'file_info', FileInfoInput, FileInfoInput, FileInfoOutput>,
]

/**
 * Tools that read files below one folder: `list_files`, `find_files`, `read_file`, `search_text` and `file_info`. All have the effect
 * `read`, return plain JSON, and stop within ms when their call is aborted (a slow regular expression after 250 ms at most).
 *
 * - Paths are relative to the root, written with `/`; an absolute path inside the root is taken too. `..` is refused.
 * - Links are followed where a path names them, as long as they stay in the root; walks name links and do not follow them.
 * - On Linux files are opened folder by folder without following links, so that nothing that is swapped meanwhile leads out; elsewhere what
 *   was opened is checked afterwards. Only regular files are read: no FIFO, socket or device. Mounts and hard links inside the root
 *   count as inside.
 * - Walks are bounded (`limits`); a result that is not the whole has `truncated: true` and says why in `limitHit`.
 *
 * Throws `RondoError` `ConfigInvalid` if root is no folder, or an option or limit is unknown or no positive whole number. What goes wrong in
 * a call is a `ToolExecutionError` whose message is for the model.
 */
export function readTools(options: ReadToolsOptions): ReadTools {
  needRoot(options, 'readTools')
  for (const key of Object.keys(options))
    if (!['root', 'limits', 'respectGitignore'].includes(key))
      throw new RondoError('ConfigInvalid', `readTools(): unknown option '${key}'; there are root, limits, respectGitignore`)
  const reader = {
    root: makeRoot(options.root),
    limits: completeLimits(options.limits, readToolLimits, 'readTools()'),
    respectGitignore: options.respectGitignore ?? true,
  }
  return [listFiles(reader), findFiles(reader), readFile(reader), searchText(reader), fileInfo(reader)]
}

export interface WriteToolsOptions {
  /** The folder that the tools may write in; its real path is taken once, now. Nothing outside can be changed. */
  readonly root: string
  /** Limits that differ from `writeToolLimits`. */
  readonly limits?: Partial<WriteToolLimits>
  /** Whether a human must agree to a write; a function is asked as that of a tool is. Default true. `plannedChange()` says what to show. */
  readonly needsApproval?: NeedsApproval
}

export type WriteTools = readonly [
  Tool<'write_file', WriteFileInput, WriteFileInput, WriteFileOutput>,
  Tool<'edit_file', EditFileInput, EditFileInput, EditFileOutput>,
]

/**
 * Tools that write text files below one folder: `write_file` (effect `idempotent`) and `edit_file` (`unsafe`, with a `reconcile`).
 *
 * - Paths, links and swaps: as for `readTools`. A link in the root is written through. Nothing is written in or to `.git`, by whatever name a disk
 *   takes for it.
 * - A file is replaced all at once: whatever fails, is aborted or dies, it is as it was or as it shall be. Its mode is kept, and its owner where
 *   that is allowed; access lists and extended attributes are not. Files that are read-only, have several names (hard links), or are none are refused.
 * - Calls on one root happen one after another in a process. A change that somebody else makes meanwhile is an error of the call, as far as it
 *   can be seen: not in the instant of the rename itself.
 * - A process that dies leaves at most one temporary file (`.rondo-….tmp`) beside the target, which the call removes when its session goes on.
 * - On other systems than Linux a folder that is swapped for a link to outside in the midst of a call could be given a file that is removed at once.
 *
 * Throws `RondoError` `ConfigInvalid` if root is no folder or lies in `.git`, or an option or limit is unknown or no positive whole number. What
 * goes wrong in a call is a `ToolExecutionError` whose message is for the model.
 */
export function writeTools(options: WriteToolsOptions): WriteTools {
  needRoot(options, 'writeTools')
  const { needsApproval = true } = options
  const writer = writerOf(options, ['root', 'limits', 'needsApproval'], 'writeTools()')
  return [writeFile(writer, needsApproval), editFile(writer, needsApproval)]
}

/**
 * What a call of `write_file` or `edit_file` would change now, without changing anything: for whoever is to approve it. It is worked out by what the
 * call itself does. `undefined`: the call is of another tool.
 *
 * `call` may be what `session.pending()` gives. Give `root` and `limits` as to `writeTools`. Rejects with `ConfigInvalid` as that throws it,
 * and when the signal is aborted; what the call would fail with is `refused`.
 */
export async function plannedChange(
  options: Pick<WriteToolsOptions, 'root' | 'limits'>,
  call: { readonly toolName: string; readonly input: unknown },
  signal: AbortSignal = new AbortController().signal,
): Promise<PlannedChange | undefined> {
  return planFor(writerOf(options, ['root', 'limits'], 'plannedChange()'), call.toolName, call.input, signal)
}

function writerOf(options: Pick<WriteToolsOptions, 'root' | 'limits'>, known: readonly string[], owner: string): Writer {
  for (const key of Object.keys(options))
    if (!known.includes(key)) throw new RondoError('ConfigInvalid', `${owner}: unknown option '${key}'; there are ${known.join(', ')}`)
  const root = makeRoot(options.root, undefined, owner)
  checkRoot(root.realPath, owner)
  return { root, limits: completeLimits(options.limits, writeToolLimits, owner), disk: realDisk }
}

/** Without types nothing may be given at all. */
function needRoot(options: unknown, name: string): void {
  if (typeof options !== 'object' || options === null)
    throw new RondoError('ConfigInvalid', `${name}(): give it the folder that the tools may reach: ${name}({ root: '.' })`)
}
