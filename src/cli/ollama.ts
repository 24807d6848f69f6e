import { ollamaAddress } from '../models/ollama/index.ts'
import type { Terminal } from './terminal.ts'
import { oneLine } from './text.ts'

/** An Ollama server that listens answers within a few ms. */
const patienceMs = 500

export const unreadable = "OLLAMA_HOST can't be read as an address"

/** A model of a server on this machine, or why there is none, in words that go on a sentence. */
export type Looked = { readonly model: string; readonly address: string } | { readonly reason: string }

/** The model that came last to a server that answers on this machine, if it can chat; elsewhere nothing is asked for unbidden. */
export async function lookForOllama(env: Terminal['env'], fetch: typeof globalThis.fetch): Promise<Looked> {
  const address = ollamaAddress(env)
  if (address === undefined) return { reason: unreadable }
  const shown = oneLine(address)
  if (!isOnThisMachine(address))
    return { reason: `the Ollama server at ${shown} (OLLAMA_HOST) is not asked, for it is not on this machine` }
  const names = await modelsAt(address, fetch)
  if (names === undefined) return { reason: `no Ollama server answers at ${shown}` }
  if (names.length === 0) return { reason: `the Ollama server at ${shown} has no models` }
  const model = names.find((name) => !/embed|bge-|minilm|rerank/i.test(name))
  return model === undefined ? { reason: `the Ollama server at ${shown} has no model that can chat` } : { model, address }
}

export function isOnThisMachine(address: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(new URL(address).hostname)
}

/** The names of a server's models, the newest first; `undefined` where none answers soon. */
export async function modelsAt(address: string, fetch: typeof globalThis.fetch): Promise<readonly string[] | undefined> {
  try {
    const response = await fetch(`${address}/api/tags`, { signal: AbortSignal.timeout(patienceMs), redirect: 'error' })
    const body: unknown = await response.json()
    const models: unknown = typeof body === 'object' && body !== null && 'models' in body ? body.models : undefined
    return Array.isArray(models) ? models.map(nameOf).filter((name) => name !== undefined) : undefined
  } catch {
    return undefined
  }
}

function nameOf(model: unknown): string | undefined {
  return typeof model === 'object' && model !== null && 'name' in model && typeof model.name === 'string' ? model.name : undefined
}
