/** A model by its name: provider, and the provider's own name for it. */
export interface ModelName {
  readonly provider: string
  readonly id: string
}

/** Other names of providers of the data: the short ones, those of the AI SDK, and hosts beside the one in the data. */
export const providerAliases: { readonly [alias: string]: string } = {
  gemini: 'google',
  vertex: 'google-vertex',
  'google.vertex.chat': 'google-vertex',
  'vertex.anthropic.messages': 'google-vertex',
  bedrock: 'amazon-bedrock',
  'bedrock.anthropic.messages': 'amazon-bedrock',
  'azure-openai': 'azure',
  moonshot: 'moonshotai',
  kimi: 'moonshotai',
  'z.ai': 'zai',
  'x.ai': 'xai',
  grok: 'xai',
  togetherai: 'together',
  vercel: 'vercel-ai-gateway',
  gateway: 'vercel-ai-gateway',
  'api.together.xyz': 'together',
}

/**
 * Parts `provider:id`. Names of models have colons too (`ollama:qwen3:8b`), and a provider may be a host with a port (`localhost:8080:qwen3`).
 * `undefined` for a name without a provider.
 */
export function splitName(name: string): ModelName | undefined {
  const { provider, id } = /^(?<provider>\[[^\]]*\](?::\d+)?|[^:]+:\d+(?=:)|[^:]+):(?<id>.+)$/s.exec(name)?.groups ?? {}
  return provider === undefined || id === undefined ? undefined : { provider, id }
}

export function nameOf({ provider, id }: ModelName): string {
  return `${provider}:${id}`
}

/** A model's name without the date of its snapshot (`-2025-08-07`, `-20250929`, `@20250929`); `undefined` where it has none. */
export function undated(id: string): string | undefined {
  const short = id.replace(/[-@]20\d{2}(-?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])$/, '')
  return short === id || short === '' ? undefined : short
}
