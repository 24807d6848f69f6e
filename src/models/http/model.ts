import { send } from '#transport'
import { messageOf, RondoError } from '../../core/error.ts'
import type { Model, ModelCapabilities, ModelDelta, ModelFinish, ModelRequest } from '../../core/model.ts'
import { environment, unreadable } from '../environment.ts'
import { safeText } from '../safe-text.ts'
import { secretsOf } from '../secrets.ts'
import { aborted } from '../transport/failure.ts'
import { fetchTransport } from '../transport/fetch.ts'
import { defaultMaxBytes, type Timeouts, type Transport, timeoutsWith } from '../transport/transport.ts'
import type { HttpApi } from './api.ts'
import type { HttpOptions } from './options.ts'
import { ApiResponse } from './response.ts'

/** An API over HTTP as a `Model`. */
export class HttpModel implements Model {
  readonly provider: string
  readonly id: string
  readonly capabilities: ModelCapabilities
  readonly #api: HttpApi
  readonly #options: HttpOptions
  readonly #timeouts: Timeouts
  readonly #transport: Transport
  /** Whence the key comes when none is given. Nowhere, where the user's own headers or URL say who asks: the environment's is not for that server. */
  readonly #keyVariable: string | undefined
  /** What was sent last with each request. */
  #kept: Sent | undefined

  constructor(id: string, api: HttpApi, options: HttpOptions) {
    this.provider = api.provider
    this.id = id
    this.capabilities = { ...api.capabilities, ...options.capabilities }
    this.#api = api
    this.#options = options
    this.#timeouts = timeoutsWith(options.timeouts)
    this.#transport = options.fetch === undefined ? send : fetchTransport(options.fetch)
    this.#keyVariable = hasCredentials(options.headers ?? {}, api) ? undefined : api.keyVariable
  }

  async stream(
    request: ModelRequest,
    sink: (delta: ModelDelta) => void,
    { signal, sessionId }: { readonly signal: AbortSignal; readonly sessionId: string },
  ): Promise<ModelFinish> {
    const { apiKey } = this.#options
    const key = this.#checkedKey(typeof apiKey === 'function' ? await asked(apiKey, this.provider, signal) : apiKey)
    const { headers, secrets } = this.#sent(key)
    const sent = {
      method: 'POST',
      url: this.#api.url,
      headers,
      body: this.#api.body(request, sessionId),
      timeouts: this.#timeouts,
      maxBytes: this.#options.maxResponseBytes ?? defaultMaxBytes,
      signal,
    } as const
    const { answerOf, emptyMeansOverflow, tellsOverflow, json } = this.#api
    const { contextWindow } = this.capabilities
    let response: ApiResponse | undefined
    const from = {
      provider: this.provider,
      requestId: () => response?.requestId,
      answerOf,
      keyName: this.#nameOf(key),
      secrets,
      contextWindow,
      emptyMeansOverflow,
      tellsOverflow,
      json,
    }
    response = new ApiResponse(from, this.#api.decoder(from, sink, request))
    try {
      await this.#transport(sent, response)
    } catch (cause) {
      throw response.broken(cause)
    }
    return response.finish()
  }

  #checkedKey(given: string | undefined): string | undefined {
    const variable = this.#keyVariable
    // Keys that were read from a file end with a line break.
    const key = (given ?? (variable === undefined ? undefined : environment(variable)))?.trim()
    if (key !== undefined && key !== '') return key
    if (variable === undefined) return undefined
    throw new RondoError('ModelAuthError', `No API key for ${this.provider}: set ${variable}, or pass apiKey.${unreadable(variable)}`)
  }

  /** What an error is to name: the variable, unless the key came from elsewhere. */
  #nameOf(key: string | undefined): string | undefined {
    const variable = this.#keyVariable
    return variable !== undefined && environment(variable)?.trim() === key ? variable : undefined
  }

  #sent(key: string | undefined): Sent {
    if (this.#kept !== undefined && this.#kept.key === key) return this.#kept
    const credentials = key === undefined ? {} : this.#api.credentials(key)
    const headers: { [name: string]: string } = { ...ownHeaders, ...this.#api.headers, ...credentials }
    // By their small names, so that a header of the user stands in the place of ours.
    for (const [name, value] of Object.entries(this.#options.headers ?? {})) headers[name.toLowerCase()] = value
    this.#kept = { key, headers, secrets: secretsOf(headers, this.#api.url) }
    return this.#kept
  }
}

/** Without the name of a program some refuse what comes, xAI and whatever else stands behind a guard against robots: 403, a page. */
const ownHeaders = { 'content-type': 'application/json', 'user-agent': 'rondo' }

interface Sent {
  readonly key: string | undefined
  readonly headers: { readonly [name: string]: string }
  /** What of it and of the URL no error may show. */
  readonly secrets: readonly string[]
}

/** Waits no longer than the request is wanted: a vault may never answer. */
async function asked(apiKey: () => unknown, provider: string, signal: AbortSignal): Promise<string> {
  let key: unknown
  try {
    key = await unlessAborted(apiKey, signal)
  } catch (cause) {
    if (signal.aborted) throw aborted(signal.reason)
    throw new RondoError('ModelAuthError', `The key for ${provider} could not be had: ${safeText(messageOf(cause), 300)}`, { cause })
  }
  if (typeof key === 'string') return key
  const kind = key === null ? 'null' : key === undefined ? 'undefined' : `a ${typeof key}`
  throw new RondoError('ModelAuthError', `The key for ${provider} could not be had: apiKey must return it as a text, but returned ${kind}.`)
}

function unlessAborted(apiKey: () => unknown, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    void (async () => apiKey())()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Whether the user's own headers or URL say who asks. */
function hasCredentials(headers: { readonly [name: string]: string }, api: HttpApi): boolean {
  const { username, password } = new URL(api.url)
  const names = new Set(['authorization', 'api-key', 'x-api-key', ...Object.keys(api.credentials(''))])
  return username !== '' || password !== '' || Object.keys(headers).some((name) => names.has(name.toLowerCase()))
}

/** The URL of an API's path. A base URL may have a query (Azure's api-version): it stays at the end. Consoles show the whole URL: its path is not added again. */
export function endpoint(baseURL: string, path: string): string {
  const url = new URL(baseURL)
  const base = url.pathname.replace(/\/+$/, '')
  url.pathname = base.endsWith(path) ? base : `${base}${path}`
  return url.href
}
