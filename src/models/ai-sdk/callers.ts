import type { ModelRequest } from '../../core/model.ts'
import { type Audience, Prompts } from './prompt.ts'
import { type RequestOptions, settingsOf, Tools } from './request.ts'
import { shapeV2, shapeV3, shapeV4 } from './shapes.ts'
import type { AiSdkLanguageModel, ModelV2, ModelV3, ModelV4 } from './spec.ts'

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
    case 'v2':
      return callerV2(model, audience, options)
    case 'v3':
      return callerV3(model, audience, options)
    case 'v4':
      return callerV4(model, audience, options)
  }
}

function callerV2(model: ModelV2, audience: Audience, options: CallerOptions): Caller {
  const prompts = new Prompts(audience, shapeV2)
  const tools = new Tools(model.provider, 'provider-defined')
  const call = (request: ModelRequest, abortSignal: AbortSignal) => {
    warnOfReasoning(request, options.onWarning)
    const prompt = prompts.prompt(request.instructions, request.messages)
    return { ...settingsOf(request, options), ...tools.of(request.tools), prompt, abortSignal }
  }
  return {
    stream: (request, signal) => model.doStream(call(request, signal)),
    generate: (request, signal) => model.doGenerate(call(request, signal)),
  }
}

function callerV3(model: ModelV3, audience: Audience, options: CallerOptions): Caller {
  const prompts = new Prompts(audience, shapeV3)
  const tools = new Tools(model.provider, 'provider')
  const call = (request: ModelRequest, abortSignal: AbortSignal) => {
    warnOfReasoning(request, options.onWarning)
    const prompt = prompts.prompt(request.instructions, request.messages)
    return { ...settingsOf(request, options), ...tools.of(request.tools), prompt, abortSignal }
  }
  return {
    stream: (request, signal) => model.doStream(call(request, signal)),
    generate: (request, signal) => model.doGenerate(call(request, signal)),
  }
}

function callerV4(model: ModelV4, audience: Audience, options: CallerOptions): Caller {
  const prompts = new Prompts(audience, shapeV4)
  const tools = new Tools(model.provider, 'provider')
  const call = (request: ModelRequest, abortSignal: AbortSignal) => {
    const prompt = prompts.prompt(request.instructions, request.messages)
    const { reasoning } = request.settings
    const effort = reasoning === undefined ? {} : { reasoning }
    return { ...settingsOf(request, options), ...tools.of(request.tools), ...effort, prompt, abortSignal }
  }
  return {
    stream: (request, signal) => model.doStream(call(request, signal)),
    generate: (request, signal) => model.doGenerate(call(request, signal)),
  }
}

function warnOfReasoning({ settings }: ModelRequest, onWarning: (message: string) => void): void {
  if (settings.reasoning !== undefined)
    onWarning(
      'settings.reasoning is not known to this version of its package: use settings.providerOptions, or a package of AI SDK 7 (specification v4)',
    )
}
