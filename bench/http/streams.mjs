// A stream of 20,000 pieces of text in the form of each API, read by its adapter: what a piece costs, beside one of Chat Completions in the
// same round. Run alone: node bench/http/streams.mjs [rounds]. Server and reader are processes of their own, this file with an argument.
import { fork, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const pieces = 20_000
const words = Array.from({ length: pieces }, (_, index) => ` word${index % 10}`)

/** @param {unknown} data @param {string} [event] */
const sse = (data, event) => `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`

/** What each API sends, as its recorded streams look. @type {{ [api: string]: () => string }} */
const bodies = {
  chat() {
    const chunk = (/** @type {object} */ delta, /** @type {string | null} */ finish = null) =>
      sse({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1_790_000_000,
        model: 'm',
        choices: [{ index: 0, delta, finish_reason: finish }],
      })
    return `${words.map((content) => chunk({ content })).join('')}${chunk({}, 'stop')}data: [DONE]\n\n`
  },
  responses() {
    let number = 0
    const event = (/** @type {string} */ type, /** @type {object} */ more) => sse({ type, sequence_number: number++, ...more }, type)
    const ids = { item_id: 'msg_1', output_index: 0, content_index: 0 }
    const text = words.join('')
    const part = { type: 'output_text', annotations: [], text }
    const item = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [part] }
    const response = { id: 'resp_1', object: 'response', status: 'in_progress', model: 'm', output: [] }
    const usage = { input_tokens: 10, output_tokens: pieces, total_tokens: pieces + 10 }
    return [
      event('response.created', { response }),
      event('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } }),
      event('response.content_part.added', { ...ids, part: { ...part, text: '' } }),
      ...words.map((delta) => event('response.output_text.delta', { ...ids, delta, logprobs: [] })),
      event('response.output_text.done', { ...ids, text }),
      event('response.content_part.done', { ...ids, part }),
      event('response.output_item.done', { output_index: 0, item }),
      event('response.completed', { response: { ...response, status: 'completed', output: [item], usage } }),
    ].join('')
  },
  messages() {
    const event = (/** @type {{ type: string }} */ data) => sse(data, data.type)
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      usage: { input_tokens: 10, output_tokens: 1 },
    }
    return [
      event({ type: 'message_start', ...{ message } }),
      event({ type: 'content_block_start', ...{ index: 0, content_block: { type: 'text', text: '' } } }),
      ...words.map((text) => event({ type: 'content_block_delta', ...{ index: 0, delta: { type: 'text_delta', text } } })),
      event({ type: 'content_block_stop', ...{ index: 0 } }),
      event({ type: 'message_delta', ...{ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: pieces } } }),
      event({ type: 'message_stop' }),
    ].join('')
  },
  gemini() {
    const event = (/** @type {object} */ candidate, /** @type {number} */ tokens) =>
      sse({
        candidates: [candidate],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: tokens, totalTokenCount: tokens + 10 },
        modelVersion: 'gemini-2.5-flash',
        responseId: 'r1',
      })
    const content = (/** @type {string} */ text) => ({ content: { parts: [{ text }], role: 'model' }, index: 0 })
    return [...words.map((text, index) => event(content(text), index + 1)), event({ ...content('.'), finishReason: 'STOP' }, pieces)].join(
      '',
    )
  },
  ollama() {
    const line = (/** @type {string} */ text, /** @type {object} */ more = {}) =>
      `${JSON.stringify({ model: 'm', created_at: `2026-08-07T06:08:${10 + (text.length % 9)}.957782Z`, message: { role: 'assistant', content: text }, done: false, ...more })}\n`
    return (
      words.map((text) => line(text)).join('') + line('', { done: true, done_reason: 'stop', prompt_eval_count: 10, eval_count: pieces })
    )
  },
}

/** @param {string} api @param {string} baseURL */
async function modelOf(api, baseURL) {
  const options = { baseURL, apiKey: 'k' }
  switch (api) {
    case 'chat':
      return (await import('../../dist/models/openai/index.js')).openaiChat('m', options)
    case 'responses':
      return (await import('../../dist/models/openai/index.js')).openai('m', options)
    case 'messages':
      return (await import('../../dist/models/anthropic/index.js')).anthropic('m', options)
    case 'gemini':
      return (await import('../../dist/models/gemini/index.js')).gemini('m', options)
    default:
      return (await import('../../dist/models/ollama/index.js')).ollama('m', { baseURL })
  }
}

/** Serves the body of an API; tells its parent the port. @param {string} api */
function serve(api) {
  const body = Buffer.from(bodies[api]?.() ?? '')
  const type = api === 'ollama' ? 'application/x-ndjson' : 'text/event-stream'
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      response.writeHead(200, { 'content-type': type, 'content-length': body.length })
      response.end(body)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object' && address !== null) process.send?.(address.port)
  })
  process.on('disconnect', () => process.exit())
}

/** Reads it three times, and prints what the last two took. @param {string} api @param {string} port */
async function read(api, port) {
  const model = await modelOf(api, `http://127.0.0.1:${port}`)
  const request = {
    instructions: '',
    messages: [],
    tools: [],
    toolChoice: /** @type {const} */ ('auto'),
    settings: {},
    purpose: /** @type {const} */ ('main'),
  }
  const once = async () => {
    let length = 0
    const sink = (/** @type {any} */ delta) => (length += delta.type === 'text' ? delta.text.length : 0)
    const message = { role: /** @type {const} */ ('user'), parts: [{ type: /** @type {const} */ ('text'), text: 'go' }] }
    await model.stream({ ...request, messages: [message] }, sink, { signal: new AbortController().signal, sessionId: 's' })
    if (length < words.join('').length) throw new Error(`${length} characters were read`)
  }
  await once()
  globalThis.gc?.()
  const before = process.cpuUsage()
  await once()
  await once()
  const { user, system } = process.cpuUsage(before)
  console.log((user + system) / 2 / pieces)
}

/** One measurement: µs of CPU a piece. @param {string} api @returns {Promise<number>} */
function measured(api) {
  const file = fileURLToPath(import.meta.url)
  return new Promise((resolve, reject) => {
    const server = fork(file, ['serve', api], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    server.once('error', reject)
    server.once('message', (port) => {
      const reader = spawn(process.execPath, ['--expose-gc', file, 'read', api, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] })
      let out = ''
      reader.stdout.on('data', (chunk) => (out += chunk))
      reader.once('error', reject)
      reader.once('close', (code) => {
        server.kill()
        if (code === 0) resolve(Number(out))
        else reject(new Error(`the stream of ${api} could not be read`))
      })
    })
  })
}

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** For each API what a piece of text costs (µs of CPU), and beside one of Chat Completions: medians of the rounds. @param {number} rounds */
export async function compareStreams(rounds) {
  /** @type {Map<string, { cost: number[], ratio: number[] }>} */
  const figures = new Map(Object.keys(bodies).map((api) => [api, { cost: [], ratio: [] }]))
  for (let round = 0; round < rounds; round++) {
    const chat = await measured('chat')
    for (const [api, { cost, ratio }] of figures) {
      const own = api === 'chat' ? chat : await measured(api)
      cost.push(own)
      ratio.push(own / chat)
    }
  }
  return [...figures].map(([api, { cost, ratio }]) => ({ api, cost: median(cost), ratio: median(ratio) }))
}

const [, file, what, api = '', port = ''] = process.argv
if (file === fileURLToPath(import.meta.url)) {
  if (what === 'serve') serve(api)
  else if (what === 'read') await read(api, port)
  else
    for (const { api: name, cost, ratio } of await compareStreams(Number(what ?? 3)))
      console.log(`${name.padEnd(10)} ${cost.toFixed(2)} µs  ${ratio.toFixed(2)} ×`)
}
