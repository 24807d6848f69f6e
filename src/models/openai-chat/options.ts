import type { HttpOptions } from '../http/options.ts'
import type { ChatQuirks } from './dialect.ts'

/** How a Chat Completions server is reached. '/chat/completions' is put behind the path of `baseURL`. */
export interface OpenAIChatOptions extends HttpOptions {
  /**
   * Whether tools are sent as strict, so that the server keeps the model to their schemas. Each field is then required: the model writes null for one that
   * is optional, which counts as not given. A tool whose schema can't be said so (records, open objects, `any`) is sent as ever. Default false.
   */
  readonly strictTools?: boolean | undefined
  /** What this server does otherwise than is known of it. */
  readonly quirks?: ChatQuirks | undefined
}
