import { wellFormed } from '../core/text.ts'

/** Shorter ones are words of every day, and what is masked of them would be half of a message. */
const minLength = 6

/**
 * What of a request nobody may see: the values of its headers (the key is in one of them), and what its URL holds of credentials and of
 * a query, but for versions. For `safeText`: servers and runtimes quote them, and a key of no known shape is recognized by nothing else.
 */
export function secretsOf(headers: { readonly [name: string]: string }, url: string): readonly string[] {
  const found = new Set<string>()
  const add = (value: string): void => {
    for (const spelt of [value, encodeURIComponent(wellFormed(value)), value.replaceAll('/', '\\/')])
      if (value.length >= minLength) found.add(spelt)
  }
  for (const [name, value] of Object.entries(headers)) if (name.toLowerCase() !== 'content-type') addValue(String(value).trim(), add)
  const { username, password, searchParams } = new URL(url)
  for (const text of [username, password]) add(decoded(text))
  for (const [name, value] of searchParams) if (!/version/i.test(name)) add(value)
  // Longer ones first: another may be a part of it.
  return [...found].sort((a, b) => b.length - a.length)
}

/** Servers quote the key without the scheme before it. */
function addValue(value: string, add: (value: string) => void): void {
  add(value)
  const key = /^(?:bearer|basic|token|key|api-?key) +(?<key>.+)$/i.exec(value)?.groups?.['key']
  if (key !== undefined) add(key)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
