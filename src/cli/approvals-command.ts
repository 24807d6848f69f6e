import { type Pending, RondoError, type Store } from '../index.ts'
import { lookingAgent } from './command-agent.ts'
import { answerCommand, answerHint, waitingLines } from './pending-lines.ts'
import { sessionFacts } from './session-facts.ts'
import { openToRead } from './store.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { count, jsonLine, oneLine, row, styled } from './text.ts'

export interface ApprovalsFlags {
  readonly json?: boolean
}

/** Sessions that are looked at, the newest first. */
const maxSessions = 1_000

interface WaitingSession {
  readonly sessionId: string
  readonly folder: string | undefined
  readonly calls: readonly WaitingCall[]
}

interface WaitingCall {
  readonly call: Pending
  readonly since: number | undefined
}

/** Lists the calls of all sessions that wait for an approval; resolves with the exit code, 2 when a session could not be read. */
export async function approvalsCommand({ json }: ApprovalsFlags, terminal: Terminal): Promise<number> {
  const store = await openToRead(terminal)
  const printer = json === true ? jsonPrinter(terminal) : screenPrinter(terminal)
  if (store === undefined) {
    printer.end()
    return 0
  }
  const stop = terminal.onInterruption((why) => terminal.exit(why === 'reader-gone' ? 0 : 130))
  let unread = 0
  try {
    const sessions = await store.list({ waitingOnHuman: true, limit: maxSessions })
    for (const { sessionId } of sessions) {
      const session = await waitingOf(sessionId, store).catch((error: unknown) => sayUnread(sessionId, error, terminal))
      if (session === undefined) unread++
      else if (session.calls.length > 0) printer.session(session)
    }
    printer.end()
    if (sessions.length === maxSessions)
      terminal.stderr.write(`Only the newest ${maxSessions.toLocaleString('en-US')} sessions that wait were looked at.\n`)
    return unread === 0 ? 0 : 2
  } catch (error) {
    throw RondoError.is(error) ? new CannotRun(error.message) : error
  } finally {
    stop()
    await store.close()
  }
}

async function waitingOf(sessionId: string, store: Store): Promise<WaitingSession> {
  const facts = await sessionFacts(store, sessionId)
  // Deleted since the list was made.
  if (facts === undefined) return { sessionId, folder: undefined, calls: [] }
  const pending = await lookingAgent(store).session(sessionId).pending()
  const calls = pending.filter(({ kind }) => kind === 'approval').map((call) => ({ call, since: facts.calls.get(call.callId)?.since }))
  return { sessionId, folder: facts.folder, calls }
}

/** One session that can't be read must not hide what waits in the others. */
function sayUnread(sessionId: string, error: unknown, { stderr }: Terminal): undefined {
  if (!RondoError.is(error)) throw error
  stderr.write(`${styled(`Session ${oneLine(sessionId)} can't be read: ${oneLine(error.message)}`, 'yellow', stderr)}\n`)
}

interface Printer {
  session(session: WaitingSession): void
  end(): void
}

function jsonPrinter(terminal: Terminal): Printer {
  return {
    session({ sessionId, folder, calls }) {
      for (const { call, since } of calls) {
        const { kind: _, messageId: __, dynamic: ___, ...told } = call
        const command = answerCommand(call, sessionId, terminal)
        terminal.stdout.write(jsonLine({ sessionId, ...told, waitingSince: since, folder, command }))
      }
    },
    end() {},
  }
}

function screenPrinter(terminal: Terminal): Printer {
  const { stdout } = terminal
  const all: Pending[] = []
  let sessions = 0
  return {
    session({ sessionId, folder, calls }) {
      sessions++
      const place = folder === undefined ? [] : [{ text: oneLine(folder), style: 'dim' } as const]
      stdout.write(row([{ text: `session ${oneLine(sessionId)}`, style: 'bold' }, ...place], stdout, '  '))
      for (const { call, since } of calls) {
        all.push(call)
        stdout.write(`\n${waitingLines(call, { sessionId, since }, terminal, stdout)}`)
      }
      stdout.write('\n')
    },
    end() {
      if (all.length === 0) return stdout.write('No call waits for an approval.\n')
      const where = count(sessions, 'session')
      stdout.write(`${count(all.length, 'call waits', 'calls wait')} for an approval in ${where}.\n${answerHint(all, stdout)}`)
    },
  }
}
