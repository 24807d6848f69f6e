import { send } from '#transport'
import { messageOf, RondoError } from '../../core/error.ts'
import type { Model, ModelCapabilities, ModelDelta, ModelFinish, ModelRequest } from '../../core/model.ts'
import { safeText } from '../safe-text.ts'
import { secretsOf } from '../secrets.ts'
import { fetchTransport } from '../transport/fetch.ts'
import { defaultMaxBytes, type Timeouts, type Transport, timeoutsWith } from '../transport/transport.ts'
import { Conversations } from './conversations.ts'
import type { Dialect } from './dialect.ts'
import type { OpenAIChatOptions } from './options.ts'
import { Frames } from './request.ts'
import { ChatResponse } from './response.ts'

const nothing = new Uint8Array(0)

/** The Chat Completions API as a `Model`. */
export class ChatModel implements Model {
  readonly provider: string
  readonly id: string
  readonly capabilities: ModelCapabilities
  readonly #url: string
  readonly #options: OpenAIChatOptions
  readonly #dialect: Dialect
  readonly #timeouts: Timeouts
  readonly #transport: Transport
  readonly #frames: Frames
  readonly #conversations: Conversations
  /** Whence the key comes when none is given. Nowhere, where the user's own headers or URL say who asks: the environment's is not for that server. */
  readonly #keyVariable: string | undefined
  /** What was sent last with each request. */
  #kept: Sent | undefined

  constructor(id: string, dialect: Dialect, options: OpenAIChatOptions) {
    this.provider = dialect.provider
    this.id = id
    this.capabilities = {
      structuredOutput: 'native',
      parallelCalls: true,
      imagesInResults: false,
      reasoning: true,
      ...options.capabilities,
    }
    this.#url = endpoint(dialect.baseURL)
    this.#options = options
    this.#dialect = dialect
    this.#timeouts = timeoutsWith(options.timeouts)
    this.#transport = options.fetch === undefined ? send : fetchTransport(options.fetch)
    this.#frames = new Frames(id, dialect, { stream: options.stream ?? true, strictTools: options.strictTools ?? false })
    this.#conversations = new Conversations(dialect.ids)
    this.#keyVariable = hasCredentials(options.headers ?? {}, dialect.baseURL) ? undefined : dialect.apiKeyVariable
  }

  async stream(
    request: ModelRequest,
    sink: (delta: ModelDelta) => void,
    { signal, sessionId }: { readonly signal: AbortSignal; readonly sessionId: string },
  ): Promise<ModelFinish> {
    const { apiKey } = this.#options
    const key = this.#checkedKey(typeof apiKey === 'function' ? await asked(apiKey, this.provider) : apiKey)
    const { headers, secrets } = this.#sent(key)
    const sent = {
      method: 'POST',
      url: this.#url,
      headers,
      body: this.#body(request, sessionId),
      timeouts: this.#timeouts,
      maxBytes: this.#options.maxResponseBytes ?? defaultMaxBytes,
      signal,
    } as const
    const { emptyMeansOverflow } = this.#dialect
    const { contextWindow } = this.capabilities
    const response = new ChatResponse(
      { provider: this.provider, keyName: this.#keyVariable, secrets, contextWindow, emptyMeansOverflow },
      sink,
    )
    try {
      await this.#transport(sent, response)
    } catch (cause) {
      throw response.broken(cause)
    }
    return response.finish()
  }

  #body(request: ModelRequest, sessionId: string): readonly Uint8Array[] {
    const { head, headHasMessage, tail } = this.#frames.frame(request)
    const messages = this.#conversations.with(sessionId, (conversation) => conversation.encode(request.messages))
    // Each message has a comma before it; the first of all must not.
    return [head, headHasMessage ? messages : messages.length === 0 ? nothing : messages.subarray(1), tail]
  }

  #checkedKey(given: string | undefined): string | undefined {
    const variable = this.#keyVariable
    // Keys that were read from a file end with a line break.
    const key = (given ?? (variable === undefined ? undefined : environment(variable)))?.trim()
    if (key !== undefined && key !== '') return key
    if (variable === undefined) return undefined
    throw new RondoError('ModelAuthError', `No API key for ${this.provider}: set ${variable}, or pass apiKey.`)
  }

  #sent(key: string | undefined): Sent {
    if (this.#kept !== undefined && this.#kept.key === key) return this.#kept
    const headers: { [name: string]: string } = { 'content-type': 'application/json' }
    if (key !== undefined) headers['authorization'] = `Bearer ${key}`
    // By their small names, so that a header of the user stands in the place of ours.
    for (const [name, value] of Object.entries(this.#options.headers ?? {})) headers[name.toLowerCase()] = value
    this.#kept = { key, headers, secrets: secretsOf(headers, this.#url) }
    return this.#kept
  }
}

interface Sent {
  readonly key: string | undefined
  readonly headers: { readonly [name: string]: string }
  /** What of it and of the URL no error may show. */
  readonly secrets: readonly string[]
}

async function asked(apiKey: () => unknown, provider: string): Promise<string> {
  let key: unknown
  try {
    key = await apiKey()
  } catch (cause) {
    throw new RondoError('ModelAuthError', `The key for ${provider} could not be had: ${safeText(messageOf(cause), 300)}`, { cause })
  }
  if (typeof key === 'string') return key
  const kind = key === null ? 'null' : key === undefined ? 'undefined' : `a ${typeof key}`
  throw new RondoError('ModelAuthError', `The key for ${provider} could not be had: apiKey must return it as a text, but returned ${kind}.`)
}

/** `api-key` is Azure's name. */
function hasCredentials(headers: { readonly [name: string]: string }, baseURL: string): boolean {
  const { username, password } = new URL(baseURL)
  return username !== '' || password !== '' || Object.keys(headers).some((name) => /^(?:authorization|api-key)$/i.test(name))
}

/** A base URL may have a query (Azure's api-version): it stays at the end. */
function endpoint(baseURL: string): string {
  const url = new URL(baseURL)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`
  return url.href
}

/** Where there is an environment at all. */
function environment(name: string): string | undefined {
  return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name]
}
