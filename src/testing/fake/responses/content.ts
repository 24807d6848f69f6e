import { unknownField } from '../openai.ts'
import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'
import type { ResponsesRules } from './quirks.ts'

const partFields: { readonly [type: string]: readonly string[] } = {
  input_text: ['text'],
  input_image: ['image_url', 'file_id', 'detail'],
  input_file: ['file_data', 'file_id', 'file_url', 'filename', 'detail'],
  output_text: ['text', 'annotations', 'logprobs'],
  refusal: ['refusal'],
}

const inputTypes = ['input_text', 'input_image', 'input_file']

/** What the content of a role may be made of. */
const contentTypes: { readonly [role: string]: readonly string[] } = {
  user: inputTypes,
  system: inputTypes,
  developer: inputTypes,
  assistant: ['output_text', 'refusal'],
}

export function* checkMessage(item: JsonObject, path: string): Iterable<Violation> {
  const { type: _type, role, content, id, status, phase, ...others } = item
  for (const field of Object.keys(others)) yield unknownField(`${path}.${field}`)
  const types = typeof role === 'string' ? contentTypes[role] : undefined
  if (types === undefined)
    return yield violation(
      'role',
      `${path}.role`,
      `Invalid value: '${String(role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
      'invalid_value',
    )
  if (id !== undefined && (typeof id !== 'string' || !id.startsWith('msg')))
    yield violation('ids', `${path}.id`, `Invalid '${path}.id': '${String(id)}'. Expected an ID that begins with 'msg'.`, 'invalid_value')
  if (status === null) yield violation('type', `${path}.status`, `Invalid type for '${path}.status'.`, 'invalid_type')
  if (phase !== undefined && role !== 'assistant') yield unknownField(`${path}.phase`)
  yield* checkContent(content, types, `${path}.content`)
}

/** What answers a call: a text, or parts; some kinds have a form of their own. */
export function* checkOutput(item: JsonObject, path: string, rules: ResponsesRules): Iterable<Violation> {
  const { type, output } = item
  const wrong = (wanted: string) =>
    violation('content', `${path}.output`, `Invalid type for '${path}.output': expected ${wanted}.`, 'invalid_type')
  switch (type) {
    case 'function_call_output':
    case 'custom_tool_call_output':
      if (Array.isArray(output) && rules.textResults === true) yield wrong('a string')
      else yield* checkContent(output, inputTypes, `${path}.output`)
      return
    case 'local_shell_call_output':
    case 'apply_patch_call_output':
      if (typeof output !== 'string') yield wrong('a string')
      return
    case 'shell_call_output':
      if (!Array.isArray(output) || !output.every((one) => isObject(one) && typeof one['stdout'] === 'string' && isObject(one['outcome'])))
        yield wrong('an array of outputs')
      return
    case 'computer_call_output':
      if (!isObject(output) || output['type'] !== 'computer_screenshot' || typeof output['image_url'] !== 'string')
        yield wrong('a screenshot')
  }
}

function* checkContent(content: unknown, types: readonly string[], path: string): Iterable<Violation> {
  if (typeof content === 'string') return
  if (!Array.isArray(content) || content.length === 0)
    return yield violation(
      'content',
      path,
      `Invalid type for '${path}': expected one of a string or a non-empty array of objects.`,
      'invalid_type',
    )
  for (const [index, part] of content.entries()) {
    const at = `${path}[${index}]`
    const type = isObject(part) ? String(part['type']) : 'none'
    if (!isObject(part) || !types.includes(type))
      yield violation('content', `${at}.type`, `Invalid value: '${type}'. Supported values are: '${types.join("', '")}'.`, 'invalid_value')
    else yield* checkPart(part, type, at)
  }
}

function* checkPart(part: JsonObject, type: string, path: string): Iterable<Violation> {
  const fields = partFields[type] ?? []
  for (const field of Object.keys(part)) if (field !== 'type' && !fields.includes(field)) yield unknownField(`${path}.${field}`)
  const missing = (field: string) =>
    violation('content', `${path}.${field}`, `Missing required parameter: '${path}.${field}'.`, 'missing_required_parameter')
  if (type === 'refusal' ? typeof part['refusal'] !== 'string' : type.endsWith('text') && typeof part['text'] !== 'string')
    yield missing(type === 'refusal' ? 'refusal' : 'text')
  if (type === 'output_text' && !Array.isArray(part['annotations'])) yield missing('annotations')
  const url = part['image_url']
  if (
    type === 'input_image' &&
    part['file_id'] === undefined &&
    !/^(?:https?:\/\/|data:image\/(?:png|jpeg|gif|webp);base64,.)/.test(String(url))
  )
    yield violation(
      'content',
      `${path}.image_url`,
      `Invalid '${path}.image_url'. Expected a base64-encoded data URL with an image MIME type, or an http(s) URL.`,
      'invalid_value',
    )
  if (type === 'input_file' && part['file_data'] !== undefined && typeof part['filename'] !== 'string') yield missing('filename')
  if (
    type === 'input_file' &&
    part['file_data'] !== undefined &&
    !/^data:(?!audio|video|image\/(?!svg))[^;,]+\/[^;,]+;base64,./.test(String(part['file_data']))
  )
    yield violation('content', `${path}.file_data`, `Invalid '${path}.file_data': unsupported MIME type.`, 'invalid_value')
  if (type === 'input_file' && part['file_url'] !== undefined && !/^https?:/.test(String(part['file_url'])))
    yield violation('content', `${path}.file_url`, `Invalid '${path}.file_url'.`, 'invalid_value')
}
