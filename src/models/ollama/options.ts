import type { HttpOptions } from '../http/options.ts'

/** How an Ollama server is reached, and how it runs a model. */
export interface OllamaOptions extends HttpOptions {
  /** Where the server is; '/api/chat' is put behind its path. Default: `OLLAMA_HOST`, as Ollama reads it, else 'http://127.0.0.1:11434'. */
  readonly baseURL?: string | undefined
  /**
   * Tokens that the server keeps room for (`num_ctx`). Without it the server takes its own number, a few thousand, and cuts what is longer in
   * silence. It is the `contextWindow` of the model's capabilities too, unless that is given.
   */
  readonly contextTokens?: number | undefined
  /** How long the model stays loaded: `'10m'`, or seconds; -1 for ever. Default: the server's own. */
  readonly keepAlive?: string | number | undefined
}
