/**
 * How a model is told to think.
 *
 * - `budget`: `thinking: { type: 'enabled', budget_tokens }`.
 * - `adaptive`: `thinking: { type: 'adaptive' }` and `output_config.effort`.
 * - `never`: it does not think.
 */
export type ThinkingForm = 'budget' | 'adaptive' | 'never'

/** What is known of the models of one name and version. */
export interface Family {
  readonly thinking: ThinkingForm
  /** Thinks when nobody says whether it shall. */
  readonly thinksByItself: boolean
  /** What turns thinking off: a type of `thinking`, `leave-out` (it is off unless asked for), or that nothing does. */
  readonly off: 'disabled' | 'between_tools' | 'leave-out' | 'impossible'
  /** Tokens. */
  readonly maxOutput: number | undefined
  /** What is asked for when nobody says how much (tokens). */
  readonly defaultOutput: number
  /** Tokens. */
  readonly window: number | undefined
  /** Takes `temperature` and `top_p`. */
  readonly sampling: boolean
  /** Takes both of them at once. */
  readonly bothSamplings: boolean
  /** Goes on with an answer that the conversation ends with. */
  readonly prefill: boolean
  /** Takes a `tool_choice` that forces a call. */
  readonly forcedTools: boolean
  /** Takes a schema for its answer (`output_config.format`). */
  readonly schemas: boolean
  /** Its thinking is bound to what stood before it. */
  readonly boundThinking: boolean
}

/**
 * What is assumed of a model that is no Claude, and of one whose name says no version: the oldest form of everything, which servers that
 * speak this API take.
 */
const unknown: Family = {
  thinking: 'budget',
  thinksByItself: false,
  off: 'disabled',
  maxOutput: undefined,
  defaultOutput: 32_000,
  window: undefined,
  sampling: true,
  bothSamplings: true,
  prefill: false,
  forcedTools: true,
  schemas: false,
  boundThinking: false,
}

interface Row {
  /** From this version on, up to that of the next row. */
  readonly from: number
  /** Of these lines only. Default all. */
  readonly lines?: readonly string[]
  readonly known: Partial<Family>
}

/**
 * By version, each row over those before it. Sources: platform.claude.com, as of November 2026: models overview and the page of each model,
 * migration guides (4.5, 4.6, Opus 5, 5.5), Thinking, Effort, Structured outputs, Preserved thinking.
 */
const rows: readonly Row[] = [
  {
    from: 3,
    known: { thinking: 'never', off: 'leave-out', window: 200_000, maxOutput: 4_096, defaultOutput: 4_096, prefill: true },
  },
  { from: 3.5, known: { maxOutput: 8_192, defaultOutput: 8_192 } },
  // An input and `max_tokens` that are together over the window are refused up to 4.1: so not all is asked for.
  { from: 3.7, known: { thinking: 'budget', off: 'disabled', maxOutput: 64_000, defaultOutput: 32_000 } },
  { from: 4, lines: ['opus'], known: { maxOutput: 32_000 } },
  { from: 4.1, known: { bothSamplings: false } },
  { from: 4.5, known: { maxOutput: 64_000, defaultOutput: 64_000, schemas: true } },
  {
    from: 4.6,
    known: { thinking: 'adaptive', maxOutput: 128_000, defaultOutput: 128_000, window: 1_000_000, prefill: false },
  },
  { from: 4.7, known: { off: 'leave-out', sampling: false } },
  { from: 5, known: { off: 'disabled', thinksByItself: true } },
  { from: 5, lines: ['fable', 'mythos'], known: { off: 'impossible' } },
  { from: 5.1, known: { boundThinking: true } },
  { from: 5.1, lines: ['fable', 'mythos'], known: { forcedTools: false } },
  { from: 5.5, lines: ['opus'], known: { off: 'impossible', forcedTools: false } },
  { from: 5.5, lines: ['sonnet'], known: { off: 'between_tools', forcedTools: false } },
]

/** `claude-sonnet-4-5-20250929`, `claude-3-7-sonnet@20250219`, `anthropic/claude-haiku-4.5`, `us.anthropic.claude-opus-4-6-v1:0`. */
const names = /claude-(?:(?<early>\d(?:-\d)?)-)?(?<line>opus|sonnet|haiku|fable|mythos)(?:-(?<late>\d(?:-\d)?)(?!\d))?(?!\w)/

/** What is known of a model by its name. Of one that is newer than the table the newest row counts. */
export function familyOf(model: string): Family {
  const found = names.exec(model.toLowerCase().replaceAll('.', '-').replaceAll('@', '-'))?.groups
  const version = Number((found?.['early'] ?? found?.['late'] ?? '').replace('-', '.') || Number.NaN)
  const line = found?.['line'] ?? ''
  if (Number.isNaN(version)) return unknown
  const fitting = rows.filter(({ from, lines }) => from <= version && (lines === undefined || lines.includes(line)))
  return Object.assign({}, unknown, ...fitting.map(({ known }) => known))
}
