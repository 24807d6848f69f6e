import type { ErrorCode } from '../../../src/core/error.ts'
import { type AnyJson, json, known, type ReadError, type Recorded } from './reading.ts'

/**
 * Kinds of errors by what stands in the body, the first that fits. They are the words of the APIs' references and of the recordings.
 * Quota goes before rate and rate before overflow: all three speak of tokens.
 */
const words: readonly (readonly [RegExp, ErrorCode])[] = [
  [/insufficient_quota|insufficient (balance|credits)|credit balance is too low|billing_error|PerDay/i, 'ModelQuotaExceeded'],
  [/rate_limit|RESOURCE_EXHAUSTED|rate limit reached/i, 'ModelRateLimited'],
  [
    /context_length_exceeded|maximum context length|context length is only|prompt (is )?too long|context size|exceeds the context window/i,
    'ModelContextOverflow',
  ],
  // The other wordings of appendix A of the field reports.
  [
    /input token count|request_too_large|exceed context limit|maximum (allowed input|prompt) length|reduce the length of the messages|longer than the model's context/i,
    'ModelContextOverflow',
  ],
  [
    /too large for model|greater than the context length|context window exceeds|exceeded model token limit|range of input length|input is too long/i,
    'ModelContextOverflow',
  ],
  [/prompt token count of \d+ exceeds|no user query found in messages/i, 'ModelContextOverflow'],
  [/tool_use_failed/, 'ModelServerError'],
  [/content_filter|content_policy/, 'ModelContentBlocked'],
  [
    /invalid_api_key|incorrect api key|authentication_error|invalid api key|API_KEY_INVALID|permission_error|PERMISSION_DENIED|UNAUTHENTICATED/i,
    'ModelAuthError',
  ],
  [/timeout_error|DEADLINE_EXCEEDED/, 'ModelTimeout'],
  [/requires --jinja/, 'ModelBadRequest'],
]

const statuses: { readonly [status: number]: ErrorCode } = {
  401: 'ModelAuthError',
  402: 'ModelQuotaExceeded',
  403: 'ModelAuthError',
  408: 'ModelServerError',
  409: 'ModelServerError',
  413: 'ModelContextOverflow',
  425: 'ModelServerError',
  429: 'ModelRateLimited',
}

/** The error of a response whose status says that it is one. */
export function statusError({ status, body, header }: Recorded): ReadError {
  return { ...errorOf(body, status), ...known<{ retryAfterMs?: number }>({ retryAfterMs: retryAfter(header) ?? delayIn(body) }) }
}

/** The error inside a response that began well. Its own `code` or `status` counts where it is that of an HTTP response. */
export function errorInside(value: AnyJson): ReadError {
  const error = value?.error ?? value
  const inside = [error?.status_code, error?.status, error?.code, value?.code, value?.status]
    .map(Number)
    .find((one) => one >= 400 && one < 600)
  return errorOf(typeof value === 'string' ? value : JSON.stringify(value), inside)
}

/** A response that ended before its end. */
export const broken: ReadError = { code: 'ModelServerError' }

/** A response without an answer: one that broke off, or what is none, JSON or a page, for who knows what sent that. */
export function noAnswerIn(body: string): ReadError {
  const text = body.trim()
  const isNone = json(text) !== undefined || !/^$|^[{[]|^(?:data|event|id|retry)?:/m.test(text)
  return isNone ? { code: 'ModelUnknownError' } : broken
}

function errorOf(text: string, status: number | undefined): ReadError {
  const code = words.find(([said]) => said.test(text))?.[1] ?? byStatus(status, text)
  return code === 'ModelContextOverflow' ? { code, ...numbersIn(text) } : { code }
}

function byStatus(status: number | undefined, text: string): ErrorCode {
  if (status === undefined)
    return /invalid_(?:request|prompt|(?:base64_)?image)|image_(?:too|parse|file)|empty_image|not_found/.test(text)
      ? 'ModelBadRequest'
      : 'ModelServerError'
  return statuses[status] ?? (status >= 499 ? 'ModelServerError' : 'ModelBadRequest')
}

/** The wordings in the recordings; a limit on input and output together is none on the input. */
const overflows: readonly RegExp[] = [
  /(?<used>\d+) tokens > (?<limit>\d+)/,
  // Of what was requested, the first number is the output.
  /maximum context length is (?<limit>\d+) tokens\. However, you requested \d+ output tokens and your prompt contains at least (?<used>\d+)/,
  /maximum context length is (?<limit>\d+) tokens\. However, you requested (?:about )?(?<used>\d+)/,
  /context length is only (?<limit>\d+)/,
]

function numbersIn(text: string): Pick<ReadError, 'used' | 'limit'> {
  const facts = json(text)?.error ?? {}
  if (typeof facts.n_ctx === 'number') return { used: facts.n_prompt_tokens, limit: facts.n_ctx }
  const said = overflows.map((wording) => wording.exec(text)?.groups).find((groups) => groups !== undefined) ?? {}
  return Object.fromEntries(Object.entries<string>(said).map(([name, digits]) => [name, Number(digits)]))
}

function retryAfter(header: Recorded['header']): number | undefined {
  const ms = header('retry-after-ms')
  if (ms !== undefined && Number(ms) >= 0) return Number(ms)
  const seconds = header('retry-after')
  return seconds !== undefined && Number(seconds) >= 0 ? Number(seconds) * 1_000 : undefined
}

/** Google's `retryDelay`. */
function delayIn(body: string): number | undefined {
  const said = /"retryDelay": ?"([\d.]+)s"/.exec(body)?.[1]
  return said === undefined ? undefined : Math.ceil(Number(said) * 1_000)
}
