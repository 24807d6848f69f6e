/** Reads a grammar in GBNF, as far as ours go, and says whether it takes a text: what llama.cpp does with tokens, written apart from what is tested. */
export class Gbnf {
  readonly #rules = new Map<string, Node>()

  constructor(text: string) {
    for (const line of text.split('\n')) {
      const rule = /^([\w-]+) ::= (.*)$/.exec(line)
      if (rule !== null) this.#rules.set(rule[1] ?? '', new Parser(rule[2] ?? '').alternatives())
      else if (line !== '') throw new Error(`no rule: ${line}`)
    }
  }

  takes(text: string): boolean {
    const chars = [...text]
    return this.#ends({ type: 'rule', name: 'root' }, chars, 0).has(chars.length)
  }

  /** Where a match that begins at `at` may end. */
  #ends(node: Node, chars: readonly string[], at: number): Set<number> {
    switch (node.type) {
      case 'text':
        return new Set(node.chars.every((char, index) => chars[at + index] === char) ? [at + node.chars.length] : [])
      case 'class':
        return new Set(chars[at] !== undefined && node.test.test(chars[at] ?? '') ? [at + 1] : [])
      case 'rule': {
        const rule = this.#rules.get(node.name)
        if (rule === undefined) throw new Error(`no rule ${node.name}`)
        return this.#ends(rule, chars, at)
      }
      case 'any':
        return new Set(node.of.flatMap((one) => [...this.#ends(one, chars, at)]))
      case 'all': {
        let ends = new Set([at])
        for (const one of node.of) ends = new Set([...ends].flatMap((end) => [...this.#ends(one, chars, end)]))
        return ends
      }
      case 'repeat':
        return this.#repeated(node, chars, at)
    }
  }

  #repeated({ of, least, most }: Repeat, chars: readonly string[], at: number): Set<number> {
    const all = new Set(least === 0 ? [at] : [])
    let ends = new Set([at])
    for (let count = 1; count <= most && ends.size > 0; count++) {
      ends = new Set([...ends].flatMap((end) => [...this.#ends(of, chars, end)]).filter((end) => !all.has(end)))
      if (count >= least) for (const end of ends) all.add(end)
    }
    return all
  }
}

interface Repeat {
  readonly type: 'repeat'
  readonly of: Node
  readonly least: number
  readonly most: number
}
type Node =
  | { readonly type: 'text'; readonly chars: readonly string[] }
  | { readonly type: 'class'; readonly test: RegExp }
  | { readonly type: 'rule'; readonly name: string }
  | { readonly type: 'any' | 'all'; readonly of: readonly Node[] }
  | Repeat

class Parser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  alternatives(): Node {
    const all: Node[] = [this.#sequence()]
    while (this.#take(/\s*\|/y) !== undefined) all.push(this.#sequence())
    return { type: 'any', of: all }
  }

  #sequence(): Node {
    const all: Node[] = []
    for (let item = this.#item(); item !== undefined; item = this.#item()) all.push(this.#quantified(item))
    return { type: 'all', of: all }
  }

  #item(): Node | undefined {
    this.#take(/\s*/y)
    const text = this.#take(/"(?:[^"\\]|\\.)*"/y)
    if (text !== undefined) return { type: 'text', chars: [...text.slice(1, -1).replace(/\\(.)/g, '$1')] }
    const chars = this.#take(/\[(?:[^\]\\]|\\.)*\]/y)
    if (chars !== undefined) return { type: 'class', test: new RegExp(`^${chars}$`, 'u') }
    const name = this.#take(/[\w-]+/y)
    if (name !== undefined) return { type: 'rule', name }
    if (this.#take(/\(/y) === undefined) return undefined
    const inner = this.alternatives()
    if (this.#take(/\s*\)/y) === undefined) throw new Error(`not closed: ${this.#text}`)
    return inner
  }

  #quantified(of: Node): Node {
    const sign = this.#take(/[*+?]|\{\d+(?:,\d*)?\}/y)
    if (sign === undefined) return of
    if (sign === '?') return { type: 'repeat', of, least: 0, most: 1 }
    if (sign === '*' || sign === '+') return { type: 'repeat', of, least: sign === '+' ? 1 : 0, most: Number.POSITIVE_INFINITY }
    const [least = '0', most] = sign.slice(1, -1).split(',')
    return {
      type: 'repeat',
      of,
      least: Number(least),
      most: most === undefined ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most),
    }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    this.#at += found?.length ?? 0
    return found
  }
}
