// JSON as RFC 8259 has it: what `JSON.parse` takes. Node's own messages name a place only at times, and quote the file.
const blank = /[ \t\r\n]*/y
const scalar = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

type Wanted = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end'

/** The line (from 1) in which the text stops being JSON; `undefined` when it is JSON. */
export function lineOfFault(text: string): number | undefined {
  const open: ('{' | '[')[] = []
  let wanted: Wanted = 'value'
  let at = 0
  for (;;) {
    at = after(blank, text, at) ?? at
    const character = text[at]
    const inside = open.at(-1)
    if (wanted === ', or end' && inside === undefined) return character === undefined ? undefined : lineAt(text, at)
    const isValue: boolean = wanted === 'value' || wanted === 'value or ]'
    if (isValue && (character === '{' || character === '[')) {
      open.push(character)
      wanted = character === '{' ? 'key or }' : 'value or ]'
    } else if (closes(character, inside, wanted)) {
      open.pop()
      wanted = ', or end'
    } else if (wanted === ', or end' && character === ',') wanted = inside === '{' ? 'key' : 'value'
    else if (wanted === ':' && character === ':') wanted = 'value'
    else {
      const end: number | undefined = isValue || (wanted.startsWith('key') && character === '"') ? after(scalar, text, at) : undefined
      if (end === undefined) return lineAt(text, at)
      wanted = isValue ? ', or end' : ':'
      at = end
      continue
    }
    at++
  }
}

function closes(character: string | undefined, inside: '{' | '[' | undefined, wanted: Wanted): boolean {
  if (inside === '{') return character === '}' && (wanted === 'key or }' || wanted === ', or end')
  return inside === '[' && character === ']' && (wanted === 'value or ]' || wanted === ', or end')
}

/** Where what the pattern finds at this place ends. */
function after(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split(/\r\n|\r|\n/).length
}
