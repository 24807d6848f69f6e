import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { checkScript } from '../check-script.ts'
import type { Frame } from './frames.ts'
import type { Answer, Raw, Reply, WireQuirks } from './reply.ts'
import { checkRequest } from './request.ts'
import { isObject, type JsonObject, type Violation, violation } from './violation.ts'

/** What the method, the path and the headers of a request are. */
export interface FakeHead {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** What an API is to the server that plays it: what it refuses, and how it writes what it answers. */
export interface FakeApi<Q extends WireQuirks, R> {
  /** Behind the host in `url`: `/v1`. */
  readonly base: string
  /** What is wrong with the method, the path, the headers or, where one is asked for, the key. */
  checkHead(head: FakeHead, apiKey: string | undefined): Violation | undefined
  checkBody(body: JsonObject, rules: R, head: FakeHead): Iterable<Violation>
  /** The first violation as this API refuses a request. */
  refusal(violation: Violation): Raw<Q>
  asksForStream(body: JsonObject, head: FakeHead): boolean
  /** The content type of a stream, should it depend on the request, by that. */
  readonly streamType: string | ((head: FakeHead) => string)
  /** The frames of a streamed answer, up to where it breaks off. */
  frames(answer: Answer<Q>, quirks: Q, asked: Asked): readonly Frame[]
  /** The body of an answer that comes at once, when nothing breaks it off. */
  whole(answer: Answer<Q>, quirks: Q, asked: Asked): string
  /** The id of the n-th call that has none. */
  callId(n: number, rules: R): string
}

/** What of a request matters for how it is answered. */
export interface Asked {
  readonly body: JsonObject
  readonly head: FakeHead
  readonly newId: () => string
}

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

export type FakeScript<Q extends WireQuirks = WireQuirks> = readonly (Reply<Q> | ((request: FakeRequest) => Reply<Q>))[]

export interface FakeOptions<Q extends WireQuirks, R> {
  /** What this server is strict about besides. */
  readonly rules?: R
  /** For every reply; its own come over them. */
  readonly quirks?: Q
  /** Any other key is answered with 401. Default: none is looked at. */
  readonly apiKey?: string
  /** How `delayMs` and `gapMs` are waited (ms). Default: in real time. */
  readonly wait?: (ms: number) => Promise<void>
}

/**
 * A server of a provider for tests, on 127.0.0.1. It holds every request to the rules that the real one enforces, and answers as that refuses
 * when one is broken: a history that would kill a session somewhere kills the test. Else it gives the next reply of its script, streamed or
 * not as the request asks, with the quirks that real servers have.
 */
export interface FakeServer extends AsyncDisposable {
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
 * refused and counts as a violation.
 */
export async function fakeServer<Q extends WireQuirks, R extends object>(
  api: FakeApi<Q, R>,
  script: FakeScript<Q>,
  options: FakeOptions<Q, R>,
): Promise<FakeServer> {
  checkScript('a fake server', script)
  const requests: OpenRequest[] = []
  const rules = options.rules ?? ({} as R)
  let answered = 0
  let ids = 0
  const newId = () => api.callId(++ids, rules)
  const nextReply = (request: OpenRequest): Reply<Q> => {
    const [broken] = request.violations
    if (broken !== undefined) return api.refusal(broken)
    const next = script[answered]
    if (next === undefined) {
      const over = violation('script', null, `The script has ${script.length} replies and was asked for reply ${answered + 1}.`)
      request.violations = [over]
      return api.refusal(over)
    }
    answered++
    return typeof next === 'function' ? next(request) : next
  }
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await receive(incoming, api, rules, options.apiKey)
    requests.push(request)
    response.setHeader('x-request-id', `req_${requests.length}`)
    response.on('error', () => {}) // a client that has left is no fault of the server
    response.on('close', () => {
      request.ended = response.writableFinished ? 'whole' : 'aborted'
    })
    try {
      await respond(response, request, nextReply(request), { api, options, newId })
    } catch (error) {
      request.violations = [...request.violations, violation('script', null, `The script failed: ${String(error)}`)]
      response.destroy()
    }
  }
  const server = createServer((incoming, response) => void answer(incoming, response).catch(() => response.destroy()))
  const url = `http://127.0.0.1:${await listen(server)}${api.base}`
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

async function receive<Q extends WireQuirks, R>(
  incoming: IncomingMessage,
  api: FakeApi<Q, R>,
  rules: R,
  apiKey: string | undefined,
): Promise<OpenRequest> {
  const chunks: Uint8Array[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const { method = '', url: path = '', headers } = incoming
  const head = { method, path, headers }
  const bytes = Buffer.concat(chunks)
  const { body, violations } = checkRequest(bytes, (whole) => api.checkBody(whole, rules, head))
  const early = api.checkHead(head, apiKey) ?? checkType(headers)
  return { ...head, bytes, body, violations: early === undefined ? violations : [early], ended: 'open' }
}

function checkType({ 'content-type': type }: IncomingHttpHeaders): Violation | undefined {
  return type?.startsWith('application/json') === true ? undefined : violation('content-type', null, `Unsupported content type: '${type}'.`)
}

interface Playing<Q extends WireQuirks, R> {
  readonly api: FakeApi<Q, R>
  readonly options: FakeOptions<Q, R>
  readonly newId: () => string
}

async function respond<Q extends WireQuirks, R>(
  response: ServerResponse,
  request: FakeRequest,
  reply: Reply<Q>,
  { api, options, newId }: Playing<Q, R>,
): Promise<void> {
  const answer: Answer<Q> | Raw<Q> = typeof reply === 'string' ? { text: reply } : reply
  const quirks = { ...options.quirks, ...answer.quirks } as Q
  const wait = options.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)))
  if (answer.delayMs === Number.POSITIVE_INFINITY) return
  if (answer.delayMs !== undefined) await wait(answer.delayMs)
  const writer = new Writer(response, quirks.bytesPerWrite)
  if ('status' in answer) return sendRaw(response, writer, answer)
  const asked = { body: isObject(request.body) ? request.body : {}, head: request, newId }
  const form =
    quirks.form === undefined || quirks.form === 'asked' ? (api.asksForStream(asked.body, request) ? 'sse' : 'json') : quirks.form
  if (form === 'json') return sendJson(response, writer, answer, api.whole(answer, quirks, asked))
  response.writeHead(200, { 'content-type': typeof api.streamType === 'string' ? api.streamType : api.streamType(request) })
  response.flushHeaders()
  const { gapMs, afterDelta = gapMs === undefined ? undefined : () => wait(gapMs) } = answer
  await sendFrames(writer, api.frames(answer, quirks, asked), afterDelta)
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
