import { Assembler } from '../../../src/core/assemble.ts'
import type { Message, Part } from '../../../src/core/message.ts'
import type { ModelDelta, ModelFinish, ModelRequest } from '../../../src/core/model.ts'
import { type AiSdkOptions, fromAiSdk } from '../../../src/models/ai-sdk/index.ts'
import type { AiSdkLanguageModel } from '../../../src/models/ai-sdk/spec.ts'

export type Version = 'v2' | 'v3' | 'v4'
export const versions: readonly Version[] = ['v2', 'v3', 'v4']

/** What a model was asked, loosely typed: tests compare it with literals. */
export interface Asked {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[]
  readonly abortSignal: AbortSignal
  readonly [name: string]: unknown
}

export interface MockSettings {
  readonly provider?: string
  readonly modelId?: string
  /** How a stream is made of its parts. Default: all at once, then its end. */
  readonly stream?: (parts: readonly unknown[]) => ReadableStream<unknown>
  readonly headers?: { readonly [name: string]: string }
}

/** A model of a package that answers with these parts, one list a call. A function is called and may throw or never resolve. */
export function mockModel(version: Version, answers: readonly (readonly unknown[] | (() => unknown))[], settings: MockSettings = {}) {
  const asked: Asked[] = []
  const answer = async (call: object): Promise<object> => {
    asked.push(call as Asked)
    const next = answers[asked.length - 1]
    if (typeof next === 'function') return (await next()) as object
    const stream = (settings.stream ?? streamOf)(next ?? [])
    return { stream, response: { headers: settings.headers ?? {} } }
  }
  const model = {
    specificationVersion: version,
    provider: settings.provider ?? 'test.chat',
    modelId: settings.modelId ?? 'model-1',
    supportedUrls: {},
    doStream: answer,
    doGenerate: answer,
  } as AiSdkLanguageModel
  return { model, asked }
}

function streamOf(parts: readonly unknown[]): ReadableStream<unknown> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

/** A finish in the words of a version. */
export function finish(version: Version, reason = 'stop', raw: string | null = reason) {
  if (version === 'v2')
    return {
      type: 'finish',
      finishReason: reason,
      usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15, reasoningTokens: 2, cachedInputTokens: 4 },
    }
  return {
    type: 'finish',
    finishReason: { unified: reason, raw: raw ?? undefined },
    usage: { inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 }, outputTokens: { total: 5, text: 3, reasoning: 2 } },
  }
}

export const text = (said: string, id = 't') => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta: said },
  { type: 'text-end', id },
]

export function requestOf(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    instructions: '',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
    tools: [],
    toolChoice: 'auto',
    settings: {},
    purpose: 'main',
    ...more,
  }
}

export interface Heard {
  readonly deltas: readonly ModelDelta[]
  readonly message: Message
  readonly parts: readonly Part[]
  readonly finish: ModelFinish
}

/** Streams a request, and what core makes of it. */
export async function heard(
  model: AiSdkLanguageModel,
  options: AiSdkOptions = {},
  request = requestOf(),
  signal = new AbortController().signal,
) {
  const assembler = new Assembler({ n: 2 })
  const deltas: ModelDelta[] = []
  const finished = await fromAiSdk(model, options).stream(
    request,
    (delta) => {
      deltas.push(delta)
      assembler.push(delta)
    },
    { signal, sessionId: 's' },
  )
  const message = assembler.finish()
  return { deltas, message, parts: message.parts, finish: finished } satisfies Heard
}

/** What one response of these parts becomes. */
export function read(version: Version, parts: readonly unknown[], options: AiSdkOptions = {}): Promise<Heard> {
  return heard(mockModel(version, [parts]).model, options)
}

/** What a history becomes as a prompt. */
export async function prompted(version: Version, messages: readonly Message[], settings: MockSettings & { options?: AiSdkOptions } = {}) {
  const { model, asked } = mockModel(version, [[...text('ok'), finish(version)]], settings)
  await heard(model, settings.options, requestOf({ messages }))
  return asked[0]?.prompt
}
