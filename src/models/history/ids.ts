import type { ToolCallPart } from '../../core/message.ts'

/** Ids of tool calls as a server wants them. */
export interface CallIds {
  /** Whether the server takes this id of its own. */
  readonly accepts: (id: string) => boolean
  /** An id for a call that has none that can be sent: from our own, which is unique in the session. */
  readonly make: (callId: string) => string
}

/** `call_m3_0`: what nearly every server takes. */
const anyIds: CallIds = {
  accepts: (id) => id.length <= 64 && /^[\w.:-]+$/.test(id),
  make: (callId) => `call_${callId.replaceAll('.', '_')}`,
}

/** The same for servers that take letters, digits, `_` and `-` only. */
export const wordIds: CallIds = {
  accepts: (id) => id.length <= 64 && /^[\w-]+$/.test(id),
  make: anyIds.make,
}

/** Exactly nine letters and digits (Mistral). `m12.3` becomes `R0000c003`: ids that begin as ours do are not taken from anybody else. */
export const nineIds: CallIds = {
  accepts: (id) => /^[a-zA-Z0-9]{9}$/.test(id) && !/^R[0-9a-z]{8}$/.test(id),
  make(callId) {
    const [turn = 0, index = 0] = callId.replace(/^\D+/, '').split('.').map(Number)
    return `R${turn.toString(36).padStart(5, '0')}${index.toString(36).padStart(3, '0')}`
  },
}

/** The server's own ids where they can go back; if one of a message can't (B014, B015, B016), all of it get ours. */
export function idsOf(calls: readonly ToolCallPart[], used: { has(id: string): boolean }, ids: CallIds): readonly string[] {
  const own = calls.map(({ providerCallId }) => providerCallId ?? '')
  const good = new Set(own).size === own.length && own.every((id) => id !== '' && ids.accepts(id) && !used.has(id))
  return good ? own : calls.map(({ callId }) => ids.make(callId))
}
