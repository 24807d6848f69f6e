import fc from 'fast-check'
import {
  Agent,
  type Entry,
  type Message,
  type Model,
  type ModelDelta,
  memory,
  noUsage,
  RondoError,
  type Run,
  type RunEvent,
  type Tool,
  tool,
} from 'rondo'
import type { VirtualClock } from 'rondo/testing'
import { z } from 'zod'
import { appendsThrough } from '../engine/kit.ts'
import { testWorld } from '../setup/checks.ts'

/** A model call as a test has it: its pieces with the time before each, and how it ends. */
export interface Spoken {
  readonly pieces: readonly { readonly waitMs: number; readonly delta: ModelDelta }[]
  readonly end: 'finish' | 'fail' | 'fail for good'
}

interface Reading {
  readonly how: 'stream' | 'attach' | 'attach elsewhere'
  /** When it comes, and how long it takes for each event, in turns (ms). */
  readonly joinMs: number
  readonly lagMs: readonly number[]
  /** After how many events it leaves, to come back with the cursor of the last one. */
  readonly hops: readonly number[]
}

interface Play {
  readonly capacity: number
  /** Whether anybody looks from the start. */
  readonly watched: boolean
  /** When a reader of the text alone comes, where the run is watched: then events are made only once somebody reads them. */
  readonly textFromMs: number | undefined
  /** How long it takes for each piece, in turns (ms). */
  readonly textLagMs: readonly number[]
  readonly calls: readonly Spoken[]
  /** How long the store takes for each append, in turns. */
  readonly storeMs: readonly number[]
  readonly readings: readonly Reading[]
  readonly sendAtMs: readonly number[]
  readonly abortAtMs: number | undefined
}

const words = fc.string({ minLength: 1, maxLength: 3 })

/** Parts begin in their order, text and reasoning may grow by turns; a call comes in pieces of its arguments. */
const message = fc
  .record({
    kinds: fc.array(fc.constantFrom('text', 'reasoning', 'call', 'blank'), { minLength: 1, maxLength: 4 }),
    turns: fc.array(fc.record({ part: fc.nat(3), text: words, waitMs: fc.constantFrom(0, 0, 0, 1, 30) }), { maxLength: 40 }),
    inOrder: fc.boolean(),
  })
  .map(({ kinds, turns, inOrder }) => {
    const inputs = new Map<number, string[]>()
    const pieces: { waitMs: number; delta: ModelDelta }[] = []
    let begun = 0
    const begin = (upTo: number) => {
      for (; begun <= upTo; begun++) {
        const kind = kinds[begun] ?? 'text'
        if (kind === 'call') {
          pieces.push({ waitMs: 0, delta: { type: 'call', part: begun, toolName: 'chatty' } })
          inputs.set(begun, ['{', '"a":', '1', '}'])
        } else if (kind === 'blank') pieces.push({ waitMs: 0, delta: { type: 'text', part: begun, text: '' } })
        else pieces.push({ waitMs: 0, delta: { type: kind, part: begun, text: `${begun}` } })
      }
    }
    const ordered = inOrder ? [...turns].sort((a, b) => a.part - b.part) : turns
    for (const { part: any, text, waitMs } of ordered) {
      const part = any % kinds.length
      begin(part)
      const kind = kinds[part] ?? 'text'
      if (kind === 'blank') continue
      const input = inputs.get(part)?.shift()
      if (kind !== 'call') pieces.push({ waitMs, delta: { type: kind, part, text } })
      else if (input !== undefined) pieces.push({ waitMs, delta: { type: 'call-input', part, text: input } })
    }
    begin(kinds.length - 1)
    for (const [part, rest] of inputs) for (const text of rest) pieces.push({ waitMs: 1, delta: { type: 'call-input', part, text } })
    return pieces
  })

export const plays: fc.Arbitrary<Play> = fc.record({
  capacity: fc.integer({ min: 1, max: 8 }),
  watched: fc.boolean(),
  textFromMs: fc.option(fc.constantFrom(0, 0, 0, 5, 30), { nil: undefined }),
  textLagMs: fc.array(fc.constantFrom(0, 0, 0, 1, 20, 200), { minLength: 1, maxLength: 5 }),
  calls: fc.array(fc.record({ pieces: message, end: fc.constantFrom('finish', 'finish', 'finish', 'fail', 'fail for good') }), {
    minLength: 1,
    maxLength: 4,
  }),
  storeMs: fc.array(fc.constantFrom(0, 0, 5, 40), { minLength: 1, maxLength: 4 }),
  readings: fc.array(
    fc.record({
      how: fc.constantFrom('stream', 'attach', 'attach elsewhere'),
      joinMs: fc.nat(60),
      lagMs: fc.array(fc.constantFrom(0, 0, 0, 1, 20, 200), { minLength: 1, maxLength: 5 }),
      hops: fc.oneof(fc.constant([]), fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 3 })),
    }),
    { maxLength: 3 },
  ),
  sendAtMs: fc.array(fc.nat(100), { maxLength: 2 }),
  abortAtMs: fc.option(fc.nat(300), { freq: 4, nil: undefined }),
})

/** Says what the calls say, one after the other; then 'Bye'. */
export function speaker(calls: readonly Spoken[], clock: VirtualClock): Model {
  let asked = 0
  const pause = (ms: number) => new Promise<void>((resolve) => clock.timer(ms, resolve))
  return {
    provider: 'speaker',
    id: 'test',
    capabilities: { structuredOutput: 'prompt', parallelCalls: true, imagesInResults: false, reasoning: true },
    async stream(_request, sink, { signal }) {
      const { pieces, end } = calls[asked++] ?? { pieces: [{ waitMs: 0, delta: { type: 'text', part: 0, text: 'Bye' } }], end: 'finish' }
      for (const { waitMs, delta } of pieces) {
        if (waitMs > 0) await pause(waitMs)
        signal.throwIfAborted()
        sink(delta)
      }
      if (end === 'fail') throw new RondoError('ModelServerError', 'busy')
      if (end === 'fail for good') throw new RondoError('ModelAuthError', 'no key')
      const called = pieces.some(({ delta }) => delta.type === 'call')
      return { finishReason: called ? 'tool-calls' : 'stop', usage: { ...noUsage, inputTokens: 1, outputTokens: 1 } }
    },
  }
}

const chatty = tool({
  name: 'chatty',
  description: 'Says much.',
  effect: 'read',
  inputSchema: z.object({ a: z.number() }),
  execute: (_, call) => {
    for (let i = 0; i < 12; i++) call.progress(i)
    return 'done'
  },
})

function stage({ capacity, calls, storeMs }: Pick<Play, 'capacity' | 'calls' | 'storeMs'>) {
  const world = { ...testWorld(), ringCapacity: capacity }
  const sleep = (ms: number) => new Promise<void>((resolve) => world.clock.timer(ms, resolve))
  let appends = 0
  const store = appendsThrough(memory({ clock: () => world.clock.wall() }), async (_, write) => {
    const ms = storeMs[appends++ % storeMs.length] ?? 0
    // Before and after: what is written is not known to be yet.
    if (ms > 0) await sleep(ms)
    const answer = await write()
    if (ms > 0) await sleep(ms)
    return answer
  })
  const options = { tools: [chatty], policies: { noProgress: false as const }, world }
  const agent = new Agent<readonly Tool[], undefined, unknown>({ ...options, model: speaker(calls, world.clock), store })
  // Another process, which reads what this one writes.
  const other = new Agent<readonly Tool[], undefined, unknown>({
    ...options,
    model: speaker([], world.clock),
    store: appendsThrough(store, (_, write) => write()),
  })
  return { world, store, agent, other, sleep }
}

export async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}

/** What a reader got, and what of that counts: a message that it left in the middle comes again from its start. */
interface Read {
  readonly raw: readonly RunEvent[]
  /** Pairs of cursors of one visit that do not rise; each process numbers the pieces of a message for itself. */
  readonly falls: readonly string[]
  readonly whole: readonly RunEvent[]
}

/** Without the pieces of a message that is not over. */
export function finished(events: readonly RunEvent[]): readonly RunEvent[] {
  const end = events.findLastIndex(({ type }) => type === 'model.finished' || type === 'model.failed')
  return events.filter((event, index) => index <= end || isFact(event) || event.type === 'call.progress')
}

/** Plays it to the end. */
export async function perform(play: Play) {
  const { world, store, agent, other, sleep } = stage(play)
  const run: Run<readonly Tool[], string> | undefined = play.watched
    ? agent.stream('Hi', { session: 's', runId: 'r', detach: true })
    : undefined
  const done = run?.result ?? agent.run('Hi', { session: 's', runId: 'r', throwOnError: false })
  const read = async ({ how, joinMs, lagMs, hops }: Reading): Promise<Read> => {
    await sleep(joinMs)
    while ((await all(store.load('s'))).length === 0) await sleep(1)
    const raw: RunEvent[] = []
    const fallen: string[] = []
    let whole: RunEvent[] = []
    for (let hop = 0, stays = true; stays; hop++) {
      const after = raw.at(-1)?.cursor
      const again = { runId: 'r', ...(after === undefined ? {} : { after }) }
      const source =
        how === 'stream' && run !== undefined && after === undefined
          ? run
          : (how === 'attach elsewhere' && hop % 2 === 0 ? other : agent).attach('s', again)
      const before = raw.length
      const most = before + (hops[hop] ?? Number.POSITIVE_INFINITY)
      whole = [...finished(whole)]
      stays = false
      for await (const event of source) {
        raw.push(event)
        whole.push(event)
        const lag = lagMs[raw.length % lagMs.length] ?? 0
        if (lag > 0) await sleep(lag)
        stays = raw.length >= most
        if (stays) break
      }
      fallen.push(...falls(raw.slice(before)))
    }
    return { raw, whole, falls: fallen }
  }
  const readText = async (source: Run<readonly Tool[], string>, ms: number): Promise<string | undefined> => {
    if (ms > 0) await sleep(ms)
    let text = ''
    let pieces = 0
    try {
      for await (const piece of source.textStream) {
        text += piece
        const lag = play.textLagMs[pieces++ % play.textLagMs.length] ?? 0
        if (lag > 0) await sleep(lag)
      }
      return text
    } catch {
      return undefined
    }
  }
  const reading = run === undefined || play.textFromMs === undefined ? undefined : readText(run, play.textFromMs)
  const said = play.sendAtMs.map((ms) => sleep(ms).then(() => agent.session('s').send('And?')))
  const aborted = play.abortAtMs === undefined ? undefined : sleep(play.abortAtMs).then(() => agent.session('s').abort())
  const late = Promise.allSettled([...said, aborted])
  const readers = await world.clock.until(Promise.all(play.readings.map(read)))
  const text = await world.clock.until(Promise.resolve(reading))
  await world.clock.until(Promise.all([done, late]))
  await world.clock.advance(100_000)
  const entries = (await all(store.load('s'))).filter(({ runId }) => runId === 'r')
  return { agent, readers, text, entries, replayed: await all(agent.attach('s', { runId: 'r' })) }
}

export const isFact = ({ cursor }: RunEvent) => cursor.includes(':')
export const isEnd = ({ type }: RunEvent) => type === 'run.finished' || type === 'run.parked'

/** What a reader got of each model call, by the seq of the entry that ended it: its parts in order, and the inputs of its calls. */
function callsOf(events: readonly RunEvent[]) {
  const calls = new Map<number, { parts: [string, string][]; inputs: Map<string, string>; wrong: string[] }>()
  let parts = new Map<number, { type: string; text: string; open: boolean }>()
  let inputs = new Map<string, string>()
  let wrong: string[] = []
  let open = false
  for (const event of events) {
    const [type = '', what = ''] = event.type.split('.')
    if (event.type === 'model.started') {
      open = true
      parts = new Map()
      inputs = new Map()
      wrong = []
    } else if (event.type === 'model.finished' || event.type === 'model.failed') {
      for (const [part, { open }] of parts) if (open) wrong.push(`part ${part} has no end`)
      const sorted = [...parts].sort(([a], [b]) => a - b).map(([, { type, text }]): [string, string] => [type, text])
      calls.set(Number.parseInt(event.cursor, 10), { parts: sorted, inputs, wrong })
      open = false
    } else if (event.type === 'call.input.delta') inputs.set(event.callId, (inputs.get(event.callId) ?? '') + event.text)
    else if ('part' in event) {
      const known = parts.get(event.part)
      if (!open) wrong.push(`${event.type} outside of a call`)
      if (what === 'started' && known !== undefined) wrong.push(`part ${event.part} began twice`)
      if (what === 'finished' && known?.open !== true) wrong.push(`part ${event.part} ended twice`)
      if (what !== 'started' && known?.type !== type) wrong.push(`${event.type} of part ${event.part} before its beginning`)
      const text = (known?.text ?? '') + ('text' in event ? event.text : '')
      parts.set(event.part, { type, text, open: what !== 'finished' })
    }
  }
  return calls
}

const shownParts = ({ parts }: Message) =>
  parts.flatMap((part): [string, string][] =>
    (part.type === 'text' || part.type === 'reasoning') && part.text !== '' ? [[part.type, part.text]] : [],
  )

/** What the journal says of each model call, beside what this reader got of it. */
export function compare(events: readonly RunEvent[], entries: readonly Entry[]) {
  const got = callsOf(events)
  const pairs: { got: unknown; want: unknown }[] = []
  for (const entry of entries) {
    if (entry.kind !== 'model.responded' && entry.kind !== 'model.failed') continue
    const call = got.get(entry.seq)
    const partial = entry.kind === 'model.failed' ? (entry.data.partial ?? '') : ''
    const texts = call?.parts.filter(([type]) => type === 'text').map(([, text]) => text)
    if (entry.kind === 'model.responded')
      pairs.push({ got: { parts: call?.parts, wrong: call?.wrong }, want: { parts: shownParts(entry.data.message), wrong: [] } })
    else if (partial !== '') {
      // The journal has it as one text: of several parts that grew by turns it is not known which got what.
      const told = (text: string) => ((texts?.length ?? 0) > 1 ? text.length : text)
      pairs.push({ got: { text: told(texts?.join('') ?? ''), wrong: call?.wrong }, want: { text: told(partial), wrong: [] } })
    } else pairs.push({ got: { wrong: call?.wrong }, want: { wrong: [] } })
    for (const input of call?.inputs.values() ?? []) pairs.push({ got: '{"a":1}'.startsWith(input), want: true })
  }
  return { got: pairs.map(({ got }) => got), want: pairs.map(({ want }) => want) }
}

/** The text that a reader of the text alone is to get, when none of it was taken back while it read. */
export function textOf(entries: readonly Entry[]): string {
  const texts = entries.map((entry) => {
    if (entry.kind === 'model.failed') return entry.data.partial ?? ''
    if (entry.kind !== 'model.responded') return ''
    return shownParts(entry.data.message)
      .map(([type, text]) => (type === 'text' ? text : ''))
      .join('')
  })
  return texts.join('')
}

function place(cursor: string): [number, number, number] {
  const [seq = '', index = ''] = cursor.split(/[:.]/)
  return [Number(seq), cursor.includes('.') ? 1 : 0, Number(index)]
}

/** Pairs of cursors of which the second one is not after the first. */
export function falls(events: readonly RunEvent[]): string[] {
  return events.flatMap(({ cursor }, index) => {
    const [a, b] = [place(events[index - 1]?.cursor ?? '0:0'), place(cursor)]
    const rises = b[0] !== a[0] ? b[0] > a[0] : b[1] !== a[1] ? b[1] > a[1] : b[2] > a[2]
    return rises ? [] : [`${events[index - 1]?.cursor} ${cursor}`]
  })
}
