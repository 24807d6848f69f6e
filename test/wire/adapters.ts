import type { Model, ModelDelta, ModelFinish } from '../../src/core/model.ts'
import { MessagesDecoder } from '../../src/models/anthropic/decode.ts'
import { anthropic } from '../../src/models/anthropic/index.ts'
import { GeminiApi } from '../../src/models/gemini/api.ts'
import { type GeminiOptions, gemini } from '../../src/models/gemini/index.ts'
import type { HttpApi } from '../../src/models/http/api.ts'
import { ApiResponse } from '../../src/models/http/response.ts'
import { OllamaApi } from '../../src/models/ollama/api.ts'
import { ollama } from '../../src/models/ollama/index.ts'
import { ChatApi } from '../../src/models/openai-chat/api.ts'
import { dialectAt, openaiCompatible } from '../../src/models/openai-chat/index.ts'
import { ResponsesApi } from '../../src/models/openai-responses/api.ts'
import { dialectOf as responsesDialect } from '../../src/models/openai-responses/dialect.ts'
import { openai } from '../../src/models/openai-responses/index.ts'
import { scopeOf } from '../../src/models/scope.ts'
import type { HttpReceiver } from '../../src/models/transport/transport.ts'
import type { WireApi, WireMeta } from '../setup/wire.ts'
import type { AnyJson } from './readings/reading.ts'

/** Takes the bytes of one response. */
export interface ByteReceiver extends HttpReceiver {
  finish(): ModelFinish
}

/** How the recordings of an API are put to its adapter. */
export interface WireAdapter {
  /**
   * A model that talks to a server at `baseURL`: what the recorded path has before it is for the adapter to say. `asked` is the recorded request,
   * where it matters: whether the server was to keep the response, say.
   */
  model(meta: WireMeta, options: { readonly baseURL: string; readonly stream: boolean; readonly asked?: AnyJson }): Model
  /** What reads a response below the transport. */
  receiver(meta: WireMeta, sink: (delta: ModelDelta) => void): ByteReceiver
}

/** The adapters that there are, by the API that they speak. What is not here is reported as "no adapter yet". */
export const adapters: { readonly [api in WireApi]?: WireAdapter } = {
  'gemini-generate-content': {
    model: (meta, { baseURL, stream }) => gemini(modelOf(meta), { baseURL, stream, apiKey: 'k', ...vertexOf(meta) }),
    receiver: (meta, sink) => receiverOf(new GeminiApi(modelOf(meta), 'http://127.0.0.1', vertexOf(meta)), sink, true),
  },
  'ollama-chat': ollamaAdapter(),
  'ollama-generate': ollamaAdapter(),
  'chat-completions': {
    model: (meta, { baseURL, stream }) => openaiCompatible({ baseURL, name: meta.provider, stream })(modelOf(meta)),
    receiver: (meta, sink) => receiverOf(new ChatApi(modelOf(meta), dialectAt(meta.provider, { baseURL: 'http://127.0.0.1' }), {}), sink),
  },
  messages: {
    model: (meta, { baseURL, stream }) => anthropic(modelOf(meta), { baseURL, name: meta.provider, stream }),
    receiver(meta, sink) {
      const from = { provider: meta.provider, answerOf: 'a Messages API', tellsOverflow: true }
      return new ApiResponse(from, new MessagesDecoder(from, scopeOf(meta.provider, 'messages', modelOf(meta)), sink))
    },
  },
  responses: {
    // Most clients let the server keep what it says, and name reasoning by its id.
    model: (meta, { baseURL, stream, asked }) =>
      openai(modelOf(meta), { baseURL, name: meta.provider, stream, store: asked !== undefined && asked.store !== false }),
    receiver: (meta, sink) =>
      receiverOf(new ResponsesApi(modelOf(meta), responsesDialect({ baseURL: 'http://127.0.0.1', name: meta.provider }), {}), sink),
  },
}

function vertexOf({ provider }: WireMeta): GeminiOptions {
  return provider === 'vertex' ? { vertex: { project: 'p' } } : {}
}

function ollamaAdapter(): WireAdapter {
  return {
    model: (meta, { baseURL, stream }) => ollama(modelOf(meta), { baseURL, stream }),
    receiver: (meta, sink) => receiverOf(new OllamaApi(modelOf(meta), 'http://127.0.0.1', {}), sink),
  }
}

/** @param isKeyGiven The model has a key that is of no variable. */
function receiverOf(api: HttpApi, sink: (delta: ModelDelta) => void, isKeyGiven = false): ByteReceiver {
  const { provider, answerOf, json, keyVariable } = api
  const from = { provider, answerOf, json, keyName: isKeyGiven ? undefined : keyVariable }
  const request = { instructions: '', messages: [], tools: [], toolChoice: 'auto', settings: {}, purpose: 'main' } as const
  return new ApiResponse(from, api.decoder(from, sink, request))
}

/** Some sources did not say which model it was. */
function modelOf({ model }: WireMeta): string {
  return model ?? 'a-model'
}
