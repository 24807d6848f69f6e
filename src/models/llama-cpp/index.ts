import { basename } from 'node:path'
import type { Model } from '../../core/model.ts'
import { JsonReplyModel } from '../json-reply/model.ts'
import { checkOptions, type LlamaCppOptions } from './options.ts'
import { TextModel } from './text-model.ts'

export type { LlamaCppOptions } from './options.ts'

/** A model that runs in this process. */
export interface LlamaCppModel extends Model {
  /** Opens the file now, and not with the first request; `capabilities.contextWindow` is known then. Rejects as the first request would. */
  load(): Promise<void>
  /** Ends what runs and frees the memory. Requests that come later are refused. */
  dispose(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A GGUF file in this process, by the optional peer `node-llama-cpp` (3.21 or later): no server, no network, no key.
 *
 * Tools are given to the model as `jsonReply` does it, and what it writes is held by a grammar to the form of a reply and to the schemas of the tools and
 * the output, as far as a grammar can say them; the rest is found when arguments are validated. Consecutive requests of a session evaluate only what is
 * new, as long as no other session has taken their sequence. Runs at the same time share the file; `sequences` says how many are evaluated at once.
 *
 * Sampling is greedy unless `settings.temperature` is set.
 *
 * @throws `ConfigInvalid` for options that can't work. A file that can't be loaded, or a missing package, fails the first request with it.
 */
export function llamaCpp(options: LlamaCppOptions): LlamaCppModel {
  checkOptions(options)
  const { constrain = true, thoughts = true, think, id } = options
  const text = new TextModel(id ?? basename(options.modelPath), options)
  return new InProcess(text, { form: constrain ? 'alternatives' : 'words', thoughts, think })
}

class InProcess extends JsonReplyModel implements LlamaCppModel {
  readonly #text: TextModel

  constructor(text: TextModel, settings: ConstructorParameters<typeof JsonReplyModel>[1]) {
    super(text, settings)
    this.#text = text
  }

  async load(): Promise<void> {
    await this.#text.load()
  }

  dispose(): Promise<void> {
    return this.#text.dispose()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose()
  }
}
