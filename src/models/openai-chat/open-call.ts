import { JsonEnd } from '../json-end.ts'
import { isWire, textOrNothing, type Wire } from '../wire.ts'

/** The text of a custom tool is told as this argument. */
export const customInput = 'input'

/** A tool call as far as its pieces have come. */
export interface OpenCall {
  readonly part: number
  readonly index: number | undefined
  readonly id: string
  /** Whether the id is its own, and not empty or another call's (B015). */
  readonly ownId: boolean
  /** Complete when the call is told. */
  name: string
  /** Whether it was told to the sink: until then more of its name may come. */
  told: boolean
  /** No entry of it has had a field for arguments yet, not even an empty one. */
  bare: boolean
  /** The arguments so far. */
  text: string
  /** The same as JSON is written here; worked out when it is first asked for. */
  canonical: string | undefined
  /** Whether they are complete, as far as it has read them. */
  readonly end: JsonEnd
  unread: string
  /** Its arguments came at once, as a value. */
  whole: boolean
  /** A piece without a name has gone on with it: this server does not repeat names. */
  continued: boolean
  /** Of a custom tool: the text that it is given, so far. */
  custom: string | undefined
}

export interface CallPiece {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** It has no field for arguments. */
  readonly bare: boolean
  /** Of a custom tool, whose input is a text and no JSON. */
  readonly custom: boolean
}

export function pieceOf(entry: Wire): CallPiece {
  const { type, function: f, custom: c } = entry
  // A server that fills every field of its types has both.
  const custom = isWire(c) && (type === 'custom' || !isWire(f)) ? c : undefined
  const body: Wire = custom ?? (isWire(f) ? f : entry)
  const input = (custom === undefined ? body['arguments'] : body['input']) ?? undefined
  return {
    index: typeof entry['index'] === 'number' ? entry['index'] : undefined,
    id: textOrNothing(entry['id']),
    name: textOrNothing(body['name']),
    input: input ?? '',
    bare: input === undefined,
    custom: custom !== undefined,
  }
}

/** No call: what a server writes that fills every field of its types (`function_call: { name: '', arguments: '' }`, Snowflake). */
export function isNothing({ id, name, input }: CallPiece): boolean {
  return id === '' && name === '' && input === ''
}

/** The whole call once more, in a last event: it must not run twice. */
export function isRestated(known: OpenCall, { id, name, input }: CallPiece): boolean {
  if (id === '' || id !== known.id || name !== known.name || !hasEnded(known)) return false
  if (input === known.text) return true
  known.canonical ??= canonical(known.text)
  return known.canonical === canonical(input)
}

/** What a whole call says beyond what is known of it; `undefined` when it says something else. */
export function restOf(known: OpenCall, { input }: CallPiece): string | undefined {
  if (known.text === '') return typeof input === 'string' ? input : JSON.stringify(input)
  if (typeof input === 'string' && input.startsWith(known.text)) return input.slice(known.text.length)
  return canonical(known.text) === canonical(input) ? '' : undefined
}

/** The same JSON, as a value or as a text with whatever blanks, in one spelling. What is no JSON is like nothing else. */
function canonical(input: unknown): string {
  if (typeof input !== 'string') return JSON.stringify(input)
  try {
    return JSON.stringify(JSON.parse(input))
  } catch {
    return `no JSON: ${input}`
  }
}

/**
 * Whether a piece goes on with the name of a call of which nothing else has come. Without ids it may as well be another call without
 * arguments, of a server that counts every call as 0: then only pieces that have no field for arguments are of one name.
 */
export function isMoreName(known: OpenCall, { index, id, name, bare }: CallPiece): boolean {
  if (known.told || name === '') return false
  if (known.name === '') return id === '' || id === known.id
  if (name === known.name || index === undefined) return false
  if (id !== '') return id === known.id
  return known.id !== '' || (known.bare && bare)
}

/**
 * B020: whether a piece that could belong to a known call begins another one. Some servers count every call as 0 or give all the same id;
 * others repeat the name, or make up a new id, with every piece: as long as the arguments are not complete those go on with the call.
 */
export function startsAnother(known: OpenCall, { id, name, input }: CallPiece): boolean {
  if (name === '') return false
  const ended = hasEnded(known)
  if (id !== '' && id === known.id) return ended && input !== ''
  if (name !== known.name || ended || known.continued) return true
  return id !== '' && known.text === '' && !isFragment(input)
}

/** Read when it is asked for, which is seldom. */
export function hasEnded(call: OpenCall): boolean {
  if (call.whole) return true
  call.end.push(call.unread)
  call.unread = ''
  return call.end.isComplete
}

/** Something that is not complete by itself. */
function isFragment(input: unknown): boolean {
  if (typeof input !== 'string' || input === '') return false
  const end = new JsonEnd()
  end.push(input)
  return !end.isComplete
}
