import type { FinishReason } from '../../../src/core/model.ts'
import { readBody } from './body.ts'
import { errorInside, noAnswerIn, statusError } from './errors.ts'
import { type AnyJson, draft, known, type Reading, type ReadUsage, type Recorded } from './reading.ts'

const finishes: { readonly [reason: string]: FinishReason } = { stop: 'stop', length: 'length' }

/** Ollama's own API: `/api/chat`, and `/api/generate`, whose text stands in `response`. */
export function readOllama(recorded: Recorded): Reading {
  if (recorded.status >= 300) return { error: statusError(recorded) }
  const found = draft()
  let last: AnyJson
  for (const { data } of readBody(recorded.body).events) {
    if (data.error) return { error: errorInside(data) }
    const message = data.message ?? { content: data.response, thinking: data.thinking }
    found.text += message.content ?? ''
    found.reasoning.push(message.thinking ?? '')
    for (const { id, function: call } of message.tool_calls ?? [])
      found.calls.push(known({ name: call.name, id, input: call.arguments ?? {} }))
    if (data.done) last = data
  }
  if (last === undefined) return { error: noAnswerIn(recorded.body) }
  const reason: string = last.done_reason ?? 'stop'
  const finish = finishes[reason] ?? 'other'
  const rawFinish = last.done_reason === undefined ? [] : [reason]
  return { answer: { ...found, rawFinish, finish, usage: known<ReadUsage>({ input: last.prompt_eval_count, output: last.eval_count }) } }
}
