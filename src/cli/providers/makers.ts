import { CannotRun } from '../terminal.ts'
import type { Maker } from './provider.ts'
import { given } from './variables.ts'

/** What an Ollama server is asked to keep room for where nobody has said anything: its own number would be a few thousand, and it cuts in silence. */
const ollamaContext = 32_768

export async function openaiMaker(): Promise<Maker> {
  const { openai } = await import('../../models/openai/index.ts')
  return (model, { apiKey, baseURL }, capabilities) => openai(model, { apiKey, baseURL, capabilities })
}

export async function chatMaker(): Promise<Maker> {
  const { openaiChat } = await import('../../models/openai/index.ts')
  return (model, { apiKey, baseURL }, capabilities) => openaiChat(model, { apiKey, baseURL, capabilities })
}

export async function anthropicMaker(): Promise<Maker> {
  const { anthropic } = await import('../../models/anthropic/index.ts')
  return (model, { apiKey, baseURL, env }, capabilities) => {
    const isToken = given(env['ANTHROPIC_API_KEY']) === undefined && given(env['ANTHROPIC_AUTH_TOKEN']) === apiKey
    return anthropic(model, { apiKey, baseURL, capabilities, cache: true, ...(isToken ? { auth: 'bearer' } : {}) })
  }
}

export async function geminiMaker(): Promise<Maker> {
  const { gemini } = await import('../../models/gemini/index.ts')
  return (model, { apiKey, baseURL }, capabilities) => gemini(model, { apiKey, baseURL, capabilities })
}

/** Gemini's models and Anthropic's. */
export async function vertexMaker(): Promise<Maker> {
  const [{ gemini }, { anthropicVertex }] = await Promise.all([
    import('../../models/gemini/index.ts'),
    import('../../models/anthropic/index.ts'),
  ])
  return (model, { apiKey = '', env }, capabilities) => {
    const project = given(env['GOOGLE_CLOUD_PROJECT']) ?? ''
    const location = given(env['GOOGLE_CLOUD_LOCATION']) ?? 'global'
    return model.startsWith('claude')
      ? anthropicVertex(model, { project, location, apiKey, capabilities, cache: true })
      : gemini(model, { apiKey, capabilities, vertex: { project, location } })
  }
}

export async function azureMaker(): Promise<Maker> {
  const { openaiCompatible } = await import('../../models/openai/index.ts')
  return (model, { apiKey, baseURL }, capabilities) => openaiCompatible({ name: 'azure', baseURL, apiKey })(model, { capabilities })
}

/** A server of Chat Completions of which something is known; those that people run themselves may be anywhere. */
export function serverMaker(name: string): () => Promise<Maker> {
  return async () => {
    const { openaiCompatible } = await import('../../models/openai/index.ts')
    return (model, { apiKey, baseURL }, capabilities) =>
      openaiCompatible({ name, apiKey, ...(baseURL === undefined ? {} : { baseURL }) })(model, { capabilities })
  }
}

/** What is known of its window is what room is kept for; else what OLLAMA_CONTEXT_LENGTH says, which Ollama reads too. */
export async function ollamaMaker(): Promise<Maker> {
  const { ollama } = await import('../../models/ollama/index.ts')
  return (model, { baseURL, env, apiKey }, capabilities) => {
    const said = given(env['OLLAMA_CONTEXT_LENGTH'])
    if (said !== undefined && !/^[1-9]\d{0,8}$/.test(said)) throw new CannotRun('OLLAMA_CONTEXT_LENGTH must be a whole number of tokens.')
    const contextTokens = capabilities.contextWindow ?? (said === undefined ? ollamaContext : Number(said))
    return ollama(model, { baseURL, apiKey, capabilities, contextTokens })
  }
}

export async function llamaCppMaker(): Promise<Maker> {
  const { llamaCpp } = await import('../../models/llama-cpp/index.ts')
  return (modelPath, _, { contextWindow }) => llamaCpp({ modelPath, contextSize: contextWindow })
}
