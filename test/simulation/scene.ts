import { type Clock, type Entry, type Model, type ModelFinish, type ModelRequest, noUsage, RondoError, type World } from 'rondo'
import { VirtualClock } from 'rondo/testing'
import { answerText, Dice, type Jump, type Reply, type Script } from './generate.ts'

/** What a tool really did. */
export interface Effect {
  readonly process: string
  readonly callId: string
  readonly tool: string
  /** As the tool got them, in JSON, without what the schema added. */
  readonly input: string
  readonly attempt: number
  readonly key: string
  readonly at: number
  /** Entries in the journal when it began. */
  readonly length: number
}

/** What a model was really asked. */
export interface Asked {
  readonly process: string
  readonly n: number
  readonly attempt: number
  readonly purpose: string
  readonly mayCall: boolean
  readonly toldSchema: boolean
  readonly messages: readonly { readonly role: string; readonly parts: readonly { readonly type: string }[] }[]
  readonly length: number
}

/** What everything in one script shares: time, chance, the journal as it was written, and notes of what happened. */
export class Scene {
  readonly script: Script
  readonly clock = new VirtualClock()
  /** Chance of stores and models, apart from the engine's own. */
  readonly dice: Dice
  readonly effects: Effect[] = []
  readonly asked: Asked[] = []
  /** Keys under which a payment never will be made any more, with the last attempt that they refuse. */
  readonly closed = new Map<string, number>()
  readonly counts = new Map<string, number>()
  /** Timers that the engine set and that still wait. */
  readonly engineTimers = new Set<object>()
  /** When each entry was written (monotonic ms), by id: what is true whatever the clocks say. */
  readonly written = new Map<string, number>()
  /** Entries in the journal now. */
  length = 0
  /** The store was given up: the run goes on in memory, and the journal knows only its beginning. */
  detached = false
  /** Appends that a store took under an epoch that was no longer the newest. */
  staleWrites = 0
  /** Whether the next instructions or permission check never come. */
  readonly #hanging: Dice
  /** The story is told: no more faults. */
  quiet = false
  /** What each driver has written last of a kind, by process. */
  readonly lastStarted = new Map<string, Entry>()
  #ids = 0
  #storeSkew = 0

  constructor(script: Script) {
    this.script = script
    this.dice = new Dice(script.seed + 77_777_777)
    this.#hanging = new Dice(script.seed + 66_666_666)
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  /** What the store's clock says. */
  storeTime(): number {
    return this.clock.wall() + this.#storeSkew
  }

  jump({ whose, by }: Jump): void {
    this.count(`jump: ${whose} ${by > 0 ? 'forth' : 'back'}`)
    if (whose !== 'store') this.clock.jump(by)
    if (whose !== 'both') this.#storeSkew += whose === 'store' ? by : -by
  }

  /** Waits for ever, sometimes, where the script says so. */
  async mayHang(what: string): Promise<void> {
    if (this.quiet || !this.script.verdictsHang || !this.#hanging.chance(0.3)) return
    this.count(`never: ${what}`)
    await new Promise(() => {})
  }

  noteWritten(ids: readonly { readonly id: string }[]): void {
    for (const { id } of ids) if (!this.written.has(id)) this.written.set(id, this.clock.monotonic())
  }

  world(): World {
    const { seed, plain, suspendAlways } = this.script
    const random = new Dice(seed + 5).random
    const clock: Clock = {
      wall: () => this.clock.wall(),
      monotonic: () => this.clock.monotonic(),
      timer: (ms, callback) => {
        const token = {}
        this.engineTimers.add(token)
        const cancel = this.clock.timer(ms, () => {
          this.engineTimers.delete(token)
          callback()
        })
        return () => {
          this.engineTimers.delete(token)
          cancel()
        }
      },
    }
    return {
      clock,
      id: (kind) => `${kind}${this.#ids++}`,
      random,
      suspendAlways,
      // Some rings are so small that every reader lags; ways to follow a run compare only where nothing falls out.
      ...(plain || seed % 3 > 0 ? {} : { ringCapacity: 1 + (seed % 5) }),
      onReload: () => this.count('reload'),
    }
  }

  /** Waits; with a signal, rejects when it aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason)
      const stop = () => {
        cancel()
        reject(signal?.reason)
      }
      const cancel = this.clock.timer(ms, () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      })
      signal?.addEventListener('abort', stop, { once: true })
    })
  }
}

/** The model of one process: it gives the script's replies in the order of requests, whoever asks. */
export function simModel(scene: Scene, process: string): Model {
  return {
    provider: 'sim',
    id: 'script',
    capabilities: { structuredOutput: 'native', parallelCalls: true, imagesInResults: true, reasoning: true },
    stream(request, sink, options) {
      const reply = scene.script.replies[scene.asked.length] ?? lastReply(scene.script.agent, request)
      note(scene, process, request)
      if (reply.odd === 'throws') throw new Error('the model broke at once')
      return speak(scene, reply, sink, () => (reply.deaf === true ? undefined : options.signal))
    },
  }
}

/** Once the script is told, the model answers as it is asked. */
function lastReply({ output }: Script['agent'], { outputSchema }: ModelRequest): Reply {
  return output === undefined || outputSchema === undefined ? last : { ...last, text: answerText(output, true) }
}

const last: Reply = { text: ['That is all.'], calls: [], waitMs: 0, gapMs: 0 }

function note(scene: Scene, process: string, request: ModelRequest): void {
  const started = scene.lastStarted.get(process)
  const { n, attempt } = started?.kind === 'model.started' ? started.data : { n: 0, attempt: 0 }
  const messages = JSON.parse(JSON.stringify([...request.messages]))
  scene.asked.push({
    process,
    n,
    attempt,
    purpose: request.purpose,
    mayCall: request.toolChoice !== 'none',
    toldSchema: request.outputSchema !== undefined,
    messages,
    length: scene.length,
  })
}

type Sink = Parameters<Model['stream']>[1]

async function speak(scene: Scene, reply: Reply, sink: Sink, signal: () => AbortSignal | undefined): Promise<ModelFinish> {
  const { text, fail } = reply
  if (reply.waitMs > 0) await scene.wait(reply.waitMs, signal())
  if (reply.odd === 'hang') return new Promise(() => {})
  let part = 0
  let said = 0
  if (reply.reasoning !== undefined) sink({ type: 'reasoning', part: part++, text: reply.reasoning })
  if (text.length > 0) {
    for (const piece of text) {
      if (fail !== undefined && said++ >= fail.after) throw failure(fail)
      sink({ type: 'text', part, text: piece })
      if (reply.gapMs > 0) await scene.wait(reply.gapMs, signal())
    }
    part++
  }
  if (reply.odd === 'hang-late') return new Promise(() => {})
  if (reply.odd === 'garbled') sink({ type: 'call-input', part: part + 9, text: '{' })
  for (const call of reply.calls) {
    if (fail !== undefined && said++ >= fail.after) throw failure(fail)
    sayCall(sink, call, part++)
  }
  if (fail !== undefined) throw failure(fail)
  if (reply.odd === 'late-delta') scene.clock.timer(3, () => sink({ type: 'text', part: 40, text: 'too late' }))
  const finishReason = reply.finish ?? (reply.calls.length > 0 ? 'tool-calls' : 'stop')
  return { finishReason, usage: { ...noUsage, inputTokens: 5, outputTokens: 2, ...reply.usage } }
}

function failure({ code, retryable, retryAfterMs }: NonNullable<Reply['fail']>): RondoError {
  return new RondoError(code ?? 'ModelServerError', 'scripted failure', {
    ...(retryable === undefined ? {} : { retryable }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

function sayCall(sink: Sink, call: Reply['calls'][number], part: number): void {
  const input = { ...call.input }
  if (call.provider === true) {
    const settlement = { outcome: 'ok', output: 'by the provider' } as const
    const value = { type: 'tool-call', callId: '', toolName: call.name, input, providerExecuted: true, settlement } as const
    return sink({ type: 'part', part, value })
  }
  sink({ type: 'call', part, toolName: call.name, ...(call.id === undefined ? {} : { providerCallId: call.id }) })
  const json = call.raw ?? JSON.stringify(input)
  const half = json.length >> 1
  if (half > 0) sink({ type: 'call-input', part, text: json.slice(0, half) })
  sink({ type: 'call-input', part, text: json.slice(half) })
}
