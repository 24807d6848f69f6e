import { RondoError } from '../core/error.ts'
import type { Usage } from '../core/usage.ts'
import { type ErrorFacts, readErrorBody, readErrorValue } from './error-body.ts'
import { classify, type ErrorKind, kinds } from './error-kinds.ts'
import { markNotFound } from './not-found.ts'
import type { Overflow } from './overflow.ts'
import { requestIdOf } from './request-id.ts'
import { safeText, withoutSecrets } from './safe-text.ts'
import { shouldRetry } from './transport/retry-after.ts'

/** Whom a request went to, and what of it no error may show. */
export interface Answerer {
  /** The adapter's name for whom it talks to, e.g. `openai`. */
  readonly provider: string
  /** What the user gave the key in, e.g. `OPENAI_API_KEY`: named when the key is refused. Default: "the API key". */
  readonly keyName?: string | undefined
  /** Masked wherever the server's words hold one of them, the longest first (`secretsOf`). Default none. */
  readonly secrets?: readonly string[] | undefined
  /** The id that the headers of its response gave the request, once they have come. */
  readonly requestId?: (() => string | undefined) | undefined
}

/** A response that is no answer: an error status, or a body that can't be one. */
export interface HttpFailure extends Answerer {
  readonly status: number
  /** A header by its name, in any case. */
  header(name: string): string | undefined
  /** The body as text, or its beginning: the first 256 KiB are looked at. */
  readonly body: string
  /** What the header says of when to try again (ms). */
  readonly retryAfterMs?: number | undefined
  /** This server answers 400 and nothing else when the input is too long, as Cerebras does. Default false. */
  readonly emptyMeansOverflow?: boolean | undefined
}

/**
 * The error that a response is, classified for every provider in one place: by its codes and texts first, which know more than the
 * status, then by the status. Its message says who answered what to which request (its id, where the server
 * tells one) and what to do; it is one line of about 1,000 characters at most and holds no keys.
 */
export function httpError(failure: HttpFailure): RondoError {
  const facts = readErrorBody(withoutSecrets(failure.body, failure.secrets ?? []))
  const { kind, overflow } = classifyResponse(failure, facts)
  const from = { ...failure, requestId: () => requestIdOf((name) => failure.header(name)) }
  const message = wording(from, { kind, where: `HTTP ${failure.status}`, facts, overflow })
  const told = shouldRetry((name) => failure.header(name))
  return errorOf(kind, message, isRetryable(kind, told), finite(failure.retryAfterMs) ?? delayIn(facts))
}

/**
 * The error that stands in a response which began well (status 200): the parsed error object or event, whole or what is inside it, or a
 * line that is no JSON. Classified as `httpError` does, by the status that it names or, without one, by its words (B084, B107).
 */
export function streamError(value: unknown, from: Answerer): RondoError {
  const facts = readErrorValue(typeof value === 'string' ? withoutSecrets(value, from.secrets ?? []) : value)
  const { kind, overflow } = classify(facts, facts.status)
  const where = facts.status === undefined ? 'in the response' : `in the response, status ${facts.status}`
  return errorOf(kind, wording(from, { kind, where, facts, overflow }), kinds[kind].retryable, delayIn(facts))
}

/**
 * What came with a good status and is no answer of `api`: the error that it tells of, else that something answers there which does not
 * speak it. A wrong base URL leads to that, and no other attempt mends it.
 *
 * @param value What the body is as JSON; `undefined` when it is none.
 */
export function noAnswer(body: string, value: unknown, api: string, from: Answerer): RondoError {
  const facts = value === undefined ? readErrorBody(withoutSecrets(body, from.secrets ?? [])) : readErrorValue(value)
  const saysError = classify(facts, facts.status).kind !== 'server' || facts.status !== undefined
  if (saysError || (typeof value === 'object' && facts.text !== '')) return streamError(value ?? body, from)
  const said = safeText(body, 200, from.secrets) || 'nothing'
  return new RondoError(
    kinds.unknown.code,
    `What ${safeText(from.provider, 60)} sent is no answer of ${api}: ${sentence(said)} ${kinds.unknown.advice}`,
    { retryable: kinds.unknown.retryable },
  )
}

/** How a response ended that says nothing of an error. */
export interface QuietEnd extends Answerer {
  /** The provider's own word. */
  readonly finishReason: string | undefined
  /** Tokens, cached ones included; `undefined` when they were not told. */
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  /** Tokens. */
  readonly contextWindow?: number | undefined
}

/** The counts of an end, as far as they are known. */
export function countsOf({ complete, inputTokens, outputTokens }: Usage): Pick<QuietEnd, 'inputTokens' | 'outputTokens'> {
  return complete ? { inputTokens, outputTokens } : { inputTokens: undefined, outputTokens: undefined }
}

/**
 * The overflow that some servers pass over in silence (B120): z.ai tells more input tokens than the window has; MiMo cuts the input so that
 * it fills the window, and stops for length without a token. A server that cuts the input and then answers (Ollama) can't be caught: it
 * tells only what was left.
 */
export function quietOverflow(end: QuietEnd): RondoError | undefined {
  const { finishReason, inputTokens, outputTokens, contextWindow } = end
  const over = inputTokens !== undefined && contextWindow !== undefined && inputTokens > contextWindow
  const filled = inputTokens !== undefined && contextWindow !== undefined && inputTokens >= contextWindow * 0.99
  const isQuiet = over || (filled && finishReason === 'length' && outputTokens === 0)
  return isQuiet ? windowFilled(end) : undefined
}

/** Why an answer ended, in the words of Anthropic and Z.AI: what was said before is an answer that was cut. Without any the input filled the window. */
export const windowExceeded = 'model_context_window_exceeded'

/** The overflow that an end is which says nothing of an error. */
export function windowFilled(end: QuietEnd): RondoError {
  const { finishReason, inputTokens, contextWindow } = end
  const overflow: Overflow = {
    ...(inputTokens === undefined ? {} : { used: inputTokens }),
    ...(contextWindow === undefined ? {} : { limit: contextWindow }),
  }
  const facts = readErrorBody(finishReason === undefined ? '' : `it ended with ${finishReason}`)
  const where = 'HTTP 200, without an error'
  const message = wording(end, { kind: 'overflow', where, facts, overflow })
  return errorOf('overflow', message, false, undefined)
}

function classifyResponse({ status, body, emptyMeansOverflow }: HttpFailure, facts: ErrorFacts): ReturnType<typeof classify> {
  if (status === 400 && emptyMeansOverflow === true && body.trim() === '') return { kind: 'overflow', overflow: {} }
  if (status >= 400) return classify(facts, status)
  if (facts.isPage) return { kind: 'page' }
  return status >= 200 && status < 300 ? classify(facts, facts.status) : { kind: 'unknown' }
}

/** Kinds that no other attempt can mend, whatever a server says. */
const final: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['quota', 'auth', 'forbidden', 'overflow', 'blocked', 'tooLarge'])

function isRetryable(kind: ErrorKind, told: boolean | undefined): boolean {
  if (told === false) return false
  return kinds[kind].retryable || (told === true && !final.has(kind))
}

function errorOf(kind: ErrorKind, message: string, retryable: boolean, retryAfterMs: number | undefined): RondoError {
  const error = new RondoError(kinds[kind].code, message, { retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
  if (kind === 'model' || kind === 'notFound') markNotFound(error)
  return error
}

/** A delay that is no finite number is none: it would be a timer that fires at once (B105). */
function finite(ms: number | undefined): number | undefined {
  return ms !== undefined && Number.isFinite(ms) && ms >= 0 ? ms : undefined
}

const units: { readonly [unit: string]: number } = { ms: 1, s: 1_000, sec: 1_000, second: 1_000, seconds: 1_000, m: 60_000, h: 3_600_000 }

/** `Please try again in 1m2.5s`, `retry after 20 seconds`: in a stream there is no header that would say it. */
function delayIn({ retryAfterMs, text }: ErrorFacts): number | undefined {
  if (retryAfterMs !== undefined) return retryAfterMs
  const said = /(?:try again|retry) (?:in|after) (?<delay>(?:\d{1,6}(?:\.\d{1,9})? ?(?:ms|seconds|second|sec|[smh])(?![a-z]) ?)+)/i.exec(
    text.slice(0, 8_000),
  )
  const steps = said?.groups?.['delay']?.toLowerCase().matchAll(/(?<count>[\d.]+) ?(?<unit>[a-z]+)/g)
  if (steps === undefined) return undefined
  let ms = 0
  for (const { groups } of steps) ms += Number(groups?.['count']) * (units[groups?.['unit'] ?? ''] ?? 0)
  return Math.ceil(ms)
}

interface Said {
  readonly kind: ErrorKind
  readonly where: string
  readonly facts: ErrorFacts
  readonly overflow: Overflow | undefined
}

/** `openai does not accept the key (HTTP 401): Incorrect API key provided. Check OPENAI_API_KEY.` */
function wording({ provider, keyName, secrets, requestId = () => undefined }: Answerer, { kind, where, facts, overflow }: Said): string {
  const { says, advice } = kinds[kind]
  const numbers = overflow === undefined ? [] : overflowNumbers(overflow)
  const id = requestId() ?? facts.requestId
  const request = id === undefined ? [] : [`request ${safeText(id, 100, secrets)}`]
  const head = `${safeText(provider, 60)} ${says} (${[...numbers, where, ...request].join('; ')}): `
  const said = safeText(facts.text, 800, secrets) || codesOf(facts, secrets)
  return `${head}${sentence(said)}${advice === '' ? '' : ` ${advice.replace('KEY', () => keyName ?? 'the API key')}`}`
}

function sentence(said: string): string {
  return /[.!?…]$/.test(said) ? said : `${said}.`
}

function overflowNumbers({ used, limit, over }: Overflow): string[] {
  const parts = [
    used === undefined ? [] : [`${used} tokens`],
    limit === undefined ? [] : [`limit ${limit} tokens`],
    over === undefined ? [] : [`${over} tokens too many`],
  ]
  const told = parts.flat().join(', ')
  return told === '' ? [] : [told]
}

function codesOf({ words }: ErrorFacts, secrets: readonly string[] | undefined): string {
  return words.size === 0 ? 'it said no more' : safeText([...words.values()].join(', '), 200, secrets)
}
