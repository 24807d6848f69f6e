import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'

/** `Schema`: a part of OpenAPI 3.0. https://ai.google.dev/api/caching#Schema */
const schemaFields: readonly string[] =
  'type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum'.split(
    ' ',
  )

/** What JSON Schema may hold. https://ai.google.dev/api/generate-content#GenerationConfig */
const jsonSchemaFields: readonly string[] =
  '$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering'.split(
    ' ',
  )

const types: readonly string[] = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL']

function unknownName(name: string, path: string): Violation {
  return violation('schema', path, `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`)
}

/** A schema in the old form: `parameters`, `responseSchema`. */
export function* checkSchema(schema: unknown, path: string): Iterable<Violation> {
  const wrong = (message: string) => violation('schema', path, `* GenerateContentRequest.${path}${message}`)
  if (!isObject(schema))
    return yield violation('schema', path, `Invalid value at '${path}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Schema)`)
  for (const key of Object.keys(schema)) if (!schemaFields.includes(key)) yield unknownName(key, path)
  const { type, properties, items, enum: values, required, anyOf } = schema
  if (typeof type === 'string' ? !types.includes(type.toUpperCase()) : type !== undefined || anyOf === undefined)
    yield violation(
      'schema',
      `${path}.type`,
      `Invalid value at '${path}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), ${JSON.stringify(type)}`,
    )
  if (Array.isArray(values) && !values.every((value) => typeof value === 'string' && value !== ''))
    yield wrong('.enum: must be strings that are not empty')
  if (type === 'OBJECT' && isObject(properties) && Object.keys(properties).length === 0)
    yield wrong('.properties: should be non-empty for OBJECT type')
  if (type === 'ARRAY' && items === undefined) yield wrong('.items: missing field.')
  if (Array.isArray(required))
    for (const [index, name] of required.entries())
      if (!isObject(properties) || !Object.hasOwn(properties, String(name))) yield wrong(`.required[${index}]: property is not defined`)
  if (Array.isArray(anyOf) && Object.keys(schema).some((key) => key !== 'anyOf' && key !== 'nullable' && key !== 'description'))
    yield wrong('.any_of: when using any_of, it must be the only field set.')
  for (const [inner, at] of inside(schema, path)) yield* checkSchema(inner, at)
}

/** JSON Schema: `parametersJsonSchema`, `responseJsonSchema`. */
export function* checkJsonSchema(schema: unknown, path: string, isRoot = true): Iterable<Violation> {
  if (typeof schema === 'boolean') return
  if (!isObject(schema)) return yield violation('schema', path, `Invalid value at '${path}': expected a JSON Schema object.`)
  const names = Object.keys(schema)
  for (const key of names) if (!jsonSchemaFields.includes(key)) yield unknownName(key, path)
  if ('$ref' in schema && names.some((key) => !key.startsWith('$')))
    yield violation('schema', path, `Invalid value at '${path}': beside $ref nothing may stand.`)
  if (isRoot && schema['type'] !== 'object') yield violation('schema', path, `Invalid value at '${path}': the root must be of type object.`)
  const { enum: values } = schema
  if (Array.isArray(values) && !values.every((value) => value === null || ['string', 'number', 'boolean'].includes(typeof value)))
    yield violation('schema', path, `Invalid value at '${path}.enum': only scalars.`)
  for (const [inner, at] of inside(schema, path)) yield* checkJsonSchema(inner, at, false)
}

/** The schemas inside a schema, each with its path. */
function* inside(schema: JsonObject, path: string): Iterable<readonly [unknown, string]> {
  for (const key of ['properties', '$defs']) {
    const named = schema[key]
    if (isObject(named)) for (const [name, inner] of Object.entries(named)) yield [inner, `${path}.${key}.${name}`]
  }
  for (const key of ['anyOf', 'oneOf', 'prefixItems']) {
    const list = schema[key]
    if (Array.isArray(list)) for (const [index, inner] of list.entries()) yield [inner, `${path}.${key}[${index}]`]
  }
  for (const key of ['items', 'additionalProperties'])
    if (schema[key] !== undefined && schema[key] !== false) yield [schema[key], `${path}.${key}`]
}
