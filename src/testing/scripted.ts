import { type ErrorData, errorData, RondoError } from '../core/error.ts'
import type { FinishReason, Model, ModelCapabilities, ModelDelta, ModelFinish, ModelRequest } from '../core/model.ts'
import { noUsage, type Usage } from '../core/usage.ts'
import type { Clock } from '../engine/ports.ts'
import { systemClock } from '../engine/world.ts'
import { checkScript } from './check-script.ts'

/** What the scripted model answers to one request. */
export interface ScriptedReply {
  text?: string
  reasoning?: string
  calls?: readonly ScriptedCall[]
  /** The finish reason. Default: `tool-calls` with calls, else `stop`. */
  finish?: FinishReason
  usage?: Partial<Usage>
  /** Deltas as they are, instead of text, reasoning and calls. */
  deltas?: readonly ModelDelta[]
  /** Rejects with this error, after `failAfter` deltas (default 0). */
  fail?: Partial<ErrorData>
  failAfter?: number
  /** Waits before the first delta (ms). */
  delayMs?: number
  /** Never settles and ignores its signal. */
  hang?: boolean
  /** Splits the text into deltas of this many characters. Default: one delta. */
  chunk?: number
}

export interface ScriptedCall {
  name: string
  input: unknown
  /** The provider's id. */
  id?: string
  /** The arguments as the text that the model wrote, instead of `input`. */
  rawInput?: string
}

export type Script = readonly (string | ScriptedReply | ((request: ModelRequest) => string | ScriptedReply))[]

export interface ScriptedModel extends Model {
  /** Every request so far. */
  readonly requests: readonly ModelRequest[]
  /** Throws when replies are left that nobody asked for. */
  assertDone(): void
}

export interface ScriptedSettings {
  clock?: Clock
  provider?: string
  id?: string
  /** What it says it can do, where that is not everything. */
  capabilities?: Partial<ModelCapabilities>
  /**
   * Which reply a request gets: `request`, the next one; `turn`, the one after as many as the conversation holds answers, so that a request that is made again,
   * by whatever process, gets the same one. Default `request`.
   */
  by?: 'request' | 'turn'
}

/**
 * A model for tests that gives its replies in order. A request beyond the last one is an error that says so. One scripted model serves
 * one run at a time: the replies are shared.
 */
export function scripted(replies: Script, settings?: ScriptedSettings): ScriptedModel {
  checkScript('scripted', replies)
  const clock = settings?.clock ?? systemClock
  const requests: ModelRequest[] = []
  let asked = 0
  return {
    provider: settings?.provider ?? 'scripted',
    id: settings?.id ?? 'script',
    capabilities: { structuredOutput: 'native', parallelCalls: true, imagesInResults: true, reasoning: true, ...settings?.capabilities },
    requests,
    stream(request, sink, options) {
      const index = settings?.by === 'turn' ? answersIn(request) : requests.length
      const next = replies[index]
      requests.push(request)
      asked = Math.max(asked, index + 1)
      if (next === undefined) return Promise.reject(outOfScript(index + 1, replies.length))
      try {
        // The signal is made when it is asked for: most replies never do.
        return play(replyOf(next, request), sink, clock, () => options.signal)
      } catch (error) {
        return Promise.reject(error)
      }
    },
    assertDone() {
      if (asked < replies.length) throw new Error(`the script has ${replies.length} replies, and only ${asked} were asked for`)
    },
  }
}

function answersIn({ messages }: ModelRequest): number {
  let answers = 0
  for (const { role } of messages) if (role === 'assistant') answers++
  return answers
}

function outOfScript(asked: number, replies: number): RondoError {
  return new RondoError('ModelBadRequest', `The script has ${replies} replies and was asked for reply ${asked}.`)
}

function replyOf(next: Script[number], request: ModelRequest): ScriptedReply {
  const reply = typeof next === 'function' ? next(request) : next
  return typeof reply === 'string' ? { text: reply } : reply
}

function play(reply: ScriptedReply, sink: (delta: ModelDelta) => void, clock: Clock, signal: () => AbortSignal): Promise<ModelFinish> {
  if (reply.hang === true) return new Promise(() => {})
  if (reply.delayMs === undefined) return Promise.resolve().then(() => speak(reply, sink))
  const { delayMs } = reply
  return new Promise((resolve, reject) => {
    const aborted = signal()
    const stop = () => {
      cancel()
      reject(aborted.reason)
    }
    const cancel = clock.timer(delayMs, () => {
      aborted.removeEventListener('abort', stop)
      Promise.resolve()
        .then(() => speak(reply, sink))
        .then(resolve, reject)
    })
    if (aborted.aborted) stop()
    else aborted.addEventListener('abort', stop, { once: true })
  })
}

function speak(reply: ScriptedReply, sink: (delta: ModelDelta) => void): ModelFinish {
  const deltas = reply.deltas ?? deltasOf(reply)
  const failing = reply.fail
  const count = failing === undefined ? deltas.length : Math.min(deltas.length, reply.failAfter ?? 0)
  for (const delta of deltas.slice(0, count)) sink(delta)
  if (failing !== undefined) throw scriptedError(failing)
  const called = reply.calls !== undefined || deltas.some((delta) => delta.type === 'call')
  return {
    finishReason: reply.finish ?? (called ? 'tool-calls' : 'stop'),
    usage: { ...noUsage, inputTokens: 10, outputTokens: 5, ...reply.usage },
  }
}

function scriptedError(fail: Partial<ErrorData>): RondoError {
  const base = errorData(fail.code ?? 'ModelServerError', fail.message ?? 'scripted failure')
  const { retryable = base.retryable, retryAfterMs } = fail
  return new RondoError(base.code, base.message, { retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
}

function deltasOf({ reasoning, text, calls, chunk }: ScriptedReply): ModelDelta[] {
  const deltas: ModelDelta[] = []
  let part = 0
  if (reasoning !== undefined) deltas.push({ type: 'reasoning', part: part++, text: reasoning })
  if (text !== undefined) {
    const size = chunk ?? Math.max(1, text.length)
    for (let i = 0; i < text.length; i += size) deltas.push({ type: 'text', part, text: text.slice(i, i + size) })
    part++
  }
  for (const call of calls ?? []) {
    const begin = { type: 'call', part, toolName: call.name } as const
    deltas.push(call.id === undefined ? begin : { ...begin, providerCallId: call.id })
    deltas.push({ type: 'call-input', part: part++, text: call.rawInput ?? JSON.stringify(call.input) })
  }
  return deltas
}
