import { RondoError } from '../../core/error.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { ModelRequest, ModelSettings } from '../../core/model.ts'
import { optional } from '../http/frames.ts'
import type { Family } from './families.ts'

/** The least that the API takes as a budget (tokens). */
const minBudget = 1_024

const budgets = { low: 4_096, medium: 16_384, high: 32_768 } as const

/** Without a stream more could take longer than connections live (tokens); the provider's own clients stop there too. */
const maxWhole = 21_333

/** What a model of this API is, for its requests. */
export interface Target {
  readonly model: string
  /** The name under which its settings stand. */
  readonly provider: string
  readonly family: Family
  readonly stream: boolean
  /** Of `capabilities`, when the user has said it (tokens). */
  readonly maxOutput: number | undefined
  /** What of its thinking is shown. Default: the model's own. */
  readonly display: 'summarized' | 'omitted' | undefined
  /** Thinking that no longer fits what stands before it is dropped by the provider. */
  readonly dropsUnbound: boolean
}

/** `max_tokens`, which the API wants in every request. */
export function outputLimit({ family, stream, maxOutput }: Target, { maxOutputTokens }: ModelSettings): number {
  const limit = maxOutputTokens ?? maxOutput ?? family.defaultOutput
  return maxOutputTokens === undefined && !stream ? Math.min(limit, maxWhole) : limit
}

/** What says how much the model is to think: nothing, where it was not said. */
export function thinkingFields(target: Target, settings: ModelSettings): { readonly thinking?: JsonObject; readonly effort?: string } {
  const { family, model } = target
  const { reasoning } = settings
  // What is said of its thinking is said to a model that thinks by itself: it changes nothing else.
  const says = isBound(target) || (target.display !== undefined && family.thinksByItself)
  if (reasoning === undefined) return says ? { thinking: thinkingJson('adaptive', target) } : {}
  if (reasoning === 'none') return off(target)
  if (family.thinking === 'never') throw unfit(model, `does not think: leave settings.reasoning out`)
  if (family.thinking === 'adaptive') return { thinking: thinkingJson('adaptive', target), effort: reasoning }
  const limit = outputLimit(target, settings)
  if (limit <= minBudget)
    throw unfit(model, `thinks with ${minBudget} tokens or more, and they are part of settings.maxOutputTokens (${limit}): raise it`)
  const budget = Math.max(minBudget, Math.min(budgets[reasoning], Math.floor(limit * 0.75)))
  return { thinking: { ...thinkingJson('enabled', target), budget_tokens: budget } }
}

function off({ family, model }: Target): { readonly thinking?: JsonObject } {
  if (family.off === 'impossible') throw unfit(model, `always thinks: settings.reasoning 'low' is the least`)
  return family.off === 'leave-out' ? {} : { thinking: { type: family.off } }
}

function thinkingJson(type: 'adaptive' | 'enabled', target: Target): JsonObject {
  const binding = isBound(target) ? { block_binding: { prefix_mismatch_behavior: 'drop_block' } } : {}
  return { type, ...optional('display', target.display), ...binding }
}

function isBound({ family, dropsUnbound }: Target): boolean {
  return family.boundThinking && dropsUnbound
}

/** How the model draws its words. */
export function samplingFields({ family, model }: Target, { temperature, topP, seed, stop }: ModelSettings, thinking: boolean): JsonObject {
  if (!family.sampling && (temperature !== undefined || topP !== undefined))
    throw unfit(model, 'takes no settings.temperature and no settings.topP: leave them out')
  if (!family.bothSamplings && temperature !== undefined && topP !== undefined)
    throw unfit(model, 'takes settings.temperature or settings.topP, not both: leave one out')
  if (thinking && family.thinking === 'budget' && temperature !== undefined && temperature !== 1)
    throw unfit(model, 'takes no settings.temperature but 1 while it thinks: leave it or settings.reasoning out')
  if (seed !== undefined) throw unfit(model, 'takes no settings.seed: leave it out')
  return {
    ...optional('temperature', temperature),
    ...optional('top_p', topP),
    ...optional('stop_sequences', stop === undefined ? undefined : [...stop]),
  }
}

/** Which call the model must make. `parallel`: false = one at a time. */
export function choiceFields(target: Target, choice: ModelRequest['toolChoice'], thinking: boolean, parallel: boolean): JsonObject {
  const { family, model } = target
  const isForced = choice !== 'auto' && choice !== 'none'
  if (isForced && !family.forcedTools) throw unfit(model, `can't be made to call a tool: leave toolChoice out`)
  if (isForced && thinking && family.thinking === 'budget')
    throw unfit(model, `can't be made to call a tool while it thinks: leave toolChoice or settings.reasoning out`)
  const single = parallel || choice === 'none' ? {} : { disable_parallel_tool_use: true }
  if (choice === 'auto') return parallel ? {} : { tool_choice: { type: 'auto', ...single } }
  if (choice === 'none') return { tool_choice: { type: 'none' } }
  return { tool_choice: choice === 'required' ? { type: 'any', ...single } : { type: 'tool', name: choice.tool, ...single } }
}

/** Whether a request has the model think, by what is sent. */
export function isThinking(thinking: unknown): boolean {
  return isJsonObject(thinking) && (thinking['type'] === 'enabled' || thinking['type'] === 'adaptive')
}

function unfit(model: string, what: string): RondoError {
  return new RondoError('ConfigInvalid', `${model} ${what}.`)
}
