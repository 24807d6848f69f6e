import { RondoError } from '../core/error.ts'
import type { Tool } from '../core/tool.ts'
import type { FileInfoInput, FileInfoOutput } from './files/file-info.ts'
import { fileInfo } from './files/file-info.ts'
import type { FindFilesInput, FindFilesOutput } from './files/find-files.ts'
import { findFiles } from './files/find-files.ts'
import type { ReadToolLimits } from './files/limits.ts'
import { completeLimits } from './files/limits.ts'
import type { ListFilesInput, ListFilesOutput } from './files/list-files.ts'
import { listFiles } from './files/list-files.ts'
import type { ReadFileInput, ReadFileOutput } from './files/read-file.ts'
import { readFile } from './files/read-file.ts'
import { makeRoot } from './files/root.ts'
import type { SearchTextInput, SearchTextOutput } from './files/search-text.ts'
import { searchText } from './files/search-text.ts'

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
export type { ReadToolLimits } from './files/limits.ts'
export { readToolLimits } from './files/limits.ts'
export type { ListedEntry, ListFilesInput, ListFilesOutput } from './files/list-files.ts'
export type { ReadFileInput, ReadFileOutput } from './files/read-file.ts'
export type { LimitHit, Truncation } from './files/reader.ts'
export type { SearchTextInput, SearchTextOutput, TextMatch } from './files/search-text.ts'
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
  for (const key of Object.keys(options))
    if (!['root', 'limits', 'respectGitignore'].includes(key))
      throw new RondoError('ConfigInvalid', `readTools(): unknown option '${key}'; there are root, limits, respectGitignore`)
  const reader = {
    root: makeRoot(options.root),
    limits: completeLimits(options.limits),
    respectGitignore: options.respectGitignore ?? true,
  }
  return [listFiles(reader), findFiles(reader), readFile(reader), searchText(reader), fileInfo(reader)]
}
