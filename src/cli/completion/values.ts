import { ollamaAddress } from '../../models/ollama/index.ts'
import { toolWords } from '../config/tool-groups.ts'
import { isOnThisMachine, modelsAt } from '../ollama.ts'
import { providerNamed, providers } from '../providers/table.ts'
import { openToRead } from '../store.ts'
import type { Terminal } from '../terminal.ts'
import { dateAndTime, spelledOut } from '../text.ts'
import type { Candidate, Candidates, ValuesOf } from './complete.ts'

/** The newest ones. */
const maxSessions = 100
/** A key was pressed: a file that somebody else locks is not waited for. */
const busyTimeoutMs = 100

/** The values of this command's options and arguments. */
export function valuesFor(terminal: Terminal, fetch: typeof globalThis.fetch = globalThis.fetch): ValuesOf {
  return async ({ name, placeholder, choices, typed }) => {
    if (choices !== undefined) return values(choices)
    switch (name) {
      case '--model':
        return { kind: 'values', values: await models(typed, terminal, fetch) }
      case 'model':
        return { kind: 'values', values: await knownModels(typed) }
      case '--provider':
        return values(await providersOfData())
      case '--session':
      case '--resume':
      case 'session':
        return { kind: 'values', values: await sessions(terminal) }
      case '--approve':
      case '--deny':
        return placeholder === 'call' ? values(['all']) : values([])
      case '--remember':
        return values(['run', 'session'])
      case '--tools':
        return values(listed(typed, toolWords))
      case 'task':
        return { kind: 'files' }
      default:
        return byPlaceholder(placeholder)
    }
  }
}

function byPlaceholder(placeholder: string): Candidates {
  if (placeholder === 'dir' || placeholder === 'folder') return { kind: 'folders' }
  return placeholder === 'file' || placeholder === 'path' ? { kind: 'files' } : values([])
}

function values(all: readonly string[]): Candidates {
  return { kind: 'values', values: all.map((value) => ({ value })) }
}

/** A list with commas: the last item is being typed. */
function listed(typed: string, words: readonly string[]): readonly string[] {
  const before = typed.slice(0, typed.lastIndexOf(',') + 1)
  const given = new Set(before.split(','))
  return words.filter((word) => !given.has(word)).map((word) => before + word)
}

/** First the providers, then the models of the one that is typed. A server is asked only then, and only on this machine. */
async function models(typed: string, { env }: Terminal, fetch: typeof globalThis.fetch): Promise<readonly Candidate[]> {
  if (!typed.includes(':')) {
    const all = providers.map(({ name, title, keys: [key] }) => ({ value: `${name}:`, about: key === undefined ? title : `needs ${key}` }))
    return [{ value: 'offline', about: 'no language model' }, ...all]
  }
  if (!typed.startsWith('ollama:')) return knownModels(typed, (name) => providerNamed(name)?.data)
  const address = ollamaAddress(env)
  if (address === undefined || !isOnThisMachine(address)) return []
  return ((await modelsAt(address, fetch)) ?? []).filter(isPlain).map((name) => ({ value: `ollama:${name}` }))
}

/** First the providers, then the models of the one that is typed. @param dataOf What the data calls it. */
async function knownModels(typed: string, dataOf: (name: string) => string | undefined = (name) => name): Promise<readonly Candidate[]> {
  const name = typed.slice(0, typed.indexOf(':'))
  if (!typed.includes(':')) return (await providersOfData()).map((provider) => ({ value: `${provider}:` }))
  const { models: all } = await import('../../models/registry/index.ts')
  const data = dataOf(name)
  const usual = providerNamed(name)?.usual
  const ids = all().flatMap(({ provider, id }) => (provider === data && isPlain(id) ? [id] : []))
  return ids.map((id) => ({ value: `${name}:${id}`, ...(id === usual ? { about: 'the usual one' } : {}) }))
}

async function providersOfData(): Promise<readonly string[]> {
  const { models: all } = await import('../../models/registry/index.ts')
  return [...new Set(all().map(({ provider }) => provider))]
}

async function sessions(terminal: Terminal): Promise<readonly Candidate[]> {
  const store = await openToRead(terminal, { busyTimeoutMs })
  if (store === undefined) return []
  try {
    const newest = await store.list({ limit: maxSessions })
    return newest
      .filter(({ sessionId }) => isPlain(sessionId))
      .map(({ sessionId, updatedAt }) => ({ value: sessionId, about: dateAndTime(updatedAt) }))
  } finally {
    await store.close()
  }
}

/** What can stand in a line as one word, is seen whole, and is no option: of other names a shell would make something else. */
function isPlain(name: string): boolean {
  return !/^-|[\n\t]/.test(name) && spelledOut(name) === name
}
