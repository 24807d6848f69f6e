import type { Model } from '../../core/model.ts'
import { aBoolean, faultsIn, hasFields, oneOf, type Rules, refuse } from '../option-rules.ts'
import type { ThinkStart } from '../think.ts'
import { JsonReplyModel } from './model.ts'

export interface JsonReplyOptions {
  /**
   * Holds the model to the form of a reply by its own structured output, where it has that (`capabilities.structuredOutput: 'native'`).
   * Default false: the form is told in words.
   */
  readonly constrain?: boolean | undefined
  /** Whether a reply has a `thought` before what it does, shown as reasoning. Default true. */
  readonly thoughts?: boolean | undefined
  /**
   * Takes `<think>…</think>` at the start of what the model says for reasoning: `tagged`, or `inside` where it starts without the opening tag.
   * Default: such text is text.
   */
  readonly think?: ThinkStart | undefined
}

/**
 * Gives a model tools that has none of its own. They are told in the instructions, with the form of a reply: one JSON object that answers
 * (`response`) or calls (`tool_call`, `tool_calls`). Replies are read while they come: an answer streams, a call is told when its name is
 * known. Calls and results of the history go to the model as such JSON, with their ids.
 *
 * A reply that is no JSON is an answer as it stands. A call that can't be read is never run: the model is told what is wrong, as the result of
 * that call. Without tools, now and in the history, the model is asked as it is.
 *
 * @throws `ConfigInvalid` for options that can't work.
 */
export function jsonReply(model: Model, options: JsonReplyOptions = {}): Model {
  refuse('jsonReply', problems(model, options))
  const { constrain = false, thoughts = true, think } = options
  return new JsonReplyModel(model, { form: constrain ? 'object' : 'words', thoughts, think })
}

const rules: Rules<JsonReplyOptions> = { constrain: aBoolean, thoughts: aBoolean, think: oneOf('tagged', 'inside') }

function problems(model: unknown, options: unknown): string[] {
  const isModel = hasFields(model) && typeof model['stream'] === 'function'
  const wrong = isModel ? [] : ["the first argument must be a model, as openaiCompatible({ baseURL: 'http://localhost:8080/v1' })('qwen3')"]
  if (!hasFields(options)) return [...wrong, 'the options must be an object']
  wrong.push(...faultsIn(options, rules, { shows: true }))
  if (options['constrain'] === true && isModel && !isNative(model))
    wrong.push('constrain needs a model with structured output of its own, and this one has none')
  return wrong
}

function isNative(model: object): boolean {
  return 'capabilities' in model && (model.capabilities as Model['capabilities'] | undefined)?.structuredOutput === 'native'
}
