import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { completionText, type Frame, streamFrames } from './fake-openai/bytes.ts'
import type { Answer, Quirks, Raw, Reply } from './fake-openai/reply.ts'
import { checkRequest } from './fake-openai/rules.ts'
import { isObject, type RuleOptions, type Violation, violation } from './fake-openai/violation.ts'

// A Chat Completions server for tests, on 127.0.0.1. It holds every request to the rules that real servers enforce (field reports, appendix
// B) and answers 400 in their words when one is broken, so that a history that would kill a session somewhere kills the test. Else it gives
// the next reply of its script, streamed or not as the request asks, with the quirks that real servers have.

export interface FakeRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly bytes: Uint8Array
  /** The parsed body; `undefined` when it is no JSON. */
  readonly body: unknown
  /** Which rules it broke: none for a good request. */
  readonly violations: readonly Violation[]
  /** How its response ended: `aborted` when the client left, or the reply broke off, before the end. */
  readonly ended: 'open' | 'whole' | 'aborted'
}

export type FakeScript = readonly (Reply | ((request: FakeRequest) => Reply))[]

export interface FakeOptions {
  readonly rules?: RuleOptions
  /** For every reply; its own come over them. */
  readonly quirks?: Quirks
  /** Any other bearer token is answered with 401. Default: none is looked at. */
  readonly apiKey?: string
  /** How `delayMs` and `gapMs` are waited (ms). Default: in real time. */
  readonly wait?: (ms: number) => Promise<void>
}

export interface FakeOpenAI extends AsyncDisposable {
  /** The base URL: `http://127.0.0.1:<port>/v1`. */
  readonly url: string
  readonly requests: readonly FakeRequest[]
  /** Of all requests; a test ends with `[]` here. */
  readonly violations: readonly Violation[]
  /** Throws when a rule was broken, or when replies are left that nobody asked for. */
  assertDone(): void
  /** Ends open responses and connections, hanging ones too. */
  close(): Promise<void>
}

type OpenRequest = { -readonly [key in keyof FakeRequest]: FakeRequest[key] }

/**
 * Starts a server that gives the replies in order, to whoever asks. A refused request uses up no reply. A request beyond the last reply is
 * answered with 400 and counts as a violation.
 */
export async function fakeOpenAI(script: FakeScript, options: FakeOptions = {}): Promise<FakeOpenAI> {
  const requests: OpenRequest[] = []
  let answered = 0
  let ids = 0
  const newId = () => `${options.rules?.mistral === true ? 'call' : 'call_'}${String(++ids).padStart(5, '0')}`
  const nextReply = (request: OpenRequest): Reply => {
    if (request.violations.length > 0) return refusal(request.violations)
    const next = script[answered]
    if (next === undefined) {
      const message = `The script has ${script.length} replies and was asked for reply ${answered + 1}.`
      request.violations = [violation('script', null, message)]
      return refusal(request.violations)
    }
    answered++
    return typeof next === 'function' ? next(request) : next
  }
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await receive(incoming, options)
    requests.push(request)
    response.setHeader('x-request-id', `req_${requests.length}`)
    response.on('error', () => {}) // a client that has left is no fault of the server
    response.on('close', () => {
      request.ended = response.writableFinished ? 'whole' : 'aborted'
    })
    try {
      await respond(response, request, nextReply(request), options, newId)
    } catch (error) {
      request.violations = [...request.violations, violation('script', null, `The script failed: ${String(error)}`)]
      response.destroy()
    }
  }
  const server = createServer((incoming, response) => void answer(incoming, response).catch(() => response.destroy()))
  const url = `http://127.0.0.1:${await listen(server)}/v1`
  const violations = () => requests.flatMap((request) => request.violations)
  return {
    url,
    requests,
    get violations() {
      return violations()
    },
    assertDone() {
      const broken = violations().map(({ rule, message }) => `${rule}: ${message}`)
      if (broken.length > 0) throw new Error(`requests broke rules of the API:\n${broken.join('\n')}`)
      if (answered < script.length) throw new Error(`the script has ${script.length} replies, and only ${answered} were asked for`)
    },
    close: () => closed(server),
    [Symbol.asyncDispose]: () => closed(server),
  }
}

/** Port 0: the system finds a free one. */
function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('the server has no port'))
      else resolve(address.port)
    })
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

async function receive(incoming: IncomingMessage, options: FakeOptions): Promise<OpenRequest> {
  const chunks: Uint8Array[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const { method = '', url: path = '', headers } = incoming
  const bytes = Buffer.concat(chunks)
  const { body, violations } = checkRequest(bytes, options.rules ?? {})
  const early = checkHead(method, path, headers, options.apiKey)
  return { method, path, headers, bytes, body, violations: early === undefined ? violations : [early], ended: 'open' }
}

function checkHead(method: string, path: string, headers: IncomingHttpHeaders, apiKey: string | undefined): Violation | undefined {
  const type = headers['content-type']
  if (method !== 'POST' || !/^[^?]*\/chat\/completions(?:\?|$)/.test(path)) return violation('url', null, `Invalid URL (${method} ${path})`)
  if (type?.startsWith('application/json') !== true) return violation('content-type', null, `Unsupported content type: '${type}'.`)
  if (apiKey === undefined || headers.authorization === `Bearer ${apiKey}`) return undefined
  return violation('key', null, 'Incorrect API key provided.', 'invalid_api_key')
}

/** The first violation, as OpenAI words an error. */
function refusal([first]: readonly Violation[]): Raw {
  const { message = '', param = null, code = null, rule } = first ?? {}
  const status = rule === 'url' ? 404 : rule === 'key' ? 401 : 400
  return { status, body: { error: { message, type: 'invalid_request_error', param, code } } }
}

async function respond(
  response: ServerResponse,
  request: FakeRequest,
  reply: Reply,
  options: FakeOptions,
  newId: () => string,
): Promise<void> {
  const answer = typeof reply === 'string' ? { text: reply } : reply
  const quirks = { ...options.quirks, ...answer.quirks }
  const wait = options.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)))
  if (answer.delayMs === Number.POSITIVE_INFINITY) return
  if (answer.delayMs !== undefined) await wait(answer.delayMs)
  const writer = new Writer(response, quirks.bytesPerWrite)
  if ('status' in answer) return sendRaw(response, writer, answer)
  const body = isObject(request.body) ? request.body : {}
  const streamOptions = isObject(body['stream_options']) ? body['stream_options'] : {}
  const asked = { model: String(body['model']), includeUsage: streamOptions['include_usage'] === true, newId }
  const form = quirks.form === undefined || quirks.form === 'asked' ? (body['stream'] === true ? 'sse' : 'json') : quirks.form
  if (form === 'json') return sendJson(response, writer, answer, completionText(answer, quirks, asked))
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  response.flushHeaders()
  const { gapMs, afterDelta = gapMs === undefined ? undefined : () => wait(gapMs) } = answer
  await sendFrames(writer, streamFrames(answer, quirks, asked), afterDelta)
  if (answer.breaks === undefined || answer.breaks.with === 'error' || answer.breaks.with === 'end') response.end()
  else if (answer.breaks.with === 'reset') response.destroy()
}

async function sendRaw(
  response: ServerResponse,
  writer: Writer,
  { status, body, contentType = 'application/json', headers }: Raw,
): Promise<void> {
  response.writeHead(status, { 'content-type': contentType, ...headers })
  await writer.write(typeof body === 'string' || body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(JSON.stringify(body)))
  await writer.flush()
  response.end()
}

async function sendJson(response: ServerResponse, writer: Writer, { breaks }: Answer, text: string): Promise<void> {
  if (breaks?.with === 'hang') return
  if (breaks?.with === 'reset') return void response.destroy()
  response.writeHead(200, { 'content-type': 'application/json' })
  const half = text.slice(0, text.length >> 1)
  await writer.write(Buffer.from(breaks?.with === 'error' ? JSON.stringify(breaks.error) : breaks?.with === 'end' ? half : text))
  await writer.flush()
  response.end()
}

async function sendFrames(writer: Writer, frames: readonly Frame[], afterDelta: Answer['afterDelta']): Promise<void> {
  let deltas = 0
  for (const { text, isDelta } of frames) {
    await writer.write(Buffer.from(text))
    if (afterDelta === undefined || !isDelta) continue
    await writer.flush()
    await afterDelta(++deltas)
  }
  await writer.flush()
}

/** Writes bytes in pieces of a size, whatever they belong to; without a size each `write` is one piece. */
class Writer {
  readonly #response: ServerResponse
  readonly #size: number | undefined
  #pending: Buffer[] = []
  #length = 0

  constructor(response: ServerResponse, size: number | undefined) {
    this.#response = response
    this.#size = size
  }

  async write(bytes: Buffer): Promise<void> {
    if (this.#size === undefined) return this.#send(bytes)
    this.#pending.push(bytes)
    this.#length += bytes.length
    if (this.#length >= this.#size) await this.#sendPieces(this.#size)
  }

  async flush(): Promise<void> {
    if (this.#length > 0) await this.#send(Buffer.concat(this.#pending))
    this.#pending = []
    this.#length = 0
  }

  async #sendPieces(size: number): Promise<void> {
    let rest: Buffer = Buffer.concat(this.#pending)
    for (; rest.length >= size; rest = rest.subarray(size)) await this.#send(rest.subarray(0, size))
    this.#pending = [rest]
    this.#length = rest.length
  }

  /** Resolves when the bytes have left. A client that is gone takes everything. */
  #send(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => this.#response.write(bytes, () => resolve()))
  }
}
