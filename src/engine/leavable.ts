/** Told by a generator how its reader leaves while it waits. */
export type OnLeave = (leave: () => void) => void

/**
 * A generator whose reader may leave at any time. By itself a generator answers `return` only after what it is waiting for, and a run may
 * wait for days.
 */
export function leavable<T>(read: (onLeave: OnLeave) => AsyncGenerator<T, void, undefined>): AsyncIterableIterator<T, void, undefined> {
  let leave = () => {}
  const generator = read((how) => {
    leave = how
  })
  return {
    next: () => generator.next(),
    return() {
      leave()
      return generator.return()
    },
    throw(error) {
      leave()
      return generator.throw(error)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
