import type { Schema as Node } from '@cfworker/json-schema'
import { format } from '@cfworker/json-schema'
import { RondoError } from '../core/error.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { isJsonObject } from '../core/json.ts'
import { parsedUrl } from '../core/url.ts'
import type { Draft } from './keywords.ts'
import { isSchemaShaped, keywordProblem, keywords, mustBe } from './keywords.ts'

/** A schema as the validator takes it: known keywords only, each `$ref` a key of `lookup`, all of them resolved. */
export interface Compiled {
  readonly root: Node | boolean
  readonly lookup: Record<string, Node | boolean>
  /** The schema compares the items of arrays with each other, which costs their number squared. */
  readonly comparesItems: boolean
}

/** How many references and combinators may follow each other without going deeper into the data. */
const longestChain = 200
const problemsShown = 10
const rootUri = 'schema:/root'

interface Pending {
  readonly node: Node
  readonly reference: string
  readonly base: string
  readonly place: string
}

/** State of one compilation. `resources` and `anchors` map URIs to what they name in the source. */
interface Compiling {
  readonly draft: Draft
  readonly nodes: Map<JsonObject, Node>
  readonly bases: Map<JsonObject, string>
  readonly resources: Map<string, JsonObject | boolean>
  readonly anchors: Map<string, JsonObject>
  readonly pending: Pending[]
  readonly problems: string[]
  comparesItems: boolean
}

/**
 * Checks a schema and makes it ready for the validator. The package's own `dereference` is not used: it takes `id` in an example for
 * an identifier, changes the schema, and finds a wrong reference only when data reaches it. Throws `ConfigInvalid` with every problem.
 */
export function compile(source: JsonObject | boolean, draft: Draft): Compiled {
  const state: Compiling = {
    draft,
    nodes: new Map(),
    bases: new Map(),
    resources: new Map([[rootUri, source]]),
    anchors: new Map(),
    pending: [],
    problems: [],
    comparesItems: false,
  }
  const root = compileNode(state, source, rootUri, '#')
  const lookup = linkReferences(state)
  if (state.problems.length === 0) findEndlessChain(state, lookup)
  if (state.problems.length === 0) for (const node of state.nodes.values()) skipReferences(node, lookup)
  if (state.problems.length > 0) {
    const more = state.problems.length - problemsShown
    const list = state.problems.slice(0, problemsShown).join('; ') + (more > 0 ? `; and ${more} more` : '')
    throw new RondoError('ConfigInvalid', `jsonSchema(): ${list}`)
  }
  return { root, lookup, comparesItems: state.comparesItems }
}

function compileNode(state: Compiling, source: JsonObject | boolean, outerBase: string, place: string): Node | boolean {
  if (typeof source === 'boolean') return source
  const existing = state.nodes.get(source)
  if (existing !== undefined) return existing
  const node: Node = {}
  state.nodes.set(source, node)
  const base = identify(state, source, outerBase, place)
  state.bases.set(source, base)
  const reference = source.$ref
  if (reference !== undefined) {
    if (typeof reference === 'string') state.pending.push({ node, reference, base, place })
    else state.problems.push(`${place}/$ref ${mustBe('a string', reference)}`)
  }
  for (const word of ['$dynamicRef', '$recursiveRef'])
    if (source[word] !== undefined) state.problems.push(`${place}/${word} is not supported: use '$ref'`)
  // Up to draft-07 everything beside a $ref is ignored, save what it may refer to.
  const refOnly = reference !== undefined && (state.draft === '4' || state.draft === '7')
  for (const [word, kind] of keywords) {
    const value = source[word]
    if (value === undefined || (refOnly && kind !== 'schema-map')) continue
    const problem = keywordProblem(kind, value, state.draft)
    if (problem !== undefined) state.problems.push(`${place}/${word} ${problem}`)
    else
      node[word] = compileValue(
        state,
        kind === 'items' ? (Array.isArray(value) ? 'schemas' : 'schema') : kind,
        value,
        base,
        `${place}/${word}`,
      )
  }
  normalise(state, node)
  return node
}

/** Turns draft-04's booleans into numbers, drops formats that are not known, notes costly keywords. */
function normalise(state: Compiling, node: Node): void {
  if (node.exclusiveMinimum === true && node.minimum !== undefined) node.exclusiveMinimum = node.minimum
  if (node.exclusiveMaximum === true && node.maximum !== undefined) node.exclusiveMaximum = node.maximum
  if (typeof node.exclusiveMinimum === 'boolean') delete node.exclusiveMinimum
  if (typeof node.exclusiveMaximum === 'boolean') delete node.exclusiveMaximum
  // The validator looks formats up by name, and would find `constructor` and its like on the prototype.
  if (node.format !== undefined && !Object.hasOwn(format, node.format)) delete node.format
  if (node.uniqueItems === true) state.comparesItems = true
}

function compileValue(state: Compiling, kind: string, value: Json, base: string, place: string): unknown {
  if (kind === 'schema' && isSchemaShaped(value)) return compileNode(state, value, base, place)
  if (kind === 'schemas' && Array.isArray(value)) return value.map((item: Json, i) => compileMember(state, item, base, `${place}/${i}`))
  if (['schema-map', 'regex-map', 'dependencies'].includes(kind) && isJsonObject(value)) {
    // Without a prototype, so that a property named __proto__ is one like any other.
    const map: Record<string, unknown> = Object.create(null)
    for (const [key, member] of Object.entries(value)) {
      const names = kind === 'dependencies' && Array.isArray(member)
      map[key] = names ? member : compileMember(state, member, base, `${place}/${escapePointer(key)}`)
    }
    return map
  }
  return kind === 'name-lists' ? Object.assign(Object.create(null), value) : value
}

function compileMember(state: Compiling, member: Json | undefined, base: string, place: string): Node | boolean {
  if (isSchemaShaped(member)) return compileNode(state, member, base, place)
  state.problems.push(`${place} ${mustBe('a schema (an object, true or false)', member)}`)
  return true
}

/** Registers `$id` and anchors; gives the base URI for references inside. */
function identify(state: Compiling, source: JsonObject, base: string, place: string): string {
  const word = state.draft === '4' ? 'id' : '$id'
  const id = source[word]
  let own = base
  if (id !== undefined && !(source.$ref !== undefined && (state.draft === '4' || state.draft === '7'))) {
    const url = typeof id === 'string' ? parsedUrl(id, base) : undefined
    if (url === undefined) state.problems.push(`${place}/${word} ${mustBe('a URI', id)}`)
    else if (url.hash.length > 1) addName(state, state.anchors, url.href, source, place)
    else {
      url.hash = ''
      own = url.href
      addName(state, state.resources, own, source, place)
    }
  }
  for (const anchor of [source.$anchor, source.$dynamicAnchor])
    if (typeof anchor === 'string') addName(state, state.anchors, `${own}#${anchor}`, source, place)
  return own
}

function addName<T>(state: Compiling, names: Map<string, T>, uri: string, source: T, place: string): void {
  const other = names.get(uri)
  if (other !== undefined && other !== source) state.problems.push(`${place} has the same identifier as another place: '${uri}'`)
  names.set(uri, source)
}

/** Resolves every reference. A target that no keyword leads to (`#/components/…`) is compiled when it is reached. */
function linkReferences(state: Compiling): Record<string, Node | boolean> {
  const lookup: Record<string, Node | boolean> = Object.create(null)
  const keys = new Map<JsonObject | boolean, string>()
  for (let i = 0; i < state.pending.length; i++) {
    const one = state.pending[i]
    if (one === undefined) break
    const target = resolve(state, one)
    if (target === undefined) continue
    const key = keys.get(target.source) ?? `#${keys.size}`
    keys.set(target.source, key)
    lookup[key] = compileNode(state, target.source, target.base, one.reference)
    one.node.$ref = key
  }
  return lookup
}

function resolve(state: Compiling, { reference, base, place }: Pending): { source: JsonObject | boolean; base: string } | undefined {
  const where = `${place}/$ref`
  const url = parsedUrl(reference, base)
  if (url === undefined) {
    state.problems.push(`${where} ${mustBe('a URI reference', reference)}`)
    return undefined
  }
  const fragment = decodeFragment(url.hash.slice(1))
  url.hash = ''
  const resource = state.resources.get(url.href)
  if (resource === undefined) {
    state.problems.push(`${where}: '${reference}' is not in this schema, and nothing is loaded from elsewhere; put it under '#/$defs'`)
    return undefined
  }
  const found = fragment === '' || fragment.startsWith('/') ? walkPointer(resource, fragment) : state.anchors.get(`${url.href}#${fragment}`)
  if (!isSchemaShaped(found)) {
    state.problems.push(`${where}: '${reference}' leads to no schema here`)
    return undefined
  }
  const inner = typeof found === 'boolean' ? undefined : state.bases.get(found)
  return { source: found, base: inner ?? url.href }
}

function walkPointer(resource: JsonObject | boolean, pointer: string): Json | undefined {
  let at: Json | undefined = resource
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = Array.isArray(at) ? at[Number(key)] : isJsonObject(at) ? at[key] : undefined
  }
  return at
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** Finds a schema that comes back to itself without going into the data, such as `{ "$ref": "#" }`: validating would never end. */
function findEndlessChain(state: Compiling, lookup: Record<string, Node | boolean>): void {
  const heights = new Map<Node, number>()
  const open = new Set<Node>()
  const height = (node: Node | boolean | undefined): number => {
    if (node === undefined || typeof node === 'boolean') return 0
    const known = heights.get(node)
    if (known !== undefined) return known
    if (open.has(node) || open.size > longestChain) return Number.POSITIVE_INFINITY
    open.add(node)
    let value = 1
    for (const next of inPlace(node, lookup)) value = Math.max(value, 1 + height(next))
    open.delete(node)
    heights.set(node, value)
    return value
  }
  for (const [source, node] of state.nodes) {
    if (height(node) <= longestChain) continue
    const at = source.$ref === undefined ? '' : ` ('$ref': ${JSON.stringify(source.$ref)})`
    state.problems.push(`a schema${at} leads back to itself without going into the data, or over more than ${longestChain} steps`)
    return
  }
}

/**
 * Puts the target in the place of a subschema that is nothing but a reference: the validator recurses, and half the frames leave room
 * for twice the depth of data.
 */
function skipReferences(node: Node, lookup: Record<string, Node | boolean>): void {
  const target = (member: unknown): unknown => {
    let at = member
    while (isJsonObject(at) && typeof at.$ref === 'string' && Object.keys(at).length === 1) at = lookup[at.$ref]
    return at
  }
  for (const [word, kind] of keywords) {
    const value: unknown = node[word]
    if (Array.isArray(value) && (kind === 'schemas' || kind === 'items')) node[word] = value.map(target)
    else if (kind === 'schema' || kind === 'items') node[word] = target(value)
    else if (isJsonObject(value) && ['schema-map', 'regex-map', 'dependencies'].includes(kind))
      node[word] = Object.assign(Object.create(null), Object.fromEntries(Object.entries(value).map(([key, one]) => [key, target(one)])))
  }
}

/** The subschemas that a node applies to the same value. */
function inPlace(node: Node, lookup: Record<string, Node | boolean>): (Node | boolean | undefined)[] {
  const dependencies = Object.values(node.dependencies ?? {}).flatMap((one) => (Array.isArray(one) ? [] : [one]))
  const combined = [...(node.allOf ?? []), ...(node.anyOf ?? []), ...(node.oneOf ?? [])]
  const reference = node.$ref === undefined ? undefined : lookup[node.$ref]
  return [reference, ...combined, node.not, node.if, node.then, node.else, ...Object.values(node.dependentSchemas ?? {}), ...dependencies]
}

export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
