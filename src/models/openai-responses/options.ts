import type { HttpOptions } from '../http/options.ts'

/** How a Responses server is reached. '/responses' is put behind the path of `baseURL`. */
export interface OpenAIOptions extends HttpOptions {
  /**
   * Names the server in errors, in `settings.providerOptions`, in provider tools and in the journal. Default: that of a known host (azure, bedrock,
   * xai, openrouter, deepseek, …), else `openai`. What is known of a server of that name is done for one elsewhere too; only at its own host does the
   * key come from its environment variable (`XAI_API_KEY`).
   */
  readonly name?: string | undefined
  /** Whether the server keeps the responses. Default false: then reasoning is asked for encrypted and goes back with the history. */
  readonly store?: boolean | undefined
  /**
   * Sends only what is new and goes on from the last response, which the server then keeps (`store`). A history that was revised, forked or
   * begun by another process is sent as a whole, and so is one whose last response the server has lost: its reasoning is kept encrypted for that.
   * Default false.
   */
  readonly previousResponse?: boolean | undefined
  /** `prompt_cache_key`: requests of one key find each other's cached prefixes. `session`: a key for each session. Default: none. */
  readonly promptCacheKey?: 'session' | (string & {}) | undefined
  /** Asks for summaries of the reasoning. Default: none. */
  readonly reasoningSummary?: 'auto' | 'concise' | 'detailed' | undefined
  /**
   * Whether tools are strict: the provider then sees to it that arguments fit their schema, which is sent in its strict form (each field required, null
   * for what is absent). A schema that can't be strict goes as it is. Default false.
   */
  readonly strictTools?: boolean | undefined
  /** Azure's `api-version`. Default: none, as its v1 API takes none. */
  readonly apiVersion?: string | undefined
}
