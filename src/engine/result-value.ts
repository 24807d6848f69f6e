import type { SettlementData } from '../core/entry.ts'
import { errorData, RondoError } from '../core/error.ts'
import type { Json } from '../core/json.ts'
import { type Part, textOf, type UserPart } from '../core/message.ts'
import type { ValidationResult } from '../core/schema.ts'
import { storableCopy } from '../core/storable.ts'
import { cutText, fitsBytes } from '../core/text.ts'
import type { Tool } from '../core/tool.ts'
import { issueLines } from './issues.ts'
import type { Keep } from './media.ts'
import type { ResultLimits } from './ports.ts'
import { keptParts } from './result-parts.ts'
import { validated } from './validated.ts'

/**
 * What a tool returned, as the journal keeps it: plain JSON, made once, within the limits. What the model is shown is cut to its own
 * limit, head and tail kept. A value over the journal's limit is kept whole as a blob, and an excerpt that names it stands for it.
 */
export function settlementOf(
  keep: Keep,
  tool: Tool | undefined,
  callId: string,
  limits: ResultLimits,
  value: unknown,
  report: (error: unknown) => void,
): SettlementData | Promise<SettlementData> {
  const output = storableCopy(value).json
  const problem = outputProblem(tool, output, report)
  if (problem instanceof Promise) return problem.then((later) => later ?? keptOutput(keep, tool, callId, limits, output, report))
  return problem ?? keptOutput(keep, tool, callId, limits, output, report)
}

/** What a tool's `outputSchema` has against its output. The schema is there to be trusted by whoever reads the result. */
function outputProblem(
  tool: Tool | undefined,
  output: Json,
  report: (error: unknown) => void,
): SettlementData | undefined | Promise<SettlementData | undefined> {
  const schema = tool?.['~definition'].outputSchema
  if (tool === undefined || schema === undefined) return undefined
  const judge = ({ issues }: ValidationResult<unknown>): SettlementData | undefined => {
    if (issues === undefined) return undefined
    const text = `The tool '${tool.name}' ran, but its result does not fit its outputSchema. ${issueLines(issues)}.`
    return { outcome: 'error', error: errorData('ToolExecutionError', text) }
  }
  // A schema that breaks says nothing about the output.
  const broken = (error: unknown): undefined => {
    report(error)
  }
  try {
    const result = validated(schema, output)
    return result instanceof Promise ? result.then(judge).catch(broken) : judge(result)
  } catch (error) {
    return broken(error)
  }
}

function keptOutput(
  keep: Keep,
  tool: Tool | undefined,
  callId: string,
  limits: ResultLimits,
  output: Json,
  report: (error: unknown) => void,
): SettlementData | Promise<SettlementData> {
  const text = output === null ? '' : typeof output === 'string' ? output : JSON.stringify(output)
  if (!fitsBytes(text, limits.maxStoredBytes)) return oversized(keep, limits, text, report)
  const own = ownContent(tool, output, report)
  if (own !== undefined) {
    const content = shownContent(keep, own, callId, limits, report)
    return content instanceof Promise
      ? content.then((later) => ({ outcome: 'ok', output, content: later }))
      : { outcome: 'ok', output, content }
  }
  const shown = shownText(text, callId, limits)
  if (shown.cut || output === null) return { outcome: 'ok', output, content: shown.text }
  return { outcome: 'ok', output }
}

/** What the tool itself wants shown. Failing here must not turn what it did into a failure. */
function ownContent(
  tool: Tool | undefined,
  output: Json,
  report: (error: unknown) => void,
): string | readonly (Part | UserPart)[] | undefined {
  try {
    const content = tool?.['~definition'].toModelOutput?.(output)
    if (content === undefined || typeof content === 'string' || Array.isArray(content)) return content
    throw new RondoError(
      'ConfigInvalid',
      `toModelOutput of '${tool?.name}' must return a text or a list of parts; its output is shown instead.`,
    )
  } catch (error) {
    report(error)
    return undefined
  }
}

function shownContent(
  keep: Keep,
  content: string | readonly (Part | UserPart)[],
  callId: string,
  limits: ResultLimits,
  report: (error: unknown) => void,
): string | readonly Part[] | Promise<readonly Part[]> {
  if (typeof content === 'string') return shownText(content, callId, limits).text
  const kept = keptParts(keep, content, report)
  return kept instanceof Promise ? kept.then((parts) => shownParts(parts, callId, limits)) : shownParts(kept, callId, limits)
}

function shownText(text: string, callId: string, limits: ResultLimits) {
  return cutText(text, { maxBytes: limits.maxBytes, maxLines: limits.maxLines, reference: `call ${callId}` })
}

/** Texts that are too long together become one excerpt, before the other parts. */
function shownParts(parts: readonly Part[], callId: string, limits: ResultLimits): readonly Part[] {
  const shown = shownText(textOf({ role: 'user', parts }), callId, limits)
  return shown.cut ? excerptAndRest(shown.text, parts) : parts
}

function excerptAndRest(text: string, parts: readonly Part[]): readonly Part[] {
  return [{ type: 'text', text }, ...parts.filter((part) => part.type !== 'text')]
}

async function oversized(keep: Keep, limits: ResultLimits, text: string, report: (error: unknown) => void): Promise<SettlementData> {
  return { outcome: 'ok', output: await storedExcerpt(keep, limits, text, report) }
}

/** The tool has run: that the store can't keep the whole of its result must not look like a failure of the tool. */
async function storedExcerpt(keep: Keep, limits: ResultLimits, text: string, report: (error: unknown) => void): Promise<string> {
  // What the model may be shown can be more than what the journal keeps.
  const cut = { maxBytes: Math.min(limits.maxBytes, limits.maxStoredBytes), maxLines: limits.maxLines }
  try {
    const ref = await keep(new TextEncoder().encode(text))
    return cutText(text, { ...cut, reference: `blob ${ref}` }).text
  } catch (error) {
    report(error)
    return cutText(text, { ...cut, reference: 'not kept' }).text
  }
}

/** A result of parts: its text is the output, the parts are what the model is shown. The limits are those of any other result. */
export function contentSettlement(
  keep: Keep,
  callId: string,
  limits: ResultLimits,
  parts: readonly (Part | UserPart)[],
  isError: boolean,
  report: (error: unknown) => void,
): SettlementData | Promise<SettlementData> {
  const within = (given: readonly Part[]) => {
    const text = textOf({ role: 'user', parts: given })
    if (fitsBytes(text, limits.maxStoredBytes)) return partsSettlement(text, shownParts(given, callId, limits), isError, limits)
    return storedExcerpt(keep, limits, text, report).then((excerpt) =>
      partsSettlement(excerpt, excerptAndRest(excerpt, given), isError, limits),
    )
  }
  const kept = keptParts(keep, parts, report)
  return kept instanceof Promise ? kept.then(within) : within(kept)
}

function partsSettlement(text: string, content: readonly Part[], isError: boolean, limits: ResultLimits): SettlementData {
  if (!isError) return { outcome: 'ok', output: text, content }
  const message = text === '' ? 'The tool reported an error.' : cutText(text, { maxBytes: limits.maxBytes, maxLines: limits.maxLines }).text
  return { outcome: 'error', error: errorData('ToolExecutionError', message), content }
}
