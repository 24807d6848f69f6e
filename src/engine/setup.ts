import type { EntryBody } from '../core/entry.ts'
import type { Activity } from '../core/plan.ts'
import type { SessionState } from '../core/state.ts'
import { hookFailure } from '../core/wording.ts'
import type { Activation, Running } from './activation.ts'
import type { Fact } from './facts.ts'

/** Asks the dynamic parts (instructions, descriptions) before a model call; its outcome proposes the call. A throw ends the run. */
export function setupFacts(
  a: Activation,
  state: SessionState,
  activity: Extract<Activity, { kind: 'setup' }>,
  running: Running,
): readonly Fact[] | Promise<readonly Fact[]> {
  const { setup } = a.portsOf(state)
  if (setup === undefined) return []
  // Who was told to stop, and says so, has not failed: it is asked again if it is wanted again.
  const fail = (error: unknown): readonly Fact[] => (running.signal.aborted ? [] : [failedSetup(state, error)])
  try {
    const { n, attempt, purpose, reason } = activity
    const answer = setup(state, { n, attempt, purpose, reason, signal: running.signal })
    return answer instanceof Promise ? answer.then((later) => [later], fail) : [answer]
  } catch (error) {
    return fail(error)
  }
}

function failedSetup(state: SessionState, cause: unknown): EntryBody {
  const error = hookFailure('A dynamic part of the agent (instructions or a tool description)', cause)
  return { kind: 'run.finished', data: { status: 'failed', reason: 'hook_failure', text: state.live.run?.lastText ?? '', error } }
}
