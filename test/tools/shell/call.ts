import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '../../../src/core/json.ts'
import type { Ask, ToolCallInfo } from '../../../src/core/tool.ts'
import { type ShellInput, type ShellOutput, type ShellToolOptions, shellTool } from '../../../src/tools/index.ts'

/** A folder that is gone after the run of tests. */
export const folder = (): string => mkdtempSync(join(tmpdir(), 'rondo-shell-'))

interface Called {
  readonly signal?: AbortSignal
  readonly approvedBy?: string
  readonly progress?: (update: Json) => void
}

const info = ({ signal = new AbortController().signal, progress = () => undefined, ...rest }: Called) =>
  ({ signal, progress, ...rest }) as ToolCallInfo

/** A call as the engine makes it. */
export async function shell(
  input: ShellInput | string,
  options: Partial<ShellToolOptions> = {},
  called: Called = {},
): Promise<ShellOutput> {
  const tool = shellTool({ cwd: folder(), needsApproval: false, ...options })
  const given = typeof input === 'string' ? { command: input } : input
  const valid = await tool.inputSchema['~standard'].validate(given)
  if (valid.issues !== undefined) throw new Error(`invalid input: ${JSON.stringify(valid.issues)}`)
  return (await tool['~definition'].execute?.(valid.value, info(called))) as ShellOutput
}

/** What the tool says about an approval. */
export async function asked(command: string, options: Partial<ShellToolOptions> = {}): Promise<boolean | Ask> {
  const { needsApproval } = shellTool({ cwd: folder(), ...options })['~definition']
  return typeof needsApproval === 'function' ? await needsApproval({ command }, info({})) : (needsApproval ?? false)
}
