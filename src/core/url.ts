/**
 * The URL that a text is; `undefined` when it is none. `URL.canParse` can't be asked: on Node 20 and 22 it refuses texts with characters from
 * U+0080 to U+00FF once V8 has optimized the call (some 5,000 calls; seen on 20.20.2 and 22.23.3).
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
