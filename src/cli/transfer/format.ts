import type { Head, Json } from '../../index.ts'

/**
 * A session as one file of JSON lines: a header, the entries as they are and in their order, each blob before the first entry that refers to it,
 * and an end that tells a whole file from one that was cut or changed.
 */
export const formatName = 'rondo-session'
/** What this version writes, and the newest that it reads. */
export const formatVersion = 1

/** The largest file that is written or read, in bytes: an import holds it in memory until all of it has been looked at. */
export const maxFileBytes = 256 * 1024 * 1024

export interface HeaderLine {
  readonly format: typeof formatName
  readonly version: number
  readonly session: string
  /** What the store's list says of it. */
  readonly head?: Head
}

export interface BlobLine {
  /** `sha256:<hex>` */
  readonly blob: string
  readonly base64: string
}

export interface EndLine {
  readonly end: {
    readonly entries: number
    readonly blobs: number
    /** Of all bytes above this line. */
    readonly sha256: string
  }
}

const blobRef = /^sha256:[0-9a-f]{64}$/

export function isBlobRef(value: unknown): value is string {
  return typeof value === 'string' && blobRef.test(value)
}

/** The blobs that the media parts in an entry's data name. */
export function refsIn(data: unknown): readonly string[] {
  const refs: string[] = []
  const rest: unknown[] = [data]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value !== 'object' || value === null) continue
    const { type, ref } = value as { readonly [name: string]: Json | undefined }
    if ((type === 'image' || type === 'file') && isBlobRef(ref)) refs.push(ref)
    for (const inner of Object.values(value).reverse()) rest.push(inner)
  }
  return refs
}

export function megabytes(bytes: number): string {
  return `${(bytes / (1024 * 1024)).toLocaleString('en-US')} MB`
}
