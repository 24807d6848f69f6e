import type { ErrorCode, Model, ModelDelta, ModelFinish, ModelRequest, ModelSettings, RondoError } from '../../../src/index.ts'
import { noUsage } from '../../../src/index.ts'
import { scripted } from '../../../src/testing/index.ts'
import { refusal } from '../../acceptance/kit.ts'

export function request(text = 'Hi', settings: ModelSettings = {}): ModelRequest {
  return {
    instructions: '',
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
    tools: [],
    toolChoice: 'auto',
    settings,
    purpose: 'main',
  }
}

interface Asked {
  readonly finish: Promise<ModelFinish>
  /** What has come so far. */
  readonly deltas: readonly ModelDelta[]
  stop(reason?: unknown): void
}

export function ask(model: Model, more: { session?: string; request?: ModelRequest } = {}): Asked {
  const controller = new AbortController()
  const deltas: ModelDelta[] = []
  const options = { signal: controller.signal, sessionId: more.session ?? 's' }
  const finish = model.stream(more.request ?? request(), (delta) => deltas.push(delta), options)
  finish.catch(() => {})
  return { finish, deltas, stop: (reason) => controller.abort(reason) }
}

/** The text that a model answers with. */
export async function said(model: Model, session?: string): Promise<string> {
  const { finish, deltas } = ask(model, session === undefined ? {} : { session })
  await finish
  return deltas.map((delta) => ('text' in delta ? delta.text : '')).join('')
}

export function failed(model: Model, session?: string): Promise<RondoError> {
  return refusal(ask(model, session === undefined ? {} : { session }).finish)
}

export const fails = (code: ErrorCode, message = code as string) => ({ fail: { code, message } })

/** A scripted model that is named. */
export function named(id: string, replies: Parameters<typeof scripted>[0], more: Parameters<typeof scripted>[1] = {}) {
  return scripted(replies, { provider: 'acme', id, ...more })
}

export const finishes: ModelFinish = { finishReason: 'stop', usage: { ...noUsage, inputTokens: 10, outputTokens: 5 } }

/** A model that answers when the test says so, and ignores its signal. */
export function held(id = 'held') {
  const calls: {
    readonly request: ModelRequest
    sink(delta: ModelDelta): void
    answer(finish?: ModelFinish): void
    fail(error: unknown): void
  }[] = []
  const model: Model = {
    provider: 'acme',
    id,
    capabilities: { structuredOutput: 'native', parallelCalls: true, imagesInResults: true, reasoning: true },
    stream: (asked, sink) =>
      new Promise((resolve, reject) => {
        calls.push({ request: asked, sink, answer: (finish = finishes) => resolve(finish), fail: reject })
      }),
  }
  return { model, calls }
}

/** Everything that can go on has gone on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
