import { isJsonObject, type Json } from '../../core/json.ts'
import { maskKeys } from '../../models/safe-text.ts'

/** Every string of a value as the function makes it, with the name of the field that holds it; keys stay. */
export function mapStrings(value: Json, change: (text: string, field: string) => string, field = ''): Json {
  if (typeof value === 'string') return change(value, field)
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change, field))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (inner === undefined ? [] : [[key, mapStrings(inner, change, key)]])),
  )
}

/**
 * A text without what looks like a key; `field`: what it is called. A text that is JSON (arguments, structured output) stays JSON, and is masked as its
 * value is: what is asked with the one after a replay must be what was asked with the other. To mask twice changes nothing.
 */
export function maskText(text: string, field = ''): string {
  return maskedJson(text) ?? maskField(text, field)
}

function maskedJson(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    const value: Json = JSON.parse(text)
    const [plain, safe] = [JSON.stringify(value), JSON.stringify(mapStrings(value, maskText))]
    return safe === plain ? text : safe
  } catch {
    return undefined
  }
}

/** The name of a field may say more of a text than the text itself. */
function maskField(text: string, field: string): string {
  const start = `${field}: `
  const named = field === '' ? start : maskKeys(start + text)
  return field !== '' && named.startsWith(start) ? named.slice(start.length) : maskKeys(text)
}
