import { errorData, messageOf, RondoError } from './core/error.ts'
import type { Json } from './core/json.ts'
import type { CoreResult } from './core/result.ts'
import type { Schema, ValidationResult } from './core/schema.ts'
import { issueLines } from './engine/issues.ts'
import type { Clock } from './engine/ports.ts'
import { validated } from './engine/validated.ts'

/** Makes of a result one whose output is what its schema makes of it. A promise only where the schema needs one. */
export type ReadResult = (result: CoreResult) => CoreResult | Promise<CoreResult>

/** How long a schema that is read with may take (ms). */
const readMs = 30_000

/**
 * The journal holds what the model said, as JSON, and it is validated again by whoever reads it (machine 2). An output that does not fit, for the schema
 * is another one by now, is told as a failure. `schema` is asked at the end, for it may show late which run this is.
 */
export function outputReader(clock: Clock, schema: () => Schema | undefined): ReadResult {
  return (result) => {
    const { output } = result
    const known = schema()
    if (known === undefined || output === undefined) return result
    const failed = (cause: unknown): CoreResult => unreadable(result, `It could not be checked: ${messageOf(cause)}`)
    try {
      const read = validated(known, output as Json)
      if (!(read instanceof Promise)) return withOutput(result, read)
      return inTime(clock, read).then((later) => withOutput(result, later), failed)
    } catch (cause) {
      return failed(cause)
    }
  }
}

function withOutput(result: CoreResult, { issues, ...validated }: ValidationResult<unknown>): CoreResult {
  if (issues !== undefined) return unreadable(result, `${issueLines(issues, 'output')}.`)
  return { ...result, output: 'value' in validated ? validated.value : undefined } as CoreResult
}

function inTime<T>(clock: Clock, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.timer(readMs, () => reject(new RondoError('HookFailed', `the schema has not answered within ${readMs} ms`)))
    answer.then(resolve, reject).finally(cancel)
  })
}

function unreadable({ sessionId, runId, text, messages, calls, iterations, usage, durable }: CoreResult, why: string): CoreResult {
  const error = errorData('OutputDecodingFailed', `The run has ended, and its output does not fit the schema that it is read with. ${why}`)
  const totals = { sessionId, runId, text, messages, calls, iterations, usage, durable }
  return { ...totals, status: 'failed', reason: 'output_decoding_failed', error, resumable: false }
}
