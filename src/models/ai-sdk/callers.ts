import type { ModelRequest } from '../../core/model.ts'
import { type Audience, Prompts } from './prompt.ts'
import { type RequestOptions, settingsOf, Tools } from './request.ts'
import { shapeV2, shapeV3, shapeV4 } from './shapes.ts'
import type { AiSdkLanguageModel } from './spec.ts'

export interface Caller {
  stream(request: ModelRequest, signal: AbortSignal): PromiseLike<unknown>
  generate(request: ModelRequest, signal: AbortSignal): PromiseLike<unknown>
}

export interface CallerOptions extends RequestOptions {
  readonly onWarning: (message: string) => void
}

/** Calls a model in the words of its version of the specification. */
export function callerOf(model: AiSdkLanguageModel, audience: Audience, options: CallerOptions): Caller {
  switch (model.specificationVersion) {
    case 'v2': {
      const call = callWith(new Prompts(audience, shapeV2), new Tools(model.provider, 'provider-defined'), options)
      return callerFor(model, warned(call, options))
    }
    case 'v3': {
      const call = callWith(new Prompts(audience, shapeV3), new Tools(model.provider, 'provider'), options)
      return callerFor(model, warned(call, options))
    }
    case 'v4': {
      const call = callWith(new Prompts(audience, shapeV4), new Tools(model.provider, 'provider'), options)
      return callerFor(model, (request, signal) => {
        const { reasoning } = request.settings
        return { ...call(request, signal), ...(reasoning === undefined ? {} : { reasoning }) }
      })
    }
  }
}

type MakeCall<Call> = (request: ModelRequest, abortSignal: AbortSignal) => Call

interface Called<Call> {
  doStream(call: Call): PromiseLike<unknown>
  doGenerate(call: Call): PromiseLike<unknown>
}

function callerFor<Call>(model: Called<Call>, call: MakeCall<Call>): Caller {
  return {
    stream: (request, signal) => model.doStream(call(request, signal)),
    generate: (request, signal) => model.doGenerate(call(request, signal)),
  }
}

/** What the call of every version holds. */
function callWith<Data, Extra, More extends object, Type extends string>(
  prompts: Prompts<Data, Extra, More>,
  tools: Tools<Type>,
  options: RequestOptions,
) {
  return (request: ModelRequest, abortSignal: AbortSignal) => {
    const prompt = prompts.prompt(request.instructions, request.messages)
    return { ...settingsOf(request, options), ...tools.of(request.tools), prompt, abortSignal }
  }
}

/** Before version 4 an effort has no place. */
function warned<Call>(call: MakeCall<Call>, { onWarning }: CallerOptions): MakeCall<Call> {
  return (request, signal) => {
    if (request.settings.reasoning !== undefined)
      onWarning(
        'settings.reasoning is not known to this version of its package: use settings.providerOptions, or a package of AI SDK 7 (specification v4)',
      )
    return call(request, signal)
  }
}
