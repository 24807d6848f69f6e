/** What a key sends in a terminal of the xterm family (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). */
const plainKeys = {
  enter: '\r',
  tab: '\t',
  'shift-tab': '\u001b[Z',
  backspace: '\u007f',
  delete: '\u001b[3~',
  escape: '\u001b',
  space: ' ',
  'page-up': '\u001b[5~',
  'page-down': '\u001b[6~',
  'ctrl-left': '\u001b[1;5D',
  'ctrl-right': '\u001b[1;5C',
  'alt-enter': '\u001b\r',
  'alt-backspace': '\u001b\u007f',
} as const

/** These change with the mode of the cursor keys (DECCKM): the letter stands after `CSI` or `SS3`. */
const cursorKeys = { up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F' } as const

type Letter =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm')
  | ('n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z')

export type Key = keyof typeof plainKeys | keyof typeof cursorKeys | `ctrl-${Letter}` | `alt-${Letter}`

/** The characters that a key sends. */
export function charactersOf(key: Key, { applicationCursorKeysMode }: { readonly applicationCursorKeysMode: boolean }): string {
  if (isIn(cursorKeys, key)) return `\u001b${applicationCursorKeysMode ? 'O' : '['}${cursorKeys[key]}`
  if (isIn(plainKeys, key)) return plainKeys[key]
  const letter = key.slice(-1)
  return key.startsWith('alt-') ? `\u001b${letter}` : String.fromCharCode(letter.charCodeAt(0) - 96)
}

/** A text as a terminal hands it over when it is pasted: line ends are those of the enter key, and it can't end its own brackets. */
export function pasted(text: string, { bracketedPasteMode }: { readonly bracketedPasteMode: boolean }): string {
  const typed = text.replace(/\r?\n/g, '\r').replaceAll('\u001b', '')
  return bracketedPasteMode ? `\u001b[200~${typed}\u001b[201~` : typed
}

function isIn<T extends object>(table: T, key: PropertyKey): key is keyof T {
  return Object.hasOwn(table, key)
}
