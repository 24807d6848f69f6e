import { mistralSchemas, mistralStrictSchemas } from '../schema/index.ts'
import type { KnownServer } from './dialect.ts'

/**
 * The servers of which something is known: where they are, in which variable their key is, and what they do otherwise than most. Sources:
 * their public references and what recorded traffic of them shows.
 */
export const servers: readonly KnownServer[] = [
  {
    name: 'openai',
    baseURL: 'https://api.openai.com/v1',
    hosts: ['api.openai.com'],
    keyVariable: 'OPENAI_API_KEY',
    maxTokensField: 'max_completion_tokens',
    maxTools: 128,
    // Random padding of each event, against listeners who measure packets: it costs bytes, and every event then differs from the one before.
    streamOptions: { include_obfuscation: false },
  },
  {
    name: 'azure',
    hosts: ['.openai.azure.com', '.cognitiveservices.azure.com', '.services.ai.azure.com'],
    keyVariable: 'AZURE_OPENAI_API_KEY',
    keyHeader: 'api-key',
    maxTokensField: 'max_completion_tokens',
    maxTools: 128,
  },
  {
    name: 'openrouter',
    baseURL: 'https://openrouter.ai/api/v1',
    hosts: ['openrouter.ai'],
    keyVariable: 'OPENROUTER_API_KEY',
    reasoningAs: 'object',
  },
  { name: 'groq', baseURL: 'https://api.groq.com/openai/v1', hosts: ['api.groq.com'], keyVariable: 'GROQ_API_KEY', maxTools: 128 },
  { name: 'xai', baseURL: 'https://api.x.ai/v1', hosts: ['api.x.ai'], keyVariable: 'XAI_API_KEY' },
  {
    name: 'deepseek',
    baseURL: 'https://api.deepseek.com',
    hosts: ['api.deepseek.com'],
    keyVariable: 'DEEPSEEK_API_KEY',
    reasoningNeeded: 'reasoning_content',
    reasoningAs: 'thinking',
    maxTools: 128,
  },
  {
    name: 'mistral',
    baseURL: 'https://api.mistral.ai/v1',
    hosts: ['api.mistral.ai'],
    keyVariable: 'MISTRAL_API_KEY',
    callIds: 'nine',
    rolesAlternate: true,
    requiredChoice: 'any',
    seedField: 'random_seed',
    streamUsage: false,
    schemas: { tools: mistralSchemas, strictTools: mistralStrictSchemas, output: mistralStrictSchemas },
    reasoningAs: 'unsaid',
  },
  { name: 'together', baseURL: 'https://api.together.xyz/v1', hosts: ['api.together.xyz'], keyVariable: 'TOGETHER_API_KEY' },
  { name: 'fireworks', baseURL: 'https://api.fireworks.ai/inference/v1', hosts: ['api.fireworks.ai'], keyVariable: 'FIREWORKS_API_KEY' },
  // An input that is too long: 400 and nothing else (B120).
  {
    name: 'cerebras',
    baseURL: 'https://api.cerebras.ai/v1',
    hosts: ['api.cerebras.ai'],
    keyVariable: 'CEREBRAS_API_KEY',
    emptyMeansOverflow: true,
    maxTokensField: 'max_completion_tokens',
  },
  {
    name: 'perplexity',
    baseURL: 'https://api.perplexity.ai',
    hosts: ['api.perplexity.ai'],
    keyVariable: 'PERPLEXITY_API_KEY',
    rolesAlternate: true,
    sendReasoning: false,
  },
  {
    name: 'moonshot',
    baseURL: 'https://api.moonshot.ai/v1',
    hosts: ['api.moonshot.ai', 'api.moonshot.cn'],
    keyVariable: 'MOONSHOT_API_KEY',
    reasoningAs: 'thinking',
  },
  {
    name: 'zai',
    baseURL: 'https://api.z.ai/api/paas/v4',
    hosts: ['api.z.ai', 'open.bigmodel.cn'],
    keyVariable: 'ZAI_API_KEY',
    // Its reference knows `auto` and no other choice.
    noneAs: 'no-tools',
    reasoningAs: 'thinking',
  },
  {
    name: 'alibaba',
    baseURL: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    hosts: ['.aliyuncs.com'],
    keyVariable: 'DASHSCOPE_API_KEY',
    reasoningAs: 'enable_thinking',
  },
  {
    name: 'google',
    baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai',
    hosts: ['generativelanguage.googleapis.com'],
    keyVariable: 'GEMINI_API_KEY',
  },
  { name: 'huggingface', baseURL: 'https://router.huggingface.co/v1', hosts: ['router.huggingface.co'], keyVariable: 'HF_TOKEN' },
  { name: 'vercel', baseURL: 'https://ai-gateway.vercel.sh/v1', hosts: ['ai-gateway.vercel.sh'], keyVariable: 'AI_GATEWAY_API_KEY' },
  { name: 'venice', baseURL: 'https://api.venice.ai/api/v1', hosts: ['api.venice.ai'], keyVariable: 'VENICE_API_KEY' },
  { name: 'vllm', baseURL: 'http://localhost:8000/v1', hosts: [] },
  { name: 'llamacpp', baseURL: 'http://localhost:8080/v1', hosts: [] },
  { name: 'lmstudio', baseURL: 'http://localhost:1234/v1', hosts: [] },
]

/** What is known of whom: a host says more than a name, for anybody may be named anything. */
export function serverAt(baseURL: string): KnownServer | undefined {
  const { hostname } = new URL(baseURL)
  return servers.find(({ hosts }) => hosts.some((host) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host)))
}

export function serverNamed(name: string): KnownServer | undefined {
  return servers.find((server) => server.name === name)
}
