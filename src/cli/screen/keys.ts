import { emitKeypressEvents, type Key as NodeKey } from 'node:readline'

/** What somebody did at the keyboard. */
export type Key =
  /** A key that writes: one character, which may be several code units. */
  | { readonly kind: 'text'; readonly text: string }
  /** All that was pasted, with `\n` for its line ends. */
  | { readonly kind: 'paste'; readonly text: string }
  /** A key that does something: `enter`, `ctrl-c`, `alt-enter`, `up`, `alt-b`, … */
  | { readonly kind: 'key'; readonly name: string }

/** A keyboard that is read key by key. */
export interface Keyboard {
  /** Takes the keyboard until the returned function is called: nothing is echoed and Ctrl-C is a key. One listener at a time. */
  listen(onKey: (key: Key) => void): () => void
}

const pasteOn = '\x1b[?2004h'
const pasteOff = '\x1b[?2004l'
/** Whoever has the terminal next sees where they write. */
const cursorOn = '\x1b[?25h'

/** Windows has no groups of processes that a key stops. */
const hasGroups = process.platform !== 'win32'

/** The keyboard of this process; `undefined` where stdin is none. `write` reaches the screen that belongs to it. */
export function processKeyboard(stdin: NodeJS.ReadStream, write: (text: string) => void): Keyboard | undefined {
  if (stdin.isTTY !== true) return undefined
  let restore: (() => void) | undefined
  // A terminal that is left raw is of no use to the shell that follows.
  process.on('exit', () => restore?.())
  return {
    listen(onKey) {
      emitKeypressEvents(stdin)
      const reader = new KeyReader(onKey)
      const onKeypress = (text: string | undefined, key: NodeKey) => {
        const acts = hasGroups && !reader.isPasting
        if (acts && key.ctrl === true && key.name === 'z') return leave('SIGTSTP')
        if (acts && key.sequence === '\x1c') return leave('SIGQUIT')
        reader.read(text, key)
      }
      const onContinue = () => {
        take()
        onKey({ kind: 'key', name: 'resumed' })
      }
      const take = () => {
        stdin.setRawMode(true)
        write(pasteOn)
      }
      const giveBack = () => {
        write(`${pasteOff}${cursorOn}`)
        if (!stdin.destroyed) stdin.setRawMode(false)
      }
      // Ctrl-Z and Ctrl-\ do what the terminal would make them do: to the whole group, so that the shell gets its screen back.
      const leave = (signal: 'SIGTSTP' | 'SIGQUIT') => {
        giveBack()
        process.kill(0, signal)
      }
      const end = () => {
        restore = undefined
        stdin.off('keypress', onKeypress)
        process.off('SIGCONT', onContinue)
        giveBack()
        stdin.pause()
      }
      restore = end
      process.on('SIGCONT', onContinue)
      stdin.on('keypress', onKeypress)
      take()
      stdin.resume()
      return () => {
        if (restore === end) end()
      }
    },
  }
}

/** Makes keys of what Node decodes from the terminal's bytes. */
export class KeyReader {
  readonly #onKey: (key: Key) => void
  #pasted: string | undefined

  constructor(onKey: (key: Key) => void) {
    this.#onKey = onKey
  }

  /** What comes is text, whatever keys it looks like. */
  get isPasting(): boolean {
    return this.#pasted !== undefined
  }

  read(text: string | undefined, key: NodeKey): void {
    if (key.name === 'paste-start') {
      this.#pasted = ''
      return
    }
    if (key.name === 'paste-end') {
      if (this.#pasted !== undefined) this.#onKey({ kind: 'paste', text: this.#pasted.replace(/\r\n?/g, '\n') })
      this.#pasted = undefined
      return
    }
    if (this.#pasted !== undefined) {
      this.#pasted += key.sequence ?? text ?? ''
      return
    }
    const pressed = keyOf(text, key)
    if (pressed !== undefined) this.#onKey(pressed)
  }
}

const names: { readonly [name: string]: string } = { return: 'enter', enter: 'ctrl-j', pageup: 'page-up', pagedown: 'page-down' }

function keyOf(text: string | undefined, { name, ctrl, meta, sequence = '' }: NodeKey): Key | undefined {
  const writes = text !== undefined && text !== '' && ctrl !== true && meta !== true && !/\p{Cc}/u.test(text)
  if (writes) return { kind: 'text', text }
  if (name === undefined || name === '' || name === 'undefined') return undefined
  const plain = names[name] ?? name
  // Escape and then Enter within an instant is how terminals send Alt-Enter.
  if (sequence === '\x1b\r') return { kind: 'key', name: 'alt-enter' }
  const prefix = `${ctrl === true && !plain.startsWith('ctrl-') ? 'ctrl-' : ''}${meta === true && name !== 'escape' ? 'alt-' : ''}`
  return { kind: 'key', name: `${prefix}${plain}` }
}
