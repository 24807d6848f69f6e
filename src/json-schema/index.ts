import type { OutputUnit } from '@cfworker/json-schema'
import { validate } from '@cfworker/json-schema'
import { RondoError } from '../core/error.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { isJsonObject, nestingDepth } from '../core/json.ts'
import type { Schema, ValidationIssue } from '../core/schema.ts'
import type { Compiled } from './compile.ts'
import { compile } from './compile.ts'
import { convert } from './convert.ts'
import { inspect, withoutUndefined } from './data.ts'
import { issuesOf } from './issues.ts'
import { draftOf, mustBe } from './keywords.ts'

/** A schema is at most this deep and this long (characters of JSON). */
const schemaLimits = { depth: 200, characters: 1_000_000 }
/** What data may hold. The design's limits for arguments are 200 levels and 4 MB, in which at most 2 million values fit. */
const dataLimits = { depth: 200, values: 2_500_000, items: Number.POSITIVE_INFINITY }
/** Items of one array where the schema compares them with each other (`uniqueItems`): that costs their number squared. */
const comparedItems = 5_000
/** Above this many values only the first problems are looked for: a full list could take more memory than the data. */
const fullListValues = 10_000

/**
 * Makes a plain JSON Schema usable wherever Rondo takes a schema (tool inputs, outputs). `T` is the type that the schema describes:
 * it is taken on trust, nothing infers it.
 *
 * - Drafts: 2020-12 by default; `$schema` at the root may name draft-04, -06, -07 or 2019-09. `format` is checked where the name is known.
 * - `$ref` works inside the schema (`#/$defs/x`, `$id`, `$anchor`). Nothing is ever loaded: a reference to elsewhere is an error here.
 *   `$dynamicRef` and `$recursiveRef` are not supported.
 * - Validation returns the value itself. Issues have a path (keys and indexes) and say what was expected and received; at most 10, and a
 *   last one that counts the rest. Above 10,000 values only the first problems are looked for. A property that is `undefined` counts
 *   as absent. Data deeper than 200 levels or with more than 2,500,000 values is refused; with `uniqueItems` also arrays of more
 *   than 5,000 items.
 * - As JSON Schema it converts to `draft-2020-12`, and to `draft-07` where that has the words; other targets throw.
 *   Where each level of the data passes three or more combinators (`anyOf` in `allOf` in `oneOf`), nesting ends earlier, at about 100.
 * - No code is generated, so it runs where `eval` is forbidden.
 * - The schema's author is trusted: a `pattern` that backtracks without end (`^(a+)+$`) can block the process on hostile data.
 *
 * The schema is copied: later changes to the object have no effect. Throws `RondoError` `ConfigInvalid`, naming the places, for a schema
 * that is no object or boolean, is deeper than 200 levels or longer than 1,000,000 characters, uses a keyword wrongly (an unknown
 * `type`, an invalid `pattern`), refers to what is not there, or refers to itself without end.
 */
export function jsonSchema<T = unknown>(schema: Json): Schema<T> {
  const source = copyOf(schema)
  const draft = draftOf(source)
  if (draft === undefined) {
    const named = isJsonObject(source) ? source.$schema : undefined
    throw new RondoError('ConfigInvalid', `jsonSchema(): #/$schema ${mustBe('the URI of draft-04, -06, -07, 2019-09 or 2020-12', named)}`)
  }
  const compiled = compile(source, draft)
  const converter = ({ target }: { readonly target: string }) => convert(source, draft, target)
  return Object.freeze({
    '~standard': Object.freeze({
      version: 1 as const,
      vendor: 'rondo',
      validate(value: unknown) {
        const issues = findIssues(compiled, value)
        return conforms<T>(value, issues) ? { value } : { issues }
      },
      jsonSchema: Object.freeze({ input: converter, output: converter }),
    }),
  })
}

/** The one place where the author's word for `T` is taken. */
function conforms<T>(_value: unknown, issues: readonly ValidationIssue[]): _value is T {
  return issues.length === 0
}

function copyOf(schema: unknown): JsonObject | boolean {
  if (typeof schema === 'object' && schema !== null && '~standard' in schema)
    throw new RondoError('ConfigInvalid', 'jsonSchema() takes plain JSON Schema; this value is a schema already: pass it as it is')
  let text: string | undefined
  try {
    text = JSON.stringify(schema)
  } catch (cause) {
    throw new RondoError('ConfigInvalid', 'jsonSchema(): the schema must be plain JSON without circular references; use $ref for those', {
      cause,
    })
  }
  if (text !== undefined && text.length > schemaLimits.characters)
    throw new RondoError(
      'ConfigInvalid',
      `jsonSchema(): the schema has ${text.length} characters of JSON; the limit is ${schemaLimits.characters}`,
    )
  const copy: unknown = text === undefined ? undefined : JSON.parse(text)
  if (typeof copy !== 'boolean' && !isJsonObject(copy))
    throw new RondoError('ConfigInvalid', `jsonSchema(): # must be an object, true or false, not ${text ?? typeof schema}`)
  if (nestingDepth(copy, schemaLimits.depth + 1) > schemaLimits.depth)
    throw new RondoError('ConfigInvalid', `jsonSchema(): the schema is nested deeper than ${schemaLimits.depth} levels, the limit`)
  return copy
}

function findIssues(compiled: Compiled, value: unknown): readonly ValidationIssue[] {
  const data = inspect(value, compiled.comparesItems ? { ...dataLimits, items: comparedItems } : dataLimits)
  if (data.issue !== undefined) return [data.issue]
  const plain = data.hasUndefined ? withoutUndefined(value) : value
  try {
    const first = run(compiled, plain, 'first')
    if (first.length === 0) return []
    return issuesOf(data.values > fullListValues ? first : allUnits(compiled, plain, first), compiled, plain)
  } catch (error) {
    // The validator recurses over schema and data at once, passes its findings on as arguments, and writes keys into a URI.
    if (error instanceof RangeError) return [{ message: 'too many problems, or too deeply nested for this schema, to list them', path: [] }]
    if (error instanceof URIError) return [{ message: 'a property name holds half of a surrogate pair, which is no text', path: [] }]
    throw error
  }
}

function allUnits(compiled: Compiled, value: unknown, first: readonly OutputUnit[]): readonly OutputUnit[] {
  try {
    return run(compiled, value, 'all')
  } catch (error) {
    if (error instanceof RangeError) return first
    throw error
  }
}

/** Schemas of every draft were brought to the form of the newest. */
function run(compiled: Compiled, value: unknown, problems: 'first' | 'all'): readonly OutputUnit[] {
  return validate(value, compiled.root, '2020-12', compiled.lookup, problems === 'first').errors
}
