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
  /** How `settings.reasoning` is told. */
  readonly thinking: { readonly [effort in NonNullable<ModelSettings['reasoning']>]: JsonObject }
}

const levels: Family['thinking'] = {
  // These can't be kept from thinking.
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

const older: Family = { signedCalls: false, mediaInResults: false, schemaWithTools: false, thinking: budgets }

const families: readonly (readonly [RegExp, Family])[] = [
  [
    /gemini-(?:[3-9]|\d{2})[\d.]*-flash/,
    { signedCalls: true, mediaInResults: true, schemaWithTools: true, thinking: { ...levels, none: { thinkingLevel: 'minimal' } } },
  ],
  [/gemini-(?:[3-9]|\d{2})/, { signedCalls: true, mediaInResults: true, schemaWithTools: true, thinking: levels }],
  // The smallest budget that there is.
  [/gemini-2\.5-pro/, { ...older, thinking: { ...budgets, none: { thinkingBudget: 128 } } }],
]

export function familyOf(model: string): Family {
  return families.find(([pattern]) => pattern.test(model))?.[1] ?? older
}
