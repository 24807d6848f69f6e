import type { JsonObject } from '../../core/json.ts'
import type { ModelCapabilities } from '../../core/model.ts'
import { anyIds, type CallIds, fortyIds, nineIds } from '../history/ids.ts'
import { aBoolean, oneOf, type Rules, someOf, wholeNumber } from '../option-rules.ts'
import { openaiSchemas, openaiStrictSchemas, type SchemaProfile } from '../schema/index.ts'

/** What servers of the Chat Completions API differ in, as far as a user may have to say it. All of it is known of the servers in `servers.ts`. */
export interface ChatQuirks {
  /** The field that limits the answer. Default `max_tokens`; OpenAI itself: `max_completion_tokens`. */
  readonly maxTokensField?: 'max_completion_tokens' | 'max_tokens'
  /** Whether `stream_options: { include_usage: true }` is sent. Default true. */
  readonly streamUsage?: boolean
  /** Whether reasoning goes back in the field in which it came. Default true. */
  readonly sendReasoning?: boolean
  /** A field of reasoning that the server wants to see in each message of the assistant's, be it empty. Default none. */
  readonly reasoningNeeded?: 'reasoning_content'
  /**
   * How `settings.reasoning` is told: `reasoning_effort: 'low'` (default), the same with 'none' and 'high' only, `reasoning: { effort: 'low' }`,
   * `thinking: { type: 'enabled' }`, `enable_thinking: true`; or not at all.
   */
  readonly reasoningAs?: 'effort' | 'none-or-high' | 'object' | 'thinking' | 'enable_thinking' | 'unsaid'
  /** Ids of calls: nine letters and digits, at most forty characters (OpenAI and what stands before it), or what nearly every server takes (default). */
  readonly callIds?: 'nine' | 'forty' | 'any'
  /** Whether user and assistant must take turns, with no user behind the result of a tool: strict templates. Default false. */
  readonly rolesAlternate?: boolean
  /** The word for a choice of tools that wants one called. Default `required`. */
  readonly requiredChoice?: 'required' | 'any'
  /** How it is told that no tool may be called: `tool_choice: 'none'` (default), or by no tools where the server does not read that. */
  readonly noneAs?: 'choice' | 'no-tools'
  /** Whether a choice may name one tool. Else that tool is the only one of the request, and has to be called. Default true. */
  readonly namesChoice?: boolean
  /** How files go: as `file`, as `document_url` (Mistral), or as `file_url` (Perplexity). Default `file`. */
  readonly filesAs?: 'file' | 'document_url' | 'file_url'
  /**
   * What a message of the user's can show; of what it can't, the model is told in words. `image`: PNG, JPEG, GIF and WebP; `pdf`: PDF by its bytes, where
   * `file` is files of all types. Default: whatever there is a form for.
   */
  readonly shows?: readonly ('image' | 'audio' | 'video' | 'file' | 'pdf')[]
  /** Default `seed`. */
  readonly seedField?: 'seed' | 'random_seed'
  /** More tools than this are an error before anything is sent. Default: no limit is known. */
  readonly maxTools?: number
}

export const quirkRules: Rules<ChatQuirks> = {
  maxTokensField: oneOf('max_completion_tokens', 'max_tokens'),
  streamUsage: aBoolean,
  sendReasoning: aBoolean,
  reasoningNeeded: ["'reasoning_content'", (value) => value === 'reasoning_content'],
  reasoningAs: oneOf('effort', 'none-or-high', 'object', 'thinking', 'enable_thinking', 'unsaid'),
  callIds: oneOf('nine', 'forty', 'any'),
  rolesAlternate: aBoolean,
  requiredChoice: oneOf('required', 'any'),
  noneAs: oneOf('choice', 'no-tools'),
  namesChoice: aBoolean,
  filesAs: oneOf('file', 'document_url', 'file_url'),
  shows: someOf('image', 'audio', 'video', 'file', 'pdf'),
  seedField: oneOf('seed', 'random_seed'),
  maxTools: wholeNumber(1),
}

/** Which schemas a server takes. */
export interface ChatSchemas {
  readonly tools: SchemaProfile
  /** Of tools that are to be strict. */
  readonly strictTools: SchemaProfile
  /** Of an output: sent as strict where its schema can be. */
  readonly output: SchemaProfile
}

const openaiForms: ChatSchemas = { tools: openaiSchemas, strictTools: openaiStrictSchemas, output: openaiStrictSchemas }

/** Whom a request goes to, and how it is written there. */
export interface Dialect extends Omit<ChatQuirks, 'callIds'> {
  /** Names it in errors, in `providerOptions` and in provider data. */
  readonly provider: string
  readonly baseURL: string
  /** The environment variable that holds the key when none is given. */
  readonly apiKeyVariable: string | undefined
  /** The header that holds the key. Default `authorization`, as a bearer token. */
  readonly keyHeader?: 'api-key'
  readonly ids: CallIds
  readonly schemas: ChatSchemas
  /** This server answers 400 and nothing else when the input is too long. Default false. */
  readonly emptyMeansOverflow?: boolean
  /** Fields of `stream_options` besides `include_usage`. */
  readonly streamOptions?: JsonObject
  /** What its models are assumed to make of a schema of an output. Default `native`. */
  readonly structuredOutput?: ModelCapabilities['structuredOutput']
}

/** A server of which something is known. */
export interface KnownServer extends ChatQuirks, Pick<Dialect, 'keyHeader' | 'emptyMeansOverflow' | 'streamOptions' | 'structuredOutput'> {
  /** Default: OpenAI's. */
  readonly schemas?: ChatSchemas
  /** Its name in `provider:model`. */
  readonly name: string
  /** Where it is, for those that are at one place. */
  readonly baseURL?: string
  /** Its hosts, by their ends. */
  readonly hosts: readonly string[]
  readonly keyVariable?: string
}

/**
 * How a server is talked to: what is known of it by its host or else by its name, and over that what the user says.
 *
 * @param keyVariable Where the key comes from when none is given.
 */
export function dialectOf(
  { name, baseURL, keyVariable }: { readonly name: string; readonly baseURL: string; readonly keyVariable: string | undefined },
  known: KnownServer | undefined,
  quirks: ChatQuirks = {},
): Dialect {
  const { name: _name, baseURL: _baseURL, hosts: _hosts, keyVariable: _variable, callIds = 'any', ...rest } = { ...known, ...quirks }
  return { schemas: openaiForms, ...rest, provider: name, baseURL, apiKeyVariable: keyVariable, ids: ids[callIds] }
}

const ids: { readonly [kind in NonNullable<ChatQuirks['callIds']>]: CallIds } = { nine: nineIds, forty: fortyIds, any: anyIds }
