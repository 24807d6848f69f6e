import { createHash } from 'node:crypto'

const ending = '.jsonl'
/** File systems take names of 255 bytes, and the ending is one of their parts. */
const longestName = 200
const keptOfLong = 100
/** Names that Windows gives to devices, whatever their ending (https://learn.microsoft.com/windows/win32/fileio/naming-a-file). */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/**
 * The name of a session's file: small letters, digits, `-` and `_` stand for themselves, everything else is escaped as `%xx` or `%uxxxx` (a UTF-16
 * unit). Capitals too: a file system that takes `a` and `A` for one must not make one file of two sessions. A long id is cut, and its hash follows.
 */
export function fileNameOf(sessionId: string): string {
  const name = sessionId.replace(/[^a-z0-9_-]/g, escaped)
  if (name.length > longestName) return `${name.slice(0, keptOfLong)}%~${hashOf(sessionId)}${ending}`
  if (name === '') return `%${ending}`
  return `${device.test(name) ? `${escaped(name)}${name.slice(1)}` : name}${ending}`
}

/** The session of a file by its name alone: `undefined` for one that was cut, and for a file that is none of ours. */
export function sessionOfName(fileName: string): string | undefined {
  const name = fileName.slice(0, -ending.length)
  const sessionId = name === '%' ? '' : name.replace(/%(?:u([0-9a-f]{4})|([0-9a-f]{2}))/g, unescaped)
  return fileNameOf(sessionId) === fileName ? sessionId : undefined
}

export function isJournal(fileName: string): boolean {
  return fileName.endsWith(ending)
}

function escaped(character: string): string {
  const hex = character.charCodeAt(0).toString(16)
  return hex.length > 2 ? `%u${hex.padStart(4, '0')}` : `%${hex.padStart(2, '0')}`
}

function unescaped(_: string, unit: string | undefined, byte: string | undefined): string {
  return String.fromCharCode(Number.parseInt(unit ?? byte ?? '', 16))
}

/** Of the id as JSON, which tells half a surrogate pair from another; as UTF-8 all of them are one. */
function hashOf(sessionId: string): string {
  return createHash('sha256').update(JSON.stringify(sessionId)).digest('hex')
}
