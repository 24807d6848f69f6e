/** An abort signal that is made only when somebody asks for it: most tools and in-process models never do. */
export class LazySignal {
  #controller: AbortController | undefined
  #reason: unknown
  #aborted = false
  #waiting: Set<() => void> | undefined

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    this.#controller?.abort(reason)
    for (const call of this.#waiting ?? []) call()
    this.#waiting = undefined
  }

  /** Calls back when it is aborted, at once if it is, until the returned function is called. Makes no `AbortSignal`: Node warns of one that many listen to. */
  onAbort(call: () => void): () => void {
    if (this.#aborted) call()
    else {
      this.#waiting ??= new Set()
      this.#waiting.add(call)
    }
    return () => this.#waiting?.delete(call)
  }
}
