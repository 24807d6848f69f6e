import { isExpired } from './accept.ts'
import type { CallState } from './call-state.ts'
import type { MachineConfig } from './config.ts'
import { newestUserMessage } from './decide-turn.ts'
import type { SessionState } from './state.ts'

/**
 * The tools of open calls that may still run here: of those that have begun, that may begin, and that wait for an approval. Who goes on with the
 * run without one would answer the call with an error, and use up what a human has said. `isDenied`: what is about to be denied needs none.
 */
export function openTools(
  state: SessionState,
  onPending: MachineConfig['onPending'],
  now: number,
  isDenied: (callId: string) => boolean = () => false,
): ReadonlySet<string> {
  const { live } = state
  const newestMessage = onPending === 'answer' ? newestUserMessage(state) : 0
  const mayRun = (call: CallState): boolean => {
    if (call.external === true) return false
    switch (call.status) {
      case 'running':
      case 'ready':
        return true
      case 'announced':
        // Not a name that the model has made up.
        return live.turn?.dead === undefined && live.setup?.tools?.includes(call.part.toolName) === true
      case 'awaiting':
        if (call.decision !== undefined || isDenied(call.part.callId)) return false
        return newestMessage <= call.preparedSeq && !isExpired(call, now)
      case 'outside':
      case 'settled':
        return false
    }
  }
  return new Set([...live.background, ...(live.turn?.calls ?? [])].filter(mayRun).map(({ part }) => part.toolName))
}
