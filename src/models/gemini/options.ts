import type { HttpOptions } from '../http/options.ts'

/** How Gemini is reached. */
export interface GeminiOptions extends HttpOptions {
  /**
   * The key, or a function that is asked before each request. Default: the environment variable `GEMINI_API_KEY`, else `GOOGLE_API_KEY`. On
   * Vertex AI it is an access token, and a function best: tokens live for an hour.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /** Where the API is; '/models/NAME:streamGenerateContent' is put behind its path. Default 'https://generativelanguage.googleapis.com/v1beta'. */
  readonly baseURL?: string | undefined
  /** The models of this project on Vertex AI, instead of the Gemini API. `location` is a region, or `global` (default). */
  readonly vertex?: { readonly project: string; readonly location?: string | undefined } | undefined
}
