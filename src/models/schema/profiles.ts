import type { SchemaProfile } from './profile.ts'

const words = (...names: readonly string[]): ReadonlySet<string> => new Set(names.flatMap((name) => name.split(' ')))

/** Draft 2020-12 as it is: for servers that pass a schema on, or read of it what they know. */
export const anySchemas: SchemaProfile = {
  name: 'any',
  words: 'all',
  plainRoot: false,
  union: 'keep',
  unionAlone: false,
  typeLists: true,
  nullable: 'type',
  typeCase: 'lower',
  typeRequired: false,
  references: 'keep',
  enums: 'any',
  formats: 'any',
  patterns: 'any',
  additional: 'any',
  saysEmpty: false,
  ordersProperties: false,
}

/**
 * OpenAI's tools and outputs that are not strict, and servers that do as OpenAI does. Refused at the root: all but an object, and
 * `oneOf`/`anyOf`/`allOf`/`enum`/`const`/`not`; a list needs its items, an object its properties. The rest is shown to the model as it is.
 */
export const openaiSchemas: SchemaProfile = { ...anySchemas, name: 'openai', plainRoot: true, saysEmpty: true }

/**
 * OpenAI's strict form (Chat Completions and Responses): https://platform.openai.com/docs/guides/structured-outputs/supported-schemas, read in 2026.
 * `default`, `title` and the lengths of strings are not among what the page names as supported, and have been refused. Its regular expressions have no
 * look-around.
 */
export const openaiStrictSchemas: SchemaProfile = {
  ...openaiSchemas,
  name: 'openai strict',
  words: words(
    'type description properties required additionalProperties items enum const anyOf $ref $defs',
    'pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems',
  ),
  union: 'anyOf',
  typeRequired: true,
  enums: 'scalars',
  formats: words('date-time time date duration email hostname ipv4 ipv6 uuid'),
  patterns: 'plain',
  additional: 'false',
  strict: {
    allRequired: true,
    instead: openaiSchemas,
    limits: { properties: 5000, depth: 10, enumValues: 1000, nameCharacters: 120_000, longEnumCharacters: 15_000 },
  },
}

/**
 * Tools of Anthropic's Messages API: any schema of draft 2020-12 whose root is an object without `oneOf`, `anyOf`, `allOf`
 * (https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview; the refusal is "input_schema does not support oneOf, allOf, or anyOf at the top level").
 */
export const anthropicSchemas: SchemaProfile = { ...anySchemas, name: 'anthropic', plainRoot: true }

/**
 * Anthropic's strict tools and `output_config.format`: https://platform.claude.com/docs/en/build-with-claude/structured-outputs ("JSON Schema limitations"), read in 2026.
 * No recursion, no bounds but `minItems` 0 or 1, no regular expressions with look-around. The limits of fields and alternatives are for all strict tools of a
 * request together, and 20 of them may be strict: whoever makes the request counts (`counts` of a conversion).
 */
export const anthropicStrictSchemas: SchemaProfile = {
  ...anthropicSchemas,
  name: 'anthropic strict',
  words: words(
    'type title description default properties required additionalProperties items enum const anyOf $ref $defs pattern format minItems',
  ),
  union: 'anyOf',
  references: 'acyclic',
  enums: 'scalars',
  formats: words('date-time time date duration email hostname uri ipv4 ipv6 uuid'),
  patterns: 'plain',
  additional: 'false',
  mostMinItems: 1,
  saysEmpty: true,
  strict: { allRequired: false, instead: anthropicSchemas, limits: { optionalFields: 24, unions: 16 } },
}

/**
 * Gemini's `parameters` and `responseSchema`: a part of OpenAPI 3.0 (https://ai.google.dev/api/caching#Schema,
 * https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/Schema). A field that is not in it is refused ("Unknown name …: Cannot find field");
 * a type is one word, beside `anyOf` nothing may stand, `enum` is of strings, `required` names what is in `properties`.
 */
export const geminiSchemas: SchemaProfile = {
  name: 'gemini',
  words: words(
    'type title description properties required propertyOrdering items enum anyOf format pattern',
    'minimum maximum minItems maxItems minLength maxLength minProperties maxProperties',
  ),
  plainRoot: true,
  union: 'anyOf',
  unionAlone: true,
  typeLists: false,
  nullable: 'flag',
  typeCase: 'upper',
  typeRequired: true,
  references: 'inline',
  enums: 'strings',
  formats: words('date-time float double int32 int64'),
  patterns: 'any',
  additional: 'false',
  saysEmpty: false,
  ordersProperties: true,
}

/**
 * Gemini's `parametersJsonSchema` and `responseJsonSchema`: a part of JSON Schema (https://ai.google.dev/api/generate-content#GenerationConfig). `$ref` stands alone; what comes
 * back to itself only works in fields that are not required, so it is written out to some depth here.
 */
export const geminiJsonSchemas: SchemaProfile = {
  ...anySchemas,
  name: 'gemini json',
  words: words(
    '$ref $defs type format title description enum items prefixItems minItems maxItems minimum maximum anyOf properties',
    'additionalProperties required propertyOrdering',
  ),
  plainRoot: true,
  union: 'anyOf',
  references: 'acyclic',
  enums: 'scalars',
  formats: words('date-time date time float double int32 int64'),
}

/** Mistral's tools (https://docs.mistral.ai/capabilities/function_calling): checked to be a JSON Schema, shown to the model. */
export const mistralSchemas: SchemaProfile = { ...openaiSchemas, name: 'mistral' }

/**
 * Mistral's `json_schema` with `strict` and strict tools (https://docs.mistral.ai/capabilities/structured-output/custom_structured_output/): the page gives no list. Its own clients
 * close every object and leave optional fields as they are; references and the words of OpenAI's list are known to work.
 */
export const mistralStrictSchemas: SchemaProfile = {
  ...openaiStrictSchemas,
  name: 'mistral strict',
  typeRequired: false,
  strict: { allRequired: false, instead: mistralSchemas, limits: {} },
}

/**
 * Ollama's `tools` (https://github.com/ollama/ollama/blob/main/docs/api.md): read into its own types, which know these words and drop the others without a
 * word, references among them.
 */
export const ollamaToolSchemas: SchemaProfile = {
  ...openaiSchemas,
  name: 'ollama tools',
  words: words('type description properties required items enum anyOf'),
  union: 'anyOf',
  references: 'inline',
}

/**
 * Ollama's `format` and what llama.cpp's server turns into a grammar
 * (https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md): bounds of numbers hold for integers only, patterns have to be anchored; what is unknown is an error or ignored.
 */
export const ollamaFormatSchemas: SchemaProfile = {
  ...anySchemas,
  name: 'ollama format',
  words: words(
    'type description title enum const anyOf $ref $defs properties required additionalProperties items prefixItems minItems maxItems',
    'minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum format',
  ),
  plainRoot: true,
  union: 'anyOf',
  formats: words('date time date-time uuid'),
  mostRepeats: 1000,
}

/**
 * The grammars of `node-llama-cpp` (https://node-llama-cpp.withcat.ai/guide/grammar): alternatives are `oneOf` and stand alone, `anyOf` is unknown to it; `pattern`, `minimum` and `maximum`
 * would be ignored; large counts fail ("number of repetitions exceeds sane defaults").
 */
export const llamaCppSchemas: SchemaProfile = {
  ...anySchemas,
  name: 'llama-cpp',
  words: words(
    'type description enum const oneOf $ref $defs properties required additionalProperties items prefixItems minItems maxItems',
    'minLength maxLength minProperties maxProperties format',
  ),
  plainRoot: true,
  union: 'oneOf',
  unionAlone: true,
  enums: 'scalars',
  formats: words('date-time time date'),
  mostRepeats: 1000,
}
