import type { ModelCapabilities } from '../../core/model.ts'
import type { Timeouts } from '../transport/transport.ts'

/** How a server is reached. */
export interface HttpOptions {
  /**
   * The key, or a function that is asked before each request. Default: the provider's environment variable (`OPENAI_API_KEY`); none for
   * compatible servers, nor where `headers` have the credentials already (`authorization`, `api-key`, …) or `baseURL` a user and password.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /** Where the API is, as far as the path that is the same for all its calls: 'https://api.openai.com/v1'. Default: the provider's own. */
  readonly baseURL?: string | undefined
  /** More headers; they win over ours (`user-agent: rondo` among them). Read once a key: what changes later in this object is not seen. */
  readonly headers?: { readonly [name: string]: string } | undefined
  /** Whether responses are streamed. Default true. Servers that ignore it are understood all the same. */
  readonly stream?: boolean | undefined
  /** Time limits in ms: connect 10,000, first byte 120,000, idle 60,000 (also for the whole body of an error), total none. */
  readonly timeouts?: Partial<Timeouts> | undefined
  /** More of a response (bytes) ends it with an error. Default 33,554,432 (32 MiB). */
  readonly maxResponseBytes?: number | undefined
  /** Sends requests by this function instead of node:http. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * What the model can do, where it differs from what is assumed of models of this API. `contextWindow` finds an input that was too long
   * and that the server said nothing of; with `structuredOutput: 'prompt'` an agent's `output` schema is told in words, for servers that take no
   * schema; the others change no request, and inform who reads `model.capabilities`.
   */
  readonly capabilities?: Partial<ModelCapabilities> | undefined
}
