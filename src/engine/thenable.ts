/** Whether `await` would wait for it. What somebody's function returns may be a promise of another making. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return 'then' in value && typeof value.then === 'function'
}
