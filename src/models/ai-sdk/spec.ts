// The AI SDK's language model specification as far as it is spoken here, in versions 2, 3 and 4, declared by ourselves so that no package of it is
// needed. test/types/ai-sdk.ts holds the real types of `@ai-sdk/provider` 2, 3 and 4 against these. What a model answers is looked at piece by piece
// and has no types here: it may come from anybody's package.

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonFields
export type JsonFields = { [key: string]: JsonValue }

/** By the name of a provider. */
export type ProviderFields = { [provider: string]: JsonFields }

interface WithOptions {
  providerOptions?: ProviderFields
}

export interface SpecText extends WithOptions {
  type: 'text'
  text: string
}

export interface SpecReasoning extends WithOptions {
  type: 'reasoning'
  text: string
}

export interface SpecFile<Data> extends WithOptions {
  type: 'file'
  data: Data
  mediaType: string
  filename?: string
}

export interface SpecCall extends WithOptions {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: JsonValue
  providerExecuted?: boolean
}

export interface SpecResult<Output> extends WithOptions {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: Output
}

/** A message of a prompt. `Data`: of a file; `Output`: of a result; `More`: what only a later version has. */
export type SpecMessage<Data, Output, More> =
  | { role: 'system'; content: string }
  | { role: 'user'; content: (SpecText | SpecFile<Data>)[] }
  | { role: 'assistant'; content: (SpecText | SpecReasoning | SpecFile<Data> | SpecCall | SpecResult<Output> | More)[] }
  | { role: 'tool'; content: SpecResult<Output>[] }

/** Of every version. */
export type PlainOutput = { type: 'text' | 'error-text'; value: string } | { type: 'json' | 'error-json'; value: JsonValue }

type Denied = { type: 'execution-denied'; reason?: string }

/** Base64, or a URL. */
export type DataV2 = string | URL
export type OutputV2 =
  | PlainOutput
  | { type: 'content'; value: ({ type: 'text'; text: string } | { type: 'media'; data: string; mediaType: string })[] }

export type ContentV3 =
  | { type: 'text'; text: string }
  | { type: 'file-data' | 'image-data'; data: string; mediaType: string; filename?: string }
  | { type: 'file-url' | 'image-url'; url: string }
export type OutputV3 = PlainOutput | Denied | { type: 'content'; value: ContentV3[] }

export type DataV4 = { type: 'data'; data: string } | { type: 'url'; url: URL }
export type ContentV4 = { type: 'text'; text: string } | { type: 'file'; data: DataV4; mediaType: string; filename?: string }
export type OutputV4 = PlainOutput | Denied | { type: 'content'; value: ContentV4[] }
export type MoreV4 =
  | ({ type: 'custom'; kind: `${string}.${string}` } & WithOptions)
  | ({ type: 'reasoning-file'; data: DataV4; mediaType: string } & WithOptions)

export type PromptV2 = SpecMessage<DataV2, OutputV2, never>[]
export type PromptV3 = SpecMessage<DataV2, OutputV3, never>[]
export type PromptV4 = SpecMessage<DataV4, OutputV4, MoreV4>[]

export interface SpecTool {
  type: 'function'
  name: string
  description?: string
  /** A JSON Schema. */
  inputSchema: object
}

/** A tool that the provider knows: `{ id: 'anthropic.web_search_20250305', name: 'web_search', args: {} }`. Version 2 has another word for it. */
export interface SpecProviderTool<Type> {
  type: Type
  id: `${string}.${string}`
  name: string
  args: { [name: string]: unknown }
}

export type SpecToolChoice = { type: 'auto' | 'none' | 'required' } | { type: 'tool'; toolName: string }

export interface SpecSettings {
  maxOutputTokens?: number
  temperature?: number
  topP?: number
  seed?: number
  stopSequences?: string[]
  responseFormat?: { type: 'json'; schema: object }
  toolChoice?: SpecToolChoice
  abortSignal?: AbortSignal
  headers?: { [name: string]: string | undefined }
  providerOptions?: ProviderFields
}

export interface CallV2 extends SpecSettings {
  prompt: PromptV2
  tools?: (SpecTool | SpecProviderTool<'provider-defined'>)[]
}

export interface CallV3 extends SpecSettings {
  prompt: PromptV3
  tools?: (SpecTool | SpecProviderTool<'provider'>)[]
}

export interface CallV4 extends SpecSettings {
  prompt: PromptV4
  tools?: (SpecTool | SpecProviderTool<'provider'>)[]
  reasoning?: 'none' | 'low' | 'medium' | 'high'
}

interface SpecModel<Version, Call> {
  readonly specificationVersion: Version
  readonly provider: string
  readonly modelId: string
  doStream(call: Call): PromiseLike<object>
  doGenerate(call: Call): PromiseLike<object>
}

export type ModelV2 = SpecModel<'v2', CallV2>
export type ModelV3 = SpecModel<'v3', CallV3>
export type ModelV4 = SpecModel<'v4', CallV4>

/** A language model of any package of the AI SDK's ecosystem: specification 2 (AI SDK 5), 3 (AI SDK 6) or 4 (AI SDK 7). */
export type AiSdkLanguageModel = ModelV2 | ModelV3 | ModelV4
