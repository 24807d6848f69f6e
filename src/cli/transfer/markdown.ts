import { type Entry, type EntryOf, type Json, type Message, noUsage, type SessionSummary, type Store, textOf } from '../../index.ts'
import { outcomeOf } from '../outcome-of.ts'
import { RunTotals } from '../show/run-totals.ts'
import { tokens } from '../summary.ts'
import { dateAndTime, oneLine, plain, spelledOut } from '../text.ts'
import type { Exported } from './export-lines.ts'

/** Of a result: a transcript is there to be read, and the export as JSON lines has all of it. */
const maxResult = 4_000

/**
 * A session as Markdown for people. Whatever others wrote stands in fences: nothing of it is rendered, so that it adds no heading, and no
 * picture that tells its server who reads this.
 */
export async function* markdownLines({ sessionId, seq }: SessionSummary, store: Store, exported: Exported): AsyncGenerator<string> {
  const transcript = new MarkdownTranscript()
  yield `# Session ${inline(sessionId)}\n`
  for await (const entry of store.load(sessionId)) {
    if (entry.seq > seq) break
    exported.entries++
    const text = transcript.entry(entry)
    exported.bytes += Buffer.byteLength(text)
    if (text !== '') yield `\n${text}`
  }
}

class MarkdownTranscript {
  /** The tools of calls that have not settled. */
  readonly #calls = new Map<string, string>()
  /** The calls of entries that asked for an approval. */
  readonly #asked = new Map<string, string>()
  readonly #runs = new Map<string, RunTotals>()

  entry(entry: Entry): string {
    const outcome = outcomeOf(entry)
    if (outcome !== undefined) return this.#settled(outcome.callId, outcome.settlement)
    switch (entry.kind) {
      case 'session':
        return begun(entry)
      case 'run.requested':
        this.#runs.set(entry.runId ?? '', new RunTotals(entry.at))
        return `## Run ${inline(entry.runId ?? '')}\n\n${dateAndTime(entry.at)}\n${entry.data.input.map((each) => `\n${asked(each)}`).join('')}`
      case 'message':
        return entry.data.hidden === true ? '' : asked(entry.data.message)
      case 'model.responded':
        return this.#responded(entry)
      case 'model.failed':
        this.#runs.get(entry.runId ?? '')?.spend(entry.data.usage ?? { ...noUsage, complete: false })
        return `A model call failed: ${inline(entry.data.error.message)}\n`
      case 'call.prepared':
        if (entry.data.approval !== undefined) this.#asked.set(entry.id, entry.data.callId)
        return changed(entry)
      case 'approval.decided':
        return this.#decided(entry)
      case 'control':
        return `${entry.data.action}${entry.data.by === undefined ? '' : ` by ${inline(entry.data.by)}`}\n`
      case 'history.revised':
        return `The history was revised (${entry.data.reason}).\n`
      case 'run.finished':
        return this.#finished(entry)
      case 'run.claimed':
      case 'model.started':
      case 'call.started':
      case 'call.deferred':
      case 'call.settled':
      case 'custom':
        return ''
    }
  }

  #responded({ runId = '', data }: EntryOf<'model.responded'>): string {
    this.#runs.get(runId)?.spend(data.usage)
    const blocks: string[] = []
    const text = textOf(data.message).trim()
    if (text !== '') blocks.push(`**The model:**\n\n${fence(plain(text), 'text')}`)
    for (const part of data.message.parts) {
      if (part.type !== 'tool-call') continue
      this.#calls.set(part.callId, part.toolName)
      blocks.push(`**Calls** ${inline(part.toolName)} (${inline(part.callId)}):\n\n${fence(spelledOut(jsonText(part.input)), 'json')}`)
    }
    return blocks.join('\n')
  }

  #settled(callId: string, settlement: EntryOf<'call.settled'>['data']['settlement']): string {
    const toolName = this.#calls.get(callId)
    this.#calls.delete(callId)
    const name = toolName === undefined ? inline(callId) : `${inline(toolName)} (${inline(callId)})`
    const text = settlement.outcome === 'ok' ? valueText(settlement.output) : settlement.error.message
    return `**${settlement.outcome === 'ok' ? 'Result' : `Outcome ${settlement.outcome}`}** of ${name}:\n\n${fence(cut(plain(text)), 'text')}`
  }

  #decided({ data }: EntryOf<'approval.decided'>): string {
    const callId = this.#asked.get(data.request) ?? ''
    this.#asked.delete(data.request)
    const who = data.by === undefined ? '' : ` by ${inline(data.by)}`
    const line = `Approval of ${callId === '' ? 'a call' : inline(callId)}: **${data.decision}**${who}`
    if (data.arguments === undefined) return `${line}\n`
    return `${line}, with other arguments:\n\n${fence(spelledOut(jsonText(data.arguments)), 'json')}`
  }

  #finished({ runId = '', data }: EntryOf<'run.finished'>): string {
    const run = this.#runs.get(runId)
    this.#runs.delete(runId)
    const end = data.reason === data.status ? data.status : `${data.status} (${data.reason})`
    const error = data.status === 'failed' ? `\n\n${fence(plain(data.error.message), 'text')}` : '\n'
    return `**${end}**${run === undefined ? '' : ` · ${tokens(run.usage)}`}${error}`
  }
}

/** A hook or an approval has changed what the model asked for. */
function changed({ data }: EntryOf<'call.prepared'>): string {
  if (data.arguments === undefined) return ''
  return `Prepared ${inline(data.callId)} with other arguments:\n\n${fence(spelledOut(jsonText(data.arguments)), 'json')}`
}

function begun({ at, data }: EntryOf<'session'>): string {
  const folder = data.metadata?.['folder']
  return `Begun ${dateAndTime(at)}${typeof folder === 'string' ? ` in ${inline(folder)}` : ''}\n`
}

function asked(message: Message): string {
  const text = plain(textOf(message)).trimEnd()
  const media = message.parts.filter(({ type }) => type === 'image' || type === 'file').map(({ type }) => `(${type})`)
  return `**Asked:**\n\n${fence([...(text === '' ? [] : [text]), ...media].join('\n'), 'text')}`
}

/** A fence that is longer than any in the text: https://spec.commonmark.org/0.31.2/#fenced-code-blocks. */
function fence(text: string, language: 'text' | 'json'): string {
  const ticks = '`'.repeat(Math.max(3, longestTicks(text) + 1))
  return `${ticks}${language}\n${text}\n${ticks}\n`
}

/** A word of others within a line, as code: https://spec.commonmark.org/0.31.2/#code-spans. */
function inline(text: string): string {
  const line = spelledOut(oneLine(text))
  const ticks = '`'.repeat(longestTicks(line) + 1)
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return line === '' ? '(none)' : `${ticks}${space}${line}${space}${ticks}`
}

function longestTicks(text: string): number {
  let longest = 0
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  return longest
}

function cut(text: string): string {
  if (text.length <= maxResult) return text
  return `${text.slice(0, maxResult)}…\n(${(text.length - maxResult).toLocaleString('en-US')} characters more)`
}

function valueText(value: Json): string {
  return typeof value === 'string' ? value : jsonText(value)
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
