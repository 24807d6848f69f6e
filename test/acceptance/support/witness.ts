import { type Entry, type Model, memory, type RunEvent, type RunResult, type Store, type Tool } from 'rondo'
import { appendsThrough } from '../../engine/kit.ts'
import type { Script } from '../../simulation/generate.ts'
import type { Played, Reader } from '../../simulation/play.ts'
import type { Asked, Effect } from '../../simulation/scene.ts'
import { collect } from '../kit.ts'

/** Where the checkers of the simulation expect everything to happen. */
export const witnessed = 'S'

/** What is known of a play from outside of its processes: what the store took, what tools did, what models were asked, what was heard. */
export class Witness {
  /** The store under all processes. */
  readonly store: Store
  readonly effects: Effect[] = []
  readonly #asked: Asked[] = []
  readonly #written = new Map<string, number>()
  readonly #heard: { readonly process: string; readonly on: true; readonly events: readonly RunEvent[] }[] = []
  readonly #clock: () => number
  readonly #begin: number
  #length = 0
  #started = { n: 0, attempt: 0 }
  #epoch = 0
  #staleWrites = 0

  constructor(clock: () => number) {
    this.#clock = clock
    this.#begin = clock()
    this.store = appendsThrough(memory({ clock }), async (entries, write) => {
      const answer = await write()
      for (const entry of entries) this.#note({ ...entry, ...answer } as Entry)
      return answer
    })
  }

  #note(entry: Entry): void {
    this.#written.set(entry.id, this.#clock() - this.#begin)
    this.#length = entry.seq
    if (entry.kind === 'model.started') this.#started = entry.data
    if (entry.epoch === undefined) return
    if (entry.epoch < this.#epoch) this.#staleWrites++
    this.#epoch = Math.max(this.#epoch, entry.epoch)
  }

  /** A new process, whose listeners heard these events. */
  hears(events: readonly RunEvent[]): void {
    this.#heard.push({ process: `process ${this.#heard.length + 1}`, on: true, events })
  }

  get #process(): string {
    return this.#heard.at(-1)?.process ?? ''
  }

  asks(model: Model): Model {
    const { provider, id, capabilities } = model
    return {
      provider,
      id,
      capabilities,
      stream: (request, sink, options) => {
        const messages = JSON.parse(JSON.stringify([...request.messages]))
        const { n, attempt } = this.#started
        const { purpose, toolChoice, outputSchema } = request
        const told = { purpose, mayCall: toolChoice !== 'none', toldSchema: outputSchema !== undefined, messages }
        this.#asked.push({ process: this.#process, n, attempt, ...told, length: this.#length })
        return model.stream(request, sink, options)
      },
    }
  }

  uses(tool: Tool): Tool {
    const definition = tool['~definition']
    const { execute } = definition
    if (execute === undefined) return tool
    return {
      ...tool,
      '~definition': {
        ...definition,
        execute: (input, call) => {
          const { callId, attempt, idempotencyKey: key } = call
          const [at, length] = [this.#clock(), this.#length]
          this.effects.push({ process: this.#process, callId, tool: tool.name, input: JSON.stringify(input), attempt, key, at, length })
          return execute(input, call)
        },
      },
    }
  }

  /** All of it, as the checkers of the simulation want it. */
  async played(result: RunResult, replay: readonly RunEvent[]): Promise<Played> {
    const reader: Reader = { how: 'replay', runId: result.runId, after: '', events: [...replay], ended: true, error: undefined }
    return {
      script: calm,
      journal: JSON.parse(JSON.stringify(await collect(this.store.load(witnessed)))),
      effects: this.effects,
      asked: this.#asked,
      launched: [],
      resumed: [result],
      deeds: [],
      readers: [reader],
      heard: this.#heard,
      counts: new Map(),
      written: this.#written,
      engineTimers: 0,
      signalListeners: 0,
      staleWrites: this.#staleWrites,
      troubles: [],
      detached: false,
    }
  }
}

/** Nothing goes wrong here but that a process dies: an agent without limits, on a store without faults, and another process beside it. */
const calm: Script = {
  seed: 0,
  agent: {
    maxParallel: 8,
    onPending: 'answer',
    instructions: 'text',
    stopWhen: 'none',
    limits: { onLimit: 'summarize' },
    settings: { maxRetries: 2 },
    policies: {
      approvalTiming: 'verdicts',
      doneDrain: 'skip',
      emptyResponse: { retries: 2, end: 'final' },
      onTruncated: 'final',
      toolUseWithoutCalls: 'final',
      toolFailureMode: 'continue',
      unknownTool: 'result',
      toolExecution: 'auto',
      lostOutcome: 'unknown',
      noProgress: 5,
      graceMs: 1_000,
      retryAfterOutput: 'retract',
      retry: { baseMs: 1_000, maxRetryAfterMs: 60_000 },
      durability: 'strict',
    },
    termination: 'none',
  },
  first: {
    text: '',
    mode: 'run',
    reader: 'none',
    leaveAfter: 0,
    held: true,
    detach: false,
    signal: false,
    parkAfterMs: 0,
    onBusy: 'reject',
  },
  replies: [],
  acts: [],
  jumps: [],
  verdictsHang: false,
  store: { faults: 0, fatalAt: 0, fatalAfterWrite: false, fatalSilence: false, latency: 'none' },
  second: true,
  suspendAlways: false,
  plain: false,
}
