import { checkCallInput, overlongCallInput, parseCallInput } from './call-input.ts'
import { isJsonObject } from './json.ts'
import type { Part, ProviderData, ToolCallPart } from './message.ts'
import { wellFormed } from './text.ts'

/** What has come of one part of a response. */
export class Slot {
  readonly part: number
  kind: Part['type'] | undefined = undefined
  /** Whether something of it was shown. */
  opened = false
  text = ''
  /** What it takes of `maxChars`. */
  chars = 0
  toolName = ''
  providerCallId: string | undefined = undefined
  callId = ''
  /** Whether its arguments went over a limit. */
  overlong = false
  /** A part that came at once, unless it is text. */
  whole: Part | undefined = undefined
  providerData: ProviderData | undefined = undefined

  constructor(part: number) {
    this.part = part
  }
}

/** The part so far; `undefined` when there is nothing to keep of it. `maxInputChars` is said where the arguments went over it. */
export function partOf(slot: Slot, maxInputChars: number): Part | undefined {
  const data = slot.providerData === undefined ? {} : { providerData: slot.providerData }
  switch (slot.kind) {
    case 'tool-call':
      return { ...callOf(slot, maxInputChars), ...data }
    case 'image':
    case 'file':
    case 'source':
      return slot.whole === undefined ? undefined : { ...slot.whole, ...data }
    default:
      // Opaque data must go back with the message even where no text came with it (encrypted reasoning).
      if (slot.text === '' && slot.providerData === undefined) return undefined
      return { type: slot.kind ?? 'reasoning', text: wellFormed(slot.text), ...data }
  }
}

function callOf({ callId, toolName, providerCallId, overlong, whole, text }: Slot, maxInputChars: number): ToolCallPart {
  const ids = providerCallId === undefined ? { callId } : { callId, providerCallId }
  if (overlong) return { type: 'tool-call', ...ids, toolName, ...overlongCallInput(text, maxInputChars) }
  if (whole?.type !== 'tool-call') return { type: 'tool-call', ...ids, toolName, ...parseCallInput(text) }
  return { ...whole, ...ids, ...(whole.inputError === undefined ? checkCallInput(whole.input) : {}) }
}

/** Characters of a whole part that can be of any size. The arguments of a whole call are bounded by their number of values. */
export function charsOf(part: Part): number {
  if (part.type === 'tool-call') return typeof part.input === 'string' ? part.input.length : 0
  return 'data' in part ? (part.data?.length ?? 0) : 0
}

/** Fields of the same scope are merged, the later ones win. Spreads and computed keys keep `__proto__` plain data (B197). */
export function mergedData(earlier: ProviderData, later: ProviderData): ProviderData {
  let merged = earlier
  for (const [scope, added] of Object.entries(later)) {
    const known = Object.hasOwn(earlier, scope) ? earlier[scope] : undefined
    merged = { ...merged, [scope]: isJsonObject(known) && isJsonObject(added) ? { ...known, ...added } : added }
  }
  return merged
}
