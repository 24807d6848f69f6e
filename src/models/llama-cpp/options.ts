import { RondoError } from '../../core/error.ts'
import { aBoolean, aName, faultsIn, isName, oneOf, type Rules, refuse, wholeNumber } from '../option-rules.ts'
import type { ThinkStart } from '../think.ts'

export interface LlamaCppOptions {
  /** The GGUF file. It is opened with the first request, or by `load()`. */
  readonly modelPath: string
  /** Tokens that the model sees at once, each sequence for itself. Default: as many as memory allows, at most those it was trained on. */
  readonly contextSize?: number | undefined
  /** Requests that are evaluated at the same time; others wait. Each takes memory for a whole context. Default 1. */
  readonly sequences?: number | undefined
  /** Threads that compute. Default: one for each core that is good for it. More than are free make it slow. */
  readonly threads?: number | undefined
  /** `false`: only the CPU. Default 'auto': the best that this machine and the installed package can do. */
  readonly gpu?: 'auto' | 'metal' | 'cuda' | 'vulkan' | false | undefined
  /** Layers of the model on the graphics card. Default: as many as fit. */
  readonly gpuLayers?: number | undefined
  /**
   * Whether what it writes is held to the form of a reply and to the schemas of tools and output. Default true. False: it is told in words, as
   * `jsonReply` does.
   */
  readonly constrain?: boolean | undefined
  /** Whether a reply has a `thought` before what it does, shown as reasoning. Default true. */
  readonly thoughts?: boolean | undefined
  /** Takes `<think>…</think>` at the start of its text for reasoning (`jsonReply`). Default: what the chat format of the file says. */
  readonly think?: ThinkStart | undefined
  /** How the model is called in the journal. Default: the name of the file. */
  readonly id?: string | undefined
}

const rules: Rules<LlamaCppOptions> = {
  modelPath: ['the path of a GGUF file', isName],
  contextSize: ['a whole number of tokens, 64 or more', wholeNumber(64, 16_777_216)[1]],
  sequences: wholeNumber(1, 64),
  threads: wholeNumber(1, 1024),
  gpu: [
    "'auto', 'metal', 'cuda', 'vulkan' or false",
    (value) => value === false || ['auto', 'metal', 'cuda', 'vulkan'].includes(String(value)),
  ],
  gpuLayers: wholeNumber(0, 10_000),
  constrain: aBoolean,
  thoughts: aBoolean,
  think: oneOf('tagged', 'inside'),
  id: aName,
}

/** What others call these. */
const words = {
  model: 'modelPath',
  path: 'modelPath',
  contextLength: 'contextSize',
  n_ctx: 'contextSize',
  parallel: 'sequences',
  maxTokens: 'settings.maxOutputTokens of the agent',
}

export function checkOptions(options: unknown): asserts options is LlamaCppOptions {
  if (typeof options !== 'object' || options === null)
    throw new RondoError('ConfigInvalid', "llamaCpp: pass an object, as { modelPath: './model.gguf' }.")
  refuse('llamaCpp', faultsIn(options, rules, { words, required: ['modelPath'], shows: true }))
}
