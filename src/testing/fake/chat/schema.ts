import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'

const unsupported = ['oneOf', 'allOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'patternProperties']

/** A schema of a tool or of the output. The root is an object without a choice; strict mode closes every object and requires every key. */
export function* checkSchema(schema: unknown, owner: string, param: string, isStrict: boolean): Iterable<Violation> {
  const wrong = (message: string) => violation('schema', param, `Invalid schema for ${owner}: ${message}`, 'invalid_function_parameters')
  if (!isObject(schema)) return yield wrong('schema must be a JSON Schema object.')
  if (schema['type'] !== 'object')
    yield wrong(`schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(schema['type'])}'.`)
  if (['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((key) => key in schema))
    yield wrong("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.")
  if (isStrict) for (const message of strictFaults(schema, [])) yield wrong(message)
}

function* strictFaults(schema: unknown, path: readonly string[]): Iterable<string> {
  if (!isObject(schema)) return
  const context = `In context=(${path.map((key) => `'${key}'`).join(', ')})`
  for (const key of unsupported) if (key in schema) yield `${context}, '${key}' is not permitted.`
  if (isObjectSchema(schema)) yield* objectFaults(schema, context)
  for (const [key, inner] of inside(schema)) yield* strictFaults(inner, [...path, ...key])
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined
}

function* objectFaults({ additionalProperties, properties, required }: JsonObject, context: string): Iterable<string> {
  if (additionalProperties !== false) yield `${context}, 'additionalProperties' is required to be supplied and to be false.`
  const given = Array.isArray(required) ? required : []
  const missing = Object.keys(isObject(properties) ? properties : {}).find((key) => !given.includes(key))
  if (missing !== undefined)
    yield `${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`
}

/** The schemas inside a schema, each with its path. */
function* inside(schema: JsonObject): Iterable<readonly [readonly string[], unknown]> {
  for (const key of ['properties', '$defs', 'definitions']) {
    const named = schema[key]
    if (isObject(named)) for (const [name, inner] of Object.entries(named)) yield [[key, name], inner]
  }
  for (const key of ['anyOf', 'prefixItems']) {
    const list = schema[key]
    if (Array.isArray(list)) for (const [index, inner] of list.entries()) yield [[key, String(index)], inner]
  }
  yield [['items'], schema['items']]
}
