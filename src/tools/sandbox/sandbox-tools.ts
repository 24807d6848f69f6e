import { RondoError } from '../../core/error.ts'
import type { Tool } from '../../core/tool.ts'
import type { FileInfoInput, FileInfoOutput } from '../files/file-info.ts'
import { fileInfo } from '../files/file-info.ts'
import type { FindFilesInput, FindFilesOutput } from '../files/find-files.ts'
import { findFiles } from '../files/find-files.ts'
import { completeLimits } from '../files/limits.ts'
import type { ListFilesInput, ListFilesOutput } from '../files/list-files.ts'
import { listFiles } from '../files/list-files.ts'
import type { ReadFileInput, ReadFileOutput } from '../files/read-file.ts'
import { readFile } from '../files/read-file.ts'
import type { Root } from '../files/root.ts'
import { makeRoot } from '../files/root.ts'
import type { SearchTextInput, SearchTextOutput } from '../files/search-text.ts'
import { searchText } from '../files/search-text.ts'
import { realDisk } from '../files/write/disk.ts'
import type { EditFileOutput } from '../files/write/edit-file.ts'
import { editFile } from '../files/write/edit-file.ts'
import type { EditFileInput, WriteFileInput } from '../files/write/inputs.ts'
import { checkRoot } from '../files/write/names.ts'
import type { PlannedChange } from '../files/write/planned-change.ts'
import { planFor } from '../files/write/planned-change.ts'
import type { WriteFileOutput } from '../files/write/write-file.ts'
import { writeFile } from '../files/write/write-file.ts'
import type { ShellInput, ShellToolOptions } from '../shell/options.ts'
import type { ShellOutput } from '../shell/shell-tool.ts'
import type { SandboxChanges } from './changes.ts'
import { changesOf } from './changes.ts'
import { findShell, interpreter } from './interpreter.ts'
import type { SandboxLimits } from './limits.ts'
import { sandboxLimits } from './limits.ts'
import { Overlay } from './overlay.ts'
import { sandboxShell } from './sandbox-shell.ts'

export interface SandboxOptions {
  /** The folder that is seen in the sandbox; its real path is taken once, now. Nothing in it is changed, and nothing outside can be reached. */
  readonly root: string
  /** Limits that differ from `sandboxLimits`. */
  readonly limits?: Partial<SandboxLimits>
  /** As for `readTools`. Default true. */
  readonly respectGitignore?: boolean
  /** Whether a human must agree to commands and writes. Default false: they change nothing but the sandbox. */
  readonly needsApproval?: boolean
  /** As for `shellTool`; `env` is all that commands find in their environment, but for `HOME`, `PATH`, `TERM`, `TMPDIR`, `USER`, `NO_COLOR`. */
  readonly shell?: Pick<
    ShellToolOptions,
    'name' | 'description' | 'rules' | 'env' | 'timeoutMs' | 'maxTimeoutMs' | 'outputBytes' | 'graceMs'
  >
}

export type SandboxTools = readonly [
  Tool<'list_files', ListFilesInput, ListFilesInput, ListFilesOutput>,
  Tool<'find_files', FindFilesInput, FindFilesInput, FindFilesOutput>,
  Tool<'read_file', ReadFileInput, ReadFileInput, ReadFileOutput>,
  Tool<'search_text', SearchTextInput, SearchTextInput, SearchTextOutput>,
  Tool<'file_info', FileInfoInput, FileInfoInput, FileInfoOutput>,
  Tool<'write_file', WriteFileInput, WriteFileInput, WriteFileOutput>,
  Tool<'edit_file', EditFileInput, EditFileInput, EditFileOutput>,
  Tool<string, ShellInput, ShellInput, ShellOutput>,
]

export interface Sandbox {
  /** For one agent, or for several that shall see each other's changes. */
  readonly tools: SandboxTools
  /**
   * What the tools have changed so far, compared with the disk as it is now. Rejects with a `ToolExecutionError` if the root was replaced, and when
   * the signal is aborted.
   */
  changes(signal?: AbortSignal): Promise<SandboxChanges>
  /** As `plannedChange` of the real tools, for the files of the sandbox: for whoever is to approve a call. */
  plannedChange(call: { readonly toolName: string; readonly input: unknown }, signal?: AbortSignal): Promise<PlannedChange | undefined>
}

/**
 * The tools of `readTools`, `writeTools` and `shellTool` for a folder that is not touched: what they change is kept in memory, and each sees what the
 * others have changed. The shell is a simulated bash (the optional peer `just-bash`), so that no process is started and no network reached.
 *
 * - Inputs, results, limits and messages of the file tools are those of the real ones; so are the rules of `.gitignore`, `.git` and links. A link that
 *   leads out of the root leads nowhere, for the shell too: all paths and links are looked up in the sandbox.
 * - Each command runs in a thread of its own, which is ended with it: a command that does not stop is stopped. It sees no variable of this process.
 * - `memoryBytes` bounds what is changed, in all. What is beyond fails, and is told.
 * - The changes are lost with this process. A session that goes on in another one finds the folder as it is on the disk; the descriptions tell the
 *   model. A command or an edit that a crash has cut off runs again there.
 *
 * Throws `RondoError` `ConfigInvalid` if `just-bash` is not installed, root is no folder or lies in `.git`, or an option or limit can't work. What goes
 * wrong in a call is a `ToolExecutionError` whose message is for the model.
 */
export function sandboxTools(options: SandboxOptions): Sandbox {
  checkOptions(options)
  const { respectGitignore = true, needsApproval = false, shell = {} } = options
  const limits = completeLimits(options.limits, sandboxLimits, 'sandboxTools()')
  const disk = makeRoot(options.root, undefined, 'sandboxTools()')
  checkRoot(disk.realPath, 'sandboxTools()')
  const overlay = new Overlay(disk, mountOf(disk), limits.memoryBytes)
  const root: Root = {
    ...disk,
    givenPath: overlay.mount === disk.realPath ? disk.givenPath : overlay.mount,
    identity: `sandbox ${++sandboxes}`,
    layer: overlay,
  }
  const reader = { root, limits, respectGitignore }
  const writer = { root, limits, disk: realDisk }
  const runtime = interpreter({ library: findShell(), overlay, limits, env: shell.env ?? {} })
  const tools: SandboxTools = [
    listFiles(reader),
    findFiles(reader),
    readFile(reader),
    searchText(reader),
    fileInfo(reader),
    writeFile(writer, needsApproval),
    editFile(writer, needsApproval),
    sandboxShell({ ...shell, cwd: overlay.mount, needsApproval, runtime }),
  ]
  return {
    tools,
    changes: (signal = new AbortController().signal) => changesOf(disk, overlay, limits, signal),
    plannedChange: (call, signal = new AbortController().signal) => planFor(writer, call.toolName, call.input, signal),
  }
}

let sandboxes = 0

/** Where the root lies in the sandbox: at its own path, so that paths mean the same, unless the shell needs that for itself. */
function mountOf({ realPath }: Root): string {
  const isFree = realPath.startsWith('/') && !/^\/(?:$|usr$|(?:usr\/bin|bin|dev|proc|sys)(?:\/|$))/.test(realPath)
  return isFree ? realPath : '/project'
}

const known = ['root', 'limits', 'respectGitignore', 'needsApproval', 'shell']
const knownOfShell = ['name', 'description', 'rules', 'env', 'timeoutMs', 'maxTimeoutMs', 'outputBytes', 'graceMs']

function checkOptions(options: SandboxOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new RondoError('ConfigInvalid', "sandboxTools(): give it the folder that is seen in the sandbox: sandboxTools({ root: '.' })")
  for (const key of Object.keys(options))
    if (!known.includes(key))
      throw new RondoError('ConfigInvalid', `sandboxTools(): unknown option '${key}'; there are ${known.join(', ')}`)
  for (const key of Object.keys(options.shell ?? {}))
    if (!knownOfShell.includes(key))
      throw new RondoError('ConfigInvalid', `sandboxTools(): unknown option 'shell.${key}'; there are ${knownOfShell.join(', ')}`)
}
