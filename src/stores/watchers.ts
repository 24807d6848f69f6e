interface Watcher {
  seq: number
  readonly onChange: (seq?: number) => void
}

/** Who waits for entries of which session, within one store object. */
export class Watchers {
  readonly #bySession = new Map<string, Set<Watcher>>()

  get size(): number {
    return this.#bySession.size
  }

  sessions(): Iterable<string> {
    return this.#bySession.keys()
  }

  add(sessionId: string, afterSeq: number, onChange: (seq?: number) => void): () => void {
    const watcher: Watcher = { seq: afterSeq, onChange }
    const watchers = this.#bySession.get(sessionId) ?? new Set()
    this.#bySession.set(sessionId, watchers.add(watcher))
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0 && this.#bySession.get(sessionId) === watchers) this.#bySession.delete(sessionId)
    }
  }

  /**
   * Tells those who have not heard of `seq` yet; without a seq (it could not be read) everyone. Each in a microtask of its own, so that
   * a listener that throws cannot break an append.
   */
  notify(sessionId: string, seq?: number): void {
    const watchers = this.#bySession.get(sessionId)
    if (watchers === undefined) return
    for (const watcher of watchers) {
      if (seq !== undefined) {
        if (watcher.seq >= seq) continue
        watcher.seq = seq
      }
      queueMicrotask(() => {
        if (watchers.has(watcher)) watcher.onChange(seq)
      })
    }
  }

  clear(): void {
    for (const watchers of this.#bySession.values()) watchers.clear()
    this.#bySession.clear()
  }
}
