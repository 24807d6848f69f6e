import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('fixtures/writer.mjs', import.meta.url))
const children: ChildProcess[] = []

/** What the child was told is durable: the last seq of each session. */
interface Acknowledged {
  own: number
  shared: number
  appends: number
}

export interface Writer {
  readonly child: ChildProcess
  readonly acknowledged: Acknowledged
  readonly errors: string[]
}

/** A process that appends to a store of the built package; `shell` is put before its command. */
export function writer(store: 'sqlite' | 'jsonl', place: string, name: string, count: number, shell = ''): Writer {
  const module = fileURLToPath(new URL(`../../dist/stores/${store}.js`, import.meta.url))
  if (!existsSync(module)) throw new Error(`${module} is missing: run "npm run build" first (npm test does).`)
  const command = [process.execPath, script, module, place, name, String(count)]
  const [program = '', ...args] = shell === '' ? command : ['sh', '-c', `${shell}; exec "$@"`, 'sh', ...command]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  const acknowledged: Acknowledged = { own: 0, shared: 0, appends: 0 }
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [session, seq] = line.split(' ')
    acknowledged[session === 'own' ? 'own' : 'shared'] = Number(seq)
    acknowledged.appends++
  })
  const errors: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line))
  return { child, acknowledged, errors }
}

/** For `afterEach`: no child outlives a test that failed. */
export function killWriters(): void {
  for (const child of children.splice(0)) child.kill('SIGKILL')
}
