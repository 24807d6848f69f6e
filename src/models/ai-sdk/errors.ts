import { type ErrorCode, messageOf, RondoError } from '../../core/error.ts'
import { parsedUrl } from '../../core/url.ts'
import { type Answerer, httpError, noAnswer, streamError } from '../errors.ts'
import { safeText } from '../safe-text.ts'
import { secretsOf } from '../secrets.ts'
import { isTls } from '../transport/failure.ts'
import { retryAfterMs } from '../transport/retry-after.ts'
import { incomplete } from '../unusable.ts'
import { isWire, type Wire } from '../wire.ts'

/**
 * What a package threw, or put into its stream, as an error of ours: recognised by its marks and not by its class, as every package has a copy of the
 * classes; what a provider has answered is classified as everywhere.
 */
export function errorOf(thrown: unknown, from: Answerer): RondoError {
  if (RondoError.is(thrown)) return thrown
  const error = lastOf(thrown)
  if (RondoError.is(error)) return error
  if (!(error instanceof Error) && !isMarked(error)) return streamError(error, from)
  if (!isWire(error)) return unknown(error, from)
  const status = error['statusCode']
  if (typeof status === 'number') return answered(error, status, from)
  const known = byMark(error, from)
  if (known !== undefined) return known
  const broken = connectionError(error, from)
  return broken ?? unknown(error, from)
}

/** Of several attempts (a package may make its own) the last one counts. */
function lastOf(thrown: unknown): unknown {
  return isWire(thrown) && 'lastError' in thrown && thrown['lastError'] !== undefined ? thrown['lastError'] : thrown
}

const mark = Symbol.for('vercel.ai.error')

function isMarked(error: unknown, name?: string): boolean {
  const symbol = name === undefined ? mark : Symbol.for(`vercel.ai.error.${name}`)
  return typeof error === 'object' && error !== null && symbol in error
}

/** A response that was no answer. */
function answered(error: Wire, status: number, from: Answerer): RondoError {
  const { responseBody, responseHeaders, url, message } = error
  const headers = isWire(responseHeaders)
    ? new Map(Object.entries(responseHeaders).map(([name, value]) => [name.toLowerCase(), value]))
    : new Map()
  const header = (name: string) => {
    const value: unknown = headers.get(name.toLowerCase())
    return typeof value === 'string' ? value : undefined
  }
  const secrets = [...(from.secrets ?? []), ...(typeof url === 'string' && parsedUrl(url) !== undefined ? secretsOf({}, url) : [])]
  const whom = { ...from, secrets: secrets.sort((a, b) => b.length - a.length) }
  if (status >= 200 && status < 300) return unread(error, whom)
  const body = typeof responseBody === 'string' && responseBody !== '' ? responseBody : String(message ?? '')
  return httpError({ status, header, body, ...whom, retryAfterMs: retryAfterMs(header, Date.now()) })
}

/** A body that the package could not read though its status was good. */
function unread({ responseBody, cause }: Wire, from: Answerer): RondoError {
  const text = typeof responseBody === 'string' ? responseBody : isWire(cause) && typeof cause['text'] === 'string' ? cause['text'] : ''
  if (text.trim() === '') return incomplete(`${from.provider} answered with nothing`)
  const value = jsonOf(text)
  if (value === undefined && /^\s*[{[]/.test(text)) return incomplete(`The response of ${from.provider} is JSON without its end`)
  return noAnswer(text, value, 'the API that its package speaks', from)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const codes: readonly (readonly [name: string, code: ErrorCode])[] = [
  ['AI_LoadAPIKeyError', 'ModelAuthError'],
  ['AI_LoadSettingError', 'ConfigInvalid'],
  ['AI_NoSuchModelError', 'ModelBadRequest'],
  ['AI_NoSuchProviderError', 'ModelBadRequest'],
  ['AI_NoSuchProviderReferenceError', 'ModelBadRequest'],
  ['AI_UnsupportedFunctionalityError', 'ModelBadRequest'],
  ['AI_InvalidPromptError', 'ModelBadRequest'],
  ['AI_InvalidArgumentError', 'ModelBadRequest'],
  ['AI_TooManyEmbeddingValuesForCallError', 'ModelBadRequest'],
  ['AI_EmptyResponseBodyError', 'ModelServerError'],
  ['AI_InvalidResponseDataError', 'ModelServerError'],
  ['AI_NoContentGeneratedError', 'ModelServerError'],
]

function byMark(error: Wire, from: Answerer): RondoError | undefined {
  // What is no event of the API for the package may be an error in a form that it does not know.
  if (isMarked(error, 'AI_TypeValidationError')) return saysError(error['value']) ? streamError(error['value'], from) : garbled(error, from)
  if (isMarked(error, 'AI_JSONParseError'))
    return typeof error['text'] === 'string' ? streamError(error['text'], from) : garbled(error, from)
  const known = codes.find(([name]) => isMarked(error, name))
  return known === undefined ? undefined : new RondoError(known[1], said(error, from), { cause: error })
}

function saysError(value: unknown): boolean {
  return isWire(value) && (isWire(value['error']) || typeof value['error'] === 'string' || value['type'] === 'error')
}

/** Gemini refuses a prompt with an answer without candidates, and its package tells that as a finish without a reason, with this beside it. */
export function refusedPrompt(metadata: unknown, from: Answerer): RondoError | undefined {
  const feedback = isWire(metadata) ? Object.values(metadata).flatMap((own) => (isWire(own) ? [own['promptFeedback']] : [])) : []
  const reason = feedback.map((one) => (isWire(one) ? one['blockReason'] : undefined)).find((one) => typeof one === 'string')
  if (reason === undefined) return undefined
  return new RondoError('ModelContentBlocked', `${from.provider} refused the content of the prompt (${safeText(String(reason), 60)}).`)
}

function garbled(error: Wire, from: Answerer): RondoError {
  return new RondoError('ModelServerError', `The response of ${from.provider} is garbled: ${said(error, from)}`, { cause: error })
}

/** Limits of the runtime's fetch, and those of a fetch of the user's. */
const timeouts: ReadonlySet<unknown> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'])

/** Of systems, sockets and TLS. Other `ERR_…` are of a runtime that was asked for what can't be, as an invalid URL. */
const networkCode = /^(?:E(?!RR_)[A-Z_]+|ERR_(?:STREAM|HTTP2|SOCKET|SSL|TLS)_\w+|UND_ERR_(?!INVALID|NOT_SUPPORTED)\w+|HPE_\w+|Z_\w+)$/

/** A request that was not answered, or whose answer broke off. */
function connectionError(error: Wire, from: Answerer): RondoError | undefined {
  const code = codeOf(error)
  const isCall = isMarked(error, 'AI_APICallError')
  // A package's own error holds the URL, which may hold a key, and all that was said.
  const cause = isCall ? error['cause'] : error
  const shown = `${said(error, from)}${code === undefined ? '' : ` (${code})`}`
  if (timeouts.has(code) || error['name'] === 'TimeoutError')
    return new RondoError('ModelTimeout', `${from.provider}: a time limit of its package's fetch fired: ${shown}`, { cause })
  if (isTls(code)) return new RondoError('ModelServerError', `No TLS connection to ${from.provider}: ${shown}`, { cause, retryable: false })
  const isNetwork = code !== undefined && networkCode.test(code)
  if (
    !isCall &&
    !isNetwork &&
    error['name'] !== 'AbortError' &&
    !/^(?:fetch failed|terminated|network error)$/i.test(String(error['message']))
  )
    return undefined
  const retryable = !isCall || isNetwork || error['isRetryable'] !== false
  return new RondoError('ModelServerError', `The request to ${from.provider} failed on the way: ${shown}`, { cause, retryable })
}

/** The first code along the chain of causes. */
function codeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 5) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  if ('errors' in error && Array.isArray(error.errors)) return codeOf(error.errors[0], depth + 1)
  return 'cause' in error ? codeOf(error.cause, depth + 1) : undefined
}

function unknown(error: unknown, from: Answerer): RondoError {
  return new RondoError('ModelUnknownError', `The package of ${from.provider} failed: ${said(error, from)}`, {
    cause: error,
    retryable: false,
  })
}

function said(error: unknown, { secrets }: Answerer): string {
  return safeText(messageOf(error), 500, secrets) || 'it said no more'
}
