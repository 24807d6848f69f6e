import type { Tool } from '../../core/tool.ts'
import { EndedCalls } from '../files/write/ended.ts'
import type { ShellInput, ShellToolOptions } from '../shell/options.ts'
import { type ShellOutput, shellTool } from '../shell/shell-tool.ts'

type ShellTool = Tool<string, ShellInput, ShellInput, ShellOutput>

/**
 * The shell tool of a sandbox. A command has no effect but in the sandbox, which dies with its process: one that a crash has cut off has not happened,
 * and runs again. In the same process an attempt that was given up for lost is waited for.
 */
export function sandboxShell(options: ShellToolOptions): ShellTool {
  const { cwd, timeoutMs = 120_000 } = options
  const shell = shellTool({ ...options, description: options.description ?? describe(cwd, timeoutMs) })
  const definition = shell['~definition']
  const ended = new EndedCalls<unknown>()
  const running = new Map<string, Promise<unknown>>()
  return {
    ...shell,
    '~definition': {
      ...definition,
      execute: (input, call) => {
        const { idempotencyKey: key, attempt } = call
        const name = `${attempt} ${key}`
        const run = ended.keep({ key, attempt }, async () => definition.execute?.(input, call)).finally(() => running.delete(name))
        running.set(name, run)
        return run
      },
      reconcile: async (_, { idempotencyKey: key, attempt }) => {
        await running.get(`${attempt} ${key}`)?.catch(() => undefined)
        return ended.get({ key, attempt }) ?? 'not-started'
      },
    },
  }
}

function describe(cwd: string, timeoutMs: number): string {
  return (
    `Runs a command line with a simulated bash in ${cwd}. It has the usual commands for files and text (ls, cat, grep, rg, find, sed, awk, sort, diff, jq, ` +
    'tar, …); there are no other programs, no processes and no network. What is changed is kept in memory: the other tools see it, the disk stays as it ' +
    `is, and it is lost when the program is started again. Each call is a new shell. Ends after ${timeoutMs} ms unless timeoutMs says otherwise.`
  )
}
