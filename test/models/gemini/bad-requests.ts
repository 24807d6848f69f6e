import type { GeminiRules } from '../../../src/testing/fake/gemini/quirks.ts'

export const user = { role: 'user', parts: [{ text: 'go' }] }
export const request = (more: object) => ({ contents: [user], ...more })
export const talk = (...contents: object[]) => ({ contents })
export const calls = (...parts: object[]) => ({ role: 'model', parts })
export const call = (name = 'look', more: object = {}, besides: object = {}) => ({ functionCall: { name, args: {}, ...more }, ...besides })
export const result = (name = 'look', more: object = {}) => ({ functionResponse: { name, response: { output: 'x' }, ...more } })
export const results = (...parts: object[]) => ({ role: 'user', parts })
export const declared = (...functionDeclarations: object[]) => [{ functionDeclarations }]
export const signed = { thoughtSignature: 'skip_thought_signature_validator' }

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const old: GeminiRules = { isGemini3: false }
const newer: GeminiRules = { isGemini3: true }
const parameters = (schema: object) => request({ tools: declared({ name: 'a', parameters: schema }) })
const jsonSchema = (schema: object) => request({ tools: declared({ name: 'a', parametersJsonSchema: schema }) })
const config = (generationConfig: object) => request({ generationConfig })

/** A bad request, the rule that it breaks, and key words of the refusal. */
export const rules: readonly (readonly [title: string, body: unknown, rule: string, words: string, options?: GeminiRules])[] = [
  ['bytes that are no JSON', '{', 'json', 'parse'],
  ['a lone surrogate', '{"contents":[{"role":"user","parts":[{"text":"\\ud83d"}]}]}', 'unicode', 'no low surrogate in string'],
  ['no contents', {}, 'contents', 'contents is not specified'],
  ['empty contents', talk(), 'contents', 'contents is not specified'],
  ['a content that is none', { contents: ['hi'] }, 'contents', 'Invalid value'],
  ['an unknown field', request({ max_tokens: 5 }), 'field', 'Unknown name "max_tokens" at \'request\': Cannot find field'],
  [
    'a field in the other spelling',
    request({ system_instruction: { parts: [{ text: 'x' }] } }),
    'field',
    'Unknown name "system_instruction"',
  ],
  ['a field of another type', request({ tools: {} }), 'type', "Invalid value at 'tools'"],
  ['an unknown role', talk({ role: 'assistant', parts: [{ text: 'x' }] }), 'role', 'Please use a valid role: user, model.'],
  ['an unknown field of a content', talk({ ...user, name: 'x' }), 'field', 'Unknown name "name"'],
  ['no parts', talk({ role: 'user', parts: [] }), 'parts', 'contents.parts must not be empty'],
  ['a part of nothing', talk({ role: 'user', parts: [{}] }), 'parts', "required oneof field 'data' must have one initialized field"],
  [
    'a part of two kinds',
    talk({ role: 'user', parts: [{ text: 'x', inlineData: { mimeType: 'a/b', data: 'AA==' } }] }),
    'parts',
    'oneof field',
  ],
  ['an unknown field of a part', talk({ role: 'user', parts: [{ text: 'x', cache: true }] }), 'field', 'Unknown name "cache"'],
  ['B190 an empty text', talk({ role: 'user', parts: [{ text: '' }] }), 'empty', 'not empty'],
  ['a text that is none', talk({ role: 'user', parts: [{ text: 5 }] }), 'type', 'Invalid value'],
  [
    'bytes that are no base64',
    talk({ role: 'user', parts: [{ inlineData: { mimeType: 'a/b', data: 'data:x' } }] }),
    'type',
    'inlineData.data',
  ],
  ['bytes of no type', talk({ role: 'user', parts: [{ inlineData: { data: 'AA==' } }] }), 'type', 'inlineData.mimeType'],
  ['a file without its address', talk({ role: 'user', parts: [{ fileData: { mimeType: 'a/b' } }] }), 'type', 'fileData.fileUri'],
  ['arguments as a text', talk(user, calls(call('look', { args: '{}' })), results(result())), 'type', 'functionCall.args'],
  [
    'an unknown field of a call',
    talk(user, calls(call('look', { arguments: {} })), results(result())),
    'field',
    'Unknown name "arguments"',
  ],
  ['a result as a text', talk(user, calls(call()), results(result('look', { response: 'x' }))), 'type', 'functionResponse.response'],
  [
    'B013 results in contents of their own',
    talk(user, calls(call(), call()), results(result()), results(result())),
    'pairing',
    'number of function response parts',
  ],
  ['a call without its result', talk(user, calls(call(), call('b')), results(result())), 'pairing', 'number of function response parts'],
  ['calls at the end', talk(user, calls(call())), 'pairing', 'number of function response parts'],
  ['a result without its call', talk(user, results(result())), 'pairing', 'comes immediately after a function call turn'],
  [
    'results in another order',
    talk(user, calls(call('a'), call('b')), results(result('b'), result('a'))),
    'pairing',
    'answers no function call in its place',
  ],
  [
    'a result of another id',
    talk(user, calls(call('a', { id: 'x' })), results(result('a', { id: 'y' }))),
    'ids',
    'is not that of its function call',
  ],
  ['a call of the user', talk(results(call())), 'role', 'function call turn'],
  ['a result of the model', talk(user, calls(result()), user), 'role', 'function response turn'],
  [
    'a call behind the model',
    talk(user, calls({ text: 'x' }), calls(call()), results(result())),
    'order',
    'comes immediately after a user turn',
  ],
  ['a call at the beginning', talk(calls(call()), results(result())), 'order', 'comes immediately after a user turn'],
  ['the model at the end', talk(user, calls({ text: 'x' })), 'order', 'end with a user role'],
  [
    'B066 a call of the current turn without its signature',
    talk(user, calls(call()), results(result())),
    'signature',
    'missing a thought_signature',
    newer,
  ],
  [
    'B066 the first call of a later step without it',
    talk(user, calls(call('look', {}, signed)), results(result()), calls(call()), results(result())),
    'signature',
    'default_api:look',
    newer,
  ],
  [
    'a signature that nobody has given',
    talk(user, calls(call('look', {}, { thoughtSignature: 'AAAA' })), results(result())),
    'signature',
    'Corrupted',
  ],
  [
    'a signature that is no base64',
    talk(user, calls(call('look', {}, { thoughtSignature: 'a b' })), results(result())),
    'type',
    'thoughtSignature',
  ],
  [
    'media in a result of an older model',
    talk(user, calls(call()), results(result('look', { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] }))),
    'media',
    'not supported for this model',
    old,
  ],
  [
    'a file in a result',
    talk(user, calls(call('look', {}, signed)), results(result('look', { parts: [{ fileData: { fileUri: 'https://a.test' } }] }))),
    'type',
    'functionResponse.parts[0]',
    newer,
  ],
  ['instructions without text', request({ systemInstruction: { parts: [] } }), 'parts', 'Developer instruction'],
  ['an unknown setting', config({ max_output_tokens: 5 }), 'field', 'Unknown name "max_output_tokens"'],
  ['a setting out of its range', config({ temperature: 3 }), 'type', 'generationConfig.temperature'],
  ['too many stops', config({ stopSequences: ['1', '2', '3', '4', '5', '6'] }), 'type', 'stopSequences'],
  ['a schema without its type', config({ responseJsonSchema: object({}) }), 'schema', "needs 'application/json'"],
  [
    'two ways to say how much to think',
    config({ thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'low' } }),
    'thinking',
    'only one of',
    newer,
  ],
  ['levels for an older model', config({ thinkingConfig: { thinkingLevel: 'low' } }), 'thinking', 'not supported for this model', old],
  ['an unknown way to think', config({ thinkingConfig: { effort: 'low' } }), 'field', 'Unknown name "effort"'],
  ['a tool of no kind', request({ tools: [{ function: {} }] }), 'field', 'Unknown name "function"'],
  [
    'B026 a name that begins with a digit',
    request({ tools: declared({ name: '3d' }) }),
    'tool-name',
    'Must start with a letter or an underscore',
  ],
  ['B026 a name with a space', request({ tools: declared({ name: 'a b' }) }), 'tool-name', 'Must be alphameric'],
  [
    'B026 two tools of one name',
    request({ tools: declared({ name: 'a' }, { name: 'a' }) }),
    'tool-name',
    'Duplicate function declaration found: a',
  ],
  ['an unknown field of a function', request({ tools: declared({ name: 'a', strict: true }) }), 'field', 'Unknown name "strict"'],
  [
    'parameters in two forms',
    request({ tools: declared({ name: 'a', parameters: {}, parametersJsonSchema: {} }) }),
    'schema',
    'exclude each other',
  ],
  ['B183 a list of types', parameters({ type: ['string', 'null'] }), 'schema', "parameters.type'"],
  [
    'B183 null among the values',
    parameters({ type: 'OBJECT', properties: { a: { type: 'STRING', enum: ['a', null] } } }),
    'schema',
    '.enum: must be strings',
  ],
  [
    'B183 a word that is not in the subset',
    parameters({ type: 'OBJECT', additionalProperties: false }),
    'schema',
    'Unknown name "additionalProperties"',
  ],
  ['a list without its items', parameters({ type: 'OBJECT', properties: { a: { type: 'ARRAY' } } }), 'schema', '.items: missing field.'],
  ['an object without properties', parameters({ type: 'OBJECT', properties: {} }), 'schema', 'should be non-empty for OBJECT type'],
  ['a required field that there is not', parameters({ type: 'OBJECT', required: ['x'] }), 'schema', 'property is not defined'],
  ['something beside anyOf', parameters({ type: 'OBJECT', anyOf: [{ type: 'STRING' }] }), 'schema', 'must be the only field set'],
  [
    'B183 const',
    jsonSchema(object({ a: { const: 5 } })),
    'schema',
    'Unknown name "const" at \'tools[0].functionDeclarations[0].parametersJsonSchema.properties.a\'',
  ],
  [
    'a word of JSON Schema that it does not know, deep inside',
    jsonSchema(object({ a: { type: 'array', items: { pattern: 'x' } } })),
    'schema',
    'Unknown name "pattern"',
  ],
  ['something beside $ref', jsonSchema(object({ a: { $ref: '#/$defs/x', description: 'x' } })), 'schema', 'beside $ref nothing may stand'],
  ['a root that is no object', jsonSchema({ type: 'string' }), 'schema', 'the root must be of type object'],
  [
    'a choice without tools',
    request({ toolConfig: { functionCallingConfig: { mode: 'ANY' } } }),
    'tool-choice',
    'without function_declarations',
  ],
  [
    'a mode that is none',
    request({ tools: declared({ name: 'a' }), toolConfig: { functionCallingConfig: { mode: 'REQUIRED' } } }),
    'type',
    'functionCallingConfig.mode',
  ],
  [
    'names that are allowed without a must',
    request({ tools: declared({ name: 'a' }), toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['a'] } } }),
    'tool-choice',
    'only be set when function calling mode is ANY or VALIDATED',
  ],
  [
    'a choice of no function',
    request({ tools: declared({ name: 'a' }), toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['b'] } } }),
    'tool-choice',
    "'b' is not a declared function",
  ],
  [
    'B186 functions and a schema of the output, for an older model',
    request({ tools: declared({ name: 'a' }), generationConfig: { responseMimeType: 'application/json' } }),
    'together',
    "Function calling with a response mime type: 'application/json' is unsupported",
    old,
  ],
  [
    'functions beside tools of the provider',
    request({ tools: [...declared({ name: 'a' }), { googleSearch: {} }] }),
    'together',
    'include_server_side_tool_invocations',
    newer,
  ],
  [
    'the same for an older model',
    request({ tools: [...declared({ name: 'a' }), { googleSearch: {} }] }),
    'together',
    'cannot be combined',
    old,
  ],
]
