import { messageOf, RondoError } from '../../core/error.ts'
import type { Json } from '../../core/json.ts'
import type { FinishReason, Model, ModelCapabilities, ModelDelta, ModelFinish, ModelRequest } from '../../core/model.ts'
import { streamError } from '../errors.ts'
import { chatHistory } from './chat-history.ts'
import { type Chat, Engine } from './engine.ts'
import { grammarOf } from './gbnf.ts'
import type { LlamaCppOptions } from './options.ts'
import type { Peer } from './peer.ts'

type Sink = (delta: ModelDelta) => void
type Options = Parameters<Model['stream']>[2]

const provider = 'llama-cpp'

/** Tokens of the context that stay free: the engine would make room there by forgetting what came first. */
const reserve = 2

/** A GGUF file in this process that writes text, held to a JSON Schema where a request has one. It knows nothing of tools. */
export class TextModel implements Model {
  readonly provider = provider
  readonly id: string
  readonly #options: LlamaCppOptions
  #capabilities: ModelCapabilities
  #engine: Promise<Engine> | undefined
  #disposed: Promise<void> | undefined
  /** What ends each request, and its end. */
  readonly #running = new Map<AbortController, Promise<unknown>>()

  constructor(id: string, options: LlamaCppOptions) {
    this.id = id
    this.#options = options
    const { contextSize, constrain = true } = options
    this.#capabilities = {
      ...(contextSize === undefined ? {} : { contextWindow: contextSize }),
      structuredOutput: constrain ? 'native' : 'prompt',
      parallelCalls: false,
      imagesInResults: false,
      reasoning: true,
    }
  }

  /** `contextWindow` is known when the file is loaded, or was given. */
  get capabilities(): ModelCapabilities {
    return this.#capabilities
  }

  /** One load for all; after a failure the next request tries again. */
  load(): Promise<Engine> {
    if (this.#disposed !== undefined) return Promise.reject(disposedError())
    this.#engine ??= this.#begin()
    return this.#engine
  }

  async #begin(): Promise<Engine> {
    try {
      const engine = await Engine.load(this.#options)
      this.#capabilities = { ...this.#capabilities, contextWindow: engine.contextSize }
      return engine
    } catch (error) {
      this.#engine = undefined
      throw error
    }
  }

  async stream(request: ModelRequest, sink: Sink, options: Options): Promise<ModelFinish> {
    if (this.#disposed !== undefined) throw disposedError()
    const own = new AbortController()
    const { signal } = own
    const pass = () => own.abort(options.signal.reason)
    if (options.signal.aborted) pass()
    else options.signal.addEventListener('abort', pass, { once: true })
    const running = this.#answer(request, sink, { signal, sessionId: options.sessionId })
    this.#running.set(own, running)
    try {
      // What is still computed behind an abort ends by itself, soon; nobody waits for it.
      return await settledOrAborted(running, signal)
    } finally {
      options.signal.removeEventListener('abort', pass)
      const over = () => void this.#running.delete(own)
      running.then(over, over)
    }
  }

  async #answer(request: ModelRequest, sink: Sink, { signal, sessionId }: Options): Promise<ModelFinish> {
    signal.throwIfAborted()
    const engine = await this.load()
    const history = chatHistory(request.instructions, request.messages)
    const grammar = request.outputSchema === undefined ? undefined : await grammarFor(engine, request.outputSchema)
    return engine.chats.with(sessionId, signal, (chat) =>
      write({ engine, chat, history, grammar, signal, settings: request.settings }, sink),
    )
  }

  /** Ends what runs, and frees the memory. Any number of times. */
  dispose(): Promise<void> {
    this.#disposed ??= this.#end()
    return this.#disposed
  }

  async #end(): Promise<void> {
    const running = [...this.#running.values()]
    for (const request of this.#running.keys()) request.abort(disposedError())
    await Promise.allSettled(running)
    const engine = await this.#engine?.catch(() => undefined)
    await engine?.dispose()
  }
}

async function grammarFor(engine: Engine, schema: Json): Promise<Peer.LlamaGrammar> {
  try {
    return await engine.grammar(grammarOf(schema))
  } catch (cause) {
    const said = messageOf(cause)
    throw new RondoError(
      'ModelBadRequest',
      `llama-cpp: no grammar could be made of the schemas of the tools or the output (${said}). Make them simpler, or set constrain: false.`,
      { cause },
    )
  }
}

interface Writing {
  readonly engine: Engine
  readonly chat: Chat
  readonly history: Peer.ChatHistoryItem[]
  readonly grammar: Peer.LlamaGrammar | undefined
  readonly signal: AbortSignal
  readonly settings: ModelRequest['settings']
}

async function write({ engine, chat, history, grammar, signal, settings }: Writing, sink: Sink): Promise<ModelFinish> {
  const input = chat.chatWrapper.generateContextState({ chatHistory: history }).contextText.tokenize(engine.model.tokenizer)
  const inputTokens = input.length
  const room = engine.contextSize - inputTokens - reserve
  if (room < 1) throw overflow(inputTokens, engine.contextSize)
  const parts = new Parts(sink)
  const { sequence } = chat
  // The last one is evaluated in any case: what comes behind it is to be found.
  const cachedInputTokens = Math.min(sequence.compareContextTokens(input).firstDifferentIndex, inputTokens - 1)
  const before = sequence.tokenMeter.getState()
  const { maxOutputTokens, temperature, topP, seed, stop } = settings
  const { metadata } = await chat.generateResponse(history, {
    signal,
    maxTokens: Math.min(maxOutputTokens ?? room, room),
    onResponseChunk: ({ type, text }) => parts.add(type === undefined ? 'text' : 'reasoning', text),
    ...(grammar === undefined ? {} : { grammar }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop === undefined ? {} : { customStopTriggers: [...stop] }),
  })
  return {
    finishReason: finishReasons[metadata.stopReason] ?? 'other',
    rawFinishReason: metadata.stopReason,
    usage: {
      inputTokens,
      cachedInputTokens,
      cacheWriteTokens: 0,
      outputTokens: sequence.tokenMeter.diff(before).usedOutputTokens,
      reasoningTokens: 0,
      complete: true,
    },
  }
}

const finishReasons: { readonly [reason: string]: FinishReason | undefined } = {
  eogToken: 'stop',
  stopGenerationTrigger: 'stop',
  customStopTrigger: 'stop',
  maxTokens: 'length',
}

/** Text and reasoning in turns, each turn a part. */
class Parts {
  readonly #sink: Sink
  #part = -1
  #type: 'text' | 'reasoning' | undefined

  constructor(sink: Sink) {
    this.#sink = sink
  }

  add(type: 'text' | 'reasoning', text: string): void {
    if (text === '') return
    if (type !== this.#type) this.#part++
    this.#type = type
    this.#sink({ type, part: this.#part, text })
  }
}

function overflow(used: number, limit: number): RondoError {
  return streamError(
    {
      error: {
        type: 'exceed_context_size_error',
        message: 'the conversation does not fit into the context',
        n_prompt_tokens: used,
        n_ctx: limit,
      },
    },
    { provider },
  )
}

function disposedError(): RondoError {
  return new RondoError('ModelBadRequest', 'llama-cpp: the model was disposed of. Make a new one by llamaCpp().')
}

/** As the promise, or with the reason of the signal as soon as that aborts. */
function settledOrAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const end = () => signal.removeEventListener('abort', abort)
    promise.then(
      (value) => {
        end()
        resolve(value)
      },
      (error: unknown) => {
        end()
        reject(signal.aborted ? signal.reason : toModelError(error))
      },
    )
    if (signal.aborted) abort()
  })
}

function toModelError(error: unknown): RondoError {
  return RondoError.is(error)
    ? error
    : new RondoError('ModelUnknownError', `llama-cpp failed: ${messageOf(error)}`, { cause: error, retryable: false })
}
