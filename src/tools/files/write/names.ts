import { RondoError } from '../../../core/error.ts'
import { problem } from '../problem.ts'
import { isTemporary } from './temporary.ts'

/** What HFS+ leaves out when it compares names (git: `next_hfs_char`). */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu
const reservedByWindows = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/iu
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u001f\u007f-\u009f]/u

/**
 * Whether some disk takes the name for `.git`: in any case, with characters that HFS+ ignores, as a short name (`git~1`), with the ends or the
 * stream names (`.git::$INDEX_ALLOCATION`) that NTFS drops. On every system: what is written here may be checked out on another.
 */
export function isGit(name: string): boolean {
  const plain = name.replace(ignoredByHfs, '').normalize('NFKC').toLowerCase()
  const [base = ''] = plain.split(/[:\\]/u)
  return /^(?:\.git|git~[0-9]+)$/u.test(base.replace(/[. ]+$/u, ''))
}

/** Refuses a root that belongs to git, in the name of the function that was given it. */
export function checkRoot(realPath: string, owner: string): void {
  if (realPath.split(/[/\\]/u).some(isGit)) throw new RondoError('ConfigInvalid', `${owner}: root lies in '.git', which belongs to git`)
}

/** Refuses names that no write may go through or to. */
export function checkWritable(name: string): void {
  if (isGit(name)) throw problem(`Nothing is written in or to '.git' ('${name}'): it belongs to git. Use another path.`)
  if (isTemporary(name)) throw problem(`'${name}' is a name of temporary files of these tools. Use another one.`)
  if (process.platform === 'win32' && isOddOnWindows(name))
    throw problem(`'${name}' is no name of a file on Windows (a device, a stream, or an end that is dropped). Use another one.`)
}

/** Refuses names that a file may have, but none should be given. */
export function checkNew(name: string): void {
  if (control.test(name)) throw problem(`${JSON.stringify(name)} holds a control character. Use a name without it.`)
}

/** A stream of another file, a device, or an end that Windows drops, so that the name means another file. */
export function isOddOnWindows(name: string): boolean {
  return name.includes(':') || /[. ]$/u.test(name) || reservedByWindows.test(name)
}
