import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { parsedUrl } from './url.ts'

/** Which keywords of JSON Schema (draft 2020-12) hold schemas: one, a list of them, or a map of them by names that are the user's. */
export const subschemaWords: ReadonlyMap<string, 'one' | 'list' | 'map'> = new Map([
  ...(['items', 'additionalProperties', 'additionalItems', 'unevaluatedProperties', 'unevaluatedItems', 'propertyNames'] as const).map(one),
  ...(['contains', 'not', 'if', 'then', 'else', 'contentSchema'] as const).map(one),
  ...(['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const).map((word) => [word, 'list'] as const),
  ...(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'] as const).map((word) => [word, 'map'] as const),
])

function one(word: string): readonly [string, 'one'] {
  return [word, 'one']
}

/** The schemas that stand directly in one. */
export function subschemas(schema: JsonObject): readonly Json[] {
  const found: Json[] = []
  for (const word of Object.keys(schema)) {
    const kind = subschemaWords.get(word)
    const value = schema[word]
    if (kind === undefined || value === undefined) continue
    if (Array.isArray(value)) found.push(...value)
    else if (kind === 'map' && isJsonObject(value)) for (const name of Object.keys(value)) found.push(value[name] ?? true)
    else if (kind === 'one') found.push(value)
  }
  return found
}

/** Stands for the place of a schema that has no `$id`. Nothing is ever loaded from it. */
const nowhere = 'schema://root/'

/** Finds what the references of one schema lead to: `#`, JSON pointers, `$anchor`, and `$id`s inside of it. */
export class SchemaRefs {
  readonly #root: Json
  /** By URL; what has an anchor by URL and `#anchor`. */
  readonly #places = new Map<string, JsonObject>()
  /** The URL that the references of a schema are relative to, where that is not the root's. */
  readonly #bases = new Map<JsonObject, string>()

  constructor(root: Json) {
    this.#root = root
    this.#index()
  }

  /** What a `$ref` of this schema leads to; `undefined` if that is no schema, or not in here. */
  target(schema: JsonObject): JsonObject | boolean | undefined {
    const reference = schema['$ref']
    if (typeof reference !== 'string') return undefined
    const base = this.#bases.get(schema) ?? nowhere
    const found = reference === '#' && base === nowhere ? this.#root : this.#find(reference, base)
    return isJsonObject(found) || typeof found === 'boolean' ? found : undefined
  }

  #find(reference: string, base: string): Json | undefined {
    const url = parsedUrl(reference, base)
    if (url === undefined) return undefined
    const fragment = decoded(url.hash.slice(1))
    url.hash = ''
    const resource = url.href === nowhere ? this.#root : this.#places.get(url.href)
    if (fragment === '' || resource === undefined) return resource
    return fragment.startsWith('/') ? pointed(resource, fragment) : this.#places.get(`${url.href}#${fragment}`)
  }

  /** Level by level: a schema may be deeper than the stack. */
  #index(): void {
    let level: { readonly schema: Json; readonly base: string }[] = [{ schema: this.#root, base: nowhere }]
    while (level.length > 0) {
      const next: typeof level = []
      for (const { schema, base } of level) {
        if (!isJsonObject(schema)) continue
        const own = baseOf(schema, base)
        if (own !== nowhere) this.#bases.set(schema, own)
        if (own !== base) this.#places.set(own, schema)
        const anchor = schema['$anchor']
        if (typeof anchor === 'string') this.#places.set(`${own}#${anchor}`, schema)
        for (const inner of subschemas(schema)) next.push({ schema: inner, base: own })
      }
      level = next
    }
  }
}

function baseOf(schema: JsonObject, outer: string): string {
  const id = schema['$id']
  const url = typeof id === 'string' ? parsedUrl(id, outer) : undefined
  if (url === undefined) return outer
  url.hash = ''
  return url.href
}

function pointed(from: Json, pointer: string): Json | undefined {
  let at: Json | undefined = from
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(at)) at = at[Number(key)]
    else if (isJsonObject(at) && Object.hasOwn(at, key)) at = at[key]
    else return undefined
  }
  return at
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

const known = new WeakMap<object, SchemaRefs>()

/** Looked through once a schema object. */
export function refsOf(root: Json): SchemaRefs {
  if (!isJsonObject(root)) return new SchemaRefs(root)
  const before = known.get(root)
  if (before !== undefined) return before
  const refs = new SchemaRefs(root)
  known.set(root, refs)
  return refs
}
