import type { ToolCallPart } from '../../core/message.ts'

/** Ids of tool calls as a server wants them. */
export interface CallIds {
  /** Whether the server takes this id of its own. */
  readonly accepts: (id: string) => boolean
  /** An id for a call that has none that can be sent: from our own, which is unique in the session. */
  readonly make: (callId: string) => string
}

/** `call_m3_0`: what nearly every server takes. */
export const anyIds: CallIds = {
  accepts: (id) => id.length <= 64 && /^[\w.:-]+$/.test(id) && !isLikeOurs(id),
  make: (callId) => `call_${callId.replaceAll('.', '_')}`,
}

/**
 * The same, and no longer than 40 characters: OpenAI ("Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum
 * length 40"). Those of vLLM have 46, and so have ours for calls of imported history: they get a mark of it instead.
 */
export const fortyIds: CallIds = {
  accepts: (id) => id.length <= 40 && anyIds.accepts(id),
  make: (callId) => (ofRun.test(callId) ? anyIds.make(callId) : `call_S${mark(callId)}`),
}

/** As `anyIds`, for servers that take letters, digits, `_` and `-` only. */
export const wordIds: CallIds = {
  accepts: (id) => /^[\w-]+$/.test(id) && anyIds.accepts(id),
  make: anyIds.make,
}

/**
 * Exactly nine letters and digits (Mistral). `m12.3` becomes `R0000c003`, a call of imported history `S` and a mark of its id: ids that begin as
 * ours do are not taken from anybody else.
 */
export const nineIds: CallIds = {
  accepts: (id) => /^[a-zA-Z0-9]{9}$/.test(id) && !/^[RS][0-9a-z]{8}$/.test(id),
  make(callId) {
    const [, turn, index] = ofRun.exec(callId) ?? []
    if (turn === undefined || index === undefined) return `S${mark(callId)}`
    return `R${Number(turn).toString(36).padStart(5, '0')}${Number(index).toString(36).padStart(3, '0')}`
  },
}

/** A call of a run of this session, `m12.3`; others came with imported history. */
const ofRun = /^m(\d{1,8})\.(\d{1,4})$/

/** One that looks like ours is somebody else's, be it that a model has written it after what it saw: it could meet one of ours. */
function isLikeOurs(id: string): boolean {
  return /^call_(?:m\d+_\d+|S[0-9a-z]{8})$/.test(id)
}

/** 41 bits of a text, as 8 letters and digits: two hashes as of FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
function mark(text: string): string {
  let one = 0x811c9dc5
  let other = 0x01234567
  for (let i = 0; i < text.length; i++) {
    one = Math.imul(one ^ text.charCodeAt(i), 0x01000193)
    other = Math.imul(other ^ text.charCodeAt(i), 0x85ebca6b)
  }
  return ((one >>> 0) * 0x1ff + (other >>> 23)).toString(36).padStart(8, '0')
}

/** The server's own ids where they can go back; if one of a message can't (B014, B015, B016), all of it get ours. */
export function idsOf(calls: readonly ToolCallPart[], used: { has(id: string): boolean }, ids: CallIds): readonly string[] {
  const own = calls.map(({ providerCallId }) => providerCallId ?? '')
  const good = new Set(own).size === own.length && own.every((id) => id !== '' && ids.accepts(id) && !used.has(id))
  return good ? own : calls.map(({ callId }) => ids.make(callId))
}
