import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Entry, Store } from '../../src/index.ts'
import { raw } from '../stores/sqlite-kit.ts'

/** A child program under way. It uses what the last build left in `dist`. */
export interface Child {
  readonly process: ChildProcess
  /** What it has printed so far. */
  readonly lines: readonly string[]
  /** Resolves with the first line that begins so; rejects when the child ends without one. */
  line(start: string): Promise<string>
  /** Resolves when it has ended, with its exit code, or the signal that killed it. */
  readonly ended: Promise<number | string>
  tell(order: object): void
}

const built = fileURLToPath(new URL('../../dist/index.js', import.meta.url))
const children = new Set<ChildProcess>()

export function startChild(program: string, ...args: readonly (string | number)[]): Child {
  if (!existsSync(built)) throw new Error(`${built} is missing: run "npm run build" first (npm test does).`)
  const script = fileURLToPath(new URL(`fixtures/${program}.mjs`, import.meta.url))
  const child = spawn(process.execPath, [script, ...args.map(String)], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.add(child)
  // A child that is killed takes no more orders.
  child.stdin.on('error', () => {})
  const lines: string[] = []
  const awaited = new Set<() => void>()
  const tellAll = () => {
    for (const look of awaited) look()
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    tellAll()
  })
  let over: number | string | undefined
  const ended = new Promise<number | string>((resolve) =>
    child.on('close', (code, signal) => {
      children.delete(child)
      over = signal ?? code ?? 0
      tellAll()
      resolve(over)
    }),
  )
  const line = (start: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = lines.find((one) => one.startsWith(start))
        if (found === undefined && over === undefined) return
        awaited.delete(look)
        if (found === undefined) reject(new Error(`${program} ended (${over}) before it said '${start}'; last: ${lines.at(-1)}`))
        else resolve(found)
      }
      awaited.add(look)
      look()
    })
  return { process: child, lines, line, ended, tell: (order) => child.stdin.write(`${JSON.stringify(order)}\n`) }
}

/** For `afterEach`: no child outlives a test that failed. */
export function killChildren(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** In a folder that is gone after the run of tests (`setup/temporary.ts`). */
export function newPlace(): string {
  return mkdtempSync(join(tmpdir(), 'rondo-processes-'))
}

export function fileOf(folder: string): string {
  return join(folder, 'sessions.db')
}

/** As if its 15 s had passed: nobody who died holds a session any more. */
export function endLeases(folder: string): void {
  if (existsSync(fileOf(folder)))
    raw(fileOf(folder), (database) => database.exec('pragma busy_timeout = 5000; update sessions set lease_until = 0'))
}

export function linesOf(folder: string, name: string): readonly string[] {
  const file = join(folder, name)
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
}

/** How often each key was paid. A payment that was made void before it came does not count, for the bank refuses it. */
export function payments(folder: string): ReadonlyMap<string, number> {
  const paid = new Map<string, number>()
  const voided = new Set<string>()
  for (const line of linesOf(folder, 'bank')) {
    const [what, key = '', attempt] = line.split(' ')
    if (what === 'void') voided.add(`${key} ${attempt}`)
    else if (!voided.has(`${key} ${attempt}`)) paid.set(key, (paid.get(key) ?? 0) + 1)
  }
  return paid
}

export async function entriesOf(store: Store, session = 's'): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for await (const entry of store.load(session)) entries.push(entry)
  return entries
}

/** Everything that no journal may hold twice, as complaints. */
export function doubled(entries: readonly Entry[]): string[] {
  const seen = new Set<string>()
  const twice: string[] = []
  let epoch = 0
  for (const [index, entry] of entries.entries()) {
    if (entry.seq !== index + 1) twice.push(`entry ${index + 1} has seq ${entry.seq}`)
    if (entry.epoch !== undefined && entry.epoch < epoch) twice.push(`entry ${entry.seq} is of epoch ${entry.epoch}, after one of ${epoch}`)
    epoch = Math.max(epoch, entry.epoch ?? 0)
    for (const name of [`the id ${entry.id}`, onceOf(entry)]) {
      if (name === undefined) continue
      if (seen.has(name)) twice.push(`${name} stands twice, at ${entry.seq} again`)
      seen.add(name)
    }
  }
  return twice
}

/** What there is only one of in a session. */
function onceOf(entry: Entry): string | undefined {
  switch (entry.kind) {
    case 'run.requested':
    case 'run.finished':
      return `${entry.kind} of ${entry.runId}`
    case 'model.started':
    case 'model.responded':
      return `${entry.kind} ${entry.data.n}.${entry.kind === 'model.started' ? entry.data.attempt : ''}`
    case 'call.started':
      return `${entry.kind} ${entry.data.callId} ${entry.data.attempt}`
    case 'call.prepared':
    case 'call.settled':
      return `${entry.kind} ${entry.data.callId}`
    case 'approval.decided':
      return `${entry.kind} of ${entry.data.request}`
    default:
      return undefined
  }
}
