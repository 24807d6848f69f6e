import type { Activity } from '../core/plan.ts'
import type { SessionState } from '../core/state.ts'
import { type Activation, beginWaiting, deliverLater, newRunning, type Running } from './activation.ts'
import { completeFacts } from './complete.ts'
import type { Fact } from './facts.ts'
import { prepareTurn } from './prepare.ts'
import { setupFacts } from './setup.ts'

/** What is usually done at once, in the turn that wants it. */
export type InTurn = Extract<Activity, { kind: 'prepare' | 'setup' | 'complete' }>

export function isInTurn(activity: Activity): activity is InTurn {
  const { kind } = activity
  return kind === 'prepare' || kind === 'setup' || kind === 'complete'
}

/** Runs an activity that is usually synchronous. `undefined` = it takes its time and will deliver. */
export function runInTurn(a: Activation, activity: InTurn, state: SessionState): readonly Fact[] | undefined {
  const running = newRunning(activity.key, 0)
  const facts = factsOf(a, activity, state, running)
  if (!(facts instanceof Promise)) return facts
  a.running.set(activity.key, running)
  beginWaiting(a, state, running)
  deliverLater(a, activity.key, facts)
  return undefined
}

function factsOf(a: Activation, activity: InTurn, state: SessionState, running: Running): readonly Fact[] | Promise<readonly Fact[]> {
  switch (activity.kind) {
    case 'prepare':
      return prepareTurn(a, state, running, activity.through)
    case 'setup':
      return setupFacts(a, state, activity, running)
    case 'complete':
      return completeFacts(a, state, running)
  }
}
