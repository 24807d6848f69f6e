import { array, boolean, type Check, integer, number, object, oneOf, text } from '../checks.ts'
import type { FakeHead } from '../server.ts'
import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'
import { checkContents } from './contents.ts'
import { isGemini3, isVertex, modelIn } from './family.ts'
import { invalid, unknownName } from './parts.ts'
import type { GeminiRules } from './quirks.ts'
import { checkJsonSchema, checkSchema } from './schema.ts'

type Fields = { readonly [field: string]: Check }

const any: Check = () => undefined

const bodyFields: Fields = {
  contents: array,
  systemInstruction: object,
  tools: array,
  toolConfig: object,
  safetySettings: array,
  generationConfig: object,
  cachedContent: text,
  serviceTier: text,
  store: boolean,
  labels: object,
  modelArmorConfig: object,
}

/** https://ai.google.dev/api/generate-content#GenerationConfig */
const configFields: Fields = {
  temperature: number(0, 2),
  topP: number(0, 1),
  topK: number(1, 1_000),
  candidateCount: integer(1),
  maxOutputTokens: integer(1),
  stopSequences: (value) =>
    Array.isArray(value) && value.length <= 5 && value.every((one) => typeof one === 'string')
      ? undefined
      : 'an array of at most 5 strings',
  responseMimeType: oneOf('text/plain', 'application/json', 'text/x.enum'),
  responseSchema: object,
  responseJsonSchema: object,
  presencePenalty: number(-2, 2),
  frequencyPenalty: number(-2, 2),
  seed: integer(-(2 ** 31)),
  responseLogprobs: boolean,
  logprobs: integer(0),
  responseModalities: array,
  speechConfig: object,
  thinkingConfig: object,
  imageConfig: object,
  mediaResolution: text,
}

const thinkingFields: Fields = {
  includeThoughts: boolean,
  thinkingBudget: integer(-1),
  thinkingLevel: oneOf('minimal', 'low', 'medium', 'high', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH'),
}

const toolFields: Fields = {
  functionDeclarations: array,
  googleSearch: object,
  googleSearchRetrieval: object,
  codeExecution: object,
  urlContext: object,
  fileSearch: object,
  googleMaps: object,
  computerUse: object,
}

const toolConfigFields: Fields = { functionCallingConfig: object, retrievalConfig: object, includeServerSideToolInvocations: boolean }
/** Each of the two APIs has one that the other does not know. */
const vertexToolConfigFields: Fields = { functionCallingConfig: object, retrievalConfig: object }
const vertexCallingFields: Fields = {
  mode: oneOf('AUTO', 'ANY', 'NONE', 'VALIDATED'),
  allowedFunctionNames: array,
  streamFunctionCallArguments: boolean,
}
const callingFields: Fields = { mode: oneOf('AUTO', 'ANY', 'NONE', 'VALIDATED'), allowedFunctionNames: array }
const declarationFields: Fields = {
  name: text,
  description: (value) => (typeof value === 'string' ? undefined : 'a string'),
  parameters: object,
  parametersJsonSchema: any,
  response: object,
  responseJsonSchema: any,
  behavior: text,
}

export function* checkBody(body: JsonObject, rules: GeminiRules, head: FakeHead): Iterable<Violation> {
  const isNew = isGemini3(head, rules)
  yield* checkFields(body, bodyFields, '')
  yield* checkInstruction(body['systemInstruction'])
  yield* checkContents(body['contents'], isNew)
  const { generationConfig: config, tools } = body
  if (isObject(config)) yield* checkConfig(config, isNew, modelIn(head))
  const names = yield* checkTools(tools)
  yield* checkToolConfig(body['toolConfig'], names, isVertex(head))
  yield* checkTogether(body, names, isNew, isVertex(head))
}

function* checkFields(value: JsonObject, fields: Fields, path: string): Iterable<Violation> {
  for (const [field, inner] of Object.entries(value)) {
    const check = Object.hasOwn(fields, field) ? fields[field] : undefined
    const at = path === '' ? field : `${path}.${field}`
    if (check === undefined) yield unknownName(field, path === '' ? 'request' : path)
    else if (check(inner) !== undefined) yield invalid(at, inner)
  }
}

function* checkInstruction(instruction: unknown): Iterable<Violation> {
  if (!isObject(instruction)) return
  const { parts } = instruction
  yield* checkFields(instruction, { parts: array, role: text }, 'systemInstruction')
  const isSaid = Array.isArray(parts) && parts.length > 0 && parts.every((part) => isObject(part) && typeof part['text'] === 'string')
  if (!isSaid) yield violation('parts', 'systemInstruction', 'Developer instruction must have text parts.')
}

function* checkConfig(config: JsonObject, isNew: boolean, model: string): Iterable<Violation> {
  yield* checkFields(config, configFields, 'generationConfig')
  const { responseSchema, responseJsonSchema, responseMimeType, thinkingConfig } = config
  const schemas = [responseSchema, responseJsonSchema].filter((schema) => schema !== undefined)
  if (schemas.length > 1)
    yield violation('schema', 'generationConfig', 'Please set either response_schema or response_json_schema, not both.')
  if (schemas.length > 0 && responseMimeType !== 'application/json')
    yield violation(
      'schema',
      'generationConfig',
      `Unhandled generated data mime type: ${String(responseMimeType)}: a schema needs 'application/json'.`,
    )
  if (responseSchema !== undefined) yield* checkSchema(responseSchema, 'generationConfig.responseSchema')
  if (responseJsonSchema !== undefined) yield* checkJsonSchema(responseJsonSchema, 'generationConfig.responseJsonSchema')
  if (isObject(thinkingConfig)) yield* checkThinking(thinkingConfig, isNew, model)
}

function* checkThinking(config: JsonObject, isNew: boolean, model: string): Iterable<Violation> {
  yield* checkFields(config, thinkingFields, 'generationConfig.thinkingConfig')
  const { thinkingBudget: budget, thinkingLevel } = config
  const level = typeof thinkingLevel === 'string' ? thinkingLevel.toLowerCase() : undefined
  const wrong = (message: string) => violation('thinking', 'generationConfig.thinkingConfig', message)
  if (budget !== undefined && level !== undefined) yield wrong('You can only set only one of thinking budget and thinking level.')
  if (level !== undefined && !isNew) yield wrong('Thinking level is not supported for this model.')
  if (level === 'minimal' && !/flash-lite|gemini-3(?:\.[0-6])?-flash/.test(model))
    yield wrong('Thinking level MINIMAL is not supported for this model.')
  if (level === 'medium' && /gemini-3-pro/.test(model)) yield wrong('Thinking level MEDIUM is not supported for this model.')
  if (budget === 0 && /pro/.test(model)) yield wrong('Budget 0 is invalid. This model only works in thinking mode.')
  if (budget !== undefined && /gemini-(?:1|2\.0)/.test(model)) yield wrong('Thinking is not supported by this model.')
}

/** Returns the names of the functions. */
function* checkTools(tools: unknown): Generator<Violation, readonly string[]> {
  const names: string[] = []
  for (const [index, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    const path = `tools[${index}]`
    if (!isObject(tool)) {
      yield invalid(path, tool)
      continue
    }
    yield* checkFields(tool, toolFields, path)
    const { functionDeclarations: declared } = tool
    for (const [place, declaration] of (Array.isArray(declared) ? declared : []).entries()) {
      const at = `${path}.functionDeclarations[${place}]`
      if (!isObject(declaration)) yield invalid(at, declaration)
      else yield* checkDeclaration(declaration, at, names)
    }
  }
  return names
}

function* checkDeclaration(declaration: JsonObject, path: string, names: string[]): Iterable<Violation> {
  yield* checkFields(declaration, declarationFields, path)
  const { name, parameters, parametersJsonSchema } = declaration
  if (typeof name !== 'string' || !/^[a-zA-Z_][\w.:-]{0,63}$/.test(name))
    yield violation(
      'tool-name',
      `${path}.name`,
      `* GenerateContentRequest.${path}.name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:) or dashes (-), with a maximum length of 64.`,
    )
  if (names.includes(String(name))) yield violation('tool-name', `${path}.name`, `Duplicate function declaration found: ${String(name)}`)
  names.push(String(name))
  if (parameters !== undefined && parametersJsonSchema !== undefined)
    yield violation('schema', path, `* GenerateContentRequest.${path}: parameters and parameters_json_schema exclude each other.`)
  if (parameters !== undefined) yield* checkSchema(parameters, `${path}.parameters`)
  if (parametersJsonSchema !== undefined) yield* checkJsonSchema(parametersJsonSchema, `${path}.parametersJsonSchema`)
}

function* checkToolConfig(config: unknown, names: readonly string[], onVertex: boolean): Iterable<Violation> {
  if (!isObject(config)) return
  yield* checkFields(config, onVertex ? vertexToolConfigFields : toolConfigFields, 'toolConfig')
  const { functionCallingConfig: calling } = config
  if (!isObject(calling)) return
  const path = 'toolConfig.functionCallingConfig'
  yield* checkFields(calling, onVertex ? vertexCallingFields : callingFields, path)
  const { mode, allowedFunctionNames: allowed } = calling
  if (names.length === 0 && mode !== 'NONE')
    yield violation('tool-choice', path, 'Function calling config is set without function_declarations.')
  if (!Array.isArray(allowed)) return
  if (mode !== 'ANY' && mode !== 'VALIDATED')
    yield violation('tool-choice', path, 'Allowed function names should only be set when function calling mode is ANY or VALIDATED.')
  for (const name of allowed)
    if (!names.includes(String(name)))
      yield violation(
        'tool-choice',
        path,
        `* GenerateContentRequest.${path}.allowed_function_names: '${String(name)}' is not a declared function.`,
      )
}

/** What does not go together. */
function* checkTogether(
  { tools, toolConfig, generationConfig }: JsonObject,
  names: readonly string[],
  isNew: boolean,
  onVertex: boolean,
): Iterable<Violation> {
  const isJson = isObject(generationConfig) && generationConfig['responseMimeType'] === 'application/json'
  if (names.length > 0 && isJson && !isNew)
    yield violation('together', null, "Function calling with a response mime type: 'application/json' is unsupported")
  const hosted =
    Array.isArray(tools) && tools.some((tool) => isObject(tool) && Object.keys(tool).some((field) => field !== 'functionDeclarations'))
  if (!hosted || names.length === 0) return
  if (!isNew) yield violation('together', null, 'Built-in tools and Function Calling cannot be combined in the same request.')
  else if (!onVertex && (!isObject(toolConfig) || toolConfig['includeServerSideToolInvocations'] !== true))
    yield violation(
      'together',
      null,
      'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.',
    )
}
