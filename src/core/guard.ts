import type { CallState, GuardedCall } from './call-state.ts'
import { jsonEqual } from './json.ts'
import type { Live } from './state.ts'

const none: readonly GuardedCall[] = []

/** The earlier calls that guard this one: the same tool with the same arguments, started, unsafe, and nobody knows whether they took effect. */
export function guardsOf({ guard }: Live, { effect, part, input }: CallState): readonly GuardedCall[] {
  if (effect !== 'unsafe' || guard.length === 0) return none
  return guard.filter((guarded) => guarded.toolName === part.toolName && jsonEqual(guarded.input, input))
}
