import type { Entry } from '../core/entry.ts'
import { isJsonObject } from '../core/json.ts'
import type { Head } from '../core/store.ts'

/** A file is a boundary: what comes back from one is of these types only once it was looked at. */

/** The envelope; what `data` holds follows from `kind`, and an unknown kind is for the machine to refuse. */
export function isEntry(value: unknown): value is Entry {
  if (!isJsonObject(value)) return false
  const { v, id, at, epoch = 0, runId = '', kind, data } = value
  const isEnvelope = typeof v === 'number' && typeof id === 'string' && typeof at === 'number' && typeof kind === 'string'
  return isEnvelope && typeof epoch === 'number' && typeof runId === 'string' && isJsonObject(data)
}

export function isHead(value: unknown): value is Head {
  return isJsonObject(value) && typeof value.status === 'string' && typeof value.pending === 'number'
}
