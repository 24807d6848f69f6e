import type { Message, ToolCallPart } from '../../core/message.ts'
import { textOf } from '../../core/message.ts'
import type { Task } from './task.ts'
import { taskOf } from './task.ts'

/** What is asked for now, and what has been tried for it. */
export interface Situation extends Task {
  /** The words of the task; for no task, the newest words of the user. */
  readonly words: string
  /** What the user said after the task that states nothing it knows. */
  readonly later: readonly string[]
  /** The calls made for this task, oldest first. */
  readonly calls: readonly ToolCallPart[]
}

/**
 * The newest user message that states something it knows is the task: a message sent during a run steers it. After an answer the
 * next message starts afresh, so that an unknown follow-up is never answered with the old task.
 */
export function situationOf(messages: Iterable<Message>): Situation {
  const all = [...messages]
  const calls: ToolCallPart[] = []
  const later: string[] = []
  for (let i = all.length - 1; i >= 0; i--) {
    const message = all[i]
    if (message === undefined || message.role === 'summary') continue
    if (message.role === 'assistant') {
      const called = message.parts.filter((part) => part.type === 'tool-call')
      if (called.length === 0 && later.length > 0) break
      calls.unshift(...called)
      continue
    }
    const words = textOf(message).trim()
    const task = taskOf(words)
    if (task.intents.length > 0) return { ...task, words, later, calls }
    if (words !== '') later.unshift(words)
  }
  return { intents: [], notUnderstood: [], words: later.at(-1) ?? '', later: [], calls }
}
