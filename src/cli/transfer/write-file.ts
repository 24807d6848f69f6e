import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CannotRun } from '../terminal.ts'
import { plain } from '../text.ts'

/** A file that is there as a whole, for its owner only, or not at all. */
export interface NewFile {
  write(text: string): void
  /** Puts it in its place. */
  finish(): void
  /** Leaves nothing behind. */
  abandon(): void
}

/** Throws `CannotRun` for a place that can't be written, and for a file that is there unless it may be replaced. */
export function newFile(path: string, isReplaced: boolean): NewFile {
  checkPlace(path, isReplaced)
  const temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`)
  const attempt = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      abandon()
      throw failure(path, error)
    }
  }
  let descriptor: number | undefined
  const close = () => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  const abandon = () => {
    quietly(close)
    quietly(() => unlinkSync(temporary))
  }
  descriptor = attempt(() => openSync(temporary, 'wx', 0o600))
  return {
    write: (text) => attempt(() => writeFileSync(descriptor ?? -1, text)),
    finish: () =>
      attempt(() => {
        fsyncSync(descriptor ?? -1)
        close()
        if (isReplaced) renameSync(temporary, path)
        else putWhereNothingIs(temporary, path)
        quietly(() => syncFolder(dirname(path)))
      }),
    abandon,
  }
}

function checkPlace(path: string, isReplaced: boolean): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isFile()) throw new CannotRun(`${plain(path)} is no regular file: nothing is written there. Name a new file.`)
  if (!isReplaced) throw isThere(path)
}

/** A link fails where a file is, also one that came a moment ago. Where a file system has none, the last look is a little earlier. */
function putWhereNothingIs(temporary: string, path: string): void {
  try {
    linkSync(temporary, path)
    unlinkSync(temporary)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw isThere(path)
    checkPlace(path, false)
    renameSync(temporary, path)
  }
}

function isThere(path: string): CannotRun {
  return new CannotRun(`${plain(path)} is there already. Name another file, or replace it with --force.`)
}

function failure(path: string, error: unknown): unknown {
  if (error instanceof CannotRun || !(error instanceof Error)) return error
  if (codeOf(error) === 'ENOENT') return new CannotRun(`${plain(path)} can't be written: there is no folder ${plain(dirname(path))}.`)
  const hint = codeOf(error) === 'ENOSPC' ? 'Free some space and try again.' : 'Name another file.'
  return new CannotRun(`${plain(path)} can't be written: ${plain(error.message)}. ${hint}`)
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // What can't be tidied up must not hide why.
  }
}
