import { RondoError } from '../core/error.ts'
import { nestingDepth } from '../core/json.ts'

/** Deeper than any arguments that can be used; writing what is far deeper would exhaust the stack. */
const maxDepth = 500

/** Throws `ModelServerError` for what nobody could keep or send back. */
export function checkDepth(value: unknown, what: string): void {
  if (nestingDepth(value, maxDepth) >= maxDepth)
    throw new RondoError('ModelServerError', `The model's response is garbled: ${what} nests deeper than ${maxDepth} levels.`)
}

/** Arguments that came as a value, as the text of JSON that they were; a text is taken for that already (B030). */
export function inputText(input: unknown): string {
  if (typeof input === 'string') return input
  checkDepth(input, 'the input of a tool call')
  return JSON.stringify(input ?? {})
}
