import { resolve } from 'node:path'
import { RondoError, type SessionSummary, type Store } from '../../index.ts'
import { Breath } from '../breath.ts'
import { noSession, nothingKept, unfinished } from '../sessions.ts'
import { openToRead } from '../store.ts'
import { CannotRun, type Interruption, type Terminal } from '../terminal.ts'
import { count, jsonLine, oneLine, plain, styled } from '../text.ts'
import { type Exported, exportLines } from './export-lines.ts'
import { findSession } from './find-session.ts'
import { markdownLines } from './markdown.ts'
import { type NewFile, newFile } from './write-file.ts'

export const exportFormats = ['jsonl', 'markdown'] as const

/** What is written before signals are looked at. */
const breathBytes = 1024 * 1024

export interface ExportFlags {
  readonly format?: (typeof exportFormats)[number]
  readonly force?: boolean
  readonly json?: boolean
}

/**
 * Writes a session into a file, or without one (or `-`) to standard output; resolves with the exit code. Throws `CannotRun` for what can't be
 * read or written; a file is then not there, or as it was.
 */
export async function exportCommand(sessionId: string, file: string | undefined, flags: ExportFlags, terminal: Terminal): Promise<number> {
  const path = file === undefined || file === '-' ? undefined : resolve(terminal.cwd, file)
  checkFlags(path, flags)
  const store = await openToRead(terminal)
  if (store === undefined) throw nothingKept(sessionId, terminal)
  let target: NewFile | undefined
  const stop = terminal.onInterruption((why) => {
    target?.abandon()
    terminal.exit(interrupted(why, path))
  })
  try {
    const summary = await findSession(sessionId, store)
    if (summary === undefined) throw await noSession(sessionId, store, terminal)
    target = path === undefined ? undefined : newFile(path, flags.force === true)
    const exported = await write(summary, store, flags, target ?? terminal.stdout)
    target?.finish()
    for (const remark of remarks(summary, exported)) terminal.stderr.write(`${styled(remark, 'yellow', terminal.stderr)}\n`)
    if (path !== undefined) terminal.stdout.write(done(summary, path, exported, flags))
    return 0
  } catch (error) {
    target?.abandon()
    throw RondoError.is(error) ? new CannotRun(error.message) : error
  } finally {
    stop()
    await store.close()
  }
}

/** What has come of a file that nobody reads to its end is no export; of a message about one it does not matter. */
function interrupted(why: Interruption, path: string | undefined): number {
  return why === 'reader-gone' && path !== undefined ? 0 : 130
}

function checkFlags(path: string | undefined, { force, json }: ExportFlags): void {
  if (path !== undefined) return
  if (json === true)
    throw new CannotRun('--json tells of the file that was written; without one the export itself goes to standard output.')
  if (force === true) throw new CannotRun('--force replaces a file, and none is named: rondo export ID FILE --force')
}

async function write(
  summary: SessionSummary,
  store: Store,
  { format = 'jsonl' }: ExportFlags,
  target: Pick<NewFile, 'write'>,
): Promise<Exported> {
  const exported: Exported = { entries: 0, blobs: 0, bytes: 0, missing: [] }
  const lines = format === 'jsonl' ? exportLines(summary, store, exported) : markdownLines(summary, store, exported)
  const breath = new Breath(breathBytes)
  for await (const line of lines) {
    target.write(line)
    await breath.after(line.length)
  }
  return exported
}

function remarks({ sessionId, seq, head }: SessionSummary, { missing }: Exported): readonly string[] {
  const remark = missing.map((why) => `${oneLine(why)} The export is without it.`)
  if (head !== undefined && unfinished.has(head.status))
    remark.push(
      `Session ${oneLine(sessionId)} has not ended (${head.status}): this is how it stood at entry ${seq.toLocaleString('en-US')}.`,
    )
  return remark
}

function done({ sessionId }: SessionSummary, path: string, { entries, blobs, missing }: Exported, { json, format }: ExportFlags): string {
  if (json === true) return jsonLine({ sessionId, file: path, format: format ?? 'jsonl', entries, blobs, missingBlobs: missing.length })
  const what = [count(entries, 'entry', 'entries'), ...(blobs === 0 ? [] : [count(blobs, 'blob')])]
  return `Session ${oneLine(sessionId)} is in ${plain(path)}: ${what.join(' and ')}.\n`
}
