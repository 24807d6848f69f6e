import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Model } from '../../../src/core/model.ts'
import { fromAiSdk } from '../../../src/models/ai-sdk/index.ts'
import { anthropic } from '../../../src/models/anthropic/index.ts'
import { gemini } from '../../../src/models/gemini/index.ts'
import { jsonReply } from '../../../src/models/json-reply/index.ts'
import { ollama } from '../../../src/models/ollama/index.ts'
import { openai, openaiCompatible } from '../../../src/models/openai/index.ts'
import { fakeOpenAIChat } from '../../../src/testing/fake/chat/index.ts'
import { fakeGemini } from '../../../src/testing/fake/gemini/index.ts'
import { fakeAnthropic } from '../../../src/testing/fake/messages/index.ts'
import { fakeOllama } from '../../../src/testing/fake/ollama/index.ts'
import type { Answer, Raw } from '../../../src/testing/fake/reply.ts'
import { fakeResponses } from '../../../src/testing/fake/responses/index.ts'
import type { FakeScript, FakeServer } from '../../../src/testing/fake/server.ts'

/** An adapter with a server that holds it to its API. */
export interface Side {
  readonly name: string
  start(script: FakeScript): Promise<FakeServer>
  model(url: string): Model
  readonly settings?: { readonly reasoning: 'low' }
  /** Where a request has the conversation. */
  readonly list: 'messages' | 'input' | 'contents'
  /** How a model says an answer there. Default: as it stands. */
  readonly say?: (answer: Answer) => Answer
  /** Types of media that its API has no place for: its model is told of them in words. Default: none of those that are played. */
  readonly untaken?: readonly string[]
  /** The raw finish reason of an answer that was cut. */
  readonly cut: string
  /** What a request holds of thoughts of its own. Default: nothing goes back. */
  readonly thought?: (text: string) => string
  /** What goes back with them that nobody else may see. */
  readonly opaque?: RegExp
  /** An answer with a call that the provider ran itself, which says this. */
  readonly serverRun?: (text: string) => Raw
  /** What a request that goes back to it holds of that call. */
  readonly serverTrace?: string
}

const apiKey = 'key'

const json = (body: object): Raw => ({ status: 200, body })

/** Who gives reasoning in a field takes it back in that field. */
const givesReasoning = { extraMessageFields: ['reasoning_content'] }

const field = (text: string) => `"reasoning_content":"${text}"`

const chat = { list: 'messages', cut: 'length' } as const

const google = {
  list: 'contents',
  cut: 'MAX_TOKENS',
  settings: { reasoning: 'low' },
  // Arguments are objects there.
  say: wholeArguments,
  serverRun: (text: string) =>
    json({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { executableCode: { language: 'PYTHON', code: 'print(1)' } },
              { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
              { text },
            ],
          },
          finishReason: 'STOP',
        },
      ],
    }),
  serverTrace: 'codeExecutionResult',
} as const

/** An answer whose arguments are objects, for who has no others. */
function wholeArguments({ calls, ...rest }: Answer): Answer {
  return calls === undefined
    ? rest
    : { ...rest, calls: calls.map(({ rawInput, ...call }) => (rawInput === undefined ? call : { ...call, input: {} })) }
}

/** A reply of a model without tools of its own. */
function asJson({ reasoning, text, calls, breaks, ...rest }: Answer): Answer {
  const said = typeof text === 'string' || text === undefined ? text : text.join('')
  const called = calls?.map(
    ({ name, input = {}, rawInput }) => `{"name":${JSON.stringify(name)},"input":${rawInput ?? JSON.stringify(input)}}`,
  )
  const fields = [
    ...(reasoning === undefined ? [] : [`"thought":${JSON.stringify(reasoning)}`]),
    ...(said === undefined ? [] : [`"response":${JSON.stringify(said)}`]),
    ...(called === undefined ? [] : [`"tool_calls":[${called.join(',')}]`]),
  ]
  const whole = `{${fields.join(',')}}`
  // A reply that was cut has no end.
  const reply = rest.finish === 'length' ? whole.slice(0, -2) : whole
  const pieces = [...reply.matchAll(/.{1,12}/gsu)].map(([piece]) => piece)
  // It breaks off in the middle of what it says.
  const broken = breaks === undefined ? {} : { breaks: { ...breaks, after: Math.ceil(reply.indexOf('"tool_calls"') / 12) - 1 } }
  return { ...rest, text: pieces, ...broken }
}

export const sides: readonly Side[] = [
  {
    name: 'openai-chat',
    ...chat,
    start: (script) => fakeOpenAIChat(script, { rules: givesReasoning, quirks: { reasoningField: 'reasoning_content' } }),
    model: (baseURL) => openaiCompatible({ baseURL, name: 'plain' })('chat-model'),
    thought: field,
  },
  {
    name: 'mistral',
    ...chat,
    start: (script) => fakeOpenAIChat(script, { rules: { ...givesReasoning, mistral: true } }),
    model: (baseURL) => openaiCompatible({ baseURL, name: 'mistral', apiKey })('mistral-large'),
  },
  {
    name: 'deepseek',
    ...chat,
    start: (script) => fakeOpenAIChat(script, { rules: { deepseek: true }, quirks: { reasoningField: 'reasoning_content' } }),
    model: (baseURL) => openaiCompatible({ baseURL, name: 'deepseek', apiKey })('deepseek-reasoner'),
    untaken: ['image/png', 'application/pdf'],
    thought: field,
  },
  {
    name: 'openai-responses',
    list: 'input',
    cut: 'max_output_tokens',
    start: (script) => fakeResponses(script),
    model: (baseURL) => openai('gpt-5-fake', { baseURL, apiKey, store: false }),
    settings: { reasoning: 'low' },
    thought: (text) => `"text":"${text}"`,
    opaque: /"encrypted_content":"(gAAAA\w+)"/g,
    serverRun: (text) =>
      json({
        id: `resp_${text}`,
        object: 'response',
        status: 'completed',
        output: [
          { id: `ws_${text}`, type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'news' } },
          {
            id: `msg_${text}`,
            type: 'message',
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ],
      }),
    serverTrace: 'web_search_call',
  },
  {
    name: 'anthropic',
    list: 'messages',
    cut: 'max_tokens',
    start: (script) => fakeAnthropic(script),
    model: (baseURL) => anthropic('claude-sonnet-4-5', { baseURL, apiKey }),
    settings: { reasoning: 'low' },
    thought: (text) => `"thinking":"${text}"`,
    opaque: /"signature":"(sig\/[^"]+)"/g,
    serverRun: (text) =>
      json({
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: `srvtoolu_${text}`, name: 'web_search', input: { query: 'news' } },
          { type: 'web_search_tool_result', tool_use_id: `srvtoolu_${text}`, content: [] },
          { type: 'text', text },
        ],
        stop_reason: 'end_turn',
      }),
    serverTrace: 'web_search_tool_result',
  },
  {
    name: 'gemini-2.5',
    ...google,
    start: (script) => fakeGemini(script),
    model: (baseURL) => gemini('gemini-2.5-flash', { baseURL, apiKey }),
  },
  {
    name: 'gemini-3',
    ...google,
    start: (script) => fakeGemini(script),
    model: (baseURL) => gemini('gemini-3-pro', { baseURL, apiKey }),
    opaque: /"thoughtSignature":"([^"]+)"/g,
  },
  {
    name: 'ollama',
    list: 'messages',
    cut: 'length',
    start: (script) => fakeOllama(script),
    model: (baseURL) => ollama('qwen3', { baseURL }),
    untaken: ['application/pdf'],
    // What the server parses can't be broken there.
    say: wholeArguments,
  },
  {
    name: 'json-reply',
    ...chat,
    start: (script) => fakeOpenAIChat(script),
    model: (baseURL) => jsonReply(openaiCompatible({ baseURL, name: 'plain' })('toolless')),
    say: asJson,
    thought: (text) => `\\"thought\\":\\"${text}\\"`,
  },
  {
    name: 'ai-sdk',
    ...chat,
    start: (script) => fakeOpenAIChat(script, { rules: givesReasoning, quirks: { reasoningField: 'reasoning_content' } }),
    model: (baseURL) => fromAiSdk(createOpenAICompatible({ name: 'sdk', apiKey, baseURL, includeUsage: true })('sdk-model')),
    thought: field,
  },
]
