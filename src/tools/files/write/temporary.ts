import { createHash, randomBytes } from 'node:crypto'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Folder } from '../root.ts'
import type { Disk } from './disk.ts'
import { removeIfThere } from './disk.ts'
import type { Writing } from './writer.ts'

/**
 * A call writes to a temporary file beside its target first. The name says whose it is, by the call's idempotency key, so that a later attempt of
 * the call finds what an earlier one has left when its process died. Number and random end keep attempts apart: a process that was only asleep can't
 * take what another attempt has written half for its own.
 */
export function temporaryName({ key, attempt }: Pick<Writing, 'key' | 'attempt'>): string {
  return `${prefixOf(key)}${attempt}-${randomBytes(6).toString('hex')}.tmp`
}

export function isTemporary(name: string): boolean {
  return /^\.rondo-[0-9a-f]{24}-[0-9]+-[0-9a-f]{12}\.tmp$/iu.test(name)
}

function prefixOf(key: string): string {
  return `.rondo-${createHash('sha256').update(key).digest('hex').slice(0, 24)}-`
}

/**
 * Removes what the attempts of a call have left in a folder, and says which those were. A file that is removed here can take no other's place any more,
 * even if the process that wrote it wakes up again.
 */
export async function removeLeftovers(disk: Disk, folder: Folder, key: string): Promise<readonly number[]> {
  const prefix = prefixOf(key)
  const names: string[] = []
  for await (const { name } of await opendir(folder.reach, { bufferSize: 256 }))
    if (name.startsWith(prefix) && isTemporary(name)) names.push(name)
  const attempts: number[] = []
  for (const name of names)
    if ((await removeIfThere(disk, join(folder.reach, name))) === 'removed') attempts.push(Number.parseInt(name.slice(prefix.length), 10))
  return attempts
}
