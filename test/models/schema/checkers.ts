import { isJsonObject, type Json, type JsonObject } from '../../../src/core/json.ts'

// What providers refuse, written down a second time: from their documentation, and not from the code under test.

/** Each schema of a schema, with its place. Only words that hold schemas are gone into. */
function* schemasOf(schema: Json, place = '#'): Iterable<readonly [place: string, schema: JsonObject]> {
  if (!isJsonObject(schema)) return
  yield [place, schema]
  for (const word of ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'])
    yield* schemasOf(schema[word] ?? true, `${place}/${word}`)
  for (const word of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const list = schema[word]
    if (Array.isArray(list)) for (const [i, one] of list.entries()) yield* schemasOf(one, `${place}/${word}/${i}`)
  }
  for (const word of ['properties', 'patternProperties', '$defs']) {
    const map = schema[word]
    if (isJsonObject(map)) for (const key of Object.keys(map)) yield* schemasOf(map[key] ?? true, `${place}/${word}/${key}`)
  }
}

const words = (text: string) => new Set(text.split(' '))

function unknownWords(schema: Json, known: ReadonlySet<string>): string[] {
  return [...schemasOf(schema)].flatMap(([place, one]) =>
    Object.keys(one).flatMap((word) => (known.has(word) ? [] : [`${place}: ${word}`])),
  )
}

function danglingReferences(schema: JsonObject): string[] {
  const names = Object.keys(isJsonObject(schema['$defs']) ? schema['$defs'] : {}).map((name) => `#/$defs/${name}`)
  return [...schemasOf(schema)].flatMap(([place, { $ref }]) =>
    $ref === undefined || names.includes(String($ref)) ? [] : [`${place}: ${String($ref)}`],
  )
}

/** The root of a tool of OpenAI or Anthropic. */
export function rootFaults(schema: JsonObject): string[] {
  const refused = ['oneOf', 'anyOf', 'allOf', 'enum', 'const', 'not', '$ref'].filter((word) => word in schema)
  return [...(schema['type'] === 'object' ? [] : ['the root is no object']), ...refused.map((word) => `${word} at the root`)]
}

export function openAIFaults(schema: JsonObject): string[] {
  const lists = [...schemasOf(schema)].filter(
    ([, one]) => one['type'] === 'array' && one['items'] === undefined && one['prefixItems'] === undefined,
  )
  return [
    ...rootFaults(schema),
    ...(schema['properties'] === undefined ? ['no properties'] : []),
    ...lists.map(([place]) => `${place}: no items`),
  ]
}

const openAIStrictWords = words(
  'type description properties required additionalProperties items enum const anyOf $ref $defs pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems',
)

export function openAIStrictFaults(schema: JsonObject): string[] {
  const faults = [...rootFaults(schema), ...unknownWords(schema, openAIStrictWords), ...danglingReferences(schema)]
  for (const [place, one] of schemasOf(schema)) {
    const { type, properties, required, additionalProperties, $ref, anyOf, items } = one
    if (type === undefined && $ref === undefined && anyOf === undefined) faults.push(`${place}: no type`)
    if ($ref !== undefined && Object.keys(one).length > 1) faults.push(`${place}: something beside $ref`)
    const types = Array.isArray(type) ? type : [type]
    if (types.includes('array') && !isJsonObject(items)) faults.push(`${place}: no items`)
    if (!types.includes('object')) continue
    const names = Object.keys(isJsonObject(properties) ? properties : {})
    if (additionalProperties !== false) faults.push(`${place}: open`)
    if (JSON.stringify([...names].sort()) !== JSON.stringify([...(Array.isArray(required) ? required : [])].sort()))
      faults.push(`${place}: required`)
  }
  return faults
}

const anthropicStrictWords = words(
  'type title description default properties required additionalProperties items enum const anyOf $ref $defs pattern format minItems',
)

export function anthropicStrictFaults(schema: JsonObject): string[] {
  const faults = [...rootFaults(schema), ...unknownWords(schema, anthropicStrictWords), ...danglingReferences(schema)]
  for (const [place, { type, minItems, additionalProperties, $ref }] of schemasOf(schema)) {
    if (typeof minItems === 'number' && minItems > 1) faults.push(`${place}: minItems`)
    if ((type === 'object' || (Array.isArray(type) && type.includes('object'))) && additionalProperties !== false)
      faults.push(`${place}: open`)
    // A definition that comes to itself would be reached from its own place.
    if ($ref !== undefined && place.startsWith(`${String($ref)}/`)) faults.push(`${place}: recursion`)
  }
  return faults
}

const geminiWords = words(
  'type title description properties required propertyOrdering items enum anyOf format pattern nullable minimum maximum minItems maxItems minLength maxLength minProperties maxProperties',
)

export function geminiFaults(schema: JsonObject): string[] {
  const faults = unknownWords(schema, geminiWords)
  if (schema['type'] !== 'OBJECT') faults.push('the root is no object')
  for (const [place, one] of schemasOf(schema)) {
    const { type, anyOf, enum: values, format, required, properties, items } = one
    if (anyOf === undefined && !words('STRING NUMBER INTEGER BOOLEAN ARRAY OBJECT').has(String(type)))
      faults.push(`${place}: type ${String(type)}`)
    if (anyOf !== undefined && Object.keys(one).length > 1) faults.push(`${place}: something beside anyOf`)
    if (values !== undefined && !(Array.isArray(values) && type === 'STRING' && values.every((value) => typeof value === 'string')))
      faults.push(`${place}: enum`)
    if (format !== undefined && !words('date-time float double int32 int64').has(String(format))) faults.push(`${place}: format`)
    if (type === 'ARRAY' && !isJsonObject(items)) faults.push(`${place}: no items`)
    const names = Object.keys(isJsonObject(properties) ? properties : {})
    if (Array.isArray(required) && required.some((name) => !names.includes(String(name)))) faults.push(`${place}: required`)
  }
  return faults
}

const geminiJsonWords = words(
  '$ref $defs type format title description enum items prefixItems minItems maxItems minimum maximum anyOf properties additionalProperties required propertyOrdering',
)

export function geminiJsonFaults(schema: JsonObject): string[] {
  const beside = [...schemasOf(schema)].filter(
    ([, one]) => one['$ref'] !== undefined && Object.keys(one).some((word) => !word.startsWith('$')),
  )
  return [...unknownWords(schema, geminiJsonWords), ...danglingReferences(schema), ...beside.map(([place]) => `${place}: beside $ref`)]
}

const llamaCppWords = words(
  'type description enum const oneOf $ref $defs properties required additionalProperties items prefixItems minItems maxItems minLength maxLength minProperties maxProperties format',
)

export function llamaCppFaults(schema: JsonObject): string[] {
  const faults = [...unknownWords(schema, llamaCppWords), ...danglingReferences(schema)]
  for (const [place, one] of schemasOf(schema)) {
    if (one['oneOf'] !== undefined && Object.keys(one).some((word) => word !== 'oneOf' && word !== '$defs'))
      faults.push(`${place}: something beside oneOf`)
    for (const word of ['minItems', 'maxItems', 'minLength', 'maxLength']) {
      const count = one[word]
      if (typeof count === 'number' && count > 2000) faults.push(`${place}: ${word}`)
    }
  }
  return faults
}
