import type { Entry, EntryOf, Json } from 'rondo'

/** The raw entries of a journal, put together by what they are about. Knows no rule and nothing of the machine. */
export interface Ledger {
  readonly entries: readonly Entry[]
  readonly runs: ReadonlyMap<string, RunLedger>
  readonly calls: ReadonlyMap<string, CallLedger>
  readonly models: readonly ModelLedger[]
}

export interface RunLedger {
  readonly runId: string
  readonly requested: EntryOf<'run.requested'>[]
  readonly claimed: EntryOf<'run.claimed'>[]
  readonly finished: EntryOf<'run.finished'>[]
  readonly controls: EntryOf<'control'>[]
  readonly models: ModelLedger[]
  readonly calls: CallLedger[]
  readonly entries: Entry[]
}

export interface ModelLedger {
  readonly started: EntryOf<'model.started'>
  readonly responded: EntryOf<'model.responded'>[]
  readonly failed: EntryOf<'model.failed'>[]
}

type ToolCall = Extract<EntryOf<'model.responded'>['data']['message']['parts'][number], { type: 'tool-call' }>

export interface CallLedger {
  readonly callId: string
  readonly part: ToolCall
  readonly runId: string
  readonly response: EntryOf<'model.responded'>
  readonly purpose: string
  readonly prepared: EntryOf<'call.prepared'>[]
  readonly decided: EntryOf<'approval.decided'>[]
  readonly started: EntryOf<'call.started'>[]
  readonly deferred: EntryOf<'call.deferred'>[]
  /** Its outcome; of one in the background it stands in a message. */
  readonly settled: Settled[]
  /** What its message was answered with when it went on in the background. */
  readonly placeholders: EntryOf<'call.settled'>[]
}

export type Settled = Pick<EntryOf<'call.settled'>, 'id' | 'seq' | 'at' | 'epoch' | 'runId' | 'kind' | 'data'>

/** The outcome that an entry tells, whether in its own kind or as a message. */
export function settledIn(entry: Entry): Settled | undefined {
  if (entry.kind === 'call.settled') return entry.data.background === true ? undefined : entry
  if (entry.kind !== 'message' || entry.data.callId === undefined || entry.data.result === undefined) return undefined
  return { ...entry, kind: 'call.settled', data: { callId: entry.data.callId, ...entry.data.result } }
}

export function ledgerOf(entries: readonly Entry[]): Ledger {
  const runs = new Map<string, RunLedger>()
  const calls = new Map<string, CallLedger>()
  const byRequest = new Map<string, CallLedger>()
  const models: ModelLedger[] = []
  const run = (id: string | undefined): RunLedger => {
    const key = id ?? ''
    const known = runs.get(key)
    if (known !== undefined) return known
    const made: RunLedger = { runId: key, requested: [], claimed: [], finished: [], controls: [], models: [], calls: [], entries: [] }
    runs.set(key, made)
    return made
  }
  for (const entry of entries) {
    if (entry.kind !== 'session' && entry.kind !== 'custom') run(entry.runId).entries.push(entry)
    switch (entry.kind) {
      case 'run.requested':
        run(entry.runId).requested.push(entry)
        break
      case 'run.claimed':
        run(entry.runId).claimed.push(entry)
        break
      case 'run.finished':
        run(entry.runId).finished.push(entry)
        break
      case 'control':
        run(entry.runId).controls.push(entry)
        break
      case 'model.started': {
        const model = { started: entry, responded: [], failed: [] }
        models.push(model)
        run(entry.runId).models.push(model)
        break
      }
      case 'model.responded': {
        const model = attemptOf(models, entry.data)
        model?.responded.push(entry)
        for (const part of entry.data.message.parts) {
          if (part.type !== 'tool-call') continue
          const call: CallLedger = {
            callId: part.callId,
            part,
            runId: entry.runId ?? '',
            response: entry,
            purpose: model?.started.data.purpose ?? '',
            prepared: [],
            decided: [],
            started: [],
            deferred: [],
            settled: [],
            placeholders: [],
          }
          calls.set(part.callId, call)
          run(entry.runId).calls.push(call)
        }
        break
      }
      case 'model.failed':
        attemptOf(models, entry.data)?.failed.push(entry)
        break
      case 'call.prepared': {
        const call = calls.get(entry.data.callId)
        call?.prepared.push(entry)
        if (call !== undefined) byRequest.set(entry.id, call)
        break
      }
      case 'approval.decided':
        byRequest.get(entry.data.request)?.decided.push(entry)
        break
      case 'call.started':
        calls.get(entry.data.callId)?.started.push(entry)
        break
      case 'call.deferred':
        calls.get(entry.data.callId)?.deferred.push(entry)
        break
      case 'call.settled':
        if (entry.data.background === true) calls.get(entry.data.callId)?.placeholders.push(entry)
        break
    }
    const outcome = settledIn(entry)
    if (outcome !== undefined) calls.get(outcome.data.callId)?.settled.push(outcome)
  }
  return { entries, runs, calls, models }
}

function attemptOf(models: readonly ModelLedger[], { n, attempt }: { n: number; attempt: number }): ModelLedger | undefined {
  return models.findLast(({ started }) => started.data.n === n && started.data.attempt === attempt)
}

/** A call of the provider's own has come with its outcome. */
export function isOpen(call: CallLedger): boolean {
  return call.part.settlement === undefined && call.part.providerExecuted !== true
}

/** The arguments that stood at a time: the model's, or the newest prepared ones. */
export function argumentsAt(call: CallLedger, seq: number): Json {
  const prepared = call.prepared.findLast((entry) => entry.seq < seq && entry.data.arguments !== undefined)
  return prepared?.data.arguments ?? call.part.input
}

/** The arguments that a call is told with at its end: those that a human has made of them and that were refused then, else those that stood. */
export function toldArguments(call: CallLedger): Json {
  const end = call.settled[0]?.seq ?? 0
  const edit = call.decided.findLast(({ seq, data }) => seq < end && data.decision === 'allow' && data.arguments !== undefined)
  const refused = edit !== undefined && !call.prepared.some(({ seq }) => seq > edit.seq)
  return refused ? (edit.data.arguments ?? null) : argumentsAt(call, end)
}

/** What one response counts as, by its content and its finish reason (checklist C2, C9, C11, C12). */
export function contentOf(entry: EntryOf<'model.responded'>): 'blocked' | 'cut' | 'calls' | 'pause' | 'odd' | 'blank' | 'text' {
  const { message, finish } = entry.data
  const calls = message.parts.some((part) => part.type === 'tool-call' && part.settlement === undefined && part.providerExecuted !== true)
  if (finish.unified === 'content-filter' || finish.unified === 'refusal') return 'blocked'
  if (finish.unified === 'length') return 'cut'
  if (calls) return 'calls'
  if (finish.unified === 'pause-turn') return 'pause'
  if (isBlank(message)) return 'blank'
  return finish.unified === 'error' || finish.unified === 'other' ? 'odd' : 'text'
}

export function isBlank(message: EntryOf<'model.responded'>['data']['message']): boolean {
  return !message.parts.some((part) => {
    if (part.type === 'text') return part.text.trim() !== ''
    return part.type === 'tool-call' || part.type === 'image' || part.type === 'file'
  })
}

export function textOf(message: { readonly parts: readonly { readonly type: string; readonly text?: string }[] }): string {
  return message.parts.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('')
}

/** One line of a conversation, as far as the rules speak of it. */
export interface Line {
  readonly text: string
  readonly seq: number
  readonly runId: string
  /** Asks for the output of its run, and is nothing to any other. */
  readonly asksOutput?: boolean
}

/** What each `model.started` must see (by its seq), and what a run has added to the conversation from its claim to its end. */
export interface Conversations {
  readonly told: ReadonlyMap<number, readonly Line[]>
  readonly ofRun: ReadonlyMap<string, readonly Line[]>
}

/**
 * The conversation, told by the journal alone (machine 5, the queue): messages wait until a response, or a kept partial, has seen them,
 * and stand before it.
 */
export function conversations(ledger: Ledger): Conversations {
  const told = new Map<number, readonly Line[]>()
  const ofRun = new Map<string, readonly Line[]>()
  const firstLine = new Map<string, number>()
  let done: Line[] = []
  let queue: Line[] = []
  let open: ModelLedger['started'] | undefined
  const consume = (through: number) => {
    done = [...done, ...queue.filter((line) => line.seq <= through)]
    queue = queue.filter((line) => line.seq > through)
  }
  const say = (line: Line) => {
    queue = [...queue, line].sort((a, b) => a.seq - b.seq)
  }
  const claimed = new Set<string>()
  const lineOfTurn = new Map<string, number>()
  for (const entry of ledger.entries) {
    const runId = entry.runId ?? ''
    if (entry.kind === 'message')
      say({ text: `user:${textOf(entry.data.message)}`, seq: entry.seq, runId, asksOutput: entry.data.origin === 'output-request' })
    else if (entry.kind === 'run.claimed' && !claimed.has(runId)) {
      claimed.add(runId)
      firstLine.set(runId, done.length)
      const requested = ledger.runs.get(runId)?.requested[0]
      for (const message of requested?.data.input ?? []) say({ text: `user:${textOf(message)}`, seq: requested?.seq ?? 0, runId })
    } else if (entry.kind === 'model.started') {
      open = entry
      const through = entry.data.contextThrough
      told.set(entry.seq, [...done, ...queue.filter((line) => line.seq <= through)])
    } else if (entry.kind === 'model.responded' && open !== undefined) {
      consume(open.data.contextThrough)
      if (isBlank(entry.data.message)) continue
      lineOfTurn.set(entry.data.message.id ?? '', done.length)
      done = [...done, { text: assistantLine(entry.data.message), seq: entry.seq, runId }]
    } else if (
      entry.kind === 'model.failed' &&
      open !== undefined &&
      (entry.data.partial ?? '') !== '' &&
      entry.data.retryAt === undefined
    ) {
      consume(open.data.contextThrough)
      done = [...done, { text: `assistant:${entry.data.partial}`, seq: entry.seq, runId }]
    } else if (entry.kind === 'run.finished') {
      ofRun.set(runId, done.slice(firstLine.get(runId) ?? done.length))
      queue = queue.filter((line) => line.asksOutput !== true || line.runId !== runId)
    } else if (entry.kind === 'call.settled') {
      const at = lineOfTurn.get(entry.data.callId.slice(0, entry.data.callId.indexOf('.')))
      const line = at === undefined ? undefined : done[at]
      if (at === undefined || line === undefined) continue
      const outcome = `${entry.data.callId}=${entry.data.settlement.outcome}`
      done = done.with(at, { ...line, text: line.text.replace(`${entry.data.callId}=?`, outcome) })
    }
  }
  return { told, ofRun }
}

interface AnyMessage {
  readonly role?: string
  readonly parts: readonly {
    readonly type: string
    readonly text?: string
    readonly callId?: string
    readonly settlement?: { readonly outcome: string }
  }[]
}

/** A message in one line: its text and the outcome on each call. */
export function assistantLine(message: AnyMessage): string {
  const calls = message.parts
    .filter((part) => part.type === 'tool-call')
    .map((part) => ` [${part.callId}=${part.settlement?.outcome ?? '?'}]`)
  return `${message.role ?? 'assistant'}:${textOf(message)}${calls.join('')}`
}
