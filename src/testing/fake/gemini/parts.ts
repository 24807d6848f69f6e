import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'
import { isSignatureOf } from './signatures.ts'

export type Part = JsonObject

type FieldCheck = (value: unknown) => boolean

const isText: FieldCheck = (value) => typeof value === 'string'
const isName: FieldCheck = (value) => typeof value === 'string' && /^[a-zA-Z_][\w.:-]{0,63}$/.test(value)
const isBase64: FieldCheck = (value) => typeof value === 'string' && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value)
/** "Unsupported MIME type": https://ai.google.dev/gemini-api/docs/image-understanding, …/document-processing */
const isShown: FieldCheck = (value) =>
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|(?:audio|video|text)\/[^;]+|application\/pdf)$/.test(String(value))
const any: FieldCheck = () => true

interface Kind {
  readonly needs: { readonly [field: string]: FieldCheck }
  readonly may?: { readonly [field: string]: FieldCheck }
}

/** What a part may hold: one of these. https://ai.google.dev/api/caching#Part */
const kinds: { readonly [field: string]: Kind } = {
  inlineData: { needs: { mimeType: isShown, data: isBase64 }, may: { displayName: isText } },
  fileData: { needs: { fileUri: isText }, may: { mimeType: isShown, displayName: isText } },
  functionCall: { needs: { name: isName }, may: { args: isObject, id: isText } },
  functionResponse: {
    needs: { name: isName, response: isObject },
    may: { id: isText, parts: Array.isArray, willContinue: any, scheduling: any },
  },
  executableCode: { needs: { language: isText, code: isText }, may: { id: isText } },
  codeExecutionResult: { needs: { outcome: isText }, may: { output: isText, id: isText } },
  toolCall: { needs: { toolType: isText }, may: { id: isText, args: isObject } },
  toolResponse: { needs: { toolType: isText }, may: { id: isText, response: isObject } },
}

const besides: { readonly [field: string]: FieldCheck } = {
  thought: (value) => typeof value === 'boolean',
  thoughtSignature: isBase64,
  videoMetadata: isObject,
  mediaResolution: any,
  partMetadata: isObject,
}

export function* checkParts(parts: readonly unknown[], role: 'user' | 'model', path: string, isGemini3: boolean): Iterable<Violation> {
  for (const [index, part] of parts.entries()) {
    const at = `${path}.parts[${index}]`
    if (!isObject(part))
      yield violation('parts', at, `Invalid value at '${at}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Part)`)
    else {
      yield* checkPart(part, at)
      yield* checkPlace(part, role, at, isGemini3)
    }
  }
}

function* checkPart(part: JsonObject, path: string): Iterable<Violation> {
  const held = Object.keys(part).filter((field) => field === 'text' || kinds[field] !== undefined)
  for (const [field, value] of Object.entries(part)) {
    const kind = kinds[field]
    if (kind !== undefined) yield* checkKind(value, kind, `${path}.${field}`)
    else if (field !== 'text' && besides[field] === undefined) yield unknownName(field, path)
    else if (!(besides[field] ?? isText)(value)) yield invalid(`${path}.${field}`, value)
  }
  if (held.length !== 1)
    yield violation(
      'parts',
      path,
      held.length === 0
        ? `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field\n`
        : `Invalid value at '${path}' (oneof), oneof field 'data' is already set. Cannot set '${held[1]}'`,
    )
  if (part['text'] === '' && part['thoughtSignature'] === undefined)
    yield violation('empty', path, `Unable to submit request because ${path} must have a text that is not empty.`)
  yield* checkSignature(part, path)
}

function* checkKind(value: unknown, { needs, may = {} }: Kind, path: string): Iterable<Violation> {
  if (!isObject(value)) return yield invalid(path, value)
  for (const [field, check] of Object.entries(needs)) if (!check(value[field])) yield invalid(`${path}.${field}`, value[field])
  for (const [field, inner] of Object.entries(value)) {
    const check = needs[field] ?? may[field]
    if (check === undefined) yield unknownName(field, path)
    else if (needs[field] === undefined && !check(inner)) yield invalid(`${path}.${field}`, inner)
  }
}

function* checkSignature(part: JsonObject, path: string): Iterable<Violation> {
  const { thoughtSignature: signature, functionCall: call, text } = part
  if (typeof signature !== 'string') return
  const what = isObject(call) ? String(call['name']) : typeof text === 'string' ? 'text' : undefined
  if (what !== undefined && !isSignatureOf(signature, what)) yield violation('signature', path, 'Corrupted thought signature.')
}

function* checkPlace(part: JsonObject, role: 'user' | 'model', path: string, isGemini3: boolean): Iterable<Violation> {
  if (role === 'user' && part['functionCall'] !== undefined)
    yield violation(
      'role',
      path,
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    )
  const { functionResponse: response } = part
  if (!isObject(response)) return
  if (role === 'model')
    yield violation('role', path, 'Please ensure that function response turn comes immediately after a function call turn.')
  const { parts } = response
  if (parts === undefined) return
  if (!isGemini3) yield violation('media', path, 'Multimodal function responses are not supported for this model.')
  for (const [index, one] of (Array.isArray(parts) ? parts : []).entries()) {
    const at = `${path}.functionResponse.parts[${index}]`
    const kind = isObject(one) && isObject(one['inlineData']) ? kinds['inlineData'] : undefined
    if (kind === undefined || !isObject(one)) yield invalid(at, one)
    else yield* checkKind(one['inlineData'], kind, `${at}.inlineData`)
  }
}

export function unknownName(name: string, path: string): Violation {
  return violation('field', path, `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`)
}

export function invalid(path: string, value: unknown): Violation {
  return violation('type', path, `Invalid value at '${path}', ${JSON.stringify(value)?.slice(0, 100)}`)
}
