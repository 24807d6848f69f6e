import { expect, test } from 'vitest'
import { Assembler } from '../../../src/core/assemble.ts'
import { RondoError } from '../../../src/core/error.ts'
import { type Message, type ToolCallPart, textOf } from '../../../src/core/message.ts'
import type { ModelFinish } from '../../../src/core/model.ts'
import { describeWire, type Exchange, exchangesIn } from '../../setup/wire.ts'
import { chatResponse } from './support.ts'

// Each recorded Chat Completions response, cut in several ways, against what a plain reading of its JSON says. The reading here is
// independent of the adapter: no code of it, no streaming, no fast paths.

interface Read {
  readonly message: Message
  readonly finish: ModelFinish
}

/** What the adapter makes of a response whose body comes in pieces of so many bytes. */
function decode({ meta, header, response }: Exchange, size: number): Read {
  const assembler = new Assembler({ n: 1 })
  const receiver = chatResponse({ provider: 'wire' }, (delta) => void assembler.push(delta))
  receiver.head({ status: meta.status, header: (name) => (name === 'content-type' ? meta.contentType : header(name)) })
  const bytes = response()
  for (let at = 0; at < bytes.length; at += size) if (receiver.chunk(bytes.subarray(at, at + size)) === 'complete') break
  const finish = receiver.finish()
  return { message: assembler.finish(), finish }
}

interface Plain {
  text: string
  reasoning: string
  refusal: string
  calls: { id?: string; index?: number; name: string; input: string }[]
  finish: string | undefined
  usage: { prompt_tokens?: number; completion_tokens?: number; total_tokens?: number } | undefined
  done: boolean
  error: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
type AnyJson = any

function plainReading({ meta, response }: Exchange): Plain {
  const body = new TextDecoder().decode(response())
  const plain: Plain = { text: '', reasoning: '', refusal: '', calls: [], finish: undefined, usage: undefined, done: false, error: false }
  if (!meta.streaming) {
    plain.done = true
    add(plain, JSON.parse(body))
    return plain
  }
  for (const event of body.split(/\r?\n\r?\n/)) {
    const data = event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trim())
      .join('\n')
    if (data === '[DONE]') plain.done = true
    else if (data !== '') {
      try {
        add(plain, JSON.parse(data))
      } catch {
        // Cut in its middle.
      }
    }
  }
  return plain
}

function add(plain: Plain, event: AnyJson): void {
  if (event.error) plain.error = true
  plain.usage = event.x_groq?.usage ?? event.usage ?? plain.usage
  const choice = (event.choices ?? []).find((one: AnyJson) => (one.index ?? 0) === 0)
  if (choice === undefined) return
  if (choice.error) plain.error = true
  plain.finish = choice.finish_reason || plain.finish
  const message = choice.delta ?? choice.message ?? {}
  plain.reasoning += message.reasoning_content || message.reasoning || ''
  addContent(plain, message.content)
  plain.refusal += message.refusal ?? ''
  for (const call of [...(message.tool_calls ?? []), ...(message.function_call ? [message.function_call] : [])]) addCall(plain, call)
}

function addContent(plain: Plain, content: AnyJson): void {
  if (typeof content === 'string') plain.text += content
  else if (Array.isArray(content))
    for (const part of content) {
      plain.text += part.text ?? ''
      for (const piece of part.thinking ?? []) plain.reasoning += piece.text ?? ''
    }
  else if (content) plain.text += JSON.stringify(content)
}

/** In the recordings a call begins where there is a name; all else goes on with the one of its index, or with the last one. */
function addCall(plain: Plain, entry: AnyJson): void {
  const { name, arguments: input } = entry.function ?? entry
  const text = typeof input === 'object' && input !== null ? JSON.stringify(input) : (input ?? '')
  const known = plain.calls.find(({ index }) => index !== undefined && index === entry.index) ?? plain.calls.at(-1)
  if (name) plain.calls.push({ ...(entry.id ? { id: entry.id } : {}), index: entry.index, name, input: text })
  else if (known) known.input += text
}

const good = (status: number) => status < 300

describeWire('Chat Completions as recorded', (folder) => {
  const found = exchangesIn(folder, { api: 'chat-completions', status: good })

  test('there are recordings', () => {
    expect(found.length).toBeGreaterThan(250)
  })

  for (const exchange of found) {
    const plain = plainReading(exchange)
    const broken = plain.error || (plain.finish === undefined && !plain.done)
    test(`${exchange.name} ${broken ? 'is an error' : 'reads the same, however it is cut'}`, () => {
      for (const size of [1, 7, 1_000, 1_000_000]) {
        if (broken) expect(failure(exchange, size)).toBe(true)
        else compare(decode(exchange, size), plain)
      }
    })
  }
})

function failure(exchange: Exchange, size: number): boolean {
  try {
    decode(exchange, size)
    return false
  } catch (error) {
    return RondoError.is(error) && error.category === 'model'
  }
}

function compare({ message, finish }: Read, plain: Plain): void {
  expect(textOf(message)).toBe(plain.text + plain.refusal)
  expect(message.parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('')).toBe(plain.reasoning)
  const calls = message.parts.filter((part): part is ToolCallPart => part.type === 'tool-call')
  expect(calls.map(({ toolName, providerCallId, input, rawInput }) => [toolName, providerCallId, rawInput ?? input])).toEqual(
    plain.calls.map(({ name, id, input }) => [name, id, argumentsOf(input)]),
  )
  expect(finish.rawFinishReason).toBe(plain.finish)
  expect(finish.usage.complete).toBe(plain.usage?.prompt_tokens !== undefined && plain.usage.completion_tokens !== undefined)
  if (!finish.usage.complete) return
  expect(finish.usage.inputTokens).toBe(plain.usage?.prompt_tokens)
  // Where a server counts reasoning beside the completion, output is more than that.
  const { outputTokens, reasoningTokens } = finish.usage
  expect(outputTokens).toBeGreaterThanOrEqual(Math.max(reasoningTokens, plain.usage?.completion_tokens ?? 0))
  if (reasoningTokens === 0 && (plain.usage?.total_tokens ?? 0) === 0) expect(outputTokens).toBe(plain.usage?.completion_tokens)
  else if (reasoningTokens <= (plain.usage?.completion_tokens ?? 0))
    expect([outputTokens, outputTokens - reasoningTokens]).toContain(plain.usage?.completion_tokens)
}

/** As a value where it is one, else as the text that it is. */
function argumentsOf(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text)
  } catch {
    return text
  }
}
