import { messageOf } from '../core/error.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import { withoutNullFields } from '../core/null-fields.ts'
import { scanJson } from '../core/scan-json.ts'
import { storableLimits, toStorable } from '../core/storable.ts'
import { clip } from '../core/text.ts'
import { type OutputSchema, wrapperField } from './schema.ts'

/** The value in an answer; or why there is none, a sentence for the model. */
export type DecodedText = { readonly value: Json } | { readonly problem: string }

/** Characters of an answer. */
const maxChars = 4 * 1024 * 1024

/**
 * The JSON value that an answer is: its whole text, or what stands in its one code fence. Nothing is repaired, and no wrapper is taken off but the
 * one that was asked for (B189). Null for an optional field that can't be null counts as not given (B181): APIs that know only required fields have it so.
 */
export function decodeText({ isWrapped, json: schema }: Pick<OutputSchema, 'isWrapped' | 'json'>, text: string): DecodedText {
  if (text.length > maxChars) return { problem: `The answer is longer than ${maxChars} characters, the limit.` }
  const parsed = parse(text.trim())
  if ('problem' in parsed) return parsed
  const { json, changed } = toStorable(parsed.value)
  // JSON text can say what a JSON value can't hold: `1e999`.
  const lost = changed.find(({ reason }) => reason !== 'lone-surrogate')
  if (lost !== undefined) return { problem: `The answer can't be used: the value at ${lost.path} is no JSON value (${lost.reason}).` }
  const decoded = isWrapped ? unwrapped(json) : { value: json }
  return 'problem' in decoded ? decoded : { value: withoutNullFields(schema, decoded.value) }
}

function parse(text: string): { readonly value: unknown } | { readonly problem: string } {
  const whole = parseJson(text)
  // A fence inside of a value that is broken is a part of that, and not what was meant.
  if (!('problem' in whole) || /^(?:\{|\[\s*[{["])/.test(text)) return whole
  const fenced = /```[^\n`]*\n(.*)```/s.exec(text)?.[1]
  if (fenced === undefined) return whole
  return parseJson(fenced)
}

function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  if (text === '') return { problem: 'The answer is empty.' }
  const { depth, open } = scanJson(text)
  if (depth > storableLimits.maxDepth) return { problem: `The answer is nested deeper than ${storableLimits.maxDepth} levels, the limit.` }
  try {
    const value: unknown = JSON.parse(text)
    return { value }
  } catch (error) {
    // An engine says the place in its own words (B185); of what is no JSON at all it would say that of the first letter.
    const startsAsJson = /^[[{"]/.test(text)
    if (startsAsJson && open)
      return { problem: `The answer is not valid JSON: it ends early, after ${text.length} characters, as if it was cut off.` }
    return { problem: `The answer is not valid JSON${startsAsJson ? `: ${clip(messageOf(error), 300)}` : ''}.` }
  }
}

function unwrapped(json: Json): DecodedText {
  const fields = isJsonObject(json) ? Object.keys(json) : []
  const value = isJsonObject(json) && fields.length === 1 && Object.hasOwn(json, wrapperField) ? json[wrapperField] : undefined
  return value === undefined
    ? { problem: `The answer does not fit the output schema: it must be an object whose one field is '${wrapperField}'.` }
    : { value }
}
