import { RondoError } from './core/error.ts'
import type { Tools } from './core/tool.ts'
import type { RunResult } from './types.ts'

/**
 * What `run()` rejects with when a run failed or was aborted; `text()` also when it is parked, `output()` for every end but `completed`
 * (so for `incomplete` too). `textStream` ends with it after a run that failed or was aborted. It carries the whole result; its `code` is
 * that of the failure, `RunAborted`, or `RunInvalidState` for a result that is there and not what was asked for.
 */
export class RunError extends RondoError {
  override readonly name = 'RunError'
  readonly result: RunResult

  constructor(result: RunResult) {
    const failed = result.status === 'failed' ? result.error : undefined
    super(failed?.code ?? (result.status === 'aborted' ? 'RunAborted' : 'RunInvalidState'), messageOf(result), {
      retryable: failed?.retryable ?? false,
    })
    this.result = result
  }
}

function messageOf(result: RunResult): string {
  switch (result.status) {
    case 'failed':
      return `The run failed (${result.reason}): ${result.error.message}`
    case 'aborted':
      return `The run was aborted${result.abortReason === undefined ? '' : `: ${result.abortReason}`}.`
    case 'parked':
      return `The run is parked (${result.reason}); go on with agent.resume('${result.sessionId}').`
    case 'incomplete':
      return `The run stopped early (${result.reason}).`
    case 'completed':
      return 'The run is complete.'
  }
}

/** The output of a completed run; throws `RunError` for any other end. */
export function expectOutput<O>(result: RunResult<Tools, O>): O {
  if (result.status === 'completed') return result.output
  throw new RunError(result)
}
