import type { WireApi } from '../../setup/wire.ts'
import { readChatRequest } from './chat-requests.ts'
import { readGeminiRequest } from './gemini-requests.ts'
import { readMessagesRequest } from './messages-requests.ts'
import { readOllamaRequest } from './ollama-requests.ts'
import type { AnyJson } from './reading.ts'
import type { ReadRequest } from './request.ts'
import { readResponsesRequest } from './responses-requests.ts'

const readers: { readonly [api in WireApi]: (request: AnyJson) => ReadRequest } = {
  'chat-completions': readChatRequest,
  responses: readResponsesRequest,
  messages: readMessagesRequest,
  'gemini-generate-content': readGeminiRequest,
  'ollama-chat': readOllamaRequest,
  'ollama-generate': readOllamaRequest,
}

/** What a request says, recorded or ours. */
export function readRequest(api: WireApi, request: AnyJson): ReadRequest {
  return readers[api](request)
}
