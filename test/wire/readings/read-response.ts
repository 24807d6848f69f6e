import type { Exchange, WireApi } from '../../setup/wire.ts'
import { readChat } from './chat-completions.ts'
import { readGemini } from './gemini.ts'
import { readMessages } from './messages.ts'
import { readOllama } from './ollama.ts'
import type { Reading, Recorded } from './reading.ts'
import { readResponses } from './responses.ts'

const readers: { readonly [api in WireApi]: (recorded: Recorded) => Reading } = {
  'chat-completions': readChat,
  responses: readResponses,
  messages: readMessages,
  'gemini-generate-content': readGemini,
  'ollama-chat': readOllama,
  'ollama-generate': readOllama,
}

/** What a recorded response says. */
export function readResponse({ meta, header, response }: Exchange): Reading {
  return readers[meta.api]({ status: meta.status, body: new TextDecoder().decode(response()), header })
}
