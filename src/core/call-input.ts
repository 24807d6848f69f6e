import { copyJson, isJsonObject, type Json } from './json.ts'
import type { ToolCallPart } from './message.ts'
import { scanJson } from './scan-json.ts'
import { storableLimits, toStorable } from './storable.ts'
import { cutText, wellFormed } from './text.ts'

/** Arguments as they stand on a call: usable, or `{}` with what the model wrote and why that can't be used (in words for the model). */
export type CallInput = Pick<ToolCallPart, 'input' | 'rawInput' | 'inputError'>

type Decoded = { readonly input: Json } | { readonly problem: string }

/** An unusable text is kept for people to read, not to run: it needs no more than this. */
const maxRawBytes = 50 * 1024

/**
 * The arguments in a model's JSON text. Blank text means none. A text that was encoded twice is unwrapped once (B030). Nothing is
 * repaired or guessed: a half written command must not run (B031).
 */
export function parseCallInput(text: string): CallInput {
  const decoded = decodeText(text)
  return 'problem' in decoded ? unusable(text, decoded.problem) : decoded
}

/** The arguments of a call that came as a value: an object as it is, a string as JSON text. */
export function checkCallInput(value: Json): CallInput {
  if (typeof value === 'string') return parseCallInput(value)
  const decoded = objectOf(value)
  return 'problem' in decoded ? unusable(JSON.stringify(toStorable(value).json), decoded.problem) : { input: copyJson(decoded.input) }
}

/** The arguments of a call that was stopped for having too many of them; `text` is what came before. */
export function overlongCallInput(text: string, maxChars: number): CallInput {
  return unusable(text, `they are longer than ${maxChars} characters. Split the work into smaller calls`)
}

function unusable(raw: string, problem: string): CallInput {
  return {
    input: {},
    rawInput: wellFormed(cutText(raw, { maxBytes: maxRawBytes, maxLines: Number.POSITIVE_INFINITY }).text),
    inputError: `The arguments of this call cannot be used: ${problem}.`,
  }
}

function decodeText(text: string): Decoded {
  const decoded = parse(text)
  if ('problem' in decoded || typeof decoded.value !== 'string') return 'problem' in decoded ? decoded : objectOf(decoded.value)
  const inner = parse(decoded.value)
  return 'problem' in inner ? { problem: 'they are a JSON string, not a JSON object' } : objectOf(inner.value)
}

function parse(text: string): { readonly value: unknown } | { readonly problem: string } {
  if (text.trim() === '') return { value: {} }
  const { depth, open } = scanJson(text)
  if (depth > storableLimits.maxDepth) return { problem: tooDeep }
  try {
    const value: unknown = JSON.parse(text)
    return { value }
  } catch {
    if (!open) return { problem: 'they are not valid JSON. Send one JSON object' }
    return {
      problem: `they are not valid JSON: the text ends early, after ${text.length} characters, so it looks cut off. Send the whole call again; if it is long, split the work into smaller calls`,
    }
  }
}

const tooDeep = `they are nested deeper than ${storableLimits.maxDepth} levels`

function objectOf(value: unknown): Decoded {
  if (!isJsonObject(value)) return { problem: `they are ${kindOf(value)}, not a JSON object` }
  const { json, changed } = toStorable(value)
  // JSON text can say what a JSON value can't hold: `1e999`. Running with another number would be a guess.
  const lost = changed.find((change) => change.reason !== 'lone-surrogate')
  if (lost === undefined) return { input: json }
  switch (lost.reason) {
    case 'non-finite':
      return { problem: `the number at ${lost.path} is too large` }
    case 'too-large':
      return { problem: `they hold more than ${storableLimits.maxNodes} values` }
    case 'too-deep':
      return { problem: tooDeep }
    default:
      return { problem: `the value at ${lost.path} is not JSON (${lost.reason})` }
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}
