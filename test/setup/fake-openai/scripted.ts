import type { ErrorCode } from '../../../src/core/error.ts'
import type { FinishReason, ModelDelta } from '../../../src/core/model.ts'
import type { ScriptedReply } from '../../../src/testing/scripted.ts'
import type { Answer, Break, Call, Piece, Raw, Reply } from './reply.ts'

/**
 * The reply of a scripted model as what a server would send for it, so that one script plays in process and over HTTP. What the API can't
 * say is an error here: whole parts, provider data, and whether an error inside a stream is to be tried again.
 */
export function fromScripted(reply: string | ScriptedReply): Reply {
  if (typeof reply === 'string') return reply
  const { fail, failAfter = 0, delayMs, usage } = reply
  const wait = delayMs === undefined ? {} : { delayMs }
  if (fail !== undefined && failAfter === 0) return { ...httpErrorFor(fail.code, fail), ...wait }
  const broken: { breaks?: Break } =
    reply.hang === true ? { breaks: { after: 0, with: 'hang' } } : fail === undefined ? {} : breakOff(fail, failAfter)
  const finish = reply.finish === undefined ? {} : { finish: rawFinish[reply.finish] }
  return { ...saying(reply), ...finish, ...(usage === undefined ? {} : { usage }), ...wait, ...broken }
}

/** `finish_reason` for each of ours. Chat Completions knows the first four; the others are what servers make up. */
const rawFinish: { readonly [reason in FinishReason]: string } = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  refusal: 'stop',
  'pause-turn': 'pause_turn',
  error: 'error',
  other: 'other',
}

function saying({ deltas, text, reasoning, calls, chunk, finish }: ScriptedReply): Answer {
  if (deltas !== undefined) return { pieces: deltas.map(pieceOf(deltas)) }
  const said = text === undefined ? {} : { [finish === 'refusal' ? 'refusal' : 'text']: piecesOfText(text, chunk) }
  return { ...said, ...(reasoning === undefined ? {} : { reasoning }), ...(calls === undefined ? {} : { calls: calls.map(callOf) }) }
}

function piecesOfText(text: string, size = Math.max(1, text.length)): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size))
}

function callOf({ name, input, id, rawInput }: NonNullable<ScriptedReply['calls']>[number]): Call {
  return { name, input, ...(rawInput === undefined ? {} : { rawInput }), ...(id === undefined ? {} : { id }) }
}

/** Parts are numbered over everything that a message holds, calls on the wire among themselves. */
function pieceOf(deltas: readonly ModelDelta[]): (delta: ModelDelta) => Piece {
  const calls = deltas.flatMap((delta) => (delta.type === 'call' ? [delta.part] : []))
  return (delta) => {
    switch (delta.type) {
      case 'text':
        return { text: delta.text }
      case 'reasoning':
        return { reasoning: delta.text }
      case 'call':
        return {
          call: calls.indexOf(delta.part),
          name: delta.toolName,
          ...(delta.providerCallId === undefined ? {} : { id: delta.providerCallId }),
        }
      case 'call-input':
        return { call: calls.indexOf(delta.part), arguments: delta.text }
      default:
        throw new Error(`Chat Completions can't say a delta of type ${delta.type}`)
    }
  }
}

interface WireError {
  readonly status: number
  readonly type: string
  readonly code: string | null
}

/** How a server says each class of error. An answer that nobody can classify is a page: `ModelUnknownError`. */
const errors: { readonly [code in ErrorCode]?: WireError } = {
  ModelRateLimited: { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
  ModelQuotaExceeded: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  ModelAuthError: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  ModelBadRequest: { status: 400, type: 'invalid_request_error', code: null },
  ModelContextOverflow: { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
  ModelContentBlocked: { status: 400, type: 'invalid_request_error', code: 'content_filter' },
  ModelServerError: { status: 500, type: 'server_error', code: null },
  ModelTimeout: { status: 504, type: 'timeout_error', code: null },
}

type Failure = NonNullable<ScriptedReply['fail']>

function wireError(code: ErrorCode): WireError {
  const error = errors[code]
  if (error === undefined) throw new Error(`a server can't say ${code} there`)
  return error
}

function httpErrorFor(code: ErrorCode = 'ModelServerError', { message = 'scripted failure', retryable, retryAfterMs }: Failure): Raw {
  if (code === 'ModelUnknownError') return { status: 200, contentType: 'text/html', body: `<html><title>${message}</title></html>` }
  const { status, ...error } = wireError(code)
  const headers = {
    ...(retryable === undefined ? {} : { 'x-should-retry': String(retryable) }),
    ...(retryAfterMs === undefined ? {} : { 'retry-after-ms': String(retryAfterMs) }),
  }
  return { status, headers, body: { error: { message, param: null, ...error } } }
}

function breakOff({ code = 'ModelServerError', message = 'scripted failure' }: Failure, after: number): { breaks: Break } {
  const { status: _status, ...error } = wireError(code)
  return { breaks: { after, with: 'error', error: { error: { message, param: null, ...error } } } }
}
