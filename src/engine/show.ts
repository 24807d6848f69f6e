import { applyTo } from '../core/apply.ts'
import { type Entry, messageIdOf } from '../core/entry.ts'
import type { EventBody } from '../core/event.ts'
import { type Message, textMessage } from '../core/message.ts'
import { finishedResult, type Naming } from '../core/outcome.ts'
import { glimpse, project } from '../core/project.ts'
import type { SessionState } from '../core/state.ts'
import type { Hub } from './hub.ts'

/**
 * Folds an entry that was not written by this process's activation (an input, or what another process wrote) and shows what it means.
 * Whoever folds an entry first shows it; it is shown once. Its pieces were shown elsewhere, if at all: the settled message stands for them.
 */
export function foldAndShow(hub: Hub, state: SessionState, entry: Entry, naming: Naming): void {
  const before = hub.isNews(entry.seq) ? glimpse(state, entry) : undefined
  applyTo(state, entry)
  if (before === undefined) return
  const runId = entry.runId ?? before.runId ?? ''
  if (hub.active) {
    for (const body of hub.wasTold(entry.id) ? [] : settledPieces(entry))
      hub.piece(entry.at, runId, before.iteration, before.model?.seq, body)
    hub.facts(entry.seq, project(before, entry, state, naming))
  } else hub.facts(entry.seq, [])
  const { ended } = state.live
  if (entry.kind === 'run.finished' && ended !== undefined) hub.end(ended.id, finishedResult(state, ended, naming, true))
}

/** What was shown of a message while it came, or would have been: each part as one delta. Nothing of entries that hold no message. */
export function* settledPieces(entry: Entry, shown?: ReadonlyMap<string, number>): Generator<EventBody, void, undefined> {
  const message = messageOf(entry)
  if (message === undefined) return
  const messageId = message.id ?? ''
  for (const [part, value] of message.parts.entries()) {
    if ((value.type !== 'text' && value.type !== 'reasoning') || value.text === '') continue
    const had = shown?.get(partKey(messageId, part)) ?? 0
    if (had === 0) yield { type: `${value.type}.started`, messageId, part }
    if (had < value.text.length) {
      yield { type: `${value.type}.delta`, messageId, part, text: value.text.slice(had) }
      yield { type: `${value.type}.finished`, messageId, part }
    }
  }
}

export function partKey(messageId: string, part: number): string {
  return `${messageId}/${part}`
}

function messageOf(entry: Entry): Message | undefined {
  if (entry.kind === 'model.responded') return entry.data.message
  if (entry.kind !== 'model.failed' || entry.data.partial === undefined || entry.data.partial === '') return undefined
  return textMessage('assistant', entry.data.partial, messageIdOf(entry.data.n))
}
