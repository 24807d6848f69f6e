import type { Json, JsonObject } from './json.ts'
import type { Message, Part, ProviderData } from './message.ts'
import type { ProviderTool, Tool } from './tool.ts'
import type { Usage } from './usage.ts'

export type Purpose = 'main' | 'output' | 'wrap-up' | 'compaction'

export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'refusal' | 'pause-turn' | 'error' | 'other'

/**
 * One piece of a streaming response, in the order it arrived. `part` numbers the parts of the message from 0; pieces of several
 * parts may interleave. Only core's assembler builds messages from these.
 *
 * - `text`, `reasoning`: more text of that part.
 * - `call`: a tool call begins (its name is known). `call-input`: more of its arguments' JSON text.
 * - `part`: a whole part at once. `data`: opaque provider data for a part.
 */
export type ModelDelta =
  | { readonly type: 'text' | 'reasoning'; readonly part: number; readonly text: string }
  | { readonly type: 'call'; readonly part: number; readonly providerCallId?: string; readonly toolName: string }
  | { readonly type: 'call-input'; readonly part: number; readonly text: string }
  | { readonly type: 'part'; readonly part: number; readonly value: Part }
  | { readonly type: 'data'; readonly part: number; readonly providerData: ProviderData }

export interface ModelFinish {
  readonly finishReason: FinishReason
  /** The provider's own word for it. */
  readonly rawFinishReason?: string
  readonly usage: Usage
  readonly requestId?: string
  /** Which model answered (`provider:id`), where that is another than the one that was asked: one that hands requests on says it. */
  readonly model?: string
}

export interface ModelCapabilities {
  /** Tokens. */
  readonly contextWindow?: number
  /** Tokens. */
  readonly maxOutputTokens?: number
  readonly structuredOutput: 'native' | 'tool' | 'prompt'
  readonly parallelCalls: boolean
  readonly imagesInResults: boolean
  readonly reasoning: boolean
}

export interface ModelSettings {
  /** Tokens. Default: the model's own. */
  maxOutputTokens?: number
  temperature?: number
  topP?: number
  seed?: number
  stop?: readonly string[]
  reasoning?: 'none' | 'low' | 'medium' | 'high'
  /** Attempts after the first one fails. Default 2. */
  maxRetries?: number
  /** Time limit of one model call in ms. Default: none. */
  timeoutMs?: number
  /**
   * Sent as it is to the named provider; what an adapter makes itself (model, messages, whether to stream) is left out, and so is a choice of
   * tools where none may be called.
   */
  providerOptions?: { readonly [provider: string]: JsonObject }
}

export interface ModelRequest {
  readonly instructions: string
  /**
   * May be walked several times and after the call; walking it copies nothing. The message objects are immutable, and the same ones in each
   * request of an activation. Media has its `data`; a `ref` reaches no model.
   */
  readonly messages: Iterable<Message>
  readonly tools: readonly (Tool | ProviderTool)[]
  /** `none` where the tools are known and none may be called: the calls for an output and a wrap-up. A server that would not keep to it gets no tools. */
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly tool: string }
  readonly outputSchema?: Json
  readonly settings: ModelSettings
  readonly purpose: Purpose
}

/**
 * A provider adapter. `stream` calls `sink` synchronously for every piece and resolves when the response is complete. It rejects
 * with a `RondoError` (category `model`) for what the provider did, and must settle soon after `signal` aborts; pieces that come
 * after that are ignored. It may be called for several runs at once and must not change what it is given.
 * `options.signal` is made when it is asked for: a wrapper hands `options` on as they are, or names the signal (a spread leaves it out).
 */
export interface Model {
  readonly provider: string
  readonly id: string
  readonly capabilities: ModelCapabilities
  stream(
    request: ModelRequest,
    sink: (delta: ModelDelta) => void,
    options: { readonly signal: AbortSignal; readonly sessionId: string },
  ): Promise<ModelFinish>
}
