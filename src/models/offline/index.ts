import { RondoError } from '../../core/error.ts'
import type { Model, ModelDelta } from '../../core/model.ts'
import { noUsage } from '../../core/usage.ts'
import type { WantedCall } from './desk.ts'
import { think } from './plan.ts'

export interface OfflineOptions {
  /** Pause before each group of words, in ms, so that one can watch an answer arrive. Default 0: none. */
  readonly delayMs?: number
}

/**
 * A model without a network and without a language model: a small deterministic planner over the user's words (English) and the
 * tools it is given, for trying an agent out, for examples and for tests. It lists, finds, counts, ranks by size, searches, reads
 * and outlines, compares, and does arithmetic; its answers hold paths and numbers that can be checked, and their first line says
 * what it is. Anything else is answered with what it can do. The same request always gives the same deltas.
 *
 * It calls only tools with `effect: 'read'`. Its usage is zero and complete: no tokens are spent, so none are estimated. It fills
 * no output schema. `stream` rejects with `RunAborted` when the signal aborts, and never otherwise.
 */
export function offline(options: OfflineOptions = {}): Model {
  const { delayMs = 0 } = options
  if (!(delayMs >= 0 && Number.isFinite(delayMs)))
    throw new RondoError('ConfigInvalid', `offline(): delayMs must be 0 or more, not ${delayMs}`)
  return {
    provider: 'rondo',
    id: 'offline',
    capabilities: { structuredOutput: 'prompt', parallelCalls: true, imagesInResults: false, reasoning: false },
    async stream(request, sink, { signal }) {
      refuseIfAborted(signal)
      const thought = think(request)
      const deltas = 'calls' in thought ? thought.calls.flatMap(callDeltas) : textDeltas(thought.answer)
      for (const delta of deltas) {
        if (delayMs > 0) await pause(delayMs, signal)
        refuseIfAborted(signal)
        sink(delta)
      }
      return { finishReason: 'calls' in thought ? 'tool-calls' : 'stop', usage: noUsage }
    },
  }
}

function callDeltas({ toolName, input }: WantedCall, part: number): readonly ModelDelta[] {
  return [
    { type: 'call', part, toolName },
    { type: 'call-input', part, text: JSON.stringify(input) },
  ]
}

/** Three words at a time, with the white space that follows them. */
function textDeltas(answer: string): readonly ModelDelta[] {
  const groups = answer.match(/\s*(?:\S+\s*){1,3}/g) ?? []
  return groups.map((text) => ({ type: 'text', part: 0, text }))
}

function refuseIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new RondoError('RunAborted', 'the offline model was aborted', { cause: signal.reason })
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
