import type { Json } from '../../core/json.ts'
import { isWire, textOrNothing, type Wire } from '../wire.ts'

/** An object or a list that is being built. Without a prototype, so that a key is a key, whatever it is called (B197). */
type Node = { [key: string]: Node | Json }

/** Arguments of a call that come in pieces, each with its place: `{ jsonPath: '$.steps[0].text', stringValue: 'more' }`. */
export class PartialArgs {
  readonly #root: Node = Object.create(null)
  /** Which of the nodes are lists. */
  readonly #lists = new Set<Node>()

  /** Texts of one place go on with each other; all else is said once. */
  take(piece: Wire): void {
    const keys = keysOf(textOrNothing(piece['jsonPath']))
    const last = keys.pop()
    if (last === undefined) return
    let at = this.#root
    for (const [place, key] of keys.entries()) at = this.#inside(at, key, typeof (keys[place + 1] ?? last) === 'number')
    const value = valueIn(piece)
    const before = at[last]
    at[last] = typeof value === 'string' && typeof before === 'string' ? before + value : value
  }

  /** What was given at once, should there be both. */
  setAll(args: Wire): void {
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

/** `$.a[0]['b c']` as `['a', 0, 'b c']`. A place in a list that nobody could fill is none. */
function keysOf(path: string): (string | number)[] {
  const steps = path.matchAll(/\.(?<name>[^.[\]]+)|\[(?<index>\d{1,6})\]|\[(?<quote>['"])(?<quoted>.*?)\k<quote>\]/g)
  return [...steps].map(({ groups = {} }) =>
    groups['index'] === undefined ? (groups['name'] ?? groups['quoted'] ?? '') : Number(groups['index']),
  )
}

function valueIn(piece: Wire): Json {
  const value = piece['stringValue'] ?? piece['numberValue'] ?? piece['boolValue'] ?? null
  return isWire(value) || Array.isArray(value) ? JSON.stringify(value) : (value as Json)
}
