const marked = new WeakSet<object>()

export function markNotFound(error: object): void {
  marked.add(error)
}

/** Whether an error of an adapter says that there is no such model, or nothing at that address: its code is that of a bad request. */
export function isNotFound(error: unknown): boolean {
  return typeof error === 'object' && error !== null && marked.has(error)
}
