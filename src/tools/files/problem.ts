import { RondoError } from '../../core/error.ts'

/** An error whose message the model reads: what happened, to which path, what to do. It never holds a path outside the root. */
export function problem(message: string, cause?: unknown): RondoError {
  return new RondoError('ToolExecutionError', message, cause === undefined ? undefined : { cause })
}

export function escapes(path: string): RondoError {
  return problem(`'${path}' leads outside the root folder, which is not allowed. Use a path inside it, relative to the root.`)
}

export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** Words for an error of the file system; its own message holds absolute paths. */
export function fileSystemProblem(error: unknown, path: string, done: 'read' | 'written' = 'read'): RondoError {
  if (RondoError.is(error)) return error
  switch (errorCode(error)) {
    case 'ENOENT':
      return problem(`No file or folder '${path}'.`, error)
    case 'EACCES':
    case 'EPERM':
      return problem(`'${path}' may not be ${done}: permission denied. Try another one.`, error)
    case 'EROFS':
      return problem(`'${path}' can't be written: the file system is read-only.`, error)
    case 'ENOSPC':
    case 'EDQUOT':
      return problem(`'${path}' can't be written: the disk is full. Nothing was changed.`, error)
    case 'EFBIG':
      return problem(`'${path}' can't be written: it would be larger than the file system takes. Nothing was changed.`, error)
    case 'EBUSY':
    case 'ETXTBSY':
      return problem(`'${path}' is in use and can't be replaced. Nothing was changed.`, error)
    case 'ENAMETOOLONG':
      return problem(`A name in '${path.slice(0, 100)}…' is too long for the file system.`, error)
    case 'EEXIST':
    case 'EISDIR':
    case 'ELOOP':
    case 'ENOTDIR':
    case 'ENOTEMPTY':
    case 'ESTALE':
    case 'EINVAL':
    case 'ENXIO':
      return problem(`'${path}' was changed while it was being opened. Try again.`, error)
    case 'EMFILE':
    case 'ENFILE':
      return problem(`'${path}' can't be opened now: too many files are open. Try again later.`, error)
    default:
      return problem(`'${path}' can't be ${done} (${errorCode(error) || 'unknown error'}).`, error)
  }
}

/** Names in a folder that may be the one that was meant, best first, at most five. */
export function similarNames(name: string, names: readonly string[]): string[] {
  const wanted = plain(name)
  const ranked = names.flatMap((other) => {
    const there = plain(other)
    const contains = wanted.length > 2 && there.length > 2 && (there.includes(wanted) || wanted.includes(there))
    const distance = there === wanted ? 0 : contains ? 1 : editDistance(wanted, there)
    return distance <= Math.max(1, Math.floor(wanted.length / 3)) ? [{ other, distance }] : []
  })
  ranked.sort((a, b) => a.distance - b.distance || (a.other < b.other ? -1 : 1))
  return ranked.slice(0, 5).map(({ other }) => other)
}

function plain(name: string): string {
  return name.normalize('NFKC').toLowerCase().slice(0, 100)
}

/** Levenshtein's distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
