import { RondoError } from '../../core/error.ts'
import { sentenceOf, unknownKeys } from '../../core/known-keys.ts'
import type { Model } from '../../core/model.ts'
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
  const wrong = [...problems(model, options)]
  if (wrong.length > 0) throw new RondoError('ConfigInvalid', `jsonReply: ${sentenceOf(wrong)}`)
  const { constrain = false, thoughts = true, think } = options
  return new JsonReplyModel(model, { form: constrain ? 'object' : 'words', thoughts, think })
}

const known: ReadonlySet<string> = new Set(['constrain', 'thoughts', 'think'])

function* problems(model: unknown, options: unknown): Generator<string> {
  const isModel = typeof model === 'object' && model !== null && 'stream' in model && typeof model.stream === 'function'
  if (!isModel) yield "the first argument must be a model, as openaiCompatible({ baseURL: 'http://localhost:8080/v1' })('qwen3')"
  if (typeof options !== 'object' || options === null) return yield 'the options must be an object'
  yield* unknownKeys(options, known, '', {})
  const { constrain, thoughts, think }: { constrain?: unknown; thoughts?: unknown; think?: unknown } = options
  if (constrain !== undefined && typeof constrain !== 'boolean') yield 'constrain must be a boolean'
  if (thoughts !== undefined && typeof thoughts !== 'boolean') yield 'thoughts must be a boolean'
  if (think !== undefined && think !== 'tagged' && think !== 'inside') yield "think must be 'tagged' or 'inside'"
  if (constrain === true && isModel && !isNative(model))
    yield 'constrain needs a model with structured output of its own, and this one has none'
}

function isNative(model: object): boolean {
  return 'capabilities' in model && (model.capabilities as Model['capabilities'] | undefined)?.structuredOutput === 'native'
}
