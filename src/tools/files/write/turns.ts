/**
 * Writes below one root happen one after another in this process, whatever tools, runs or paths they come by: two edits of one file both count.
 * By the root and not by the file, since links and disks that ignore case give one file many paths.
 */
const last = new Map<string, Promise<void>>()

/** Does the work when those that were there before have ended. An abort ends the wait at once; work that has begun looks at its signal itself. */
export function inTurn<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const leave = () => reject(signal.reason)
    const turn = async () => {
      signal.removeEventListener('abort', leave)
      if (signal.aborted) return reject(signal.reason)
      await work().then(resolve, reject)
    }
    signal.addEventListener('abort', leave, { once: true })
    const mine = (last.get(key) ?? Promise.resolve()).then(turn)
    last.set(key, mine)
    void mine.then(() => {
      if (last.get(key) === mine) last.delete(key)
    })
  })
}
