import { type Model, RondoError, type Store } from '../../index.ts'
import { beginningOf, keptIn, sandboxBeginsAnew } from '../beginning.ts'
import { configured } from '../config/configured.ts'
import { folderOf, modelOf } from '../read-agent.ts'
import { cannotOpen, checkSessionId, closed, noSession } from '../sessions.ts'
import { openStore } from '../store.ts'
import { CannotRun, type Terminal } from '../terminal.ts'
import { plain, styled } from '../text.ts'
import { toolsFor } from '../toolset.ts'
import { chatByLines } from './by-lines.ts'
import { chatOnScreen } from './on-screen.ts'
import type { ChatFlags, ChatSettings } from './settings.ts'

/**
 * A conversation with the agent; resolves with the exit code when it is left. On a terminal it is one of keys and screen; elsewhere each line of standard
 * input is said. Throws `CannotRun` for what can't begin. `model` stands in for the one that would be chosen.
 */
export async function chatCommand(words: readonly string[], asked: ChatFlags, world: Terminal, model?: Model): Promise<number> {
  if (asked.session !== undefined) checkSessionId(asked.session)
  if (asked.session !== undefined && asked.resume !== undefined)
    throw new CannotRun('--session and --resume both say which session to go on with. Leave one of them out.')
  const folder = folderOf(asked.cwd, world)
  const { flags: wanted, terminal } = configured(asked, folder, world)
  const chosen = await modelOf(wanted, terminal, model)
  const { store, unkept } = await openStore(terminal)
  try {
    if (unkept !== undefined) sayUnkept(unkept, wanted, terminal)
    const sessionId = await sessionOf(wanted, folder, store, terminal)
    const begun = sessionId === undefined ? undefined : await beginningOf(sessionId, store)
    const flags = keptIn(wanted, begun)
    if (begun?.sandbox === true) terminal.stderr.write(`${sandboxBeginsAnew}\n`)
    const toolset = toolsFor(folder, flags, terminal)
    const settings: ChatSettings = { chosen, flags, toolset, folder, store, kept: unkept === undefined }
    const first = words.join(' ').trim()
    return await (terminal.keyboard === undefined ? chatByLines : chatOnScreen)(settings, sessionId, first, terminal)
  } catch (error) {
    throw RondoError.is(error) ? new CannotRun(error.message) : error
  } finally {
    await closed(store, terminal)
  }
}

function sayUnkept(why: string, { session, resume }: ChatFlags, { stderr }: Terminal): void {
  const wanted = session ?? (resume === true ? 'of before' : resume)
  if (wanted !== undefined) throw cannotOpen(wanted, why)
  stderr.write(`${styled(`This session is not kept. ${plain(why)}`, 'yellow', stderr)}\n`)
}

async function sessionOf({ session, resume }: ChatFlags, folder: string, store: Store, terminal: Terminal): Promise<string | undefined> {
  if (resume === undefined) return session
  if (resume === true) {
    const newest = await newestIn(folder, store)
    if (newest === undefined) throw new CannotRun(`No session has begun in ${plain(folder)} yet. Begin one: rondo chat`)
    return newest
  }
  if ((await beginningOf(resume, store)) === undefined) throw await noSession(resume, store, terminal)
  return resume
}

/** Sessions that are looked at for one of this folder. */
const maxLooked = 200

async function newestIn(folder: string, store: Store): Promise<string | undefined> {
  for (const { sessionId } of await store.list({ limit: maxLooked }))
    if ((await beginningOf(sessionId, store))?.folder === folder) return sessionId
  return undefined
}
