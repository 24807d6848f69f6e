import type { FakeApi, FakeOptions, FakeScript, FakeServer } from '../server.ts'
import { fakeServer } from '../server.ts'
import { violation } from '../violation.ts'
import { completionText, streamFrames } from './bytes.ts'
import type { ChatRules } from './chat-rules.ts'
import { type ChatAnswer, type ChatQuirks, reasoningFieldOf } from './quirks.ts'
import { checkBody } from './rules.ts'

export type ChatOptions = FakeOptions<ChatQuirks, ChatRules>

/**
 * A Chat Completions server for tests: OpenAI's, or another's by its quirks and rules. OpenAI's tells no reasoning; one whose script has some
 * takes it back in the field in which it has told it.
 */
export function fakeOpenAIChat(script: FakeScript<ChatQuirks>, options: ChatOptions = {}): Promise<FakeServer> {
  const told = new Set<string>()
  const note = (answer: ChatAnswer, quirks: ChatQuirks): void => {
    if (tellsReasoning(answer)) told.add(reasoningFieldOf(quirks))
  }
  const remembering: FakeApi<ChatQuirks, ChatRules> = {
    ...api,
    checkBody: (body, rules) => checkBody(body, { ...rules, extraMessageFields: [...(rules.extraMessageFields ?? []), ...told] }),
    frames(answer, quirks, asked) {
      note(answer, quirks)
      return streamFrames(answer, quirks, asked)
    },
    whole(answer, quirks, asked) {
      note(answer, quirks)
      return completionText(answer, quirks, asked)
    },
  }
  return fakeServer(remembering, script, options)
}

function tellsReasoning({ reasoning, pieces = [] }: ChatAnswer): boolean {
  return reasoning !== undefined || pieces.some((piece) => 'reasoning' in piece)
}

const api: Omit<FakeApi<ChatQuirks, ChatRules>, 'checkBody' | 'frames' | 'whole'> = {
  base: '/v1',
  streamType: 'text/event-stream; charset=utf-8',
  checkHead({ method, path, headers }, apiKey) {
    if (method !== 'POST' || !/^[^?]*\/chat\/completions(?:\?|$)/.test(path))
      return violation('url', null, `Invalid URL (${method} ${path})`)
    if (apiKey === undefined || headers.authorization === `Bearer ${apiKey}`) return undefined
    return violation('key', null, 'Incorrect API key provided.', 'invalid_api_key')
  },
  refusal({ message, param, code, rule }) {
    // Its words are llama.cpp's, and so is its form.
    if (rule === 'arguments') return { status: 500, body: { error: { code: 500, message, type: 'server_error' } } }
    const status = rule === 'url' ? 404 : rule === 'key' ? 401 : 400
    return { status, body: { error: { message, type: 'invalid_request_error', param, code } } }
  },
  asksForStream: (body) => body['stream'] === true,
  callId: (n, { mistral }) => `${mistral === true ? 'call' : 'call_'}${String(n).padStart(5, '0')}`,
}
