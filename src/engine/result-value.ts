import type { SettlementData } from '../core/entry.ts'
import { errorData } from '../core/error.ts'
import { copyJson, type Json } from '../core/json.ts'
import type { Part } from '../core/message.ts'
import { toStorable } from '../core/storable.ts'
import type { Store } from '../core/store.ts'
import { cutText } from '../core/text.ts'
import type { Tool } from '../core/tool.ts'
import type { ResultLimits } from './ports.ts'

/**
 * What a tool returned, as the journal keeps it: plain JSON, made once, within the limits. What the model is shown is cut to its own
 * limit, head and tail kept. A value over the journal's limit is kept whole as a blob, and an excerpt that names it stands for it.
 */
export function settlementOf(
  store: Store,
  tool: Tool,
  callId: string,
  limits: ResultLimits,
  value: unknown,
  report: (error: unknown) => void,
): SettlementData | Promise<SettlementData> {
  const { json } = toStorable(value)
  // Copied: a tool that goes on changing what it returned must not change the journal.
  const output = typeof json === 'object' ? copyJson(json) : json
  const text = output === null ? '' : typeof output === 'string' ? output : JSON.stringify(output)
  if (text.length > limits.maxStoredBytes) return oversized(store, limits, text)
  const own = ownContent(tool, output, report)
  if (own !== undefined) return { outcome: 'ok', output, content: shownContent(own, callId, limits) }
  const shown = cutText(text, { maxBytes: limits.maxBytes, maxLines: limits.maxLines, reference: `call ${callId}` })
  if (shown.cut || output === null) return { outcome: 'ok', output, content: shown.text }
  return { outcome: 'ok', output }
}

/** What the tool itself wants shown. Failing here must not turn what it did into a failure. */
function ownContent(tool: Tool, output: Json, report: (error: unknown) => void): string | readonly Part[] | undefined {
  try {
    return tool['~definition'].toModelOutput?.(output)
  } catch (error) {
    report(error)
    return undefined
  }
}

function shownContent(content: string | readonly Part[], callId: string, limits: ResultLimits): string | readonly Part[] {
  if (typeof content !== 'string') return storableParts(content)
  return cutText(content, { maxBytes: limits.maxBytes, maxLines: limits.maxLines, reference: `call ${callId}` }).text
}

async function oversized(store: Store, limits: ResultLimits, text: string): Promise<SettlementData> {
  const ref = await store.blobs.put(new TextEncoder().encode(text))
  const excerpt = cutText(text, { maxBytes: limits.maxBytes, maxLines: limits.maxLines, reference: `blob ${ref}` }).text
  return { outcome: 'ok', output: excerpt }
}

/** Parts that a tool made itself: plain JSON, checked where they enter. */
export function storableParts(parts: readonly Part[]): readonly Part[] {
  return parts.map((part) => toPart(toStorable(part).json))
}

function toPart(json: Json): Part {
  if (typeof json === 'object' && json !== null && 'type' in json && typeof json.type === 'string') {
    const { type } = json
    const known =
      type === 'text' || type === 'reasoning' ? 'text' in json : type === 'source' ? 'url' in json : type === 'image' || type === 'file'
    if (known) return json as unknown as Part
  }
  return { type: 'text', text: JSON.stringify(json) }
}

/** A result of parts: its text is the output, the parts are what the model is shown. */
export function contentSettlement(parts: readonly Part[], isError: boolean): SettlementData {
  const content = storableParts(parts)
  let text = ''
  for (const part of content) if (part.type === 'text') text += part.text
  if (isError)
    return { outcome: 'error', error: errorData('ToolExecutionError', text === '' ? 'The tool reported an error.' : text), content }
  return { outcome: 'ok', output: text, content }
}
