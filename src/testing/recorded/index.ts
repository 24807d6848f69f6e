import type { Model, ModelCapabilities, ModelDelta, ModelFinish, ModelRequest } from '../../core/model.ts'
import { aFunction, oneOf, type Rules, refuse } from '../../models/option-rules.ts'
import { aModel, isModel, wrongOptions } from '../../models/wrappers/check-options.ts'
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
  refuse('recorded', problemsOf(model, file, options))
  return new RecordedModel(model, file, options)
}

const rules: Rules<RecordedOptions> = { mode: oneOf('record', 'replay', 'auto'), normalize: aFunction }

function problemsOf(model: unknown, file: unknown, options: RecordedOptions): string[] {
  if (!isModel(model)) return [`the first argument must be ${aModel}`]
  if (!(file instanceof URL) && (typeof file !== 'string' || file === '')) return ['the second argument must be the path of a file']
  const wrong = wrongOptions(options, rules)
  if (wrong.length === 0 && options.mode === 'record' && isCI())
    return ["mode 'record' is refused in CI (the environment says CI): record on your own machine, and commit the file"]
  return wrong
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
