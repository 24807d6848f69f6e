import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'
import { checkParts, type Part } from './parts.ts'

interface Content {
  readonly role: 'user' | 'model'
  readonly calls: readonly Part[]
  readonly responses: readonly Part[]
  /** Whether there is anything besides responses. */
  readonly isSaid: boolean
}

export function* checkContents(contents: unknown, isGemini3: boolean): Iterable<Violation> {
  if (!Array.isArray(contents) || contents.length === 0)
    return yield violation('contents', 'contents', '* GenerateContentRequest.contents: contents is not specified\n')
  const known: Content[] = []
  for (const [index, content] of contents.entries()) {
    const path = `contents[${index}]`
    if (!isObject(content))
      yield violation('contents', path, `Invalid value at '${path}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content)`)
    else {
      yield* checkContent(content, path, isGemini3)
      known.push(read(content))
    }
  }
  yield* checkTurns(known)
  if (isGemini3) yield* checkSigned(known)
}

function* checkContent(content: JsonObject, path: string, isGemini3: boolean): Iterable<Violation> {
  const { role, parts, ...others } = content
  for (const field of Object.keys(others))
    yield violation('field', path, `Invalid JSON payload received. Unknown name "${field}" at '${path}': Cannot find field.`)
  if (role !== 'user' && role !== 'model') return yield violation('role', `${path}.role`, 'Please use a valid role: user, model.')
  if (!Array.isArray(parts) || parts.length === 0)
    return yield violation('parts', `${path}.parts`, `* GenerateContentRequest.${path}.parts: contents.parts must not be empty.\n`)
  yield* checkParts(parts, role, path, isGemini3)
}

function read({ role, parts }: JsonObject): Content {
  const all = Array.isArray(parts) ? parts.filter(isObject) : []
  return {
    role: role === 'model' ? 'model' : 'user',
    calls: all.filter((part) => isObject(part['functionCall'])),
    responses: all.filter((part) => isObject(part['functionResponse'])),
    isSaid: all.some((part) => part['functionResponse'] === undefined),
  }
}

/** Calls stand behind the user; all their responses stand right behind them, in one content. */
function* checkTurns(contents: readonly Content[]): Iterable<Violation> {
  for (const [index, content] of contents.entries()) {
    const path = `contents[${index}]`
    const before = contents[index - 1]
    const after = contents[index + 1]
    if (content.calls.length > 0 && before?.role !== 'user')
      yield violation(
        'order',
        path,
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      )
    if (content.responses.length > 0 && (before === undefined || before.calls.length === 0))
      yield violation('pairing', path, 'Please ensure that function response turn comes immediately after a function call turn.')
    if (content.calls.length > 0) yield* checkAnswers(content.calls, after?.responses ?? [], path)
  }
  if (contents.at(-1)?.role === 'model')
    yield violation('order', null, 'Please ensure that multiturn requests end with a user role or a function response.')
}

function* checkAnswers(calls: readonly Part[], responses: readonly Part[], path: string): Iterable<Violation> {
  if (calls.length !== responses.length)
    return yield violation(
      'pairing',
      path,
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    )
  for (const [index, part] of responses.entries()) {
    const [call, response] = [Object(calls[index]?.['functionCall']), Object(part['functionResponse'])]
    if (call['name'] !== response['name'])
      yield violation(
        'pairing',
        path,
        `The function response '${response['name']}' answers no function call in its place: that is '${call['name']}'.`,
      )
    if (call['id'] !== response['id'])
      yield violation('ids', path, `The id of the function response '${response['name']}' is not that of its function call.`)
  }
}

/** The current turn begins with what the user has said last. */
function* checkSigned(contents: readonly Content[]): Iterable<Violation> {
  const begin = contents.findLastIndex(({ role, isSaid }) => role === 'user' && isSaid)
  for (const [index, { calls }] of contents.entries()) {
    const [first] = calls
    if (index <= begin || first === undefined || typeof first['thoughtSignature'] === 'string') continue
    yield violation(
      'signature',
      `contents[${index}]`,
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${Object(first['functionCall'])['name']}\`, position ${index + 1}.`,
    )
  }
}
