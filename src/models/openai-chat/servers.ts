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
    // Regions have hosts of their own: eu.api.openai.com.
    hosts: ['api.openai.com', '.api.openai.com'],
    keyVariable: 'OPENAI_API_KEY',
    maxTokensField: 'max_completion_tokens',
    callIds: 'forty',
    // Of files PDF only, and none by its URL: https://developers.openai.com/api/docs/guides/file-inputs
    shows: ['image', 'audio', 'pdf'],
    maxTools: 128,
    // Random padding of each event, against listeners who measure packets: it costs bytes, and every event then differs from the one before.
    streamOptions: { include_obfuscation: false },
  },
  {
    name: 'azure',
    hosts: [
      '.openai.azure.com',
      '.cognitiveservices.azure.com',
      '.services.ai.azure.com',
      '.openai.azure.us',
      '.cognitiveservices.azure.us',
    ],
    keyVariable: 'AZURE_OPENAI_API_KEY',
    keyHeader: 'api-key',
    maxTokensField: 'max_completion_tokens',
    callIds: 'forty',
    shows: ['image', 'audio', 'pdf'],
    maxTools: 128,
  },
  {
    name: 'openrouter',
    baseURL: 'https://openrouter.ai/api/v1',
    hosts: ['openrouter.ai'],
    keyVariable: 'OPENROUTER_API_KEY',
    reasoningAs: 'object',
    callIds: 'forty',
  },
  {
    name: 'groq',
    baseURL: 'https://api.groq.com/openai/v1',
    hosts: ['api.groq.com'],
    keyVariable: 'GROQ_API_KEY',
    // Few of its models take a schema, and none beside tools ("json mode cannot be combined with tool/function calling").
    structuredOutput: 'prompt',
    // https://console.groq.com/docs/vision
    shows: ['image'],
    maxTools: 128,
  },
  {
    name: 'xai',
    baseURL: 'https://api.x.ai/v1',
    hosts: ['api.x.ai', '.api.x.ai'],
    keyVariable: 'XAI_API_KEY',
    // "Maximum tools limit reached. 219 tools have been provided but the maximum is 200."
    maxTools: 200,
  },
  {
    name: 'deepseek',
    baseURL: 'https://api.deepseek.com',
    hosts: ['api.deepseek.com'],
    keyVariable: 'DEEPSEEK_API_KEY',
    reasoningNeeded: 'reasoning_content',
    reasoningAs: 'thinking',
    // "This response_format type is unavailable now": it takes 'text' and 'json_object' (https://api-docs.deepseek.com/api/create-chat-completion).
    structuredOutput: 'prompt',
    // "unknown variant `image_url`, expected `text`"
    shows: [],
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
    filesAs: 'document_url',
    // https://docs.mistral.ai/api: there is no part for a video.
    shows: ['image', 'audio', 'file'],
    schemas: { tools: mistralSchemas, strictTools: mistralStrictSchemas, output: mistralStrictSchemas },
    // https://docs.mistral.ai/capabilities/reasoning: 'none' and 'high' are all that it knows.
    reasoningAs: 'none-or-high',
  },
  {
    name: 'together',
    baseURL: 'https://api.together.ai/v1',
    hosts: ['api.together.ai', 'api.together.xyz', 'api-inference.together.ai'],
    keyVariable: 'TOGETHER_API_KEY',
  },
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
    filesAs: 'file_url',
    sendReasoning: false,
  },
  {
    name: 'moonshot',
    baseURL: 'https://api.moonshot.ai/v1',
    hosts: ['api.moonshot.ai', 'api.moonshot.cn'],
    keyVariable: 'MOONSHOT_API_KEY',
    // "thinking is enabled but reasoning_content is missing in assistant tool call message", and its models think unless they are told not to.
    reasoningNeeded: 'reasoning_content',
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
    // A schema is taken and not heeded: https://docs.z.ai/guides/capabilities/struct-output has 'json_object' only.
    structuredOutput: 'prompt',
  },
  {
    name: 'alibaba',
    baseURL: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    hosts: ['.aliyuncs.com'],
    keyVariable: 'DASHSCOPE_API_KEY',
    reasoningAs: 'enable_thinking',
    // Few of its models take a schema.
    structuredOutput: 'prompt',
  },
  {
    name: 'google',
    baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai',
    hosts: ['generativelanguage.googleapis.com'],
    keyVariable: 'GEMINI_API_KEY',
  },
  { name: 'huggingface', baseURL: 'https://router.huggingface.co/v1', hosts: ['router.huggingface.co'], keyVariable: 'HF_TOKEN' },
  {
    name: 'vercel',
    baseURL: 'https://ai-gateway.vercel.sh/v1',
    hosts: ['ai-gateway.vercel.sh'],
    keyVariable: 'AI_GATEWAY_API_KEY',
    callIds: 'forty',
  },
  { name: 'venice', baseURL: 'https://api.venice.ai/api/v1', hosts: ['api.venice.ai'], keyVariable: 'VENICE_API_KEY' },
  { name: 'vllm', baseURL: 'http://localhost:8000/v1', hosts: [] },
  // Both know a choice of tools as a word only: LM Studio refuses the name of one, llama.cpp takes it for 'auto'.
  { name: 'llamacpp', baseURL: 'http://localhost:8080/v1', hosts: [], namesChoice: false },
  { name: 'lmstudio', baseURL: 'http://localhost:1234/v1', hosts: [], namesChoice: false },
]

/** What is known of whom: a host says more than a name, for anybody may be named anything. */
export function serverAt(baseURL: string): KnownServer | undefined {
  const { hostname } = new URL(baseURL)
  return servers.find(({ hosts }) => hosts.some((host) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host)))
}

export function serverNamed(name: string): KnownServer | undefined {
  return servers.find((server) => server.name === name)
}
