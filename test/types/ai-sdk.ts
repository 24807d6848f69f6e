// The types of `rondo/ai-sdk` beside the real ones of the AI SDK's provider specification, in each version: every model of theirs is taken, and what we
// ask of a model is what its version says.
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { LanguageModelV2, LanguageModelV2CallOptions } from 'ai-sdk-v2-provider'
import type { LanguageModelV3, LanguageModelV3CallOptions } from 'ai-sdk-v3-provider'
import type { AiSdkLanguageModel, CallV2, CallV3, CallV4, ModelV2, ModelV3, ModelV4 } from '../../src/models/ai-sdk/spec.ts'

type Fits<Given extends Wanted, Wanted> = Given

export type Models = [
  Fits<LanguageModelV2, ModelV2>,
  Fits<LanguageModelV3, ModelV3>,
  Fits<LanguageModelV4, ModelV4>,
  Fits<LanguageModelV2 | LanguageModelV3 | LanguageModelV4, AiSdkLanguageModel>,
]
export type Calls = [
  Fits<CallV2, LanguageModelV2CallOptions>,
  Fits<CallV3, LanguageModelV3CallOptions>,
  Fits<CallV4, LanguageModelV4CallOptions>,
]
