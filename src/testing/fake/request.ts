import { isObject, type JsonObject, type Violation, violation } from './violation.ts'

/** What is wrong with the bytes of a request: not much more can be said when they are no JSON object. */
export function checkRequest(
  bytes: Uint8Array,
  checkBody: (body: JsonObject) => Iterable<Violation>,
): { readonly body: unknown; readonly violations: readonly Violation[] } {
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return { body, violations: [violation('json', null, 'We could not parse the JSON body of your request.')] }
  }
  if (!isObject(body)) return { body, violations: [violation('json', null, 'Expected an object.')] }
  return { body, violations: [...checkUnicode(body, ''), ...checkBody(body)] }
}

const isLone = /\p{Surrogate}/u

function* checkUnicode(value: unknown, path: string): Iterable<Violation> {
  const wrong = () => violation('unicode', path, `The request body is not valid JSON: no low surrogate in string: ${path}`)
  if (typeof value === 'string' && isLone.test(value)) yield wrong()
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (isLone.test(key)) yield wrong()
    yield* checkUnicode(inner, `${path}/${key}`)
  }
}
