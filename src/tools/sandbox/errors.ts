import { RondoError } from '../../core/error.ts'
import { errorCode } from '../files/problem.ts'

const words: { readonly [code: string]: string } = {
  EACCES: 'permission denied',
  EBADF: 'bad file descriptor',
  EBUSY: 'resource busy',
  EEXIST: 'file exists',
  EFBIG: 'file too large',
  EINVAL: 'invalid argument',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'name too long',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EPERM: 'operation not permitted',
  ESTALE: 'changed meanwhile',
}

/** An error as the system gives it: with a code, and a message that begins with it (programs look at either). */
export function systemError(code: string, detail?: string): Error {
  return Object.assign(new Error(`${code}: ${detail ?? words[code] ?? 'failed'}`), { code, detail })
}

/** What a shell is told of an error. What the system says itself is left out: it holds paths of this machine. */
export function toldOf(error: unknown): { readonly code: string; readonly error: string; readonly detail: string | undefined } {
  if (RondoError.is(error)) return { code: 'EIO', error: `EIO: ${error.message}`, detail: error.message }
  const code = errorCode(error) || 'EIO'
  const detail = error instanceof Error && 'detail' in error && typeof error.detail === 'string' ? error.detail : undefined
  return { code, error: systemError(code, detail).message, detail }
}
