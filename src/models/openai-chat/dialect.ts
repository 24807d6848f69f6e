import type { JsonObject } from '../../core/json.ts'
import { openaiSchemas, openaiStrictSchemas, type SchemaProfile } from '../schema/index.ts'
import { anyIds, type CallIds } from './encode.ts'

/** What servers of the same API differ in, as data. */
export interface Dialect {
  /** Names it in errors, in `providerOptions` and in provider data. */
  readonly provider: string
  readonly baseURL: string
  /** The environment variable that holds the key when none is given. */
  readonly apiKeyVariable: string | undefined
  readonly maxTokensField: 'max_completion_tokens' | 'max_tokens'
  readonly ids: CallIds
  readonly schemas: {
    readonly tools: SchemaProfile
    /** Of tools that are to be strict. */
    readonly strictTools: SchemaProfile
    /** Of an output: sent as strict where its schema can be. */
    readonly output: SchemaProfile
  }
  /** Tools in one request, at most. Default: not known. */
  readonly maxTools?: number
  /** This server answers 400 and nothing else when the input is too long. Default false. */
  readonly emptyMeansOverflow?: boolean
  /** Fields of `stream_options` besides `include_usage`. */
  readonly streamOptions?: JsonObject
}

const openaiForms = { tools: openaiSchemas, strictTools: openaiStrictSchemas, output: openaiStrictSchemas }

export const openaiDialect: Dialect = {
  provider: 'openai',
  baseURL: 'https://api.openai.com/v1',
  apiKeyVariable: 'OPENAI_API_KEY',
  maxTokensField: 'max_completion_tokens',
  ids: anyIds,
  schemas: openaiForms,
  maxTools: 128,
  // Random padding of each event, against listeners who measure packets: it costs bytes, and every event then differs from the one before.
  streamOptions: { include_obfuscation: false },
}

/** OpenAI's API somewhere else: behind a proxy, or another's. */
export function openaiDialectAt(baseURL: string): Dialect {
  return { ...openaiDialect, baseURL, ...knownOf(baseURL) }
}

/** A server that speaks the API and of which nothing is known but, perhaps, by its host. */
export function compatibleDialect(provider: string, baseURL: string): Dialect {
  return {
    provider,
    baseURL,
    apiKeyVariable: undefined,
    maxTokensField: 'max_tokens',
    ids: anyIds,
    schemas: openaiForms,
    ...knownOf(baseURL),
  }
}

/** What is known of a host. Cerebras: B120. */
function knownOf(baseURL: string): Pick<Dialect, 'emptyMeansOverflow'> {
  return new URL(baseURL).hostname === 'api.cerebras.ai' ? { emptyMeansOverflow: true } : {}
}
