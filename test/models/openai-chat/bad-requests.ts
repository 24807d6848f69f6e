import type { ChatRules } from '../../../src/testing/fake/chat/chat-rules.ts'

// Requests for the tests of the fake server's rules.

export const user = { role: 'user', content: 'hi' }
export const call = (id: string, name = 'look', args = '{"a":1}') => ({ id, type: 'function', function: { name, arguments: args } })
export const calls = (...tool_calls: object[]) => ({ role: 'assistant', content: null, tool_calls })
export const result = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'done' })
export const tool = (name: string, parameters: object = { type: 'object', properties: {} }, more: object = {}) => ({
  type: 'function',
  function: { name, parameters, ...more },
})

export const request = (more: object) => ({ model: 'm', messages: [user], ...more })
export const talk = (...messages: object[]) => request({ messages })

const closed = { type: 'object', properties: {}, required: [], additionalProperties: false }

function deep(inner: object): object {
  return { ...closed, properties: { d: { type: 'array', items: { anyOf: [inner] } } }, required: ['d'] }
}

/** Each breaks one rule, which is named, with words of the refusal. */
export const rules: readonly (readonly [title: string, body: unknown, rule: string, words: string, options?: ChatRules])[] = [
  ['cut JSON', '{"model":', 'json', 'could not parse the JSON body'],
  ['no object', '[]', 'json', 'Expected an object'],
  [
    'a lone half of a pair',
    request({ messages: [{ role: 'user', content: 'x\ud83d' }] }),
    'unicode',
    'no low surrogate in string: /messages/0/content',
  ],
  ['the same as an escape', '{"model":"m","messages":[{"role":"user","content":"\\ude00"}]}', 'unicode', 'no low surrogate in string'],
  [
    'the same in a key',
    '{"model":"m","messages":[{"role":"user","content":"a"}],"metadata":{"\\ud800":"x"}}',
    'unicode',
    'no low surrogate',
  ],
  ['an unknown field', request({ foo: 1 }), 'field', 'Unrecognized request argument supplied: foo'],
  ['a wrong type', request({ temperature: '1' }), 'type', "Invalid type for 'temperature'"],
  ['a number out of range', request({ temperature: 2.5 }), 'type', 'a number from 0 to 2'],
  ['no tokens', request({ max_tokens: 0 }), 'type', 'an integer, at least 1'],
  ['no model', { messages: [user] }, 'model', 'you must provide a model parameter'],
  ['no messages', request({ messages: [] }), 'messages', "[] is too short - 'messages'"],
  [
    'both limits',
    request({ max_tokens: 1, max_completion_tokens: 1 }),
    'option',
    "Setting 'max_tokens' and 'max_completion_tokens' at the same time",
  ],
  [
    'stream options without a stream',
    request({ stream_options: { include_usage: true } }),
    'option',
    "'stream_options' parameter is only allowed",
  ],
  [
    'B001 a call without a result',
    talk(user, calls(call('c1'), call('c2')), result('c1')),
    'pairing',
    'did not have response messages: c2',
  ],
  [
    'B156 something in between',
    talk(user, calls(call('c1')), user, result('c1')),
    'pairing',
    "must be followed by tool messages responding to each 'tool_call_id'",
  ],
  ['B007 a result without its call', talk(user, result('c1')), 'pairing', "must be a response to a preceeding message with 'tool_calls'"],
  ['a result of an earlier turn', talk(user, calls(call('c1')), result('c1'), user, result('c1')), 'pairing', 'preceeding message'],
  [
    'two results of one call',
    talk(user, calls(call('c1')), result('c1'), result('c1')),
    'pairing',
    "Duplicate value for 'tool_call_id' of 'c1'",
  ],
  ['a result without an id', talk(user, calls(call('c1')), { role: 'tool', content: 'x' }), 'pairing', 'Missing required parameter'],
  ['an empty list of calls', talk(user, calls()), 'pairing', 'is too short'],
  [
    'B015 two calls with one id',
    talk(user, calls(call('c1'), call('c1')), result('c1'), result('c1')),
    'ids',
    "Duplicate value for 'tool_call_id' of 'c1'",
  ],
  ['B015 an empty id', talk(user, calls(call('')), result('')), 'ids', 'Missing required parameter'],
  [
    'B016 an id too long',
    talk(user, calls(call('c'.repeat(41))), result('c'.repeat(41))),
    'ids',
    'maximum length 40, but got a string with length 41',
  ],
  [
    'B014 an id of another turn, where that matters',
    talk(user, calls(call('c1')), result('c1'), calls(call('c1')), result('c1')),
    'ids',
    'must be unique',
    { uniqueIds: 'request' },
  ],
  [
    'B034 arguments that are no JSON',
    talk(user, calls(call('c1', 'look', '{"a":')), result('c1')),
    'arguments',
    'Failed to parse tool call arguments as JSON',
  ],
  [
    'B030 arguments that are no object',
    talk(user, calls(call('c1', 'look', '"{}"')), result('c1')),
    'arguments',
    'Failed to parse tool call arguments',
  ],
  ['a name in history that never was', talk(user, calls(call('c1', 'a b')), result('c1')), 'tool-name', 'does not match pattern'],
  ['B026 a name with a space', request({ tools: [tool('Google Search')] }), 'tool-name', "pattern '^[a-zA-Z0-9_-]+$'"],
  ['B026 a long name', request({ tools: [tool('a'.repeat(90))] }), 'tool-name', 'maximum length 64, but got a string with length 90'],
  ['B026 two tools of one name', request({ tools: [tool('a'), tool('b'), tool('a')] }), 'tool-name', "must be unique: 'a'"],
  [
    'B202 too many tools',
    request({ tools: Array.from({ length: 129 }, (_, i) => tool(`t${i}`)) }),
    'tool-count',
    'array too long. Expected an array with maximum length 128',
  ],
  ['no tools in a list', request({ tools: [] }), 'tool-count', 'empty array'],
  [
    'an unknown field of a tool',
    request({ tools: [tool('a', undefined, { effect: 'read' })] }),
    'field',
    "Unknown parameter: 'tools[0].effect'",
  ],
  ['a tool of no kind', request({ tools: [{ name: 'a' }] }), 'type', "expected a tool of type 'function'"],
  [
    'a choice without tools',
    request({ tool_choice: 'auto' }),
    'tool-choice',
    'tool_choice was set on the request but no tools were specified',
  ],
  ['B194 parallel calls without tools', request({ parallel_tool_calls: true }), 'tool-choice', 'no tools were specified'],
  [
    'a choice of no tool',
    request({ tools: [tool('a')], tool_choice: { type: 'function', function: { name: 'b' } } }),
    'tool-choice',
    "'b' not found",
  ],
  ['a choice that is none', request({ tools: [tool('a')], tool_choice: 'any' }), 'tool-choice', 'Supported values are'],
  ['an unknown role', talk({ role: 'function', content: 'x' }), 'role', "Invalid value: 'function'"],
  ['an unknown field of a message', talk({ ...user, id: 'u1' }), 'field', "Unknown parameter: 'messages[0].id'"],
  [
    'reasoning where it is not known',
    talk(user, { role: 'assistant', content: 'x', reasoning_content: 'y' }),
    'field',
    'messages[1].reasoning_content',
  ],
  ['no content', talk({ role: 'user', content: null }), 'content', 'expected a string, got null'],
  ['no content and no calls', talk(user, { role: 'assistant', content: null }), 'content', 'expected a string, got null'],
  ['no parts', talk({ role: 'user', content: [] }), 'content', 'non-empty array'],
  [
    'an image in a result',
    talk(user, calls(call('c1')), { ...result('c1'), content: [{ type: 'image_url', image_url: { url: 'x' } }] }),
    'content',
    "Supported values are: 'text'",
  ],
  ['an unknown part', talk({ role: 'user', content: [{ type: 'video' }] }), 'content', "Invalid value: 'video'"],
  [
    'an image that is none',
    talk({ role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] }),
    'content',
    'http(s) URL',
  ],
  ['a part without its value', talk({ role: 'user', content: [{ type: 'text' }] }), 'content', "'messages[0].content[0].text'"],
  [
    'an unknown field of a part',
    talk({ role: 'user', content: [{ type: 'text', text: 'a', cache_control: {} }] }),
    'field',
    'content[0].cache_control',
  ],
  ['B179 a choice at the root', request({ tools: [tool('a', { oneOf: [{ type: 'object' }] })] }), 'schema', "not have 'oneOf'/'anyOf'"],
  ['a root that is no object', request({ tools: [tool('a', { type: 'string' })] }), 'schema', `'type: "object"'`],
  [
    'B178 strict and open',
    request({ tools: [tool('a', { type: 'object', properties: {} }, { strict: true })] }),
    'schema',
    "'additionalProperties' is required to be supplied and to be false",
  ],
  [
    'B178 strict and optional, deep inside',
    request({ tools: [tool('a', deep({ type: 'object', properties: { x: {} }, additionalProperties: false }), { strict: true })] }),
    'schema',
    "In context=('properties', 'd', 'items', 'anyOf', '0'), 'required' is required",
  ],
  [
    'B178 strict behind a definition',
    request({ tools: [tool('a', { ...closed, $defs: { t: { type: 'object' } } }, { strict: true })] }),
    'schema',
    "In context=('$defs', 't')",
  ],
  [
    'strict and a choice of one',
    request({ tools: [tool('a', deep({ oneOf: [] }), { strict: true })] }),
    'schema',
    "'oneOf' is not permitted",
  ],
  [
    'an output schema that is open',
    request({ response_format: { type: 'json_schema', json_schema: { name: 'o', strict: true, schema: { type: 'object' } } } }),
    'schema',
    'Invalid schema for response_format',
  ],
  [
    'every schema strict, where that is so',
    request({ tools: [tool('a')] }),
    'schema',
    "'additionalProperties' is required",
    { strictSchemas: 'always' },
  ],
  ['an output format that is none', request({ response_format: { type: 'yaml' } }), 'format', 'Supported values are'],
  [
    'an output without a name',
    request({ response_format: { type: 'json_schema', json_schema: { schema: closed } } }),
    'tool-name',
    'response_format.json_schema.name',
  ],
  [
    'B016 Mistral: an id of OpenAI',
    talk(user, calls(call('call_1')), result('call_1')),
    'mistral',
    'but must be a-z, A-Z, 0-9, with a length of 9',
    { mistral: true },
  ],
  [
    'Mistral: an id of an earlier turn',
    talk(user, calls(call('abcdef123')), result('abcdef123'), calls(call('abcdef123')), result('abcdef123')),
    'ids',
    'must be unique',
    { mistral: true },
  ],
  [
    'Mistral: user after user',
    talk(user, user),
    'mistral',
    "Unexpected role 'user' after role 'user': conversation roles must alternate",
    { mistral: true },
  ],
  ['Mistral: tool after user', talk(user, result('abcdef123')), 'mistral', "Unexpected role 'tool' after role 'user'", { mistral: true }],
  [
    'Mistral: user after tool',
    talk(user, calls(call('abcdef123')), result('abcdef123'), user),
    'mistral',
    "Unexpected role 'user' after role 'tool'",
    { mistral: true },
  ],
  [
    'Mistral: the assistant has the last word',
    talk(user, { role: 'assistant', content: 'x' }),
    'mistral',
    'Expected last role User or Tool',
    { mistral: true },
  ],
  ['Mistral: the assistant begins', talk({ role: 'assistant', content: 'x' }), 'mistral', "Unexpected role 'assistant'", { mistral: true }],
  [
    'DeepSeek: calls without their reasoning',
    talk(user, calls(call('c1')), result('c1')),
    'reasoning',
    'Missing `reasoning_content` field in the assistant message',
    { deepseek: true },
  ],
  [
    'a file without a name',
    talk({ role: 'user', content: [{ type: 'file', file: { file_data: 'data:application/pdf;base64,AA==' } }] }),
    'content',
    'file.file_id',
  ],
  ['a description that is no text', request({ tools: [tool('a', undefined, { description: 1 })] }), 'type', 'function.description'],
  ['strictness that is none', request({ tools: [tool('a', undefined, { strict: 'yes' })] }), 'type', 'function.strict'],
  [
    'a schema that is none',
    request({ tools: [{ type: 'function', function: { name: 'a', parameters: [] } }] }),
    'schema',
    'must be a JSON Schema object',
  ],
  ['a message that is none', request({ messages: ['hi'] }), 'messages', "Invalid type for 'messages[0]'"],
  ['an image without its value', talk({ role: 'user', content: [{ type: 'image_url' }] }), 'content', "'messages[0].content[0].image_url'"],
  [
    'an unknown field of an image',
    talk({ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.test', alt: 'x' } }] }),
    'field',
    'image_url.alt',
  ],
  [
    'an unknown field of a call',
    talk(user, calls({ ...call('c1'), index: 0 }), result('c1')),
    'field',
    "'messages[1].tool_calls[0].index'",
  ],
  ['a call of no kind', talk(user, calls({ id: 'c1', name: 'look' }), result('c1')), 'type', "expected a call of type 'function'"],
  [
    'an unknown field of what is called',
    talk(user, calls({ id: 'c1', type: 'function', function: { name: 'a', arguments: '{}', x: 1 } }), result('c1')),
    'field',
    'function.x',
  ],
]
