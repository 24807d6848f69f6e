import type { Message } from '../../core/message.ts'
import { wellFormed } from '../../core/text.ts'
import { type CallIds, fortyIds, nineIds, wordIds } from '../history/ids.ts'
import { type AssistantItem, type HistoryRules, type MediaItem, type ResultItem, type TextItem, turnsOf } from '../history/turns.ts'
import { placeOf } from './media.ts'
import { copyOf, optionsOf, readSaved, type Saved } from './saved.ts'
import type { Shape } from './shapes.ts'
import type { PlainOutput, SpecCall, SpecFile, SpecMessage, SpecReasoning, SpecResult, SpecText } from './spec.ts'

/** What APIs refuse or misread is an empty result (B048), and which API there is behind a package is not known. */
const noOutput = 'The tool returned nothing.'

/** Whom prompts are for. */
export interface Audience {
  readonly scope: string
  /** The model's `provider`. */
  readonly provider: string
  /** Whether its API takes media in the results of tools. */
  readonly mediaInResults: boolean
}

type Encoded<Data, Extra, More> = SpecMessage<Data, PlainOutput | Extra, More>

interface Kept<M> {
  readonly messages: readonly M[]
  /** The ids of its calls. */
  readonly ids: readonly string[]
}

/**
 * Messages of ours as those of a prompt. Each is encoded once and kept for as long as it lives; what goes out are copies, as packages and
 * middleware are not bound to leave a prompt as it is.
 */
export class Prompts<Data, Extra, More extends object> {
  readonly #shape: Shape<Data, Extra, More>
  readonly #rules: HistoryRules
  readonly #kept = new WeakMap<Message, Kept<Encoded<Data, Extra, More>>>()

  constructor({ scope, provider, mediaInResults }: Audience, shape: Shape<Data, Extra, More>) {
    this.#shape = shape
    const resultHolds = mediaInResults ? shape.resultHolds : () => false
    this.#rules = { scope, ids: idsFor(provider), resultHolds }
  }

  prompt(instructions: string, messages: Iterable<Message>): Encoded<Data, Extra, More>[] {
    const prompt: Encoded<Data, Extra, More>[] = []
    if (instructions.trim() !== '') prompt.push({ role: 'system', content: wellFormed(instructions) })
    const used = new Set<string>()
    for (const message of messages) {
      const kept = this.#encoded(message, used)
      for (const id of kept.ids) used.add(id)
      for (const encoded of kept.messages) prompt.push(copied(encoded))
    }
    return prompt
  }

  /** In another history its ids may be taken: then it gets others. */
  #encoded(message: Message, used: ReadonlySet<string>): Kept<Encoded<Data, Extra, More>> {
    const known = this.#kept.get(message)
    if (known !== undefined && !known.ids.some((id) => used.has(id))) return known
    const kept = this.#encode(message, used)
    this.#kept.set(message, kept)
    return kept
  }

  #encode(message: Message, used: ReadonlySet<string>): Kept<Encoded<Data, Extra, More>> {
    const { turns, ids } = turnsOf(message, used, this.#rules)
    const messages = turns.flatMap((turn): Encoded<Data, Extra, More>[] => {
      if (turn.role === 'user') return [{ role: 'user', content: turn.items.map((item) => this.#userPart(item)) }]
      if (turn.role === 'results') return [{ role: 'tool', content: turn.results.map((result) => this.#result(result)) }]
      const content = withoutLastThoughts(turn.items).flatMap((item) => this.#assistantParts(item, turn.items))
      return content.length === 0 ? [] : [{ role: 'assistant', content }]
    })
    return { messages, ids: [...ids, ...turns.flatMap((turn) => (turn.role === 'assistant' ? turn.items.flatMap(serverIds) : []))] }
  }

  #userPart(item: TextItem | MediaItem): SpecText | SpecFile<Data> {
    return item.type === 'text' ? { type: 'text', text: item.text } : this.#file(item, undefined)
  }

  #file({ part }: MediaItem, saved: Saved | undefined): SpecFile<Data> {
    const { mediaType, name } = part
    const filename = name === undefined ? {} : { filename: wellFormed(name) }
    return { type: 'file', data: this.#shape.data(placeOf(part)), mediaType, ...filename, ...optionsOf(saved) }
  }

  #assistantParts(
    item: AssistantItem,
    all: readonly AssistantItem[],
  ): (SpecText | SpecReasoning | SpecFile<Data> | SpecCall | SpecResult<PlainOutput | Extra> | More)[] {
    const saved = readSaved(item.data)
    switch (item.type) {
      case 'text':
        return saved === undefined ? [{ type: 'text', text: item.text }] : this.#savedParts('text', item.text, saved, all)
      case 'reasoning':
        return saved === undefined ? [] : this.#savedParts('reasoning', item.text, saved, all)
      case 'media':
        // Few APIs take what an assistant has shown; those that do have made it.
        return saved === undefined ? [] : [this.#file(item, saved)]
      case 'call':
        return [{ type: 'tool-call', toolCallId: item.id, toolName: item.name, input: copyOf(item.input), ...optionsOf(saved) }]
      case 'server-call': {
        const { providerCallId = item.part.callId, toolName, input } = item.part
        const call = { type: 'tool-call', toolCallId: providerCallId, toolName, input: copyOf(input), providerExecuted: true } as const
        return [{ ...call, ...optionsOf(saved) }]
      }
    }
  }

  #savedParts(type: 'text' | 'reasoning', text: string, saved: Saved, all: readonly AssistantItem[]) {
    if (saved.result !== undefined) return serverResult(saved, all)
    if (saved.source !== undefined) return []
    if (saved.custom !== undefined || saved.thoughtFile !== undefined) {
      const more = this.#shape.more(saved)
      return more === undefined ? [] : [more]
    }
    // A blank text is of use only as the place of what is kept with it (B190).
    if (text.trim() === '' && saved.metadata === undefined) return []
    return [{ type, text, ...optionsOf(saved) }]
  }

  #result({ id, name, text, isError, media, part }: ResultItem): SpecResult<PlainOutput | Extra> {
    const said = text.trim() === '' ? noOutput : text
    const result = (output: PlainOutput | Extra) => ({ type: 'tool-result', toolCallId: id, toolName: name, output }) as const
    if (media.length > 0) return result(this.#shape.content(text, media))
    if (part.settlement?.outcome === 'denied') return result(this.#shape.denied(said))
    if (isError) return result({ type: 'error-text', value: said })
    const { settlement, content, ranWith } = part
    const isPlain = content === undefined && ranWith === undefined
    if (isPlain && settlement?.outcome === 'ok' && typeof settlement.output !== 'string')
      return result({ type: 'json', value: copyOf(settlement.output) })
    return result({ type: 'text', value: said })
  }
}

/** Thoughts that nothing follows were broken off, or their follower has gone: no API takes them so (B067). */
function withoutLastThoughts(items: readonly AssistantItem[]): readonly AssistantItem[] {
  let end = items.length
  while (items[end - 1]?.type === 'reasoning') end--
  return items.slice(0, end)
}

/** The result of a call that the provider ran, where it stood. What it was stands on the call, if that is in the same message. */
function serverResult({ result, ...saved }: Saved, all: readonly AssistantItem[]): SpecResult<PlainOutput>[] {
  if (result === undefined) return []
  const call = all.find((item) => item.type === 'server-call' && item.part.providerCallId === result.id)
  const settlement = call?.type === 'server-call' ? call.part.settlement : undefined
  const output = result.output ?? (settlement?.outcome === 'ok' ? settlement.output : undefined)
  if (output === undefined) return []
  const value = copyOf(output)
  const shown: PlainOutput =
    result.isError === true ? { type: 'error-json', value } : typeof value === 'string' ? { type: 'text', value } : { type: 'json', value }
  return [{ type: 'tool-result', toolCallId: result.id, toolName: result.name, output: shown, ...optionsOf(saved) }]
}

function serverIds(item: AssistantItem): readonly string[] {
  return item.type === 'server-call' && item.part.providerCallId !== undefined ? [item.part.providerCallId] : []
}

/**
 * Packages hand on what ids they get. Mistral's API takes none but its own form (B016). Which API is behind another one is not known: such ids go
 * that all take; only a Responses API, which may have kept the calls, gets its own back in every length.
 */
function idsFor(provider: string): CallIds {
  if (/(?:^|\.)mistral/i.test(provider)) return nineIds
  return provider.endsWith('.responses') ? wordIds : shortIds
}

const shortIds: CallIds = { accepts: (id) => fortyIds.accepts(id) && wordIds.accepts(id), make: fortyIds.make }

function copied<Data, Output, More extends object>(message: SpecMessage<Data, Output, More>): SpecMessage<Data, Output, More> {
  switch (message.role) {
    case 'system':
      return { ...message }
    case 'user':
      return { role: 'user', content: message.content.map((part) => ({ ...part })) }
    case 'assistant':
      return { role: 'assistant', content: message.content.map((part) => ({ ...part })) }
    case 'tool':
      return { role: 'tool', content: message.content.map((part) => ({ ...part })) }
  }
}
