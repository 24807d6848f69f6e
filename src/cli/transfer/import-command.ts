import { resolve } from 'node:path'
import { memory, RondoError } from '../../index.ts'
import { kindOf, lookingAgent } from '../command-agent.ts'
import { unfinished } from '../sessions.ts'
import { openStore, sessionsFile } from '../store.ts'
import { CannotRun, type Terminal } from '../terminal.ts'
import { count, jsonLine, oneLine, plain, sessionWord, styled } from '../text.ts'
import { type ReadExport, readExport } from './read-export.ts'
import { readInput } from './read-input.ts'
import { writeSession } from './write-session.ts'

export interface ImportFlags {
  /** Another id than the one in the file. */
  readonly as?: string
  readonly json?: boolean
}

/**
 * Reads an export (`-`: from standard input) into the sessions file; resolves with the exit code. Throws `CannotRun` for what can't be read or
 * kept; then nothing was imported.
 */
export async function importCommand(file: string, flags: ImportFlags, terminal: Terminal): Promise<number> {
  let isWriting = false
  let interruption: number | undefined
  const stop = terminal.onInterruption((why) => {
    if (why === 'reader-gone') return
    interruption = 130
    if (!isWriting) terminal.exit(130)
  })
  try {
    const path = file === '-' ? undefined : resolve(terminal.cwd, file)
    const found = readExport(await readInput(path, terminal), path ?? 'Standard input')
    const sessionId = flags.as ?? found.sessionId
    checkSessionId(sessionId, flags)
    const unfit = await whyUnfit(found)
    await checkStore(terminal)
    isWriting = true
    const isKept = await writeSession(found, { file: sessionsFile(terminal), sessionId, isInterrupted: () => interruption !== undefined })
    if (!isKept) return interruption ?? 130
    for (const remark of remarks(found, sessionId, unfit)) terminal.stderr.write(`${styled(plain(remark), 'yellow', terminal.stderr)}\n`)
    terminal.stdout.write(flags.json === true ? jsonLine(jsonOf(found, sessionId)) : done(found, sessionId))
    return 0
  } catch (error) {
    throw RondoError.is(error) ? new CannotRun(error.message) : error
  } finally {
    stop()
  }
}

function checkSessionId(id: string, { as }: ImportFlags): void {
  if (/^[\w.:-]{1,200}$/.test(id)) return
  const instead = as === undefined ? ' Name another one with --as ID.' : ''
  throw new CannotRun(
    `The session id ${JSON.stringify(oneLine(id))} can't be used: up to 200 letters, digits and . _ : - are allowed.${instead}`,
  )
}

/** Why a session can only be shown. Entries that would make the library stumble are refused here and not met later. */
async function whyUnfit({ entries }: ReadExport): Promise<string | undefined> {
  const store = memory()
  try {
    await store.append('looked-at', entries, { expectedSeq: 0 })
    await lookingAgent(store).session('looked-at').pending()
    return undefined
  } catch (error) {
    if (RondoError.is(error)) return error.message
    throw new CannotRun('The entries of the file make no session: what they hold does not fit together. Nothing was imported.')
  } finally {
    await store.close()
  }
}

/** Whether sessions can be kept here: the same as for a run. */
async function checkStore(terminal: Terminal): Promise<void> {
  const { store, unkept } = await openStore(terminal)
  await store.close()
  if (unkept !== undefined) throw new CannotRun(`Nothing can be imported: ${plain(unkept)}`)
}

function remarks({ entries, missing }: ReadExport, sessionId: string, unfit: string | undefined): readonly string[] {
  const remark: string[] = []
  if (missing.length > 0)
    remark.push(
      `${count(missing.length, 'picture or file', 'pictures or files')} that it refers to are not in the export: models will not see them.`,
    )
  if (unfit !== undefined) remark.push(`It can be shown, but a run can't go on with it: ${oneLine(unfit)}`)
  const [first] = entries
  const folder = first?.kind === 'session' ? first.data.metadata?.['folder'] : undefined
  if (typeof folder === 'string' && kindOf(folder) !== 'folder')
    remark.push(`It began in ${oneLine(folder)}, which is not here: rondo resume ${sessionWord(sessionId)} --cwd FOLDER reads another one.`)
  return remark
}

function done({ entries, blobs, head }: ReadExport, sessionId: string): string {
  const what = [count(entries.length, 'entry', 'entries'), ...(blobs.size === 0 ? [] : [count(blobs.size, 'blob')])]
  const next = head !== undefined && unfinished.has(head.status) ? 'resume' : 'show'
  return `Session ${oneLine(sessionId)} is imported: ${what.join(' and ')}. Next: rondo ${next} ${sessionWord(sessionId)}\n`
}

function jsonOf({ entries, blobs, missing, head }: ReadExport, sessionId: string): object {
  return { sessionId, status: head?.status ?? 'unknown', entries: entries.length, blobs: blobs.size, missingBlobs: missing.length }
}
