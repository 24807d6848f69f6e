import type { JsonObject } from '../../core/json.ts'

/** What servers of the same API differ in, as data. */
export interface Dialect {
  /** Names it in errors, in `providerOptions`, in tools of its own and in provider data. */
  readonly provider: string
  readonly baseURL: string
  /** The environment variable that holds the key when none is given. */
  readonly apiKeyVariable: string | undefined
  /** The header that holds the key: `authorization` (as a bearer token) by default. */
  readonly keyHeader?: 'api-key'
  /** The models that give their reasoning encrypted, so that it can go back. Others of the server refuse to be asked for it. Default: none. */
  readonly encrypts?: RegExp
  /** `stream_options`. Default: none. */
  readonly streamOptions?: JsonObject
  /** Whether the result of a tool may hold pictures and files; else the user shows them behind it. Default false. */
  readonly mediaInResults?: boolean
  /** Custom tool calls of names that nobody has offered are searches of the server's own. Default false. */
  readonly runsCustomTools?: boolean
}

/** OpenAI's reasoning models by their names; Azure's deployments are often named so too. */
const openaiReasoning = /(?:^|[/.])(?:o[1-9]|gpt-[5-9](?!-chat|\.\d+-chat)|codex|computer-use)/i

const openaiDialect: Dialect = {
  provider: 'openai',
  baseURL: 'https://api.openai.com/v1',
  apiKeyVariable: 'OPENAI_API_KEY',
  encrypts: openaiReasoning,
  mediaInResults: true,
  // Random padding of each event, against listeners who measure packets: it costs bytes, and every event then differs from the one before.
  streamOptions: { include_obfuscation: false },
}

interface KnownHost extends Omit<Dialect, 'baseURL'> {
  readonly host: RegExp
}

const known: readonly KnownHost[] = [
  { ...openaiDialect, host: /^(?:[\w-]+\.)?api\.openai\.com$/ },
  {
    host: /\.(?:openai\.azure\.(?:com|us)|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/,
    provider: 'azure',
    apiKeyVariable: 'AZURE_OPENAI_API_KEY',
    keyHeader: 'api-key',
    encrypts: openaiReasoning,
    mediaInResults: true,
  },
  { host: /^(?:[\w-]+\.)?api\.x\.ai$/, provider: 'xai', apiKeyVariable: 'XAI_API_KEY', encrypts: /./, runsCustomTools: true },
  { host: /^openrouter\.ai$/, provider: 'openrouter', apiKeyVariable: 'OPENROUTER_API_KEY', encrypts: /./, mediaInResults: true },
  { host: /^api\.deepseek\.com$/, provider: 'deepseek', apiKeyVariable: 'DEEPSEEK_API_KEY' },
  {
    host: /^bedrock-(?:mantle|runtime)[\w.-]*\.(?:amazonaws\.com|api\.aws)$/,
    provider: 'bedrock',
    apiKeyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
    encrypts: openaiReasoning,
    mediaInResults: true,
  },
]

/**
 * The dialect of a server. One that is known by its host is named for it; of another nothing is known, save that it speaks the API: with a
 * name of its own it is asked without a key of the environment, without one it is taken for a proxy of OpenAI.
 */
export function dialectOf(baseURL: string | undefined, name: string | undefined): Dialect {
  const named = name === undefined ? {} : { provider: name }
  if (baseURL === undefined) return { ...openaiDialect, ...named }
  const { hostname } = new URL(baseURL)
  const row = known.find(({ host }) => host.test(hostname))
  if (row !== undefined) {
    const { host: _host, ...dialect } = row
    return { ...dialect, baseURL, ...named }
  }
  if (name === undefined) return { ...openaiDialect, baseURL }
  return { provider: name, baseURL, apiKeyVariable: undefined }
}
