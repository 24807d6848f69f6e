import {
  anthropicMaker,
  azureMaker,
  chatMaker,
  geminiMaker,
  llamaCppMaker,
  ollamaMaker,
  openaiMaker,
  serverMaker,
  vertexMaker,
} from './makers.ts'
import type { Provider } from './provider.ts'

type Facts = Partial<Provider> & Pick<Provider, 'title' | 'example' | 'load'>

function provider(name: string, facts: Facts): Provider {
  return { name, aliases: [], keys: [], needs: [], isApi: false, data: name, ...facts }
}

/** A server of Chat Completions that is at one place. */
function server(name: string, title: string, key: string, example: string, more: Partial<Provider> = {}): Provider {
  return provider(name, { title, keys: [key], example, load: serverMaker(name), ...more })
}

/** A server that people run on their own machine. */
function ownServer(name: string, title: string, local: string): Provider {
  return provider(name, { title, local, isApi: true, example: 'NAME', load: serverMaker(name) })
}

/**
 * All that `--model` takes besides `offline`. Whatever tells of providers tells what stands here: the choice of a model, the doctor, completion, help. In
 * the order in which they are told of; where no model is named, the first of those with a `usual` model whose first key is set is taken.
 */
export const providers: readonly Provider[] = [
  provider('openai', {
    title: 'OpenAI (Responses)',
    keys: ['OPENAI_API_KEY'],
    place: 'OPENAI_BASE_URL',
    isApi: true,
    usual: 'gpt-5-mini',
    example: 'gpt-5-mini',
    load: openaiMaker,
  }),
  provider('anthropic', {
    title: 'Anthropic',
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
    place: 'ANTHROPIC_BASE_URL',
    isApi: true,
    usual: 'claude-sonnet-4-5',
    example: 'claude-sonnet-4-5',
    load: anthropicMaker,
  }),
  provider('gemini', {
    title: 'Google Gemini',
    aliases: ['google'],
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    place: 'GEMINI_BASE_URL',
    isApi: true,
    usual: 'gemini-2.5-flash',
    example: 'gemini-2.5-flash',
    data: 'google',
    load: geminiMaker,
  }),
  provider('ollama', { title: 'Ollama', isApi: true, example: 'qwen3', load: ollamaMaker }),
  provider('llama-cpp', {
    title: 'a GGUF file in this process',
    peer: { name: 'node-llama-cpp', install: 'npm install node-llama-cpp@3' },
    example: './model.gguf',
    load: llamaCppMaker,
  }),
  provider('openai-chat', {
    title: 'OpenAI (Chat Completions)',
    keys: ['OPENAI_API_KEY'],
    place: 'OPENAI_BASE_URL',
    isApi: true,
    example: 'gpt-4.1',
    data: 'openai',
    load: chatMaker,
  }),
  provider('vertex', {
    title: 'Google Cloud: Gemini, Claude',
    aliases: ['google-vertex'],
    keys: ['GOOGLE_OAUTH_ACCESS_TOKEN', 'CLOUDSDK_AUTH_ACCESS_TOKEN'],
    keyCommand: '$(gcloud auth print-access-token)',
    needs: [['GOOGLE_CLOUD_PROJECT', 'the id of your project']],
    example: 'gemini-2.5-flash',
    data: 'google-vertex',
    load: vertexMaker,
  }),
  provider('azure', {
    title: 'Azure OpenAI',
    aliases: ['azure-openai'],
    keys: ['AZURE_OPENAI_API_KEY'],
    place: 'AZURE_OPENAI_BASE_URL',
    placeExample: 'https://NAME.openai.azure.com/openai/v1',
    isApi: true,
    example: 'DEPLOYMENT',
    load: azureMaker,
  }),
  server('openrouter', 'OpenRouter', 'OPENROUTER_API_KEY', 'anthropic/claude-sonnet-4.5'),
  server('groq', 'Groq', 'GROQ_API_KEY', 'openai/gpt-oss-120b'),
  server('xai', 'xAI', 'XAI_API_KEY', 'grok-4', { aliases: ['grok', 'x.ai'] }),
  server('deepseek', 'DeepSeek', 'DEEPSEEK_API_KEY', 'deepseek-chat'),
  server('mistral', 'Mistral', 'MISTRAL_API_KEY', 'mistral-large-latest'),
  server('together', 'Together', 'TOGETHER_API_KEY', 'NAME', { aliases: ['togetherai'] }),
  server('fireworks', 'Fireworks', 'FIREWORKS_API_KEY', 'NAME'),
  server('cerebras', 'Cerebras', 'CEREBRAS_API_KEY', 'NAME'),
  server('perplexity', 'Perplexity', 'PERPLEXITY_API_KEY', 'sonar'),
  server('moonshot', 'Moonshot', 'MOONSHOT_API_KEY', 'NAME', { aliases: ['moonshotai', 'kimi'], data: 'moonshotai' }),
  server('zai', 'Z.ai', 'ZAI_API_KEY', 'NAME', { aliases: ['z.ai'] }),
  server('alibaba', 'Alibaba Cloud', 'DASHSCOPE_API_KEY', 'qwen-plus'),
  server('huggingface', 'Hugging Face', 'HF_TOKEN', 'NAME'),
  server('vercel', 'Vercel AI Gateway', 'AI_GATEWAY_API_KEY', 'NAME', {
    aliases: ['vercel-ai-gateway', 'gateway'],
    data: 'vercel-ai-gateway',
  }),
  server('venice', 'Venice', 'VENICE_API_KEY', 'NAME'),
  ownServer('vllm', 'vLLM', 'http://localhost:8000/v1'),
  ownServer('llamacpp', 'the server of llama.cpp', 'http://localhost:8080/v1'),
  ownServer('lmstudio', 'LM Studio', 'http://localhost:1234/v1'),
]

/** By its name or another one of it. */
export function providerNamed(name: string): Provider | undefined {
  return providers.find((one) => one.name === name || one.aliases.includes(name))
}

/** Whether a name of a model says whose it is. */
export function hasProvider(name: string): boolean {
  const at = name.indexOf(':')
  return name === 'offline' || (at > 0 && providerNamed(name.slice(0, at)) !== undefined)
}

/** All names, with commas. */
export const providerNames = [...providers.map(({ name }) => name), 'offline'].join(', ')
