import { type Violation, violation } from '../violation.ts'

/** What Go says when it can't read a field. */
export function unmarshal(value: unknown, path: string, type: string): Violation {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : value === null ? 'null' : typeof value
  return violation('type', path, `json: cannot unmarshal ${kind} into Go struct field ChatRequest.${path} of type ${type}`)
}
