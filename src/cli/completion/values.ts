import { ollamaAddress } from '../../models/ollama/index.ts'
import { usualModel } from '../choose-model.ts'
import { toolWords } from '../config/tool-groups.ts'
import { isOnThisMachine, modelsAt } from '../ollama.ts'
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

/** A server is asked only once its provider is typed, and only on this machine. */
async function models(typed: string, { env }: Terminal, fetch: typeof globalThis.fetch): Promise<readonly Candidate[]> {
  const usual = [
    { value: 'offline', about: 'no language model' },
    { value: `openai:${usualModel}`, about: 'needs OPENAI_API_KEY' },
    { value: 'ollama:', about: 'a model of an Ollama server' },
  ]
  if (!typed.startsWith('ollama:')) return usual
  const address = ollamaAddress(env)
  if (address === undefined || !isOnThisMachine(address)) return []
  return ((await modelsAt(address, fetch)) ?? []).filter(isPlain).map((name) => ({ value: `ollama:${name}` }))
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
