import type { Activity } from '../core/plan.ts'
import type { SessionState } from '../core/state.ts'
import { type Activation, beginWaiting, deliverLater, newRunning } from './activation.ts'
import type { Fact } from './facts.ts'
import { prepareTurn } from './prepare.ts'
import { setupFacts } from './setup.ts'

/** Runs an activity that is usually synchronous. `undefined` = it takes its time and will deliver. */
export function runInTurn(
  a: Activation,
  activity: Extract<Activity, { kind: 'prepare' | 'setup' }>,
  state: SessionState,
): readonly Fact[] | undefined {
  const running = newRunning(activity.key, 0)
  const facts = activity.kind === 'prepare' ? prepareTurn(a, state, running, activity.through) : setupFacts(a, state, activity, running)
  if (!(facts instanceof Promise)) return facts
  a.running.set(activity.key, running)
  beginWaiting(a, state, running)
  deliverLater(a, activity.key, facts)
  return undefined
}
