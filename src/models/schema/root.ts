import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../core/json.ts'
import { annotations, type Converting, fieldsOf, listOf, note, resolved, rootPlace, setField, typesOf } from './converting.ts'
import { described, saying } from './says.ts'

/** What providers refuse at the root, beside a type that is not one object. */
const combined = ['$ref', 'allOf', 'anyOf', 'oneOf', 'enum', 'const', 'not'] as const

/** Whether a schema is of one plain object already. Its type may be left out: it is the root of arguments. */
export function isPlainRoot(schema: Json): schema is JsonObject {
  return isJsonObject(schema) && isObjectType(schema) && combined.every((word) => schema[word] === undefined)
}

/**
 * A root that is put together, as one object with the fields of all its parts (B179): with alternatives, fields that some of them have not are optional,
 * and the description says which go together. `undefined` where no object can be meant.
 */
export function plainRoot(state: Converting, schema: Json): JsonObject | undefined {
  const form = formOf(state, schema, [])
  if (form === undefined) return undefined
  note(state, rootPlace, 'is put together from its parts, as one object')
  const description = described(form.description, form.said)
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: form.properties,
    ...(form.required.length === 0 ? {} : { required: [...form.required] }),
    ...(form.additional === undefined ? {} : { additionalProperties: form.additional }),
    ...form.rest,
  }
}

/** An object, as far as its parts say what it has. */
interface Form {
  readonly properties: JsonObject
  readonly required: readonly string[]
  readonly additional: Json | undefined
  readonly description: string | undefined
  readonly rest: JsonObject
  readonly said: readonly string[]
}

const nothing: Form = { properties: {}, required: [], additional: undefined, description: undefined, rest: {}, said: [] }
const formed: ReadonlySet<string> = new Set([...combined, 'type', 'properties', 'required', 'additionalProperties', 'description'])

function isObjectType(schema: JsonObject): boolean {
  const types = typesOf(schema)
  return types === undefined ? schema['properties'] !== undefined : types.length === 1 && types[0] === 'object'
}

function formOf(state: Converting, schema: Json, trail: readonly Json[]): Form | undefined {
  if (!isJsonObject(schema)) return schema === false ? undefined : nothing
  if (trail.includes(schema) || trail.length > 50) return undefined
  const types = typesOf(schema)
  const fixed = schema['const'] === undefined ? schema['enum'] : [schema['const']]
  if ((types !== undefined && !types.includes('object')) || (fixed !== undefined && !listOf(fixed).some(isJsonObject))) return undefined
  const next = [...trail, schema]
  const target = typeof schema['$ref'] === 'string' ? resolved(state, schema) : undefined
  const members = [...(target === undefined ? [] : [target]), ...listOf(schema['allOf'])].map((member) => formOf(state, member, next))
  const choices = [schema['anyOf'], schema['oneOf']]
    .filter((branches) => listOf(branches).length > 0)
    .map((branches) => some(listOf(branches).flatMap((branch) => formOf(state, branch, next) ?? [])))
  return [...members, ...choices].reduce<Form | undefined>(
    (a, b) => (a === undefined || b === undefined ? undefined : both(a, b)),
    own(schema),
  )
}

function own(schema: JsonObject): Form {
  const { properties, required, additionalProperties, description } = schema
  const rest = fieldsOf(schema).filter(([word]) => !formed.has(word) && !annotations.has(word))
  const said = fieldsOf(schema).flatMap(([word, value]) => (['not', 'enum', 'const'].includes(word) ? [saying(word, value)] : []))
  return {
    properties: isJsonObject(properties) ? properties : {},
    required: listOf(required).filter((key) => typeof key === 'string'),
    additional: additionalProperties,
    description: typeof description === 'string' ? description : undefined,
    rest: Object.fromEntries(rest),
    said,
  }
}

function both(a: Form, b: Form): Form {
  const properties: { [key: string]: Json } = {}
  for (const [key, field] of fieldsOf(a.properties)) setField(properties, key, field)
  for (const [key, field] of fieldsOf(b.properties)) {
    const ours = Object.hasOwn(properties, key) ? properties[key] : undefined
    setField(properties, key, ours === undefined || jsonEqual(ours, field) ? field : { allOf: [ours, field] })
  }
  const lost = fieldsOf(b.rest).filter(([word, value]) => a.rest[word] !== undefined && !jsonEqual(a.rest[word], value))
  return {
    properties,
    required: [...new Set([...a.required, ...b.required])],
    additional: a.additional === false || b.additional === false ? false : (a.additional ?? b.additional),
    description:
      a.description === undefined ? b.description : b.description === undefined ? a.description : `${a.description} ${b.description}`,
    rest: { ...b.rest, ...a.rest },
    said: [...a.said, ...b.said, ...lost.map(([word, value]) => saying(word, value))],
  }
}

/** One of several, as one that takes them all. */
function some(forms: readonly Form[]): Form | undefined {
  const [first] = forms
  if (first === undefined || forms.length === 1) return first
  const fields = new Map<string, Json[]>()
  for (const { properties } of forms) for (const [key, field] of fieldsOf(properties)) fields.set(key, [...(fields.get(key) ?? []), field])
  const properties: { [key: string]: Json } = {}
  for (const [key, rules] of fields) setField(properties, key, anyOf(rules))
  return {
    properties,
    required: first.required.filter((key) => forms.every(({ required }) => required.includes(key))),
    additional: openest(forms),
    description: undefined,
    rest: {},
    said: [`fields that go together: ${forms.slice(0, 20).map(inWords).join(' or ')}`],
  }
}

function openest(forms: readonly Form[]): Json | undefined {
  if (forms.every(({ additional }) => additional === false)) return false
  const open = forms.find(({ additional }) => additional !== undefined && additional !== false)
  return open === undefined ? undefined : true
}

function anyOf(rules: readonly Json[]): Json {
  const different = rules.filter((rule, i) => rules.findIndex((other) => jsonEqual(rule, other)) === i)
  const [first] = different
  if (first === undefined || different.length === 1) return first ?? true
  const values = different.map((rule) => (isJsonObject(rule) ? fixedValues(rule) : undefined))
  if (values.some((list) => list === undefined)) return { anyOf: different }
  const types = [...new Set(different.map((rule) => (isJsonObject(rule) ? rule['type'] : undefined)))]
  const all = values.flatMap((list) => list ?? [])
  return {
    ...(types.length === 1 && typeof types[0] === 'string' ? { type: types[0] } : {}),
    enum: all.filter((value, i) => all.indexOf(value) === i),
  }
}

/** The scalars that a schema is one of, where it says nothing else: what tells alternatives apart. */
function fixedValues(rule: JsonObject): readonly Json[] | undefined {
  const { const: only, enum: values, type: _type, description: _description, title: _title, ...more } = rule
  const fixed = only === undefined ? values : [only]
  if (!Array.isArray(fixed) || Object.keys(more).length > 0) return undefined
  return fixed.every((value: Json) => typeof value !== 'object') ? fixed : undefined
}

function inWords({ properties, required, description, said }: Form): string {
  const fields = fieldsOf(properties).map(([key, field]) => {
    const fixed = isJsonObject(field) ? fixedValues(field) : undefined
    const values =
      fixed === undefined
        ? ''
        : ` ${fixed
            .slice(0, 5)
            .map((value) => JSON.stringify(value))
            .join('/')}`
    return required.includes(key) ? `${key}${values}` : `optional ${key}${values}`
  })
  // A field that is only required is one of the fields that all have.
  const bare = required.filter((key) => !Object.hasOwn(properties, key))
  const what = [...fields, ...bare].slice(0, 20).join(', ')
  return described(`{${what}}`, [...(description === undefined ? [] : [description]), ...said]) ?? ''
}
