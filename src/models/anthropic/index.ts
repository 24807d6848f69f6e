import { RondoError } from '../../core/error.ts'
import type { Model } from '../../core/model.ts'
import { environment } from '../environment.ts'
import { checkedURL, checkModelName, checkOptions } from '../http/check-options.ts'
import { endpoint, HttpModel } from '../http/model.ts'
import type { HttpOptions } from '../http/options.ts'
import { overlaid } from '../http/overlay.ts'
import { aBoolean, aName, oneOf, type Rules } from '../option-rules.ts'
import { scopeOf } from '../scope.ts'
import { checkVertexPlace, vertexBase, vertexPath } from '../vertex.ts'
import { MessagesApi, type Server } from './api.ts'
import { familyOf } from './families.ts'
import type { FrameOptions } from './request.ts'
import type { Target } from './thinking.ts'

/** What the Messages API has that others have not. */
export interface MessagesOptions extends HttpOptions {
  /**
   * Marks what the provider is to keep, so that the next request of a session pays a tenth for it: the tools, the instructions and the
   * conversation so far, for five minutes or an hour. Writing costs a quarter more (an hour: twice as much). Default: nothing is marked.
   */
  readonly cache?: true | { readonly ttl: '5m' | '1h' } | undefined
  /** Features to switch on, as the header `anthropic-beta` names them: `['context-management-2025-06-27']`. */
  readonly betas?: readonly string[] | undefined
  /** Whether the model may call several tools at once. Default true. */
  readonly parallelCalls?: boolean | undefined
  /** What is told of the model's thinking: a summary, or nothing. Default: the model's own (from Claude 5 on nothing). */
  readonly thinkingText?: 'summarized' | 'omitted' | undefined
  /**
   * From Claude 5.1 on, thinking is bound to all that stood before it: the instructions, the tools, the messages. What is to become of it when
   * one of them has changed: the provider drops it, or refuses the request. Default 'drop-thinking' at Anthropic's own URL; elsewhere nothing is
   * said, and the server decides.
   */
  readonly changedHistory?: 'drop-thinking' | 'refuse' | undefined
}

/** How Anthropic, or a server that speaks its API, is reached. */
export interface AnthropicOptions extends MessagesOptions {
  /**
   * Where the API is: '/v1/messages' is put behind it, or '/messages' where it ends with '/v1' already. Default https://api.anthropic.com.
   * The key of the environment goes there too, unless `name` says that the server is another's.
   */
  readonly baseURL?: string | undefined
  /** Another server than Anthropic: names it in errors, in `settings.providerOptions` and in the journal. Default 'anthropic'. */
  readonly name?: string | undefined
  /**
   * How the key is sent: as `x-api-key` or as `authorization: Bearer`. Default 'x-api-key'; a token of the environment's `ANTHROPIC_AUTH_TOKEN`, which
   * is read where there is no `apiKey` and no `ANTHROPIC_API_KEY`, as a bearer's. With 'bearer' it goes before the key.
   */
  readonly auth?: 'x-api-key' | 'bearer' | undefined
}

/** How Anthropic's models on Google Cloud are reached. */
export interface AnthropicVertexOptions extends MessagesOptions {
  /** The id of the project. */
  readonly project: string
  /** 'global', 'us-east5', 'europe-west1', … */
  readonly location: string
  /** An OAuth access token, or a function that is asked for one before each request: they live for an hour. */
  readonly apiKey: string | (() => string | Promise<string>)
}

const bindingBeta = 'thinking-binding-controls-2026-08-01'

const moreRules: Rules = {
  cache: [
    "true or { ttl: '5m' | '1h' }",
    (value) => value === true || (typeof value === 'object' && value !== null && ['5m', '1h'].includes(Reflect.get(value, 'ttl'))),
  ],
  betas: ['a list of texts', (value) => Array.isArray(value) && value.every((beta) => typeof beta === 'string' && beta !== '')],
  parallelCalls: aBoolean,
  thinkingText: oneOf('summarized', 'omitted'),
  changedHistory: oneOf('drop-thinking', 'refuse'),
}

const anthropicRules: Rules = {
  ...moreRules,
  name: aName,
  auth: oneOf('x-api-key', 'bearer'),
}

const vertexRules: Rules = { ...moreRules, project: aName, location: aName }

/**
 * A model of Anthropic's Messages API.
 *
 * `settings.reasoning` becomes what the model of that name understands: a budget of thinking tokens (up to Claude 4.5) or an effort. A model
 * of which nothing is known gets a budget. What a model is known to refuse (a temperature, a forced tool while it thinks …) is a
 * `ConfigInvalid` when it is asked. Without `settings.maxOutputTokens` the most that the model can write is asked for (32,000 tokens of
 * one that is not known; 21,333 at most without a stream); thinking counts as written.
 *
 * @param model Its name: `claude-sonnet-4-5`.
 * @throws `ConfigInvalid` for options that can't work.
 */
export function anthropic(model: string, options: AnthropicOptions = {}): Model {
  checkModelName(model, 'anthropic', 'claude-sonnet-4-5')
  checkOptions(options, 'anthropic', anthropicRules)
  const { baseURL, name } = options
  const base = baseURL === undefined ? 'https://api.anthropic.com' : checkedURL(baseURL, 'https://api.anthropic.com')
  const isOwn = new URL(base).hostname === 'api.anthropic.com'
  const version = /\/v\d+\/*$/.test(new URL(base).pathname)
  const server: Server = {
    url: endpoint(base, version ? '/messages' : '/v1/messages'),
    ...credentialsOf(options),
    headers: { 'anthropic-version': '2023-06-01' },
  }
  return made(model, name ?? 'anthropic', server, options, { fields: { model }, isOwn })
}

/** Where the key comes from when none is given, and how it is sent. */
function credentialsOf({ name, apiKey, auth }: AnthropicOptions): Pick<Server, 'keyVariable' | 'auth'> {
  if (name !== undefined) return { keyVariable: undefined, auth: auth ?? 'x-api-key' }
  const [key, token] = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'] as const
  const isSet = (variable: string) => (environment(variable)?.trim() ?? '') !== ''
  const takesToken = apiKey === undefined && auth !== 'x-api-key' && isSet(token) && (auth === 'bearer' || !isSet(key))
  return { keyVariable: takesToken ? token : key, auth: auth ?? (takesToken ? 'bearer' : 'x-api-key') }
}

/**
 * A model of Anthropic's on Google Cloud (Vertex AI).
 *
 * @param model Its name there: `claude-sonnet-4-5@20250929`.
 * @throws `ConfigInvalid` for options that can't work.
 */
export function anthropicVertex(model: string, options: AnthropicVertexOptions): Model {
  checkModelName(model, 'anthropicVertex', 'claude-sonnet-4-5@20250929')
  checkOptions(options, 'anthropicVertex', vertexRules, "an object, as { project: 'my-project', location: 'global', apiKey: token }")
  const { project, location, apiKey, baseURL, stream = true } = options
  const missing = Object.entries({ project, location, apiKey }).flatMap(([name, value]) => (value === undefined ? [name] : []))
  if (missing.length > 0) throw new RondoError('ConfigInvalid', `anthropicVertex: ${missing.join(' and ')} must be given.`)
  checkVertexPlace({ project, location }, 'anthropicVertex: ')
  const base = baseURL === undefined ? vertexBase(location) : checkedURL(baseURL, vertexBase('us-east5'))
  const name = encodeURIComponent(model).replaceAll('%40', '@')
  const path = `${vertexPath({ project, location }, 'anthropic')}/models/${name}:${stream ? 'streamRawPredict' : 'rawPredict'}`
  const server: Server = { url: endpoint(base, path), keyVariable: undefined, auth: 'bearer', headers: {} }
  return made(model, 'vertex', server, options, { fields: { anthropic_version: 'vertex-2023-10-16' }, isOwn: false })
}

function made(
  model: string,
  provider: string,
  server: Server,
  options: MessagesOptions,
  { fields, isOwn }: Pick<FrameOptions, 'fields'> & { readonly isOwn: boolean },
): Model {
  const { stream = true, cache, parallelCalls, thinkingText, changedHistory, capabilities } = options
  const family = familyOf(model)
  const dropsUnbound = family.boundThinking && (changedHistory === undefined ? isOwn : changedHistory === 'drop-thinking')
  const target: Target = { model, provider, family, stream, maxOutput: capabilities?.maxOutputTokens, display: thinkingText, dropsUnbound }
  const { named, rest } = betasIn(options.headers)
  const betas = [...new Set([...named, ...(options.betas ?? []), ...(dropsUnbound ? [bindingBeta] : [])])]
  const headers = betas.length === 0 ? server.headers : { ...server.headers, 'anthropic-beta': betas.join(',') }
  const api = new MessagesApi(target, scopeOf(provider, 'messages', model), { ...server, headers }, { fields, cache, parallelCalls })
  return new HttpModel(model, api, overlaid({}, { ...options, headers: rest }))
}

/** What a user's own header names is asked for together with the rest. */
function betasIn(headers: HttpOptions['headers'] = {}): {
  readonly named: readonly string[]
  readonly rest: NonNullable<HttpOptions['headers']>
} {
  const isBeta = ([name]: readonly [string, string]) => name.toLowerCase() === 'anthropic-beta'
  const all = Object.entries(headers)
  const named = all.filter(isBeta).flatMap(([, value]) => value.split(','))
  return {
    named: named.map((beta) => beta.trim()).filter((beta) => beta !== ''),
    rest: Object.fromEntries(all.filter((one) => !isBeta(one))),
  }
}
