import { RondoError } from '../core/error.ts'
import type { BlobStore } from '../core/store.ts'

/** Blobs in memory, bounded by their bytes; the oldest leave, and a blob that is put again is new. */
export class MemoryBlobs implements BlobStore {
  readonly #maxBytes: number
  readonly #byRef = new Map<string, Uint8Array>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  async put(bytes: Uint8Array): Promise<string> {
    if (bytes.byteLength > this.#maxBytes) {
      throw new RondoError(
        'SessionWriteFailed',
        `A blob of ${bytes.byteLength} bytes is larger than the memory store keeps (${this.#maxBytes}). Raise maxBlobBytes or use a durable store.`,
        { retryable: false },
      )
    }
    const copy = new Uint8Array(bytes)
    const ref = `sha256:${hex(await crypto.subtle.digest('SHA-256', copy))}`
    this.#remove(ref)
    this.#byRef.set(ref, copy)
    this.#bytes += copy.byteLength
    for (const oldest of this.#byRef.keys()) {
      if (this.#bytes <= this.#maxBytes) break
      this.#remove(oldest)
    }
    return ref
  }

  async get(ref: string): Promise<Uint8Array | undefined> {
    return this.#byRef.get(ref)?.slice()
  }

  #remove(ref: string): void {
    this.#bytes -= this.#byRef.get(ref)?.byteLength ?? 0
    this.#byRef.delete(ref)
  }
}

function hex(digest: ArrayBuffer): string {
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
