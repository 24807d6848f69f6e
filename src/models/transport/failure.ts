import { RondoError } from '../../core/error.ts'
import { safeText } from '../safe-text.ts'
import { secretsOf } from '../secrets.ts'
import type { Place } from './place.ts'
import type { HttpRequest, Timeouts } from './transport.ts'

const number = (value: number) => value.toLocaleString('en-US')

export function timedOut(limit: keyof Timeouts, ms: number, { label }: Place): RondoError {
  const within = `${number(ms)} ms`
  const what = {
    connectMs: `No connection to ${label} within ${within}`,
    firstByteMs: `${label} did not begin to answer within ${within}`,
    idleMs: `${label} sent nothing for ${within} in the middle of its answer`,
    totalMs: `The request to ${label} was not done within ${within}`,
  }[limit]
  return new RondoError('ModelTimeout', `${what}. The limit is timeouts.${limit}: raise it if the server needs longer.`)
}

export function aborted(reason: unknown): RondoError {
  return new RondoError('RunAborted', 'The request to the model was aborted.', { cause: reason })
}

/** Another attempt would run on as this one, at full price. */
export function tooLarge(maxBytes: number, { label }: Place): RondoError {
  const message = `The answer of ${label} is larger than ${number(maxBytes)} bytes (limit maxResponseBytes).`
  return new RondoError('ModelServerError', message, { retryable: false })
}

/** Not followed: the API key would go to whatever host the answer names, and a POST would become a GET on the way. */
export function redirected(status: number, target: string | undefined, { label }: Place): RondoError {
  const to = target === undefined ? 'elsewhere' : `to ${target}`
  return new RondoError(
    'ModelBadRequest',
    `${label} answered ${status}, a redirect ${to}. It is not followed, because that would send your key there: set baseURL to where the API is.`,
  )
}

export function unknownEncoding(encoding: string, { label }: Place): RondoError {
  return new RondoError(
    'ModelServerError',
    `${label} answered with content-encoding "${safeText(encoding, 60)}", which can't be decoded here.`,
    {
      retryable: false,
    },
  )
}

/** The runtime refused to send the request. For a bad header its error is neither quoted nor kept: undici's holds the value, so the API key. */
export function badRequest(cause: unknown, request: HttpRequest, { label }: Place): RondoError {
  const bad = Object.entries(request.headers).find(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value))?.[0]
  const start = `The request to ${label} can't be sent:`
  if (bad === undefined) return new RondoError('ConfigInvalid', `${start} ${said(cause, request)}`, { cause })
  const message = `${start} the value of the header "${bad}" has a line break or another character that HTTP does not allow.`
  return new RondoError('ConfigInvalid', message)
}

/** What went wrong between here and the server, from the error of the runtime. `received`: bytes of the body; `undefined`: no answer had begun. */
export function broken(cause: unknown, request: HttpRequest, place: Place, received: number | undefined): RondoError {
  if (RondoError.is(cause)) return cause
  const given = codeOf(cause)
  const code = given ?? codeInWords(cause)
  const shown = given ?? said(cause, request)
  const hidden = runtimeLimits.find((limit) => limit === code)
  if (hidden !== undefined)
    return new RondoError('ModelTimeout', `${place.label}: a time limit of the given fetch fired (${hidden}). ${ownFetch}`, { cause })
  if (isTls(code)) return new RondoError('ModelServerError', tlsMessage(shown, place, code), { cause, retryable: false })
  const what = received === undefined ? beforeAnswer(code, shown, place) : duringAnswer(code, shown, place, received)
  return new RondoError('ModelServerError', what, { cause })
}

/** What a runtime says, without what of a request or of any URL can hold a key: of URLs scheme, host and port are left. */
function said(cause: unknown, { headers, url }: HttpRequest): string {
  const error = innermost(cause)
  if (error === undefined) return 'no reason given'
  const { pathname, search } = new URL(url)
  const bare = error.message.replace(/\b(https?:\/\/)(?:[^\s/@"'<>]*@)?([^\s/?#"'<>)]+)[^\s"'<>)]*/gi, '$1$2')
  const placeless = [pathname + search, pathname]
    .filter((part) => part.length > 1)
    .reduce((left, part) => left.replaceAll(part, '/…'), bare)
  return safeText(placeless, 300, secretsOf(headers, url))
}

/** Who wraps an error says little himself: "fetch failed". */
function innermost(error: unknown, depth = 0): Error | undefined {
  if (!(error instanceof Error)) return undefined
  return (depth < maxDepth ? innermost(error.cause, depth + 1) : undefined) ?? error
}

/** Limits that undici, the fetch of Node, has of its own (300 s), whatever a caller wants (B137). */
const runtimeLimits = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT']
const ownFetch =
  'Leave out `fetch`, so that only the timeouts set here hold, or give it a dispatcher with headersTimeout: 0 and bodyTimeout: 0.'

function beforeAnswer(code: string | undefined, shown: string, { label, loopback }: Place): string {
  if (code === 'ECONNREFUSED') return `Nothing answers at ${label} (${shown}). ${loopback ? 'Is the server running?' : 'Check baseURL.'}`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The host of ${label} can't be found (${shown}). Check baseURL and the network.`
  if (code?.startsWith('HPE_')) return `${label} answered with something that is not HTTP (${shown}). Check baseURL (http or https?).`
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET')
    return `${label} closed the connection without an answer (${shown}).`
  return `${label} can't be reached (${shown}). Check baseURL and the network.`
}

function duringAnswer(code: string | undefined, shown: string, { label }: Place, received: number): string {
  if (code?.startsWith('Z_') && code !== 'Z_BUF_ERROR') return `The answer of ${label} can't be decompressed (${shown}).`
  return `The answer of ${label} is incomplete: it broke off after ${number(received)} bytes (${shown}).`
}

function tlsMessage(shown: string, { label }: Place, code = ''): string {
  const what = `No TLS connection to ${label} (${shown}).`
  if (/SELF_SIGNED|ISSUER|VERIFY/.test(code))
    return `${what} If its certificate is signed by an authority of your own, name that in NODE_EXTRA_CA_CERTS.`
  return /EPROTO|WRONG_VERSION|PACKET_LENGTH/.test(code) ? `${what} Does the server speak https, or should baseURL be http://?` : what
}

/** Codes of OpenSSL's certificate checks and of Node's TLS; trying again does not mend any of them. */
export function isTls(code: string | undefined): boolean {
  return /^(?:ERR_(?:TLS|SSL)_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$|INVALID_|EPROTO$)/.test(code ?? '')
}

const maxDepth = 5

/** The first code along the chain of causes: fetch wraps it, and several attempts to connect come as an AggregateError. */
function codeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > maxDepth) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  if ('errors' in error && Array.isArray(error.errors)) return codeOf(error.errors[0], depth + 1)
  return 'cause' in error ? codeOf(error.cause, depth + 1) : undefined
}

/** Deno's fetch has words and no codes, those of hyper and rustls. Each stands for the code that Node has for the same. */
const codesOfWords: readonly (readonly [words: RegExp, code: string])[] = [
  [/\(Connect\): tcp connect error: Connection refused/, 'ECONNREFUSED'],
  [/\(Connect\): dns error/, 'ENOTFOUND'],
  [/\(Connect\): invalid peer certificate/, 'CERT_UNTRUSTED'],
  [/\(Connect\): received corrupt message/, 'EPROTO'],
]

function codeInWords(error: unknown): string | undefined {
  const message = innermost(error)?.message ?? ''
  return codesOfWords.find(([words]) => words.test(message))?.[1]
}
