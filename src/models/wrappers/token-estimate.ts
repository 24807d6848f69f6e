import { type Message, type Part, resultText } from '../../core/message.ts'
import type { ModelRequest } from '../../core/model.ts'
import { isProviderTool, type Offered } from '../../core/offered-tools.ts'
import type { Usage } from '../../core/usage.ts'

/** English text; what providers themselves name as a rule of thumb. */
const unitsPerToken = 4
/** Of an image or a file. What it really costs is learned from the answers. */
const tokensPerMedia = 1_000

/**
 * Guesses how many tokens a request has before it is sent, from the length of its texts and tools; each message and each tool is looked at
 * once. What the provider then reports corrects the next guesses: it knows the language and the images.
 */
export class TokenEstimate {
  readonly #known = new WeakMap<Message, number>()
  readonly #tools = new WeakMap<object, number>()
  #factor = 1

  /** Raw, to be told again to `learn`. */
  guess(request: ModelRequest): number {
    let tokens = request.instructions.length / unitsPerToken
    for (const tool of request.tools) tokens += this.#ofTool(tool)
    for (const message of request.messages) tokens += this.#ofMessage(message)
    return Math.max(1, tokens)
  }

  corrected(raw: number): number {
    return Math.ceil(raw * this.#factor)
  }

  learn(raw: number, { inputTokens, complete }: Usage): void {
    if (complete && inputTokens > 0) this.#factor = Math.min(20, Math.max(0.05, inputTokens / raw))
  }

  /** Left out, a short request with many tools would teach that all texts are dear. */
  #ofTool(tool: Offered): number {
    const known = this.#tools.get(tool)
    if (known !== undefined) return known
    const said = isProviderTool(tool) ? tool.providerTool : [tool.name, tool.description, tool.inputJsonSchema]
    const tokens = JSON.stringify(said).length / unitsPerToken
    this.#tools.set(tool, tokens)
    return tokens
  }

  #ofMessage(message: Message): number {
    const known = this.#known.get(message)
    if (known !== undefined) return known
    let tokens = 4
    for (const part of message.parts) tokens += tokensOf(part)
    this.#known.set(message, tokens)
    return tokens
  }
}

function tokensOf(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text.length / unitsPerToken
    case 'source':
      return 0
    case 'image':
    case 'file':
      return tokensPerMedia
    case 'tool-call': {
      const media = typeof part.content === 'object' ? part.content.filter(({ type }) => type === 'image' || type === 'file').length : 0
      return (JSON.stringify(part.input).length + resultText(part).length) / unitsPerToken + media * tokensPerMedia
    }
  }
}
