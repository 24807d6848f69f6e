import type { JsonObject } from '../../core/json.ts'
import type { ModelSettings } from '../../core/model.ts'

/** What models of one generation have in common. https://ai.google.dev/gemini-api/docs/thinking, …/thought-signatures, …/function-calling */
export interface Family {
  /** Calls must carry a signature: one that has none gets the documented stand-in (B066). */
  readonly signedCalls: boolean
  /** Results of tools may hold images and files. */
  readonly mediaInResults: boolean
  /** Tools and a schema of the output go together (B186). */
  readonly schemaWithTools: boolean
  /** Tools that the provider runs go together with functions; it has to be asked to tell of them then. */
  readonly serverToolsWithFunctions: boolean
  /** How `settings.reasoning` is told; `undefined`: not at all. */
  readonly thinking: { readonly [effort in NonNullable<ModelSettings['reasoning']>]: JsonObject | undefined }
}

/** These can't be kept from thinking, but for the ones that know `minimal`. */
const levels: Family['thinking'] = {
  none: { thinkingLevel: 'low' },
  low: { thinkingLevel: 'low', includeThoughts: true },
  medium: { thinkingLevel: 'medium', includeThoughts: true },
  high: { thinkingLevel: 'high', includeThoughts: true },
}

const budgets: Family['thinking'] = {
  none: { thinkingBudget: 0 },
  low: { thinkingBudget: 1_024, includeThoughts: true },
  medium: { thinkingBudget: 8_192, includeThoughts: true },
  high: { thinkingBudget: 24_576, includeThoughts: true },
}

const newer: Family = { signedCalls: true, mediaInResults: true, schemaWithTools: true, serverToolsWithFunctions: true, thinking: levels }
const older: Family = {
  signedCalls: false,
  mediaInResults: false,
  schemaWithTools: false,
  serverToolsWithFunctions: false,
  thinking: budgets,
}
const minimal: Family = { ...newer, thinking: { ...levels, none: { thinkingLevel: 'minimal' } } }

/** By the first pattern that fits. The levels of each model: https://ai.google.dev/gemini-api/docs/generate-content/thinking#thinking-levels, read in 2026. */
const families: readonly (readonly [RegExp, Family])[] = [
  [/gemini-(?:[3-9]|\d{2})[\d.]*-flash-lite/, minimal],
  [/gemini-3(?:\.[0-6])?-flash/, minimal],
  // The first of its generation has no level between these.
  [/gemini-3-pro/, { ...newer, thinking: { ...levels, medium: { thinkingLevel: 'high', includeThoughts: true } } }],
  // `gemini-flash-latest` is the newest one of its kind.
  [/gemini-(?:[3-9]|\d{2})|gemini-(?:pro|flash|flash-lite)-latest/, newer],
  // The smallest budget that there is.
  [/gemini-2\.5-pro/, { ...older, thinking: { ...budgets, none: { thinkingBudget: 128 } } }],
  [/gemini-2\.5/, older],
  // Models that don't think know nothing of it.
  [/gemini-(?:1|2\.0)/, { ...older, thinking: { ...budgets, none: undefined } }],
]

export function familyOf(model: string): Family {
  return families.find(([pattern]) => pattern.test(model))?.[1] ?? older
}
