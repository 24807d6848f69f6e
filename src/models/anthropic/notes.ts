import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { Message, Part } from '../../core/message.ts'

/**
 * What is kept as opaque data of a part, besides what shows.
 *
 * - `item`: a whole block, sent back as it came.
 * - `signature` of reasoning; `citations` of a text; `caller` of a call that a provider-run program made.
 * - `paused`: the answer paused here, and goes on when its content comes back; `container`: where its programs ran.
 */
export type Notes = JsonObject

export function notesOf(part: Part, scope: string): Notes | undefined {
  const { providerData } = part
  const notes = providerData !== undefined && Object.hasOwn(providerData, scope) ? providerData[scope] : undefined
  return isJsonObject(notes) ? notes : undefined
}

/** A note that stands on one of the parts of a message, of which it is the last. */
export function noteIn(message: Message, scope: string, name: 'paused' | 'container'): Json | undefined {
  for (let at = message.parts.length - 1; at >= 0; at--) {
    const part = message.parts[at]
    const note = part === undefined ? undefined : notesOf(part, scope)?.[name]
    if (note !== undefined) return note
  }
  return undefined
}
