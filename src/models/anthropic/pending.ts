import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { Message } from '../../core/message.ts'
import { noteIn, notesOf } from './notes.ts'
import { isServerResult, isServerUse } from './server-tools.ts'

/**
 * Which of the calls that the provider runs may stand in an answer without their result: those at which it paused, and those whose program
 * waits for calls of ours. Their result comes in the answer after it (B055).
 */
export function pendingIn(message: Message, scope: string): ReadonlyMap<string, JsonObject> {
  const pending = new Map<string, JsonObject>()
  if (message.role !== 'assistant') return pending
  const { uses, results, callers } = serverBlocks(message, scope)
  const paused = noteIn(message, scope, 'paused') === true
  for (const [id, use] of uses) if (!results.has(id) && (paused || callers.has(id))) pending.set(id, use)
  // The program began in an answer before: what it is called is known there.
  for (const id of callers) if (!uses.has(id) && !results.has(id)) pending.set(id, { type: 'server_tool_use', id, name: 'code_execution' })
  return pending
}

interface ServerBlocks {
  readonly uses: ReadonlyMap<string, JsonObject>
  readonly results: ReadonlySet<string>
  /** Of which programs the calls of ours are. */
  readonly callers: ReadonlySet<string>
}

export function serverBlocks(message: Message, scope: string): ServerBlocks {
  const uses = new Map<string, JsonObject>()
  const results = new Set<string>()
  const callers = new Set<string>()
  for (const part of message.parts) {
    const { item, caller } = notesOf(part, scope) ?? {}
    const from = isJsonObject(caller) ? caller['tool_id'] : undefined
    if (typeof from === 'string') callers.add(from)
    if (!isJsonObject(item)) continue
    const { type, id, tool_use_id: of } = item
    if (isServerUse(type) && typeof id === 'string') uses.set(id, item)
    else if (isServerResult(type) && typeof of === 'string') results.add(of)
  }
  return { uses, results, callers }
}
