import type { Message } from '../../core/message.ts'
import { wellFormed } from '../../core/text.ts'
import { joinedTexts, type TextItem } from '../history/turns.ts'
import { unseen } from '../media-data.ts'
import type { Peer } from './peer.ts'

/** A conversation without tools as the chat format of a model file takes it, with an empty answer at its end that is to be written. */
export function chatHistory(instructions: string, messages: Iterable<Message>): Peer.ChatHistoryItem[] {
  const history: Peer.ChatHistoryItem[] = []
  if (instructions !== '') history.push({ type: 'system', text: wellFormed(instructions) })
  for (const message of messages) {
    const text = shownText(message)
    if (text.trim() === '') continue
    const last = history.at(-1)
    if (message.role === 'assistant') history.push({ type: 'model', response: [text] })
    // Many formats take one message of the user between two answers.
    else if (last?.type === 'user') last.text = `${last.text}\n\n${text}`
    else history.push({ type: 'user', text })
  }
  history.push({ type: 'model', response: [] })
  return history
}

/** Reasoning is not shown to the model again; of images and files it is told. */
function shownText({ parts }: Message): string {
  const items = parts.flatMap((part): TextItem[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    return part.type === 'image' || part.type === 'file' ? [{ type: 'text', text: unseen(part), isTold: true }] : []
  })
  return wellFormed(joinedTexts(items))
}
