import { createAnthropic as anthropicV4 } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAICompatible as compatibleV4 } from '@ai-sdk/openai-compatible'
import { createAnthropic as anthropicV2 } from 'ai-sdk-v2-anthropic'
import { createOpenAICompatible as compatibleV2 } from 'ai-sdk-v2-openai-compatible'
import { createAnthropic as anthropicV3 } from 'ai-sdk-v3-anthropic'
import { createOpenAICompatible as compatibleV3 } from 'ai-sdk-v3-openai-compatible'
import { expect, test } from 'vitest'
import { RondoError } from '../../../src/index.ts'
import type { AiSdkLanguageModel } from '../../../src/models/ai-sdk/spec.ts'
import { isWire, type Wire, wires } from '../../../src/models/wire.ts'
import { describeWire, type Exchange, exchangesIn, misfits, type WireApi } from '../../setup/wire.ts'
import { heard } from './mock.ts'

// Recorded streams through the real packages: text and calls are those of a plain reading, an error is a typed one.

interface Facts {
  readonly text: string
  readonly calls: readonly (readonly [name: unknown, input: unknown])[]
}

/** What a package reads in another way than the plain reading, by what stands in the stream. */
const excuses: readonly (readonly [why: string, packages: RegExp, has: RegExp])[] = [
  ['arguments in pieces, which the plain reading does not put together', /google/, /"partialArgs"/],
  ['the text of a refusal is text for some versions', /compatible/, /"refusal":"/],
  ['content as a list of parts, which this version does not read', /compatible, specification 2/, /"content":\[/],
  ['an error beside choices, which this version does not pass on', /compatible, specification 2/, /"error":\{.*?"choices":/],
  ['blocks of MCP servers, which this version does not know', /anthropic, specification 2/, /"mcp_tool_use"/],
  ['arguments that stand in the start of a block, which this version does not read', /anthropic, specification 2/, /"caller"/],
]

function excused(name: string, events: readonly Wire[]): boolean {
  const text = JSON.stringify(events)
  return excuses.some(([, packages, has]) => packages.test(name) && has.test(text))
}

type Fetch = typeof globalThis.fetch

interface Package {
  readonly name: string
  readonly api: WireApi
  readonly read: (events: readonly Wire[]) => Facts
  readonly model: (fetch: Fetch) => AiSdkLanguageModel
}

const messages = { api: 'messages', read: readMessages } as const
const chat = { api: 'chat-completions', read: readChat } as const
const fake = { name: 'fake', baseURL: 'http://127.0.0.1:9/v1', apiKey: 'k', includeUsage: true } as const

const packages: readonly Package[] = [
  { name: '@ai-sdk/anthropic, specification 2', ...messages, model: (fetch) => anthropicV2({ apiKey: 'k', fetch })('claude-sonnet-4-5') },
  { name: '@ai-sdk/anthropic, specification 3', ...messages, model: (fetch) => anthropicV3({ apiKey: 'k', fetch })('claude-sonnet-4-5') },
  { name: '@ai-sdk/anthropic, specification 4', ...messages, model: (fetch) => anthropicV4({ apiKey: 'k', fetch })('claude-sonnet-4-5') },
  {
    name: '@ai-sdk/google',
    api: 'gemini-generate-content',
    read: readGemini,
    model: (fetch) => createGoogleGenerativeAI({ apiKey: 'k', fetch })('gemini-3-pro'),
  },
  { name: '@ai-sdk/openai-compatible, specification 2', ...chat, model: (fetch) => compatibleV2({ ...fake, fetch })('fake') },
  { name: '@ai-sdk/openai-compatible, specification 3', ...chat, model: (fetch) => compatibleV3({ ...fake, fetch })('fake') },
  { name: '@ai-sdk/openai-compatible, specification 4', ...chat, model: (fetch) => compatibleV4({ ...fake, fetch })('fake') },
]

describeWire('fromAiSdk on recorded streams', (folder) => {
  test.each(packages)('$name', async ({ name, api, read, model }) => {
    const seen = { same: 0, errors: 0, excused: 0 }
    const odd: string[] = []
    for (const exchange of exchangesIn(folder, { api, streaming: true })) {
      // Packages of Gemini ask for an event stream, never for a list.
      if (!exchange.meta.response.endsWith('.sse')) continue
      const whole = eventsOf(exchange)
      const got = await heard(
        model(() => Promise.resolve(responseOf(exchange))),
        { onWarning: () => {} },
      ).catch((error: unknown) => error)
      if (got instanceof Error) {
        expect(RondoError.is(got) && got.category, exchange.name).toBe('model')
        if (!isWhole(whole)) seen.errors++
        else if (excused(name, whole)) seen.excused++
        else odd.push(`${exchange.name}: ${got.message}`)
        continue
      }
      const { parts } = got as Awaited<ReturnType<typeof heard>>
      const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
      const calls = parts.flatMap((part) =>
        part.type === 'tool-call' && part.providerExecuted !== true ? [[part.toolName, part.rawInput ?? part.input]] : [],
      )
      const wanted = read(whole)
      if (!isWhole(whole) && !excused(name, whole)) odd.push(`${exchange.name}: is not whole, and was taken`)
      else if (text === wanted.text && JSON.stringify(calls) === JSON.stringify(wanted.calls)) seen.same++
      else if (excused(name, whole)) seen.excused++
      else odd.push(`${exchange.name}: ${JSON.stringify([text, calls])} is not ${JSON.stringify(wanted)}`.slice(0, 900))
    }
    console.info(`${name}: ${seen.same} streams the same, ${seen.errors} errors, ${seen.excused} excused, ${odd.length} otherwise`)
    // What a package makes of recordings that it was not tried on is the matter of its makers.
    expect(misfits(`streams that ${name} reads otherwise`, odd)).toEqual([])
  })
})

/** Whether a stream has all of its end, and no error in it. */
function isWhole(events: readonly Wire[]): boolean {
  if (events.some((event) => event['error'] !== undefined)) return false
  return events.some((event) => {
    const reason = at(wires(event['candidates'])[0], 'finishReason') ?? at(wires(event['choices'])[0], 'finish_reason')
    return event['type'] === 'message_stop' || (reason !== undefined && reason !== null && reason !== 'MALFORMED_FUNCTION_CALL')
  })
}

function parsed(json: string): unknown {
  try {
    return json.trim() === '' ? {} : JSON.parse(json)
  } catch {
    return json
  }
}

function responseOf(exchange: Exchange): Response {
  const { status, contentType } = exchange.meta
  return new Response(Buffer.from(exchange.response()), { status, headers: { 'content-type': contentType } })
}

function eventsOf(exchange: Exchange): Wire[] {
  const lines = Buffer.from(exchange.response()).toString().split(/\r?\n/)
  return lines.flatMap((line) => {
    try {
      const event: unknown = JSON.parse(line.replace(/^data: ?/, ''))
      return isWire(event) ? [event] : []
    } catch {
      return []
    }
  })
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isWire(inner) ? inner[key] : undefined), value)
}

function readMessages(events: readonly Wire[]): Facts {
  let text = ''
  const inputs = new Map<unknown, { name: unknown; json: string; input: unknown }>()
  for (const event of events) {
    // Nothing follows the end.
    if (event['type'] === 'message_stop') break
    const block = event['content_block']
    if (at(block, 'type') === 'text') text += String(at(block, 'text') ?? '')
    if (at(block, 'type') === 'tool_use') inputs.set(event['index'], { name: at(block, 'name'), json: '', input: at(block, 'input') })
    if (at(event, 'delta', 'type') === 'text_delta') text += String(at(event, 'delta', 'text'))
    // For the packages a compaction is a text.
    if (at(event, 'delta', 'type') === 'compaction_delta') text += String(at(event, 'delta', 'content'))
    const call = inputs.get(event['index'])
    if (at(event, 'delta', 'type') === 'input_json_delta' && call !== undefined) call.json += String(at(event, 'delta', 'partial_json'))
  }
  return { text, calls: [...inputs.values()].map(({ name, json, input }) => [name, json === '' ? input : parsed(json)]) }
}

function readGemini(events: readonly Wire[]): Facts {
  const parts = events.flatMap((event) => wires(at(wires(event['candidates'])[0], 'content', 'parts')))
  const text = parts.map((part) => (part['thought'] === true ? '' : String(part['text'] ?? ''))).join('')
  const calls = parts.flatMap((part) =>
    isWire(part['functionCall']) ? [[part['functionCall']['name'], part['functionCall']['args'] ?? {}] as const] : [],
  )
  return { text, calls }
}

function readChat(events: readonly Wire[]): Facts {
  let text = ''
  const inputs = new Map<unknown, { name: unknown; json: string }>()
  for (const event of events) {
    const delta = at(wires(event['choices'])[0], 'delta')
    const content = at(delta, 'content')
    text +=
      typeof content === 'string'
        ? content
        : wires(content)
            .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
            .join('')
    for (const call of wires(at(delta, 'tool_calls'))) {
      const known = inputs.get(call['index']) ?? { name: at(call, 'function', 'name'), json: '' }
      inputs.set(call['index'], known)
      known.json += String(at(call, 'function', 'arguments') ?? '')
    }
  }
  return { text, calls: [...inputs.values()].map(({ name, json }) => [name, parsed(json)]) }
}
