import { join } from 'node:path'
import { isJsonObject } from '../core/json.ts'
import { type Files, readAt, type Synchronous, unlessMissing, withFile, writeWhole } from './jsonl-files.ts'
import type { Holding } from './jsonl-rules.ts'

/** What a store that is closed leaves to the next one: leases that still hold, and the highest epoch that no file knows. */
export interface Kept {
  readonly floor: number
  readonly leases: ReadonlyMap<string, Holding>
}

const fileName = 'leases.json'

/** A file that can't be read says nothing: leases are a matter of seconds, and nobody has an epoch of a process that has ended. */
export async function readLeases(files: Files, folder: string): Promise<Kept> {
  const work = () => withFile(files, join(folder, fileName), 'r', async (handle) => readAt(handle, 0, (await handle.stat()).size))
  const bytes = await unlessMissing(work())
  const { floor, leases } = parsed(bytes?.toString() ?? '')
  return { floor: typeof floor === 'number' ? floor : 0, leases: new Map((Array.isArray(leases) ? leases : []).flatMap(holding)) }
}

export async function writeLeases(files: Files, folder: string, { floor, leases }: Kept, synchronous: Synchronous): Promise<void> {
  const list = [...leases].map(([sessionId, { epoch, lease }]) => ({ sessionId, epoch, ...lease }))
  await writeWhole(files, join(folder, fileName), Buffer.from(`${JSON.stringify({ floor, leases: list }, null, 2)}\n`), synchronous)
}

function parsed(text: string): { readonly floor?: unknown; readonly leases?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

function holding(value: unknown): [string, Holding][] {
  if (!isJsonObject(value)) return []
  const { sessionId, epoch, owner, until } = value
  const isWhole = typeof sessionId === 'string' && typeof epoch === 'number' && typeof owner === 'string' && typeof until === 'number'
  return isWhole ? [[sessionId, { epoch, granted: true, lease: { owner, until } }]] : []
}
