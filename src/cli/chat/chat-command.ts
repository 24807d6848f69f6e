import { type Model, RondoError, type Store } from '../../index.ts'
import { beginningOf, keptIn, newestIn, sandboxBeginsAnew } from '../beginning.ts'
import { folderOf, folderOfSession, modelOf } from '../command-agent.ts'
import { configured } from '../config/configured.ts'
import { checkSessionId, closed, noSession, sayUnkept } from '../sessions.ts'
import { openStore } from '../store.ts'
import { commandName } from '../summary.ts'
import { CannotRun, type Terminal } from '../terminal.ts'
import { plain } from '../text.ts'
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
  const { store, unkept } = await openStore(world)
  try {
    if (unkept !== undefined) sayUnkept(unkept, asked.session ?? (asked.resume === true ? 'of before' : asked.resume), world)
    const folder = await folderFor(asked, store, world)
    const { flags: wanted, terminal } = configured(asked, folder, world)
    const chosen = await modelOf(wanted, terminal, model)
    const sessionId = await sessionOf(asked, folder, store, terminal)
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
    await closed(store, world)
  }
}

/** As `rondo resume`: a session goes on where it began. */
async function folderFor(asked: ChatFlags, store: Store, world: Terminal): Promise<string> {
  const { resume } = asked
  if (typeof resume !== 'string') return folderOf(asked.cwd, world)
  const begun = await beginningOf(resume, store)
  if (begun === undefined) throw await noSession(resume, store, world)
  return folderOfSession(resume, begun, asked, world)
}

async function sessionOf({ session, resume }: ChatFlags, folder: string, store: Store, { env }: Terminal): Promise<string | undefined> {
  if (resume !== true) return resume ?? session
  const newest = await newestIn(folder, store)
  if (newest === undefined) throw new CannotRun(`No session has begun in ${plain(folder)} yet. Begin one: ${commandName({ env })} chat`)
  return newest
}
