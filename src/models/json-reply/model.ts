import type { Message } from '../../core/message.ts'
import type { Model, ModelCapabilities, ModelDelta, ModelFinish, ModelRequest } from '../../core/model.ts'
import type { ProviderTool, Tool } from '../../core/tool.ts'
import { scopeOf } from '../scope.ts'
import { ThinkSplitter, type ThinkStart } from '../think.ts'
import { Deltas } from './deltas.ts'
import { type ReplyForm, renderMessage } from './history.ts'
import { Parts } from './parts.ts'
import { replyInstructions } from './prompt.ts'
import { ReplyReader } from './reader.ts'
import { type ReplyParts, replySchema } from './schema.ts'

type StreamOptions = Parameters<Model['stream']>[2]

export interface ReplySettings {
  /** `words`: the form of a reply is told. Else the model is held to a schema too, of that root (`replySchema`). */
  readonly form: 'words' | 'object' | 'alternatives'
  readonly thoughts: boolean
  readonly think: ThinkStart | undefined
}

/** A model that calls tools by JSON in its text. */
export class JsonReplyModel implements Model {
  readonly provider: string
  readonly id: string
  readonly #model: Model
  readonly #settings: ReplySettings
  readonly #form: ReplyForm
  /** Messages as the model below sees them: made once, so that it may keep what it makes of them. */
  readonly #rendered = new WeakMap<Message, readonly Message[]>()
  #frame: { readonly from: Frame; readonly made: MadeFrame } | undefined

  constructor(model: Model, settings: ReplySettings) {
    this.provider = model.provider
    this.id = model.id
    this.#model = model
    this.#settings = settings
    const scope = scopeOf(model.provider, 'json-reply', model.id)
    this.#form = { calls: settings.form === 'words' ? 'one-or-list' : 'list', scope }
  }

  /** Asked each time: those of the model below may change, as when a file is loaded. */
  get capabilities(): ModelCapabilities {
    return { ...this.#model.capabilities, parallelCalls: true }
  }

  async stream(request: ModelRequest, sink: (delta: ModelDelta) => void, options: StreamOptions): Promise<ModelFinish> {
    const { tools, messages } = request
    const hasTools = tools.some(isTool)
    // Without tools, now and before, there is nothing to emulate.
    if (!hasTools && !hasCalls(messages)) return this.#plain(request, sink, options)
    const rendered = { ...request, messages: this.#renderAll(messages) }
    // An output stands for itself, and has keys of its own (B189).
    if (!hasTools && (request.purpose === 'output' || request.outputSchema !== undefined)) return this.#plain(rendered, sink, options)
    return this.#emulated(rendered, sink, options)
  }

  /** The text is the answer as it is. */
  async #plain(request: ModelRequest, sink: (delta: ModelDelta) => void, options: StreamOptions): Promise<ModelFinish> {
    const { think } = this.#settings
    if (think === undefined) return this.#model.stream(request, sink, options)
    const parts = new Parts(sink, {})
    const splitter = new ThinkSplitter(think, (type, text) => (type === 'text' ? parts.text(text) : parts.reasoning(text)))
    const below = new Deltas(parts, splitter)
    const finish = await this.#model.stream(request, (delta) => below.push(delta), options)
    below.end()
    splitter.end()
    parts.flush()
    return finish
  }

  async #emulated(request: ModelRequest, sink: (delta: ModelDelta) => void, options: StreamOptions): Promise<ModelFinish> {
    const { instructions, outputSchema, tools } = this.#framed(request)
    const { outputSchema: _told, ...rest } = request
    const below: ModelRequest = {
      ...rest,
      instructions,
      tools,
      toolChoice: tools.length === 0 ? 'none' : 'auto',
      ...(outputSchema === undefined ? {} : { outputSchema }),
    }
    const parts = new Parts(sink, { [this.#form.scope]: { thought: true } })
    const reader = new ReplyReader(parts)
    const { think } = this.#settings
    const splitter =
      think === undefined
        ? undefined
        : new ThinkSplitter(think, (type, text) => (type === 'text' ? reader.push(text) : parts.reasoning(text)))
    const deltas = new Deltas(parts, splitter ?? reader)
    const finish = await this.#model.stream(below, (delta) => deltas.push(delta), options)
    deltas.end()
    splitter?.end()
    reader.end()
    parts.flush()
    return parts.hasCalls && finish.finishReason === 'stop' ? { ...finish, finishReason: 'tool-calls' } : finish
  }

  #renderAll(messages: Iterable<Message>): Iterable<Message> {
    const render = (message: Message) => this.#render(message)
    return {
      *[Symbol.iterator]() {
        for (const message of messages) yield* render(message)
      },
    }
  }

  #render(message: Message): readonly Message[] {
    const known = this.#rendered.get(message)
    if (known !== undefined) return known
    const made = renderMessage(message, this.#form)
    this.#rendered.set(message, made)
    return made
  }

  /** What of a request is no message: nearly all requests of a run have the same. */
  #framed(request: ModelRequest): MadeFrame {
    const { instructions, tools, toolChoice, outputSchema } = request
    const last = this.#frame
    if (last !== undefined && sameFrame(last.from, request)) return last.made
    const parts: ReplyParts = { tools: tools.filter(isTool), toolChoice, outputSchema, thoughts: this.#settings.thoughts }
    const { form } = this.#settings
    const made = {
      instructions: replyInstructions(instructions, parts, this.#form),
      outputSchema: form === 'words' ? undefined : replySchema(parts, form),
      tools: tools.filter((tool) => !isTool(tool)),
    }
    this.#frame = { from: { instructions, tools, toolChoice, outputSchema }, made }
    return made
  }
}

interface Frame extends Pick<ModelRequest, 'instructions' | 'tools' | 'toolChoice'> {
  readonly outputSchema: ModelRequest['outputSchema'] | undefined
}

interface MadeFrame {
  readonly instructions: string
  readonly outputSchema: ModelRequest['outputSchema'] | undefined
  /** Those that the provider runs itself. */
  readonly tools: readonly (Tool | ProviderTool)[]
}

function sameFrame(a: Frame, b: ModelRequest): boolean {
  return a.instructions === b.instructions && a.tools === b.tools && a.toolChoice === b.toolChoice && a.outputSchema === b.outputSchema
}

function isTool(tool: Tool | ProviderTool): tool is Tool {
  return !('providerTool' in tool)
}

function hasCalls(messages: Iterable<Message>): boolean {
  for (const { role, parts } of messages)
    if (role === 'assistant' && parts.some((part) => part.type === 'tool-call' && part.providerExecuted !== true)) return true
  return false
}
