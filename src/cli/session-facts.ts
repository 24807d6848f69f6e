import { addUsage, type Entry, type EntryOf, type Json, noUsage, type Outcome, type RunResult, type Store, type Usage } from '../index.ts'
import { beginningIn } from './beginning.ts'
import { outcomeOf } from './outcome-of.ts'

/** What became of a call so far, as the journal tells it. */
export interface CallFacts {
  readonly runId: string
  readonly toolName: string
  /** Its tool was there when it was asked for. */
  readonly prepared?: boolean
  /** Since when it waits for an answer (ms since 1970). */
  readonly since?: number
  readonly decision?: 'allow' | 'deny' | 'stop'
  readonly outcome?: Outcome
}

/** What a command wants to know of a session and the library does not say: where it began, how its last run ended, what became of each call. */
export interface SessionFacts {
  /** The folder that its agent worked in first. */
  readonly folder?: string
  /** It began in a sandbox. */
  readonly sandbox?: boolean
  /** The agents of runs that have not ended, by run. */
  readonly openRuns: ReadonlyMap<string, string>
  readonly end?: { readonly status: RunResult['status']; readonly reason: string }
  readonly calls: ReadonlyMap<string, CallFacts>
  /** Of all model calls. */
  readonly usage: Usage
  /** The JSON Schema that the answer of the last run must fit. */
  readonly output?: Json
}

/** Reads a session's journal; `undefined` when there is none. */
export async function sessionFacts(store: Store, sessionId: string): Promise<SessionFacts | undefined> {
  const facts = new Facts()
  let any = false
  for await (const entry of store.load(sessionId)) {
    any = true
    facts.entry(entry)
  }
  return any ? facts : undefined
}

class Facts implements SessionFacts {
  folder?: string
  sandbox?: boolean
  end?: NonNullable<SessionFacts['end']>
  readonly openRuns = new Map<string, string>()
  readonly calls = new Map<string, CallFacts>()
  usage: Usage = noUsage
  output?: Json
  /** By the entry that asked for an approval. */
  readonly #asked = new Map<string, string>()

  entry(entry: Entry): void {
    const outcome = outcomeOf(entry)
    if (outcome !== undefined) return this.#add(outcome.callId, { outcome: outcome.settlement.outcome })
    switch (entry.kind) {
      case 'session': {
        Object.assign(this, beginningIn(entry.data.metadata))
        return
      }
      case 'run.requested':
        this.openRuns.set(entry.runId ?? '', entry.data.agent.name)
        this.#schema(entry.data.overrides?.['output'])
        return
      case 'model.responded':
        this.usage = addUsage(this.usage, entry.data.usage)
        return this.#announced(entry)
      case 'model.failed':
        this.usage = addUsage(this.usage, entry.data.usage ?? { ...noUsage, complete: false })
        return
      case 'call.prepared':
        return this.#prepared(entry)
      case 'approval.decided': {
        const callId = this.#asked.get(entry.data.request)
        return callId === undefined ? undefined : this.#add(callId, { decision: entry.data.decision })
      }
      case 'call.deferred':
        return this.#add(entry.data.callId, { since: entry.at })
      case 'run.finished':
        this.openRuns.delete(entry.runId ?? '')
        this.end = { status: entry.data.status, reason: entry.data.reason }
        return
      default:
        return
    }
  }

  #schema(output: Json | undefined): void {
    if (output === undefined) delete this.output
    else this.output = output
  }

  #announced({ runId = '', data }: EntryOf<'model.responded'>): void {
    for (const part of data.message.parts) if (part.type === 'tool-call') this.calls.set(part.callId, { runId, toolName: part.toolName })
  }

  #prepared({ id, at, data }: EntryOf<'call.prepared'>): void {
    const { callId, approval } = data
    if (approval === undefined) return this.#add(callId, { prepared: true })
    this.#asked.set(id, callId)
    this.#add(callId, { prepared: true, since: at })
  }

  #add(callId: string, news: Partial<CallFacts>): void {
    const known = this.calls.get(callId)
    if (known !== undefined) this.calls.set(callId, { ...known, ...news })
  }
}
