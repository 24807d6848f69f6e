import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'

/** Repetitions beyond this make a grammar of llama.cpp slow or are refused: such bounds are left to the validation. */
const maxRepeats = 500

/**
 * A JSON Schema as a grammar in GBNF (github.com/ggml-org/llama.cpp/blob/master/grammars/README.md): JSON without blanks, keys in the order of the schema.
 * What a grammar can't say (`pattern`, `format`, most bounds of numbers, `not`) is not in it: whoever uses what comes validates it.
 *
 * Written here because the converter of `node-llama-cpp` takes integers with exponents, makes `null` of what it does not know, and knows no `anyOf` and no
 * property that may be left out.
 */
export function grammarOf(schema: Json): string {
  const rules = new Rules(schema)
  rules.define('root', rules.of(schema))
  return rules.text()
}

class Rules {
  readonly #root: Json
  readonly #rules = new Map<string, string>()
  readonly #refs = new Map<string, string>()

  constructor(root: Json) {
    this.#root = root
  }

  define(name: string, body: string): void {
    this.#rules.set(name, body)
  }

  text(): string {
    return [...this.#rules].map(([name, body]) => `${name} ::= ${body}\n`).join('')
  }

  /** The name of a rule, or a literal. */
  of(schema: Json | undefined): string {
    if (!isJsonObject(schema)) return this.#any()
    if (typeof schema['$ref'] === 'string') return this.#ref(schema['$ref'])
    if (schema['const'] !== undefined) return literal(schema['const'])
    if (Array.isArray(schema['enum'])) return this.#oneOf(schema['enum'].map(literal))
    const alternatives = schema['anyOf'] ?? schema['oneOf']
    if (Array.isArray(alternatives) && alternatives.length > 0) return this.#oneOf(alternatives.map((one: Json) => this.of(one)))
    if (Array.isArray(schema['allOf'])) return this.of(merged(schema, schema['allOf']))
    const type = schema['type']
    if (Array.isArray(type)) return this.#oneOf(type.map((one: Json) => this.of({ ...schema, type: one })))
    return this.#typed(typeof type === 'string' ? type : impliedType(schema), schema)
  }

  #typed(type: string, schema: JsonObject): string {
    switch (type) {
      case 'object':
        return this.#object(schema)
      case 'array':
        return this.#array(schema)
      case 'string':
        return this.#string(schema)
      case 'integer':
        return isAtLeast(schema, 0) ? this.#shared('natural') : this.#shared('integer')
      case 'number':
        return this.#shared('number')
      case 'boolean':
        return this.#shared('boolean')
      case 'null':
        return '"null"'
      default:
        return this.#any()
    }
  }

  #object(schema: JsonObject): string {
    const properties = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : []
    const more = schema['additionalProperties']
    const isOpen = more === true || isJsonObject(more) || (more === undefined && properties.length === 0)
    const others = isOpen ? this.#pairs(more) : undefined
    if (properties.length === 0) return others === undefined ? '"{}"' : this.#new(`"{" (${others} ("," ${others})*)? "}"`)
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
    // From the end: what may come from each property on, as the first one and behind others.
    let first = others === undefined ? '""' : this.#new(`(${others} ("," ${others})*)?`)
    let behind = others === undefined ? '""' : this.#new(`("," ${others})*`)
    for (const [name, value] of properties.toReversed()) {
      const pair = `${literal(name)} ":" ${this.of(value)}`
      const isRequired = required.has(name)
      const nextFirst = isRequired ? `${pair} ${behind}` : `${pair} ${behind} | ${first}`
      const nextBehind = isRequired ? `"," ${pair} ${behind}` : `("," ${pair})? ${behind}`
      first = this.#new(nextFirst)
      behind = this.#new(nextBehind)
    }
    return this.#new(`"{" ${first} "}"`)
  }

  #pairs(value: Json | undefined): string {
    return this.#new(`${this.#shared('string')} ":" ${this.of(value)}`)
  }

  #array(schema: JsonObject): string {
    const prefix = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : []
    if (prefix.length > 0) return this.#new(`"[" ${prefix.map((item: Json) => this.of(item)).join(' "," ')} "]"`)
    const item = this.of(schema['items'])
    const least = bound(schema['minItems']) ?? 0
    const most = bound(schema['maxItems'])
    if (most === 0) return '"[]"'
    const rest = `("," ${item})${repeats(Math.max(0, least - 1), most === undefined ? undefined : most - 1)}`
    return this.#new(least === 0 ? `"[" (${item} ${rest})? "]"` : `"[" ${item} ${rest} "]"`)
  }

  #string(schema: JsonObject): string {
    const least = bound(schema['minLength']) ?? 0
    const most = bound(schema['maxLength'])
    if (least === 0 && most === undefined) return this.#shared('string')
    return this.#new(`"\\"" ${this.#shared('char')}${repeats(least, most)} "\\""`)
  }

  /** A reference within the schema. What it names is made once, so it may refer to itself. */
  #ref(ref: string): string {
    const known = this.#refs.get(ref)
    if (known !== undefined) return known
    const target = targetOf(this.#root, ref)
    if (target === undefined) return this.#any()
    const name = `ref${this.#refs.size}`
    this.#refs.set(ref, name)
    this.define(name, this.of(target))
    return name
  }

  #oneOf(alternatives: readonly string[]): string {
    const distinct = [...new Set(alternatives)]
    // Nothing fits an empty list: validation says so, a grammar can't.
    if (distinct.length === 0) return this.#any()
    return distinct.length === 1 ? (distinct[0] ?? '""') : this.#new(distinct.join(' | '))
  }

  #any(): string {
    return this.#shared('value')
  }

  #new(body: string): string {
    const name = `r${this.#rules.size}`
    this.define(name, body)
    return name
  }

  #shared(name: keyof typeof sharedRules): string {
    if (this.#rules.has(name)) return name
    const [body, ...needs] = sharedRules[name]
    this.define(name, body)
    for (const need of needs) this.#shared(need)
    return name
  }
}

type SharedName = 'char' | 'string' | 'natural' | 'integer' | 'number' | 'boolean' | 'value' | 'object' | 'array'

/** Each with those that it names. Digits are bounded, so that a number is one that JSON can hold. */
const sharedRules: { readonly [name in SharedName]: readonly [body: string, ...needs: readonly SharedName[]] } = {
  char: ['[^"\\\\\\x7F\\x00-\\x1F] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F]{4})'],
  string: ['"\\"" char* "\\""', 'char'],
  natural: ['"0" | [1-9] [0-9]{0,15}'],
  integer: ['"-"? natural', 'natural'],
  number: ['integer ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,2})?', 'integer'],
  boolean: ['"true" | "false"'],
  value: ['object | array | string | number | boolean | "null"', 'object', 'array', 'string', 'number', 'boolean'],
  object: ['"{" (string ":" value ("," string ":" value)*)? "}"', 'string', 'value'],
  array: ['"[" (value ("," value)*)? "]"', 'value'],
}

/** A JSON value as it stands. */
function literal(value: Json): string {
  return `"${JSON.stringify(value).replace(/["\\]/g, '\\$&')}"`
}

function repeats(least: number, most: number | undefined): string {
  if (most === undefined) return least === 0 ? '*' : `{${least},}`
  return `{${Math.min(least, most)},${most}}`
}

/** A bound that a grammar can hold. */
function bound(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= maxRepeats ? value : undefined
}

function isAtLeast(schema: JsonObject, least: number): boolean {
  const { minimum, exclusiveMinimum } = schema
  return (typeof minimum === 'number' && minimum >= least) || (typeof exclusiveMinimum === 'number' && exclusiveMinimum >= least - 1)
}

function impliedType(schema: JsonObject): string {
  if (schema['properties'] !== undefined || schema['additionalProperties'] !== undefined) return 'object'
  return schema['items'] !== undefined || schema['prefixItems'] !== undefined ? 'array' : ''
}

/** All of several schemas of objects as one; of others the first, for a value that fits none of them is found later. */
function merged(schema: JsonObject, all: readonly Json[]): Json {
  const { allOf: _allOf, ...own } = schema
  const parts = [own, ...all].filter(isJsonObject)
  if (!parts.some((part) => part['properties'] !== undefined)) return all[0] ?? own
  const properties = Object.assign({}, ...parts.map((part) => part['properties']))
  const required = parts.flatMap((part) => (Array.isArray(part['required']) ? part['required'] : []))
  return { type: 'object', properties, required }
}

/** What `#/$defs/node` names in the whole schema. */
function targetOf(root: Json, ref: string): Json | undefined {
  if (!ref.startsWith('#')) return undefined
  let target: Json | undefined = root
  for (const step of ref.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(target)) target = target[Number(key)]
    else target = isJsonObject(target) && Object.hasOwn(target, key) ? target[key] : undefined
  }
  return target
}
