import type { Message } from '../../core/message.ts'
import type { ModelRequest } from '../../core/model.ts'
import { Transcript } from '../../core/transcript.ts'
import type { Writing } from '../http/conversation.ts'
import { dataOf } from './data.ts'

/** So many sessions are known of; then the one that was used least recently is sent as a whole again. */
const maxSessions = 2_000

const encoder = new TextEncoder()

/** What was sent last of a session. */
interface Sent {
  readonly story: object
  readonly length: number
  readonly last: Message | undefined
  /** Whether it went on from a response. */
  readonly wentOn: boolean
}

/** What goes on from a response that the server has kept. */
export interface Continued {
  /** The id of the response. */
  readonly from: string
  /** The new items, as a list without brackets. */
  readonly input: Uint8Array
}

/**
 * Knows what the server has kept of each session: what was sent last, and the answer to it. A history that does not go on from there (it was
 * revised, forked, or sent by another process) is sent as a whole.
 */
export class ContinuedSessions {
  readonly #writing: Writing
  readonly #scope: string
  /** In order of use, oldest first. */
  readonly #sent = new Map<string, Sent>()

  constructor(writing: Writing, scope: string) {
    this.#writing = writing
    this.#scope = scope
  }

  /** What of a request is new, if the rest is known to the server. Takes it for sent. */
  next(messages: ModelRequest['messages'], sessionId: string): Continued | undefined {
    const before = this.#sent.get(sessionId)
    this.#sent.delete(sessionId)
    if (!(messages instanceof Transcript)) return undefined
    const { story, length } = messages
    const goesOn = before !== undefined && before.story === story && before.length < length
    const isSame = goesOn && (before.length === 0 || messages.at(before.length - 1) === before.last)
    const continued = isSame ? this.#continued(messages, before.length) : undefined
    const last = length === 0 ? undefined : messages.at(length - 1)
    this.#sent.set(sessionId, { story, length, last, wentOn: continued !== undefined })
    for (const oldest of this.#sent.keys()) {
      if (this.#sent.size <= maxSessions) break
      this.#sent.delete(oldest)
    }
    return continued
  }

  /** Whether what was sent last went on from a response. The next time all is sent. */
  goBack(sessionId: string): boolean {
    const wentOn = this.#sent.get(sessionId)?.wentOn === true
    this.#sent.delete(sessionId)
    return wentOn
  }

  #continued(messages: Transcript, place: number): Continued | undefined {
    const answer = messages.at(place)
    const from = answer.role === 'assistant' ? this.#responseOf(answer) : undefined
    if (from === undefined) return undefined
    const used = new Map<string, number>()
    const items: string[] = []
    for (let at = place; at < messages.length; at++) {
      const message = messages.at(at)
      const { pieces, ids } = this.#writing.encode(message, used, at === 0 ? undefined : messages.at(at - 1))
      // The server knows the calls by its own ids only.
      if (at === place && !hasOwnIds(message, ids)) return undefined
      for (const id of ids) used.set(id, at)
      for (const { role, body } of pieces) if (at > place || role !== 'assistant') items.push(body)
    }
    return items.length === 0 ? undefined : { from, input: encoder.encode(items.join(',')) }
  }

  #responseOf({ parts }: Message): string | undefined {
    for (const { providerData } of parts) {
      const data = providerData !== undefined && Object.hasOwn(providerData, this.#scope) ? providerData[this.#scope] : undefined
      const { response } = dataOf(data)
      if (response !== undefined) return response
    }
    return undefined
  }
}

function hasOwnIds({ parts }: Message, ids: readonly string[]): boolean {
  const sent = new Set(ids)
  return parts.every((part) => part.type !== 'tool-call' || part.providerExecuted === true || sent.has(part.providerCallId ?? ''))
}
