import { Conversation, type Writing } from './conversation.ts'

/** How many bytes of encoded sessions a model keeps. Beyond it the least recently used ones leave and are encoded anew when they come back. */
const maxBytes = 64 * 1024 * 1024

/** And how many: each also holds its messages. */
const maxSessions = 2_000

/** The encoded sessions of one model. */
export class Conversations {
  readonly #writing: Writing
  /** In order of use, oldest first; with the size that was counted. */
  readonly #kept = new Map<string, { readonly conversation: Conversation; size: number }>()
  #bytes = 0

  constructor(writing: Writing) {
    this.#writing = writing
  }

  /** Lets `use` work on a session's encoding and keeps it. */
  with<T>(sessionId: string, use: (conversation: Conversation) => T): T {
    const kept = this.#kept.get(sessionId) ?? { conversation: new Conversation(this.#writing), size: 0 }
    this.#kept.delete(sessionId)
    this.#kept.set(sessionId, kept)
    try {
      return use(kept.conversation)
    } finally {
      this.#bytes += kept.conversation.size - kept.size
      kept.size = kept.conversation.size
      this.#makeRoom()
    }
  }

  #makeRoom(): void {
    for (const [sessionId, { size }] of this.#kept) {
      if ((this.#bytes <= maxBytes && this.#kept.size <= maxSessions) || this.#kept.size === 1) return
      this.#kept.delete(sessionId)
      this.#bytes -= size
    }
  }
}
