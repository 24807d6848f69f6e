import { type Message, type Part, resultText } from '../../core/message.ts'
import type { ModelRequest } from '../../core/model.ts'
import type { Usage } from '../../core/usage.ts'

/** English text; what providers themselves name as a rule of thumb. */
const unitsPerToken = 4
/** Of an image or a file. What it really costs is learned from the answers. */
const tokensPerMedia = 1_000

/**
 * Guesses how many tokens a request has before it is sent, from the length of its texts; each message is looked at once. What the provider
 * then reports corrects the next guesses: it knows the language, the tools and the images.
 */
export class TokenEstimate {
  readonly #known = new WeakMap<Message, number>()
  #factor = 1

  /** Raw, to be told again to `learn`. */
  guess(request: ModelRequest): number {
    let tokens = request.instructions.length / unitsPerToken
    for (const message of request.messages) tokens += this.#ofMessage(message)
    return Math.max(1, tokens)
  }

  corrected(raw: number): number {
    return Math.ceil(raw * this.#factor)
  }

  learn(raw: number, { inputTokens, complete }: Usage): void {
    if (complete && inputTokens > 0) this.#factor = Math.min(20, Math.max(0.05, inputTokens / raw))
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
