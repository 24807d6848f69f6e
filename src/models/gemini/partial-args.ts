import type { Json } from '../../core/json.ts'
import { checkDepth } from '../input-text.ts'
import { garbled } from '../unusable.ts'
import { isWire, textOrNothing, type Wire } from '../wire.ts'

/** An object or a list that is being built. Without a prototype, so that a key is a key, whatever it is called (B197). */
type Node = { [key: string]: Node | Json }

/** So many steps a place may have, and items a list: more is no arguments. */
const maxSteps = 200
const maxIndex = 100_000

/** Arguments of a call that come in pieces, each with its place: `{ jsonPath: '$.steps[0].text', stringValue: 'more' }`. */
export class PartialArgs {
  readonly #root: Node = Object.create(null)
  /** Which of the nodes are lists. */
  readonly #lists = new Set<Node>()

  /** Texts of one place go on with each other; all else is said once. */
  take(piece: Wire): void {
    const keys = stepsOf(textOrNothing(piece['jsonPath']))
    const last = keys.pop()
    if (last === undefined) return
    let at = this.#root
    for (const [place, key] of keys.entries()) at = this.#inside(at, key, typeof (keys[place + 1] ?? last) === 'number')
    const value = valueIn(piece)
    const before = at[last]
    if (value === undefined) at[last] ??= null
    else at[last] = typeof value === 'string' && typeof before === 'string' ? before + value : value
  }

  /** What was given at once, should there be both. */
  setAll(args: Wire): void {
    checkDepth(args, 'the input of a tool call')
    for (const [key, value] of Object.entries(args)) this.#root[key] = value as Json
  }

  get json(): string {
    return JSON.stringify(this.#whole(this.#root))
  }

  #inside(node: Node, key: string | number, isList: boolean): Node {
    const known = node[key]
    if (isNode(known)) return known
    const made: Node = Object.create(null)
    if (isList) this.#lists.add(made)
    node[key] = made
    return made
  }

  #whole(node: Node): Json | Node {
    const entries = Object.entries(node).map(([key, value]): [string, Json | Node] => [key, isNode(value) ? this.#whole(value) : value])
    if (this.#lists.has(node)) return entries.map(([, value]) => value as Json)
    const whole: Node = Object.create(null)
    for (const [key, value] of entries) whole[key] = value
    return whole
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null
}

const step = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y

/** `$.a[0]['b c']` as `['a', 0, 'b c']` (RFC 9535, what of it is a place). What is none, or none that arguments have, is garbled. */
function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = []
  step.lastIndex = path.startsWith('$') ? 1 : 0
  while (step.lastIndex < path.length) {
    const [, name, index, single, double] = step.exec(path) ?? []
    const quoted = single ?? double
    if (name !== undefined) steps.push(name)
    else if (index !== undefined && Number(index) <= maxIndex) steps.push(Number(index))
    else if (quoted !== undefined) steps.push(unescaped(quoted))
    else throw garbled('a piece of arguments has a place that is none')
    if (steps.length > maxSteps) throw garbled('a piece of arguments has a place that is none')
  }
  return steps
}

function unescaped(quoted: string): string {
  return quoted.replace(/\\(.)/g, (_, one: string) => one)
}

/** `undefined` for what says no value: more may follow. */
function valueIn(piece: Wire): Json | undefined {
  if ('nullValue' in piece) return null
  const value = piece['stringValue'] ?? piece['numberValue'] ?? piece['boolValue'] ?? undefined
  return isWire(value) || Array.isArray(value) ? JSON.stringify(value) : (value as Json | undefined)
}
