import { RondoError } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'
import { checkedURL } from '../http/check-options.ts'
import type { KnownServer } from '../openai-chat/dialect.ts'
import { serverAt, serverNamed } from '../openai-chat/servers.ts'

/** What servers of the Responses API differ in. */
interface Quirks {
  /** The models that give their reasoning encrypted, so that it can go back. Others of the server refuse to be asked for it. Default: none. */
  readonly encrypts?: RegExp
  /** Whether the result of a tool may hold pictures and files; else the user shows them behind it. Default false. */
  readonly mediaInResults?: boolean
  /** Custom tool calls of names that nobody has offered are searches of the server's own. Default false. */
  readonly runsCustomTools?: boolean
}

/** Whom a request goes to, and how it is written there. */
export interface Dialect extends Quirks {
  /** Names it in errors, in `providerOptions`, in tools of its own and in provider data. */
  readonly provider: string
  readonly baseURL: string
  /** The environment variable that holds the key when none is given. */
  readonly apiKeyVariable: string | undefined
  /** The header that holds the key. Default `authorization`, as a bearer token. */
  readonly keyHeader?: 'api-key' | undefined
  /** More tools than this are an error before anything is sent. Default: no limit is known. */
  readonly maxTools?: number | undefined
  /** `stream_options`. Default: none. */
  readonly streamOptions?: JsonObject | undefined
}

/** OpenAI's reasoning models by their names; Azure's deployments are often named so too. */
const openaiReasoning = /(?:^|[/.])(?:o[1-9]|gpt-[5-9](?!(?:\.\d+)?-chat)|codex|computer-use)/i

/** By the names that servers have everywhere. Sources: their public references, and what recorded traffic of them shows. */
const quirks: { readonly [name: string]: Quirks } = {
  openai: { encrypts: openaiReasoning, mediaInResults: true },
  azure: { encrypts: openaiReasoning, mediaInResults: true },
  bedrock: { encrypts: openaiReasoning, mediaInResults: true },
  openrouter: { encrypts: /./, mediaInResults: true },
  xai: { encrypts: /./, runsCustomTools: true },
}

/** Amazon's endpoints for models of OpenAI: one in each region. */
const bedrockHosts = /^bedrock-(?:mantle|runtime)\.[\w.-]+\.(?:amazonaws\.com|api\.aws)$/

/**
 * How a server is talked to: what is known of it by its host, or else by its name. Without either it is taken for a proxy of OpenAI, whose key
 * is OpenAI's too; the environment's key of any other is for its own host only.
 */
export function dialectOf({
  baseURL: given,
  name,
}: {
  readonly baseURL?: string | undefined
  readonly name?: string | undefined
}): Dialect {
  const place = given ?? serverNamed(name ?? 'openai')?.baseURL
  if (place === undefined) throw new RondoError('ConfigInvalid', `openai: baseURL is missing; where '${name}' is, is not known.`)
  const baseURL = checkedURL(place)
  const there = knownAt(baseURL)
  const provider = name ?? there?.name ?? 'openai'
  const known = there ?? serverNamed(provider)
  const openaiKey = name === undefined && there === undefined ? known?.keyVariable : undefined
  return {
    ...quirks[there?.name ?? provider],
    provider,
    baseURL,
    apiKeyVariable: there?.keyVariable ?? openaiKey,
    keyHeader: known?.keyHeader,
    streamOptions: known?.streamOptions,
    maxTools: known?.maxTools,
  }
}

function knownAt(baseURL: string): Pick<KnownServer, 'name' | 'keyVariable' | 'keyHeader' | 'streamOptions' | 'maxTools'> | undefined {
  if (bedrockHosts.test(new URL(baseURL).hostname)) return { name: 'bedrock', keyVariable: 'AWS_BEARER_TOKEN_BEDROCK' }
  return serverAt(baseURL)
}
