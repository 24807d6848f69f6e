import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ToolCallInfo } from '../../../src/core/tool.ts'
import type { ReadTools, ReadToolsOptions } from '../../../src/tools/index.ts'
import { readTools } from '../../../src/tools/index.ts'

/** A folder that holds these files. Names that end with `/` are folders. It is gone after the run of tests (`setup/temporary.ts`). */
export function makeTree(files: { readonly [path: string]: string | Buffer }): string {
  const base = mkdtempSync(join(tmpdir(), 'rondo-files-'))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(base, path.endsWith('/') ? path : dirname(path)), { recursive: true })
    if (!path.endsWith('/')) writeFileSync(join(base, path), content)
  }
  return base
}

type Outputs = { [T in ReadTools[number] as T['name']]: NonNullable<T['~types']>['output'] }

/** A call as the engine makes it: validated input in, output or error out. */
export async function call<N extends keyof Outputs>(
  tools: ReadTools,
  name: N,
  input: Record<string, unknown>,
  signal: AbortSignal = new AbortController().signal,
): Promise<Outputs[N]> {
  const tool = tools.find((one) => one.name === name)
  const valid = await tool?.inputSchema['~standard'].validate(input)
  if (tool === undefined || valid === undefined || valid.issues !== undefined)
    throw new Error(`invalid input: ${JSON.stringify(valid?.issues)}`)
  return (await tool['~definition'].execute?.(valid.value, { signal } as ToolCallInfo)) as Outputs[N]
}

export const on = (root: string, options: Omit<ReadToolsOptions, 'root'> = {}) => readTools({ root, ...options })

/** The message of the error that a call ends with. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    (value) => `no error, but ${JSON.stringify(value)}`,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}

/** Open handles on anything below a folder. */
export function openHandles(below: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      return target.startsWith(below) ? [target] : []
    } catch {
      return []
    }
  })
}

export const date = new Date('2024-05-06T07:08:09.000Z')
export const modified = date.toISOString()

/** A small project with everything that a walk treats in its own way. */
export function project(): string {
  const root = makeTree({
    'README.md': '# Title\n\nA rondo.\n',
    'src/a.ts': 'export const a = 1\nexport const b = 2\n',
    'src/deep/b.test.ts': 'test\n',
    'src/deep/c.bin': Buffer.from([1, 0, 2]),
    'src-old/x.ts': 'const A = 1\n',
    'node_modules/p/index.js': 'rondo\n',
    'node_modules/p/node_modules/q/index.js': 'rondo\n',
    '.git/config': 'rondo\n',
    'dist/out.js': 'rondo\n',
    'empty.txt': '',
    'log/keep.log': 'kept\n',
    'log/b.log': 'lost\n',
    '.gitignore': '# comment\ndist/\n*.log\n',
    'log/.gitignore': '!keep.log\n',
  })
  for (const path of ['README.md', 'src/a.ts', 'src/deep/b.test.ts', 'src-old/x.ts']) utimesSync(join(root, path), date, date)
  return root
}
