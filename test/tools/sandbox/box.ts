import type { ToolCallInfo } from '../../../src/core/tool.ts'
import type { SandboxOptions, ShellOutput } from '../../../src/tools/index.ts'
import { sandboxTools } from '../../../src/tools/index.ts'

interface Told {
  readonly signal?: AbortSignal
  readonly key?: string
  readonly attempt?: number
}

/** A sandbox over a folder, with calls as the engine makes them: validated input in, output or error out. */
export function box(root: string, options: Omit<SandboxOptions, 'root'> = {}) {
  const { tools, changes, plannedChange } = sandboxTools({ root, ...options })
  const find = async (name: string, input: unknown) => {
    const tool = tools.find((one) => one.name === name)
    const valid = await tool?.inputSchema['~standard'].validate(input)
    if (tool === undefined || valid === undefined || valid.issues !== undefined)
      throw new Error(`invalid input: ${JSON.stringify(valid?.issues)}`)
    return { definition: tool['~definition'], input: valid.value }
  }
  const info = ({ signal = new AbortController().signal, key = 'session:call', attempt = 1 }: Told) =>
    ({ signal, idempotencyKey: key, attempt, progress: () => undefined }) as unknown as ToolCallInfo
  const call = async (name: string, given: unknown, told: Told = {}): Promise<unknown> => {
    const { definition, input } = await find(name, given)
    return definition.execute?.(input, info(told))
  }
  return {
    tools,
    changes,
    plannedChange,
    call,
    reconcile: async (name: string, given: unknown, told: Told = {}) => {
      const { definition, input } = await find(name, given)
      return definition.reconcile?.(input, info(told))
    },
    shell: async (command: string, more: object = {}, told: Told = {}) => (await call('shell', { command, ...more }, told)) as ShellOutput,
    /** What a command has written, whatever came of it. */
    said: async (command: string) => ((await call('shell', { command })) as ShellOutput).output,
  }
}
