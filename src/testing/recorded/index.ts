import { RondoError } from '../../core/error.ts'
import type { Model, ModelCapabilities, ModelDelta, ModelFinish, ModelRequest } from '../../core/model.ts'
import type { RecordedOptions } from './options.ts'
import type { Recorder } from './recorder.ts'

/**
 * A model that remembers what another said, so that tests of an agent need no network: the answers lie in a file of JSON lines, to be kept
 * beside the tests. Needs Node, Bun or Deno.
 *
 * A request is found by what the model would read: messages, instructions, tools, settings, purpose and the model's name. The same request
 * asked again gets the next answer. Pieces, finish and errors are replayed as they came, without waiting. Keys and headers are not in the
 * file, for they are not in a request; what users, tools and the model have said is, but for what looks like a key.
 *
 * @throws `ConfigInvalid` for options that can't work, and for `record` in CI. A request is refused with `ModelBadRequest` when it is not in
 * the file, and says in what it differs from the one most like it; with `ConfigInvalid` when the file is damaged, names the line, and
 * changes nothing.
 */
export function recorded(model: Model, file: string | URL, options: RecordedOptions = {}): Model {
  const problem = problemOf(model, file, options)
  if (problem !== undefined) throw new RondoError('ConfigInvalid', `recorded: ${problem}`)
  return new RecordedModel(model, file, options)
}

function problemOf(model: unknown, file: unknown, options: RecordedOptions): string | undefined {
  if (typeof model !== 'object' || model === null || !('stream' in model)) return 'the first argument must be a model'
  if (!(file instanceof URL) && (typeof file !== 'string' || file === '')) return 'the second argument must be the path of a file'
  const unknown = Object.keys(options).find((key) => key !== 'mode' && key !== 'normalize')
  if (unknown !== undefined) return `unknown option '${unknown}'`
  const { mode = 'auto', normalize } = options
  if (!['record', 'replay', 'auto'].includes(mode)) return "mode must be 'record', 'replay' or 'auto'"
  if (normalize !== undefined && typeof normalize !== 'function') return 'normalize must be a function'
  if (mode === 'record' && isCI())
    return "mode 'record' is refused in CI (the environment says CI): record on your own machine, and commit the file"
  return undefined
}

function isCI(): boolean {
  const { CI = '' } = process.env
  return CI !== '' && CI !== '0' && CI.toLowerCase() !== 'false'
}

class RecordedModel implements Model {
  readonly provider: string
  readonly id: string
  readonly #model: Model
  readonly #file: string | URL
  readonly #options: RecordedOptions
  #recorder: Promise<Recorder> | undefined

  constructor(model: Model, file: string | URL, options: RecordedOptions) {
    const { mode = 'auto' } = options
    this.provider = model.provider
    this.id = model.id
    this.#model = model
    this.#file = file
    this.#options = { ...options, mode: mode === 'auto' && isCI() ? 'replay' : mode }
  }

  get capabilities(): ModelCapabilities {
    return this.#model.capabilities
  }

  async stream(
    request: ModelRequest,
    sink: (delta: ModelDelta) => void,
    options: { readonly signal: AbortSignal; readonly sessionId: string },
  ): Promise<ModelFinish> {
    this.#recorder ??= this.#load()
    const recorder = await this.#recorder
    return recorder.stream(request, sink, options)
  }

  /** With the first request: whoever records nothing needs no `node:` modules. */
  async #load(): Promise<Recorder> {
    const { Recorder } = await import('./recorder.ts')
    return new Recorder(this.#model, this.#file, this.#options)
  }
}
