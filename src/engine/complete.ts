import { answerOf, type Decoded, decodedBody } from '../core/decide-output.ts'
import { assert, messageOf } from '../core/error.ts'
import type { Json } from '../core/json.ts'
import type { ValidationResult } from '../core/schema.ts'
import type { SessionState } from '../core/state.ts'
import type { Activation, Running } from './activation.ts'
import type { Fact } from './facts.ts'
import { inTime } from './in-time.ts'
import { issueLines } from './issues.ts'
import type { OutputPort, RunPorts } from './ports.ts'
import { validated } from './validated.ts'

interface Looking {
  readonly a: Activation
  readonly ports: RunPorts
  readonly running: Running
}

/**
 * Looks at an answer before the run completes: whether it is JSON, and fits the output schema. What it proposes is the end of the run, or that the
 * model is asked again. Synchronous unless the schema is not.
 */
export function completeFacts(a: Activation, state: SessionState, running: Running): readonly Fact[] | Promise<readonly Fact[]> {
  const { run } = state.live
  const ports = a.portsOf(state)
  const { output } = ports
  assert(run !== undefined && output !== undefined, 'an answer is looked at where a run has an output schema')
  const proposed = (decoded: Decoded): readonly Fact[] => [
    (later) => (later.live.run === undefined ? undefined : decodedBody(later, later.live.run, ports.config, decoded)),
  ]
  const answer = answerOf(state, run)
  const found = 'text' in answer ? output.decode(answer.text) : answer
  if ('problem' in found) return proposed(found)
  const decoded = checked({ a, ports, running }, output, found.value)
  // Who was told to stop, and says so, has looked at nothing.
  return decoded instanceof Promise ? decoded.then((later) => (running.signal.aborted ? [] : proposed(later))) : proposed(decoded)
}

function checked(looking: Looking, { schema }: OutputPort, output: Json): Decoded | Promise<Decoded> {
  try {
    const result = validated(schema, output)
    if (!(result instanceof Promise)) return judged(output, result)
    return inTime(looking, 'The output schema', result).then(
      (later) => judged(output, later),
      (error: unknown) => notChecked(looking, error),
    )
  } catch (error) {
    return notChecked(looking, error)
  }
}

function judged(output: Json, { issues }: ValidationResult<unknown>): Decoded {
  if (issues === undefined) return { output }
  return { problem: `The answer does not fit the output schema. ${issueLines(issues, 'answer')}.` }
}

function notChecked({ ports, running }: Looking, error: unknown): Decoded {
  if (!running.signal.aborted) ports.report(error)
  return { problem: `The answer could not be checked: ${messageOf(error)}.` }
}
