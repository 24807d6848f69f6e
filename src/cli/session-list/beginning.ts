import { addUsage, noUsage, type Store, textOf, type Usage } from '../../index.ts'

/** What the first entries of a session say of it. */
export interface Beginning {
  /** Where its agent read first. */
  readonly folder?: string
  /** The words of its first task. */
  readonly asked?: string
}

/** Entries that are read for it, at most: what was asked first stands in the second or third. */
const maxEntries = 20
const maxAsked = 400

/** Reads the first entries and no more, however long the journal is. */
export async function beginningOf(sessionId: string, store: Store): Promise<Beginning> {
  let beginning: Beginning = {}
  let entries = 0
  for await (const entry of store.load(sessionId)) {
    const folder = entry.kind === 'session' ? entry.data.metadata?.['folder'] : undefined
    if (typeof folder === 'string') beginning = { ...beginning, folder }
    if (entry.kind === 'run.requested') return { ...beginning, asked: askedIn(entry.data.input.map(textOf).join(' ')) }
    if (++entries === maxEntries) break
  }
  return beginning
}

function askedIn(text: string): string {
  const words = text
    .slice(0, maxAsked * 4)
    .replace(/\s+/g, ' ')
    .trim()
  return words.length > maxAsked ? `${words.slice(0, maxAsked)}…` : words
}

/** What all runs of a session took. */
export interface Totals {
  readonly runs: number
  readonly modelCalls: number
  readonly toolCalls: number
  readonly usage: Usage
}

/** Reads the whole journal. */
export async function totalsOf(sessionId: string, store: Store): Promise<Totals> {
  let [runs, modelCalls, toolCalls] = [0, 0, 0]
  let usage: Usage = noUsage
  for await (const entry of store.load(sessionId)) {
    if (entry.kind === 'run.requested') runs++
    else if (entry.kind === 'model.failed') usage = addUsage(usage, entry.data.usage ?? { ...noUsage, complete: false })
    else if (entry.kind === 'model.responded') {
      modelCalls++
      toolCalls += entry.data.message.parts.filter(({ type }) => type === 'tool-call').length
      usage = addUsage(usage, entry.data.usage)
    }
  }
  return { runs, modelCalls, toolCalls, usage }
}
