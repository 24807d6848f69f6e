import { type Json, type Model, type ModelDelta, noUsage } from '../../index.ts'

/** What the scripted model says: a text, or the calls that it makes. */
export type Reply = string | readonly { readonly name: string; readonly input: Json }[]

/**
 * A model that says its lines in order. Which one is next it reads off the messages, so that a process that goes on with a session goes on
 * in the script.
 */
export function script(replies: readonly Reply[]): Model {
  return {
    provider: 'demo',
    id: 'script',
    capabilities: { structuredOutput: 'prompt', parallelCalls: true, imagesInResults: false, reasoning: false },
    async stream(request, sink) {
      const said = [...request.messages].filter(({ role }) => role === 'assistant').length
      const reply = replies[said]
      if (reply === undefined) throw new Error(`the script has ${replies.length} replies, and reply ${said + 1} was asked for`)
      for (const delta of deltasOf(reply)) sink(delta)
      return { finishReason: typeof reply === 'string' ? 'stop' : 'tool-calls', usage: noUsage }
    },
  }
}

function deltasOf(reply: Reply): readonly ModelDelta[] {
  if (typeof reply === 'string') return [{ type: 'text', part: 0, text: reply }]
  return reply.flatMap(({ name, input }, part): ModelDelta[] => [
    { type: 'call', part, toolName: name },
    { type: 'call-input', part, text: JSON.stringify(input) },
  ])
}
