import type { Model, ModelCapabilities, ModelDelta, ModelFinish, ModelRequest } from '../../core/model.ts'
import { requestIdOf } from '../request-id.ts'
import { scopeOf } from '../scope.ts'
import { secretsOf } from '../secrets.ts'
import { isWire, textOrNothing } from '../wire.ts'
import { type Caller, callerOf } from './callers.ts'
import { partsOf } from './content.ts'
import { AiSdkDecoder, type Asked } from './decode.ts'
import { errorOf } from './errors.ts'
import type { AiSdkOptions } from './options.ts'
import { strictNamesOf } from './output-schema.ts'
import { Call, defaultTimeouts, type PartTimeouts } from './reader.ts'
import type { AiSdkLanguageModel } from './spec.ts'
import { Warnings } from './warnings.ts'

/** A language model of the AI SDK as a `Model`. */
export class AiSdkModel implements Model {
  readonly provider: string
  readonly id: string
  readonly capabilities: ModelCapabilities
  readonly #caller: Caller
  readonly #streams: boolean
  readonly #timeouts: PartTimeouts
  readonly #warnings: Warnings
  readonly #asked: Asked

  constructor(model: AiSdkLanguageModel, options: AiSdkOptions) {
    const { provider, modelId } = model
    this.provider = provider
    this.id = modelId
    this.capabilities = { ...assumedOf(model), ...options.capabilities }
    const scope = scopeOf(provider, 'ai-sdk', modelId)
    const { headers } = options
    this.#warnings = new Warnings(`${provider} ${modelId}`, options.onWarning ?? console.warn)
    this.#caller = callerOf(
      model,
      { scope, provider, mediaInResults: this.capabilities.imagesInResults },
      {
        headers,
        strictNames: strictNamesOf(model),
        needsTools: provider.split('.').includes('anthropic'),
        onWarning: (message) => this.#warnings.add(message),
      },
    )
    this.#streams = options.stream ?? true
    this.#timeouts = { ...defaultTimeouts, ...options.timeouts }
    // The address is the package's: what it holds of keys is known with an error.
    const secrets = secretsOf(headers ?? {}, 'about:blank')
    this.#asked = { provider, scope, secrets, contextWindow: this.capabilities.contextWindow }
  }

  async stream(
    request: ModelRequest,
    sink: (delta: ModelDelta) => void,
    { signal }: { readonly signal: AbortSignal; readonly sessionId: string },
  ): Promise<ModelFinish> {
    const decoder = new AiSdkDecoder(this.#asked, sink, this.#warnings)
    const call = new Call({ provider: this.provider, timeouts: this.#timeouts, signal })
    try {
      return await call.run(() => (this.#streams ? this.#stream(request, call, decoder) : this.#generate(request, call, decoder)))
    } catch (error) {
      throw errorOf(error, this.#asked)
    }
  }

  async #stream(request: ModelRequest, call: Call, decoder: AiSdkDecoder): Promise<ModelFinish> {
    const answer = await this.#caller.stream(request, call.signal)
    await call.read(isWire(answer) ? answer['stream'] : undefined, (part) => {
      decoder.push(part)
      if (decoder.hasBegun) call.alive()
      return decoder.isDone
    })
    return withRequestId(decoder.end(false), answer)
  }

  async #generate(request: ModelRequest, call: Call, decoder: AiSdkDecoder): Promise<ModelFinish> {
    const answer = await this.#caller.generate(request, call.signal)
    if (call.signal.aborted) return decoder.end(true)
    for (const part of partsOf(answer)) decoder.push(part)
    return withRequestId(decoder.end(true), answer)
  }
}

/** The id of the request, as servers of providers name it, tells their people more than that of the response. */
function withRequestId(finish: ModelFinish, answer: unknown): ModelFinish {
  const response = isWire(answer) ? answer['response'] : undefined
  const headers = isWire(response) && isWire(response['headers']) ? response['headers'] : {}
  const id = requestIdOf((name) => textOrNothing(headers[name]))
  return id === undefined ? finish : { ...finish, requestId: id }
}

/** Providers whose API takes images in the results of tools, by a piece of their name, or by the API behind it. Others get them from the user. */
const imagesInResults = /(?:^|\.)(?:anthropic|amazon-bedrock|bedrock|google|vertex|claude-code)(?:\.|$)|\.responses$/

/** What is assumed of a model where the user says nothing else. */
function assumedOf(model: AiSdkLanguageModel): ModelCapabilities {
  // Models of `@ai-sdk/openai-compatible` say so; what they are not told in words they would never know.
  const takesSchemas = Reflect.get(model, 'supportsStructuredOutputs') !== false
  return {
    structuredOutput: takesSchemas ? 'native' : 'prompt',
    parallelCalls: true,
    imagesInResults: imagesInResults.test(model.provider),
    reasoning: true,
  }
}
