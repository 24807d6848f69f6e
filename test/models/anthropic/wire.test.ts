import { expect, test } from 'vitest'
import { RondoError } from '../../../src/core/error.ts'
import { type ToolCallPart, textOf } from '../../../src/core/message.ts'
import { areOwn, describeWire, type Exchange, exchangesIn } from '../../setup/wire.ts'
import { type Read, read, user, written } from './support.ts'

// Each recorded Messages response, cut in several ways, against what a plain reading of its JSON says, and its blocks against what a request
// sends back of it. The reading here is independent of the adapter: no code of it, no streaming, no fast paths.

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
type AnyJson = any

interface Plain {
  blocks: AnyJson[]
  reason: string | undefined
  usage: AnyJson
  error: boolean
  done: boolean
  id: string | undefined
}

function decode({ meta, response }: Exchange, size: number): Read {
  return read(response(), meta.contentType, size)
}

function plainReading({ meta, response }: Exchange): Plain {
  const body = new TextDecoder().decode(response())
  const plain: Plain = { blocks: [], reason: undefined, usage: {}, error: false, done: false, id: undefined }
  if (!meta.streaming) {
    addMessage(plain, JSON.parse(body))
    plain.done = true
    return plain
  }
  for (const line of body.split(/\r?\n/)) {
    const data = line.startsWith('data:') ? line.slice(5).trim() : ''
    if (data === '' || plain.done) continue
    try {
      addEvent(plain, JSON.parse(data))
    } catch {
      // Cut in its middle, or no JSON.
    }
  }
  return plain
}

function addMessage(plain: Plain, message: AnyJson): void {
  plain.blocks.push(...(message.content ?? []))
  plain.reason = message.stop_reason ?? plain.reason
  plain.usage = { ...plain.usage, ...message.usage }
}

function addEvent(plain: Plain, event: AnyJson): void {
  if (event.type === 'error') plain.error = true
  if (event.type === 'message_start') {
    // Another message in the middle of one: neither is whole.
    if (plain.blocks.length > 0 && event.message.id !== plain.id) plain.error = true
    plain.id = event.message.id
    addMessage(plain, event.message)
  }
  if (event.type === 'message_stop') plain.done = true
  if (event.type === 'message_delta') {
    plain.reason = event.delta.stop_reason ?? plain.reason
    plain.usage = { ...plain.usage, ...event.usage }
  }
  if (event.type === 'content_block_start') plain.blocks[event.index] = structuredClone(event.content_block)
  const block = plain.blocks[event.index]
  if (event.type === 'content_block_delta') addDelta(block, event.delta)
  if (event.type === 'content_block_stop' && block.json !== undefined) {
    if (block.json !== '') block.input = JSON.parse(block.json)
    delete block.json
  }
}

function addDelta(block: AnyJson, { type, ...delta }: AnyJson): void {
  if (type === 'input_json_delta') block.json = (block.json ?? '') + delta.partial_json
  else if (type === 'citations_delta') block.citations = [...(block.citations ?? []), delta.citation]
  else for (const [name, value] of Object.entries(delta)) block[name] = (block[name] ?? '') + value
}

const isBlank = ({ type, text }: AnyJson) => type === 'text' && text.trim() === ''

/** No text may be blank; what is blank between two texts stands at the end of the first. */
function withBlanks(blocks: readonly AnyJson[]): AnyJson[] {
  return blocks.flatMap((block, place) => {
    if (isBlank(block)) return []
    const next = blocks.findIndex((one, at) => at > place && !isBlank(one))
    if (block.type !== 'text' || blocks[next]?.type !== 'text') return [block]
    const blanks = blocks.slice(place + 1, next).map(({ text }) => text)
    return [{ ...block, text: block.text + blanks.join('') }]
  })
}

/** What of an answer a request must send back. */
function back({ blocks, reason }: Plain): AnyJson[] {
  const results = new Set(blocks.map(({ tool_use_id: of }) => of))
  const callers = new Set(blocks.map(({ type, caller }) => (type === 'tool_use' ? caller?.tool_id : undefined)))
  const uses = new Set(blocks.map(({ id }) => id))
  return withBlanks(blocks).flatMap((block) => {
    if (block.type === 'text' && block.citations?.length === 0) return [{ type: 'text', text: block.text }]
    if (block.type === 'thinking' && !block.signature) return []
    if (/(?:server|mcp)_tool_use/.test(block.type))
      return results.has(block.id) || callers.has(block.id) || reason === 'pause_turn' ? [block] : []
    // The call of such a result stands in the answer before.
    if (block.type.endsWith('_tool_result') && !uses.has(block.tool_use_id)) return []
    if (block.type !== 'tool_use' || block.caller?.type !== 'direct') return [block]
    const { caller: _, ...call } = block
    return [call]
  })
}

describeWire('Messages as recorded', (folder) => {
  const found = exchangesIn(folder, { api: 'messages', status: (status) => status < 300 })

  test('there are recordings', () => {
    expect(found.length > 70 || !areOwn()).toBe(true)
  })

  for (const exchange of found) {
    const plain = plainReading(exchange)
    const broken = plain.error || (plain.reason === undefined && !plain.done)
    test(`${exchange.name} ${broken ? 'is an error' : 'reads the same, however it is cut, and goes back as it came'}`, () => {
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
  const joined = (type: string, field: string) => plain.blocks.map((block) => (block.type === type ? block[field] : '')).join('')
  expect(textOf(message)).toBe(joined('text', 'text'))
  expect(message.parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('')).toBe(joined('thinking', 'thinking'))
  const calls = message.parts.filter((part): part is ToolCallPart => part.type === 'tool-call')
  expect(calls.map(({ toolName, providerCallId, input }) => ({ name: toolName, id: providerCallId, input }))).toEqual(
    plain.blocks.flatMap(({ type, name, id, input }) => (/tool_use$/.test(type) ? [{ name, id, input }] : [])),
  )
  expect(finish.rawFinishReason).toBe(plain.reason ?? undefined)
  const { usage } = plain
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0)
  expect(finish.usage).toMatchObject({ inputTokens: usage.input_tokens + cached, outputTokens: usage.output_tokens, complete: true })
  const [, answer, results] = written([user('go'), message, ...(plain.reason === 'pause_turn' ? [] : [user('and?')])]) as AnyJson[]
  const ours = calls.filter(({ providerExecuted }) => providerExecuted !== true)
  if (back(plain).length === 0) return
  expect(answer.content).toEqual(back(plain))
  const answered = (results?.content ?? []).flatMap(({ tool_use_id: id }: AnyJson) => (id === undefined ? [] : [id]))
  if (ours.length > 0) expect(answered).toEqual(ours.map((call) => call.providerCallId))
}
