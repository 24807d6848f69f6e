/**
 * How deep a JSON text nests, and whether it ends inside a string, array or object. Reads the text once and without recursion, so
 * that hostile nesting is found before any parser or walker meets it.
 */
export function scanJson(text: string): { readonly depth: number; readonly open: boolean } {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === quote) inString = !inString
    else if (inString) i += unit === backslash ? 1 : 0
    else if (unit === openBrace || unit === openBracket) deepest = Math.max(deepest, ++depth)
    else if (unit === closeBrace || unit === closeBracket) depth--
  }
  return { depth: deepest, open: inString || depth > 0 }
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
