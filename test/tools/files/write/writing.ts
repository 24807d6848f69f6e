import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Tool, ToolCallInfo } from '../../../../src/core/tool.ts'
import { type WriteToolLimits, writeToolLimits } from '../../../../src/tools/files/limits.ts'
import { type Access, makeRoot } from '../../../../src/tools/files/root.ts'
import { type Disk, realDisk } from '../../../../src/tools/files/write/disk.ts'
import { type EditFileOutput, editFile } from '../../../../src/tools/files/write/edit-file.ts'
import { type WriteFileOutput, writeFile } from '../../../../src/tools/files/write/write-file.ts'

interface Told {
  readonly signal?: AbortSignal
  readonly key?: string
  readonly attempt?: number
}

interface Given {
  readonly disk?: Disk
  readonly access?: Access
  readonly limits?: Partial<WriteToolLimits>
}

/** The write tools as a process has them: with its disk, without approvals. */
export function writing(root: string, { disk = realDisk, access, limits }: Given = {}) {
  const writer = { root: makeRoot(root, access), limits: { ...writeToolLimits, ...limits }, disk }
  const tools = { write_file: writeFile(writer, false), edit_file: editFile(writer, false) }
  const info = ({ signal = new AbortController().signal, key = 'session:call', attempt = 1 }: Told) =>
    ({ signal, idempotencyKey: key, attempt }) as ToolCallInfo
  const valid = async (tool: Tool, input: unknown) => {
    const result = await tool.inputSchema['~standard'].validate(input)
    if (result.issues !== undefined) throw new Error(`invalid input: ${JSON.stringify(result.issues)}`)
    return result.value
  }
  return {
    write: async (path: string, content: string, more: object = {}, told: Told = {}) =>
      (await tools.write_file['~definition'].execute?.(
        await valid(tools.write_file, { path, content, ...more }),
        info(told),
      )) as WriteFileOutput,
    edit: async (path: string, edits: unknown, more: object = {}, told: Told = {}) =>
      (await tools.edit_file['~definition'].execute?.(
        await valid(tools.edit_file, { path, edits, ...more }),
        info(told),
      )) as EditFileOutput,
    reconcile: async (path: string, edits: unknown, told: Told = {}) =>
      tools.edit_file['~definition'].reconcile?.(await valid(tools.edit_file, { path, edits }), info(told)),
  }
}

/** Everything below a folder, with what is in it: to be compared before and after. Links are not followed. */
export function contentsOf(folder: string, below = ''): { readonly [path: string]: string } {
  const found: Record<string, string> = {}
  for (const name of readdirSync(join(folder, below)).sort()) {
    const path = below === '' ? name : `${below}/${name}`
    const stats = lstatSync(join(folder, path))
    if (stats.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(folder, path))}`
    else found[path] = stats.isFile() ? readFileSync(join(folder, path), 'utf8') : stats.isDirectory() ? 'folder' : 'other'
    if (stats.isDirectory()) Object.assign(found, contentsOf(folder, path))
  }
  return found
}

/** A disk whose operations call `before` first. */
export function watched(before: (operation: keyof Disk, count: number) => void | Promise<void>): Disk {
  let count = 0
  const entries = Object.entries(realDisk).map(([name, operation]) => [
    name,
    async (...given: unknown[]) => {
      await before(name as keyof Disk, ++count)
      return (operation as (...given: unknown[]) => unknown)(...given)
    },
  ])
  return Object.fromEntries(entries) as Disk
}

/** A disk under a process that dies before operation `at`: nothing that it would do after that happens. */
export function dyingAt(at: number): Disk {
  return watched((_, count) => {
    if (count >= at) throw new Error('the process is dead')
  })
}

/** A disk on which one operation fails as the system says. */
export function failing(operation: keyof Disk, code: string): Disk {
  return watched((name) => {
    if (name === operation) throw Object.assign(new Error(`${code}: /secret/path`), { code })
  })
}
