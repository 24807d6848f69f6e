import { isMarkup, pageText } from './safe-text.ts'

/** What an error of a provider says, whatever its shape. */
export interface ErrorFacts {
  /** The server's own words, not yet fit to be shown; empty when it said nothing. */
  readonly text: string
  /** The text without what it quotes, for a look at its wording. */
  readonly plain: string
  /** Its codes, types and reasons as it spelt them, by one spelling: `RATE_LIMIT_EXCEEDED` and `RateLimitExceeded` are both `ratelimitexceeded`. */
  readonly words: ReadonlyMap<string, string>
  /** The HTTP status that stands inside (400 to 599). */
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  /** The id of the request, where the body tells it (Anthropic); not yet fit to be shown. */
  readonly requestId: string | undefined
  /** Tokens, as fields of their own (llama.cpp and ds4). */
  readonly promptTokens: number | undefined
  readonly contextTokens: number | undefined
  /** It was a page of markup: of some proxy or login, not of the API. */
  readonly isPage: boolean
}

/** What the body of an error response says. */
export function readErrorBody(body: string): ErrorFacts {
  const text = body
    .slice(0, maxUnits)
    .replace(/^\ufeff/, '')
    .trim()
  const found = nothing()
  readText(found, text, 0)
  if (found.texts.length === 0 && found.words.size === 0 && !found.isPage) say(found, text)
  return factsOf(found)
}

/** What an error object inside a response says: parsed JSON, or a line of text. */
export function readErrorValue(value: unknown): ErrorFacts {
  if (typeof value === 'string') return readErrorBody(value)
  const found = nothing()
  read(found, value, 0)
  return factsOf(found)
}

const maxUnits = 256 * 1024
const maxDepth = 8
const maxItems = 8

const wordKeys = ['code', 'type', 'status', 'reason', 'error_type', 'error_code', 'errorType', '__type', 'quotaId', 'quota_limit']
const statusKeys = ['code', 'status', 'status_code', 'statusCode', 'raw_status_code']
/** The first that holds a text speaks for its object: an `error: 'Bad Request'` beside a `message` says nothing more. */
const textKeys = ['message', 'msg', 'error_description', 'errorMessage', 'status_msg', 'error', 'detail', 'title']
/** Where errors stand inside others: envelopes of servers and gateways (OpenRouter hands on the upstream's body as `metadata.raw`), events. */
const innerKeys = [
  'error',
  'errors',
  'detail',
  'message',
  'response',
  'base_resp',
  'metadata',
  'raw',
  'details',
  'violations',
  'innererror',
]

/** What was gathered so far, on a walk from the outside to the inside: the first number wins. */
interface Found {
  readonly texts: string[]
  readonly words: Map<string, string>
  isPage: boolean
  status: number | undefined
  retryAfterMs: number | undefined
  requestId: string | undefined
  promptTokens: number | undefined
  contextTokens: number | undefined
}

function nothing(): Found {
  const numbers = { status: undefined, retryAfterMs: undefined, requestId: undefined, promptTokens: undefined, contextTokens: undefined }
  return { texts: [], words: new Map(), isPage: false, ...numbers }
}

function factsOf({ texts, ...found }: Found): ErrorFacts {
  const text = texts.join('; ')
  return { ...found, text, plain: withoutQuotes(text) }
}

/**
 * Servers quote what they were sent, and a user may have written about any error: what stands in quotes says nothing. It does where a
 * gateway prints the error of another as a Python object (`'message': "This model's maximum …"`).
 */
function withoutQuotes(text: string): string {
  const quoted = /(^|[\s([{=,:])(?<!message['"]:\s?)(["'`])(?=\S)(?!max_tokens).{0,2000}?\S\2(?=$|[\s)\]}.,:;])/gs
  return text.slice(0, 8_000).replace(quoted, '$1')
}

function read(found: Found, value: unknown, depth: number): void {
  if (depth > maxDepth) return
  if (typeof value === 'string') readText(found, value, depth)
  else if (Array.isArray(value)) for (const item of value.slice(0, maxItems)) read(found, item, depth + 1)
  else if (isRecord(value)) readObject(found, value, depth)
}

/** A text, JSON in a text, an event stream, or a page. */
function readText(found: Found, text: string, depth: number): void {
  const json = jsonIn(text)
  if (json !== undefined && depth < maxDepth) return read(found, json, depth + 1)
  found.isPage ||= isMarkup(text)
  say(found, isMarkup(text) ? pageText(text) : text.trim())
}

function readObject(found: Found, value: Readonly<Record<string, unknown>>, depth: number): void {
  for (const key of wordKeys) readWord(found, value[key])
  for (const key of statusKeys) found.status ??= statusOf(value[key])
  found.retryAfterMs ??= delayOf(value['retryDelay']) ?? seconds(value['retry_after'])
  found.requestId ??= textOf(value['request_id'])
  found.promptTokens ??= tokens(value['n_prompt_tokens'])
  found.contextTokens ??= tokens(value['n_ctx'])
  const textKey = textKeys.find((key) => typeof value[key] === 'string' && value[key] !== '')
  if (textKey === 'error') readWord(found, value['error'])
  // Google's `details` repeat the message, and hold debug information that is nobody's business.
  if (textKey !== undefined && value['@type'] === undefined) read(found, located(value, textKey), depth + 1)
  for (const key of innerKeys) if (isInner(key, value[key])) read(found, value[key], depth + 1)
}

/** A second text in an object is read only where it is known to tell more than the first. */
function isInner(key: string, value: unknown): boolean {
  return typeof value === 'object' ? value !== null : key === 'raw' || key === 'details'
}

/** A FastAPI issue says where: `body.messages.0: Field required`. Its `input` is what the user sent and is not repeated. */
function located(value: Readonly<Record<string, unknown>>, key: string): unknown {
  const { loc } = value
  const text = value[key]
  return Array.isArray(loc) && typeof text === 'string' ? `${loc.slice(0, maxItems).join('.')}: ${text}` : text
}

function say(found: Found, text: string): void {
  if (text !== '' && !found.texts.includes(text)) found.texts.push(text)
}

function readWord(found: Found, value: unknown): void {
  if (typeof value !== 'string' && typeof value !== 'number') return
  // AWS names its types `com.amazonaws.…#ThrottlingException`.
  const name = String(value).slice(0, 200).replace(/^.*#/, '')
  const word = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  if (word !== '' && word !== 'error') found.words.set(word, name)
}

/**
 * The JSON that a text is, or that a gateway has wrapped in words (`OpenAIException - {"error":…}`), or that stands in an event. JSON in
 * words counts only when it is an error's envelope: it may be something that a user said.
 */
function jsonIn(text: string): unknown {
  const trimmed = text.trim()
  if (/^["{[]/.test(trimmed)) return parsed(trimmed)
  if (/^(?:event|data|error):/.test(trimmed)) return parsed(/^(?:data|error): ?(?<json>[{[].*)$/m.exec(trimmed)?.groups?.['json'])
  const begin = trimmed.search(/\{\s*"(?:error"|type"\s*:\s*"error")/)
  return begin < 0 ? undefined : parsed(trimmed.slice(begin, trimmed.lastIndexOf('}') + 1))
}

function parsed(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? '')
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Azure writes its status as a text. */
function statusOf(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined
}

/** A `google.protobuf.Duration` in JSON: `34.4s`. */
function delayOf(value: unknown): number | undefined {
  return typeof value === 'string' && /^\d{1,9}(?:\.\d{1,9})?s$/.test(value) ? Math.ceil(Number.parseFloat(value) * 1_000) : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function seconds(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < 1e9 ? Math.ceil(value * 1_000) : undefined
}

function tokens(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
