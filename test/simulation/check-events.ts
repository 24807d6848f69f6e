import type { RunEvent } from 'rondo'
import type { Checking } from './checking.ts'
import { textOf } from './ledger.ts'
import type { Reader } from './play.ts'

/** P7, P13, P14, P15 and S3-19: what readers and listeners saw. */
export function checkEvents(checking: Checking): void {
  const { played } = checking
  for (const reader of played.readers) {
    increasing(checking, `a reader (${reader.how} ${reader.runId})`, reader.events)
    oneTerminal(checking, reader)
    shownText(checking, reader)
  }
  for (const { process, events } of played.detached ? [] : played.heard)
    for (const [runId, own] of byRun(events)) increasing(checking, `the listeners of ${process} (${runId})`, own)
  if (!played.detached) {
    sameFacts(checking)
    replays(checking)
    heardAll(checking)
  }
  leavers(checking)
  released(checking)
}

function byRun(events: readonly RunEvent[]): ReadonlyMap<string, readonly RunEvent[]> {
  const runs = new Map<string, RunEvent[]>()
  for (const event of events) {
    const own = runs.get(event.runId)
    if (own === undefined) runs.set(event.runId, [event])
    else own.push(event)
  }
  return runs
}

interface Cursor {
  readonly seq: number
  readonly piece: boolean
  readonly index: number
}

export function isFact(event: RunEvent): boolean {
  return event.cursor.includes(':')
}

function cursorOf(text: string): Cursor {
  const piece = !text.includes(':')
  const [seq, index] = text.split(piece ? '.' : ':')
  return { seq: Number(seq), piece, index: Number(index) }
}

/** Ordered by seq; pieces of a seq come after its facts. */
function isAfter(a: string, b: string): boolean {
  const [x, y] = [cursorOf(a), cursorOf(b)]
  if (x.seq !== y.seq) return x.seq > y.seq
  return x.piece === y.piece ? x.index > y.index : x.piece
}

/** P7: cursors go up, and never twice. What is no fact is numbered anew by the next activation. */
function increasing({ violate }: Checking, who: string, events: readonly RunEvent[]): void {
  let last: RunEvent | undefined
  for (const event of events) {
    if (last?.type === 'run.parked' && cursorOf(event.cursor).seq >= cursorOf(last.cursor).seq) last = undefined
    if (last !== undefined && !isAfter(event.cursor, last.cursor))
      violate('P7 cursors are strictly increasing', `${who}: ${event.cursor} (${event.type}) after ${last.cursor} (${last.type})`)
    last = event
  }
}

const terminal = new Set<RunEvent['type']>(['run.parked', 'run.finished'])

/** P13: the stream of an activation ends with exactly one `run.parked` or `run.finished`, and belongs to one run. */
function oneTerminal({ violate }: Checking, reader: Reader): void {
  const ends = reader.events.filter((event) => terminal.has(event.type)).length
  const name = `${reader.how} ${reader.runId} after '${reader.after}'`
  if (ends > 1) violate('P13 one terminal event', `${name} saw ${ends}`)
  if (new Set(reader.events.map((event) => event.runId)).size > 1) violate('P13 a stream is of one run', name)
  if (!reader.ended || reader.error !== undefined) return
  const last = reader.events.at(-1)
  if (last === undefined || !terminal.has(last.type)) {
    // Whoever attaches behind the end of a run sees nothing.
    if (last === undefined && reader.after !== '') return
    violate('P13 a stream ends with a terminal event', `${name} ended with ${last?.type} after ${reader.events.length} events`)
  }
}

/** P7: the deltas that were shown and not taken back are the message. */
function shownText({ played, ledger, violate }: Checking, reader: Reader): void {
  if (reader.events[0]?.type !== 'run.started' || reader.how !== 'stream' || played.script.second || played.detached) return
  const shown = new Map<string, string>()
  for (const event of reader.events) {
    if (event.type === 'text.delta') shown.set(event.messageId, (shown.get(event.messageId) ?? '') + event.text)
    else if (event.type === 'model.retracted') shown.delete(event.messageId)
    else if (event.type === 'model.finished') {
      const model = ledger.models.find(({ started, responded }) => `m${started.data.n}` === event.messageId && responded.length > 0)
      const message = model?.responded[0]?.data.message
      const seen = shown.get(event.messageId) ?? ''
      if (message !== undefined && textOf(message) !== seen)
        violate('P7 shown text is the message', `${event.messageId}: '${seen}', not '${textOf(message)}'`)
    }
  }
}

/** P7, P14: an event with a fact's cursor is the same, whoever saw it. */
function sameFacts({ played, violate }: Checking): void {
  const known = new Map<string, RunEvent>()
  const all = [...played.readers.flatMap((reader) => reader.events), ...played.heard.flatMap((one) => one.events)]
  for (const event of all) {
    if (!isFact(event)) continue
    const key = `${event.runId} ${event.cursor}`
    const before = known.get(key)
    if (before !== undefined && before !== event && JSON.stringify(before) !== JSON.stringify(event))
      violate('P14 a fact looks the same to all', `${key}: ${JSON.stringify(event)}\nand ${JSON.stringify(before)}`)
    known.set(key, event)
  }
}

/** The replay of a finished run is its whole sequence of facts: whoever read from the start saw a prefix of it, who attached the rest. */
function replays(checking: Checking): void {
  const { played, violate } = checking
  for (const replay of played.readers) {
    if (replay.how !== 'replay') continue
    const facts = replay.events.filter(isFact)
    statuses(checking, replay.runId, facts)
    const cursors = facts.map((event) => event.cursor)
    for (const reader of played.readers) {
      if (reader.error !== undefined || reader.events[0]?.runId !== replay.runId || reader.how === 'replay') continue
      const seen = reader.events.filter(isFact).map((event) => event.cursor)
      const last = seen.at(-1)
      if (last === undefined) continue
      // Who joined a run under way (by steering, by resuming) begins there.
      const joined = reader.how !== 'attach' && (reader.how === 'resume' || reader.runId !== replay.runId)
      const from = joined ? (seen[0] ?? '') : reader.after
      const due = cursors.filter(
        (cursor) => (from === '' || isAfter(cursor, from) || (joined && cursor === from)) && !isAfter(cursor, last),
      )
      // Facts that another process wrote are in the journal; a live stream follows its own process.
      if (played.script.second && reader.how !== 'attach') continue
      if (seen.join(' ') !== due.join(' '))
        violate(
          'P7 a reader misses nothing',
          `${reader.how} ${replay.runId} after '${reader.after}' saw ${seen.join(' ')}, not ${due.join(' ')}`,
        )
    }
  }
}

/** P14: with one process its listeners hear every fact of every run, whoever asked for it and in what way. */
function heardAll({ played, violate }: Checking): void {
  const [listeners] = played.heard
  if (played.script.second || listeners === undefined || !listeners.on) return
  const heard = new Set(listeners.events.map((event) => `${event.runId} ${event.cursor}`))
  for (const replay of played.readers) {
    if (replay.how !== 'replay') continue
    const missed = replay.events.filter((event) => isFact(event) && !heard.has(`${event.runId} ${event.cursor}`))
    if (missed.length > 0)
      violate('P14 listeners miss nothing', `${replay.runId}: ${missed.map((event) => `${event.cursor} ${event.type}`).join(', ')}`)
  }
}

const running = ['preparing', 'model_running', 'tool_running', 'awaiting_human', 'awaiting_tool_results', 'paused']
const parked = ['awaiting_human', 'awaiting_tool_results', 'paused']
const active = ['preparing', 'model_running', 'tool_running']

/** S3-19 with the amendments of 7.7 and machine 5. */
const legal: ReadonlySet<string> = new Set([
  ...['idle>preparing', 'idle>paused', 'preparing>model_running', 'preparing>failed', 'awaiting_human>failed'],
  ...['model_running>completed', 'model_running>tool_running', 'model_running>failed', 'tool_running>failed', 'tool_running>model_running'],
  // `incomplete` is an end by a limit, and a done tool ends the run from its batch.
  ...['model_running>incomplete', 'tool_running>incomplete', 'tool_running>completed', 'preparing>incomplete'],
  // A pause lets a model call that is under way end: it may fail for good, or be the wrap-up of a limit.
  ...['paused>failed', 'paused>incomplete'],
  ...running.map((from) => `${from}>aborted`),
  ...parked.flatMap((one) => active.flatMap((other) => [`${one}>${other}`, `${other}>${one}`])),
  ...parked.flatMap((one) => parked.map((other) => `${one}>${other}`)),
])

function statuses({ ledger, violate }: Checking, runId: string, facts: readonly RunEvent[]): void {
  let status = 'idle'
  for (const event of facts) {
    if (event.type !== 'run.status') continue
    if (event.from !== status)
      violate('S3-18 the chain of statuses', `${runId}: from ${event.from} at ${event.cursor}, and it was ${status}`)
    if (!legal.has(`${event.from}>${event.to}`))
      violate('S3-19 legal transitions', `${runId}: ${event.from}>${event.to} at ${event.cursor}`)
    status = event.to
  }
  const run = ledger.runs.get(runId)
  const end = run?.finished[0]?.data.status
  if (run !== undefined && run.claimed.length > 0 && end !== undefined && status !== end)
    violate('S3-18 the chain of statuses', `${runId} ended as ${end}, its events say ${status}`)
}

/** P15, S7.1-7: the last reader who leaves before the end cancels the run, unless it is held or detached. */
function leavers({ played, ledger, violate, timeOf }: Checking): void {
  for (const { left, leftAt, launch, runId } of played.launched) {
    if (left !== 'before-end') continue
    // Who leaves in the very moment of the end cancels nothing.
    const end = ledger.runs.get(runId)?.finished[0]
    if (end === undefined || timeOf(end) <= leftAt + 50) continue
    const cancelled = ledger.runs.get(runId)?.controls.some((entry) => entry.data.action === 'cancel') ?? false
    const failing = played.script.store.fatalAt > 0 || played.script.store.faults > 0 || played.script.second || played.detached
    const own = played.launched.filter((other) => other.runId === runId).length
    const byLeaving = ledger.runs.get(runId)?.controls.some((entry) => entry.data.reason?.startsWith('The last reader left')) ?? false
    // Somebody who resumed or attached may be reading still: then nobody was the last to leave.
    const company = own > 1 || played.readers.some(({ how }) => how === 'resume' || how === 'attach')
    // A run that has parked by then goes on when it is resumed.
    const parked = ledger.runs.get(runId)?.claimed.some(({ data }) => data.cause === 'resume') ?? false
    if (!launch.held && !launch.detach && !company && !parked && played.resumed.length === 0 && !cancelled && !failing)
      violate('P15 leaving cancels', runId)
    if ((launch.held || launch.detach) && byLeaving && own === 1) violate('P15 a held or detached run goes on', runId)
  }
}

/** P15: nothing is left behind: no timer of the engine, no listener on the caller's signal, no promise that never settles. */
function released({ played, violate }: Checking): void {
  if (played.engineTimers > 0 && !played.detached) violate('P15 every timer is released', `${played.engineTimers} are left`)
  if (played.signalListeners > 0) violate('P15 every listener is released', `${played.signalListeners} are left on a signal`)
  for (const { launch, settled, runId, reader, left } of played.launched) {
    const followed = launch.mode === 'run' || launch.held || launch.reader === 'none'
    if (followed && !settled) violate('S7.1-3 no silent end', `the result of ${runId} (${launch.text}) never settled`)
    if (reader !== undefined && left === undefined && !reader.ended)
      violate('S7.1-3 no silent end', `the reader of ${runId} (${launch.text}) waits for ever`)
  }
  for (const reader of played.readers)
    if (reader.how !== 'stream' && !reader.ended) violate('S7.1-3 no silent end', `a reader (${reader.how} ${reader.runId}) waits for ever`)
}
