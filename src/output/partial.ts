import type { Json } from '../core/json.ts'
import { storableLimits } from '../core/storable.ts'
import { wellFormed } from '../core/text.ts'
import { type OutputSchema, wrapperField } from './schema.ts'

/** An object or array that has not ended. */
interface Frame {
  readonly value: { [key: string]: Json } | Json[]
  /** Of an object: the field that comes now. */
  key: string
  size: number
}

type Expecting = 'start' | 'value' | 'first' | 'key' | 'colon' | 'next' | 'string' | 'literal' | 'over'

/** How many entries of open objects and arrays are copied for each character, at most: that keeps the cost of all values together linear. */
const copiesPerCharacter = 4

/**
 * Reads an answer while it comes, and says what there is of its value. Text in a field grows; other scalars, and the items of a list, come when they
 * are whole (B188). What is no JSON ends it: it then says nothing more, and the whole answer is judged elsewhere. What it has said is never changed.
 */
export class PartialOutput {
  readonly #isWrapped: boolean
  readonly #stack: Frame[] = []
  #expecting: Expecting = 'start'
  /** The string or literal that comes now. */
  #text = ''
  /** The first half of a surrogate pair at its end: it waits for the other one. */
  #half = ''
  /** An escape that has begun, with its backslash. */
  #escape = ''
  #isKey = false
  #root: Json | undefined
  #changed = false
  #credit = 0

  constructor({ isWrapped }: Pick<OutputSchema, 'isWrapped'>) {
    this.#isWrapped = isWrapped
  }

  /** More of the text. The value so far when there is more of it to show, and showing it is not out of proportion. */
  push(text: string): Json | undefined {
    if (this.#expecting === 'over') return undefined
    for (let at = 0; at < text.length && this.#isOpen; )
      at = this.#expecting === 'string' ? this.#readString(text, at) : this.#read(text, at)
    this.#credit += text.length * copiesPerCharacter
    if (!this.#changed) return undefined
    let cost = 0
    for (const { size } of this.#stack) cost += size
    if (this.#isOpen && cost > this.#credit) return undefined
    this.#credit = Math.max(0, this.#credit - cost)
    this.#changed = false
    const value = this.#root ?? this.#snapshot()
    if (!this.#isWrapped) return value
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Reflect.get(value, wrapperField) : undefined
  }

  get #isOpen(): boolean {
    return this.#expecting !== 'over'
  }

  /** One character outside of strings; the place of the next. */
  #read(text: string, at: number): number {
    const char = text.charAt(at)
    if (this.#expecting === 'start') {
      // Fences and words may stand before it.
      const begin = text.indexOf('{', at)
      if (begin < 0) return text.length
      this.#open({})
      return begin + 1
    }
    if (this.#expecting === 'literal') {
      if (/[\w.+-]/.test(char)) {
        this.#text += char
        return at + 1
      }
      this.#endLiteral()
      return at
    }
    if (/\s/.test(char)) return at + 1
    this.#step(char)
    return at + 1
  }

  #step(char: string): void {
    const top = this.#stack.at(-1)
    if (top === undefined) return this.#break()
    const isArray = Array.isArray(top.value)
    switch (this.#expecting) {
      case 'first':
        if (char === (isArray ? ']' : '}')) return this.#close()
        return isArray ? this.#beginValue(char) : this.#beginKey(char)
      case 'key':
        return this.#beginKey(char)
      case 'colon':
        if (char !== ':') return this.#break()
        this.#expecting = 'value'
        return
      case 'value':
        return this.#beginValue(char)
      default:
        if (char === (isArray ? ']' : '}')) return this.#close()
        if (char !== ',') return this.#break()
        this.#expecting = isArray ? 'value' : 'key'
    }
  }

  #beginKey(char: string): void {
    if (char === '"') this.#beginString(true)
    else this.#break()
  }

  #beginValue(char: string): void {
    if (char === '{') this.#open({})
    else if (char === '[') this.#open([])
    else if (char === '"') this.#beginString(false)
    else {
      this.#text = char
      this.#expecting = 'literal'
    }
  }

  #beginString(isKey: boolean): void {
    this.#text = ''
    this.#isKey = isKey
    this.#expecting = 'string'
  }

  #open(value: Frame['value']): void {
    if (this.#stack.length >= storableLimits.maxDepth) return this.#break()
    this.#stack.push({ value, key: '', size: 0 })
    this.#expecting = 'first'
    this.#changed = true
  }

  #close(): void {
    const frame = this.#stack.pop()
    if (frame === undefined) return this.#break()
    if (this.#stack.length > 0) return this.#put(frame.value)
    this.#root = frame.value
    this.#changed = true
    this.#expecting = 'over'
  }

  /** A value that is whole. */
  #put(value: Json): void {
    const top = this.#stack.at(-1)
    if (top === undefined) return this.#break()
    if (Array.isArray(top.value)) top.value.push(value)
    else setField(top.value, top.key, value)
    top.size++
    this.#changed = true
    this.#expecting = 'next'
  }

  #endLiteral(): void {
    try {
      this.#put(JSON.parse(this.#text))
    } catch {
      this.#break()
    }
  }

  #readString(text: string, at: number): number {
    if (this.#escape !== '') return this.#readEscape(text, at)
    let end = at
    while (end < text.length && text[end] !== '"' && text[end] !== '\\') end++
    if (end > at) this.#append(text.slice(at, end))
    if (end === text.length) return end
    if (text[end] === '\\') this.#escape = '\\'
    else this.#endString()
    return end + 1
  }

  #readEscape(text: string, at: number): number {
    this.#escape += text.charAt(at)
    if (this.#escape[1] === 'u' && this.#escape.length < 6) return at + 1
    try {
      this.#append(JSON.parse(`"${this.#escape}"`))
    } catch {
      this.#break()
    }
    this.#escape = ''
    return at + 1
  }

  /** Appending makes ropes: a long text is not copied for each piece of it. */
  #append(more: string): void {
    const whole = this.#half + more
    const last = whole.charCodeAt(whole.length - 1)
    this.#half = last >= 0xd800 && last < 0xdc00 ? whole.slice(-1) : ''
    this.#text += wellFormed(this.#half === '' ? whole : whole.slice(0, -1))
    this.#changed ||= this.#isShown
  }

  #endString(): void {
    if (this.#half !== '') this.#text += '\ufffd'
    this.#half = ''
    const top = this.#stack.at(-1)
    if (!this.#isKey || top === undefined) return this.#put(this.#text)
    top.key = this.#text
    this.#expecting = 'colon'
  }

  /** Whether the string that comes now is shown while it does. */
  get #isShown(): boolean {
    return this.#expecting === 'string' && !this.#isKey && !Array.isArray(this.#stack.at(-1)?.value)
  }

  /** What is open is copied; what has ended is shared. */
  #snapshot(): Json | undefined {
    let inner: Json | undefined = this.#isShown ? this.#text : undefined
    for (const { value, key } of this.#stack.toReversed()) {
      if (Array.isArray(value)) inner = inner === undefined ? [...value] : [...value, inner]
      else {
        const copy = { ...value }
        if (inner !== undefined) setField(copy, key, inner)
        inner = copy
      }
    }
    return inner
  }

  #break(): void {
    this.#expecting = 'over'
    this.#changed = false
  }
}

/** Assigning to `__proto__` would change the prototype; here every key is plain data. */
function setField(target: { [key: string]: Json }, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true })
  else target[key] = value
}
