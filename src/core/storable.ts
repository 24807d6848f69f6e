import { copyJson, type Json } from './json.ts'
import { isPlainJson } from './plain-json.ts'
import { isWellFormed, wellFormed } from './text.ts'

export interface StorableLimits {
  /** Levels of objects and arrays. Default 200. */
  readonly maxDepth: number
  /** Values, counting every field and item. Default 1,000,000. */
  readonly maxNodes: number
}

export const storableLimits: StorableLimits = { maxDepth: 200, maxNodes: 1_000_000 }

export type ChangeReason =
  | 'undefined'
  | 'function'
  | 'symbol'
  | 'bigint'
  | 'non-finite'
  | 'lone-surrogate'
  | 'invalid-date'
  | 'collection'
  | 'regexp'
  | 'error'
  | 'binary'
  | 'promise'
  | 'circular'
  | 'too-deep'
  | 'too-large'
  | 'unreadable'

/** Something that plain JSON can't say and `JSON.stringify` would have lost, refused or blurred. */
export interface Change {
  /** `$` is the value itself, `$.a[0]` a place in it. */
  readonly path: string
  readonly reason: ChangeReason
}

export interface Storable {
  readonly json: Json
  /** At most eight places for each reason. */
  readonly changed: readonly Change[]
}

const changesPerReason = 8
const maxNameChars = 80
const maxPathChars = 200
const unreadable = '[unreadable]'
const unchanged: readonly Change[] = []

/**
 * A value of a tool as plain JSON, made once: events, results, the journal and the model all see the same. Never throws. A value
 * that is plain JSON already is returned as it is, not copied.
 *
 * - As `JSON.stringify` does, so not listed in `changed`: fields that are `undefined` are dropped, `toJSON` is called, dates become
 *   ISO text, boxed primitives are unwrapped, `-0` is 0, an instance of a class is its own enumerable fields.
 * - `undefined` itself is `null`; so it is as an item of an array, where it is listed.
 * - A function or symbol is dropped as a field and becomes `"[function name]"`, `"[symbol name]"` elsewhere.
 * - A BigInt is its digits; NaN and the infinities are their names; an invalid date is `"[invalid date]"`; half a surrogate pair is U+FFFD.
 * - A Map is an object if all its keys are strings, else an array of pairs; a Set is an array; a regular expression is its source.
 * - An error is `{ name, message }` even if it has `toJSON`: stacks, causes and the fields of HTTP clients may hold secrets.
 * - Binary data is `{ type: 'binary', bytes }`; a promise that nobody awaited is `"[promise]"`.
 * - What can't be read (a getter, proxy or `toJSON` throws) is `"[unreadable]"`; a cycle is `"[circular]"`; what lies beyond the limits is
 *   `"[too deep]"`, and `"[too large]"` stands once for the rest of its container.
 */
export function toStorable(value: unknown, limits?: Partial<StorableLimits>): Storable {
  const within = limits === undefined ? storableLimits : { ...storableLimits, ...limits }
  if (isPlainJson(value, within.maxDepth, within.maxNodes)) return { json: value, changed: unchanged }
  if (value === undefined) return { json: null, changed: unchanged }
  const copier = new Copier(within)
  const json = copier.copy(value, '', 0)
  return { json, changed: copier.changed }
}

/** The same as a copy in any case: whoever goes on changing what was handed in must not change the journal. */
export function storableCopy(value: unknown): Storable {
  const storable = toStorable(value)
  return storable.changed === unchanged ? { json: copyJson(storable.json), changed: unchanged } : storable
}

/** Makes the copy of a value that is not plain. Recursion is bounded by the depth limit. */
class Copier {
  readonly changed: Change[] = []
  readonly #limits: StorableLimits
  readonly #path: (string | number)[] = []
  readonly #ancestors = new Set<object>()
  readonly #counts = new Map<ChangeReason, number>()
  #left: number

  constructor(limits: StorableLimits) {
    this.#limits = limits
    this.#left = limits.maxNodes
  }

  copy(value: unknown, key: string, depth: number): Json {
    this.#left--
    switch (typeof value) {
      case 'string':
        return this.#text(value)
      case 'number':
        // Adding 0 makes 0 of -0, which JSON does not have.
        return Number.isFinite(value) ? value + 0 : this.#mark('non-finite', String(value))
      case 'boolean':
        return value
      case 'bigint':
        return this.#mark('bigint', value.toString())
      case 'undefined':
        return this.#mark('undefined', null)
      case 'function':
        return this.#mark('function', label('function', read(value, 'name')))
      case 'symbol':
        if (value === failedRead) return this.#mark('unreadable', unreadable)
        return this.#mark('symbol', label('symbol', value.description))
      case 'object':
        return value === null ? null : this.#object(value, key, depth)
    }
  }

  #text(value: string): string {
    return isWellFormed(value) ? value : this.#mark('lone-surrogate', wellFormed(value))
  }

  #object(value: object, key: string, depth: number): Json {
    if (depth >= this.#limits.maxDepth) return this.#mark('too-deep', '[too deep]')
    return this.#within(value, () => this.#leaf(value) ?? this.#replaced(value, key, depth))
  }

  #within(value: object, make: () => Json): Json {
    if (this.#ancestors.has(value)) return this.#mark('circular', '[circular]')
    this.#ancestors.add(value)
    try {
      return make()
    } catch {
      return this.#mark('unreadable', unreadable)
    } finally {
      this.#ancestors.delete(value)
    }
  }

  /** What is no container in JSON. Errors and binary data come before `toJSON`, which would show secrets or every byte. */
  #leaf(value: object): Json | undefined {
    if (isError(value)) return this.#mark('error', { name: errorText(value, 'name'), message: errorText(value, 'message') })
    const bytes = byteLength(value)
    if (bytes !== undefined) return this.#mark('binary', { type: 'binary', bytes })
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? this.#mark('invalid-date', '[invalid date]') : value.toISOString()
    if (value instanceof RegExp) return this.#mark('regexp', wellFormed(String(value)))
    if (value instanceof Promise) return this.#mark('promise', '[promise]')
    return undefined
  }

  /** As `JSON.stringify` does, `toJSON` is called once: that of a replacement is not, for a chain of them could have no end. */
  #replaced(value: object, key: string, depth: number): Json {
    const toJson: unknown = Reflect.get(value, 'toJSON')
    const replacement: unknown = typeof toJson === 'function' ? Reflect.apply(toJson, value, [key]) : unboxed(value)
    if (replacement === value) return this.#container(value, depth + 1)
    if (typeof replacement !== 'object' || replacement === null) return this.copy(replacement, key, depth)
    return this.#within(replacement, () => this.#leaf(replacement) ?? this.#container(replacement, depth + 1))
  }

  #container(value: object, depth: number): Json {
    if (Array.isArray(value)) return this.#items(value, depth)
    // The native iterators, so that a subclass can't make them endless.
    if (value instanceof Set) return this.#mark('collection', this.#items([...Set.prototype.values.call(value)], depth))
    if (!(value instanceof Map)) return this.#fields(value, depth)
    const pairs: [unknown, unknown][] = [...Map.prototype.entries.call(value)]
    const named = pairs.every(([name]) => typeof name === 'string')
    return this.#mark('collection', named ? this.#fields(Object.fromEntries(pairs), depth) : this.#items(pairs, depth))
  }

  #items(items: readonly unknown[], depth: number): Json {
    const copies: Json[] = []
    for (let i = 0; i < items.length; i++) {
      this.#path.push(i)
      const full = this.#left <= 0
      copies.push(full ? this.#mark('too-large', '[too large]') : this.copy(read(items, i), String(i), depth))
      this.#path.pop()
      if (full) break
    }
    return copies
  }

  #fields(source: object, depth: number): Json {
    const copies: { [key: string]: Json } = {}
    for (const key of Object.keys(source)) {
      this.#path.push(key)
      const full = this.#left <= 0
      const copied = full ? this.#mark('too-large', '[too large]') : this.#field(read(source, key), key, depth)
      if (copied !== undefined) setOwn(copies, this.#text(key), copied)
      this.#path.pop()
      if (full) break
    }
    return copies
  }

  #field(value: unknown, key: string, depth: number): Json | undefined {
    if (value === undefined) return undefined
    if (typeof value === 'function') return this.#mark('function', undefined)
    if (typeof value === 'symbol' && value !== failedRead) return this.#mark('symbol', undefined)
    return this.copy(value, key, depth)
  }

  #mark<T extends Json | undefined>(reason: ChangeReason, result: T): T {
    const count = (this.#counts.get(reason) ?? 0) + 1
    this.#counts.set(reason, count)
    if (count <= changesPerReason) this.changed.push({ path: pathText(this.#path), reason })
    return result
  }
}

/** Stands for a field or item whose getter or proxy threw. */
const failedRead = Symbol('unreadable')

function read(source: object, key: string | number): unknown {
  try {
    return Reflect.get(source, key)
  } catch {
    return failedRead
  }
}

/** Assigning to `__proto__` would change the prototype; here every key is plain data. */
function setOwn(target: { [key: string]: Json }, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true })
  else target[key] = value
}

// The tag also recognises an error of another realm (a `vm` context, a test runner).
function isError(value: object): boolean {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
}

function errorText(error: object, key: 'name' | 'message'): string {
  const text = read(error, key)
  return typeof text === 'string' ? wellFormed(text) : ''
}

function byteLength(value: object): number | undefined {
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (value instanceof ArrayBuffer) return value.byteLength
  // Browsers have it on isolated pages only.
  return typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer ? value.byteLength : undefined
}

/** The primitive in a boxed one, else the value itself. */
function unboxed(value: object): unknown {
  if (value instanceof Number) return Number.prototype.valueOf.call(value)
  if (value instanceof String) return String.prototype.valueOf.call(value)
  if (value instanceof Boolean) return Boolean.prototype.valueOf.call(value)
  if (value instanceof BigInt) return BigInt.prototype.valueOf.call(value)
  return value
}

function label(kind: 'function' | 'symbol', name: unknown): string {
  const short = shortName(name)
  return short === '' ? `[${kind}]` : `[${kind} ${short}]`
}

function shortName(name: unknown): string {
  return typeof name === 'string' ? wellFormed(name.slice(0, maxNameChars)) : ''
}

function pathText(path: readonly (string | number)[]): string {
  let text = '$'
  for (const step of path) {
    if (text.length > maxPathChars) return `${text}…`
    text += typeof step === 'number' ? `[${step}]` : `.${shortName(step)}`
  }
  return text
}
