import type { ErrorCode } from '../../core/error.ts'
import type { FinishReason, ModelDelta } from '../../core/model.ts'
import type { ScriptedReply } from '../scripted.ts'
import type { Answer, Break, Call, Piece, Raw, Reply } from './reply.ts'

/** How an API says what a script means. */
export interface Words {
  /** The raw finish reason for each of ours. */
  readonly finish: { readonly [reason in FinishReason]: string }
  /** Whether a refusal is told in a field of its own beside the text; else by its finish reason. */
  readonly refusalField: boolean
  readonly errors: { readonly [code in ErrorCode]?: WireError }
  /** The body of an error, and what stands in a stream in its place. */
  errorBody(message: string, error: WireError): unknown
  /** The name of its event in a stream. Default: none. */
  readonly errorEvent?: string
}

export interface WireError {
  readonly status: number
  readonly type: string
  readonly code: string | null
}

/**
 * The reply of a scripted model as what a server would send for it, so that one script plays in process and over HTTP. What the API can't
 * say is an error here: whole parts, provider data, and whether an error inside a stream is to be tried again.
 */
export function fromScripted(reply: string | ScriptedReply, words: Words): Reply {
  if (typeof reply === 'string') return reply
  const { fail, failAfter = 0, delayMs, usage } = reply
  const wait = delayMs === undefined ? {} : { delayMs }
  if (fail !== undefined && failAfter === 0) return { ...httpErrorFor(words, fail), ...wait }
  const broken: { breaks?: Break } =
    reply.hang === true ? { breaks: { after: 0, with: 'hang' } } : fail === undefined ? {} : breakOff(words, fail, failAfter)
  const finish = reply.finish === undefined ? {} : { finish: words.finish[reply.finish] }
  return { ...saying(reply, words), ...finish, ...(usage === undefined ? {} : { usage }), ...wait, ...broken }
}

function saying({ deltas, text, reasoning, calls, chunk, finish }: ScriptedReply, { refusalField }: Words): Answer {
  if (deltas !== undefined) return { pieces: deltas.map(pieceOf(deltas)) }
  const said = text === undefined ? {} : { [finish === 'refusal' && refusalField ? 'refusal' : 'text']: piecesOfText(text, chunk) }
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
        throw new Error(`No API can say a delta of type ${delta.type}`)
    }
  }
}

type Failure = NonNullable<ScriptedReply['fail']>

function wireError({ errors }: Words, code: ErrorCode): WireError {
  const error = errors[code]
  if (error === undefined) throw new Error(`a server can't say ${code} there`)
  return error
}

function httpErrorFor(words: Words, failure: Failure): Raw {
  const { code = 'ModelServerError', message = 'scripted failure', retryable, retryAfterMs } = failure
  if (code === 'ModelUnknownError') return { status: 200, contentType: 'text/html', body: `<html><title>${message}</title></html>` }
  const error = wireError(words, code)
  const headers = {
    ...(retryable === undefined ? {} : { 'x-should-retry': String(retryable) }),
    ...(retryAfterMs === undefined ? {} : { 'retry-after-ms': String(retryAfterMs) }),
  }
  return { status: error.status, headers, body: words.errorBody(message, error) }
}

function breakOff(words: Words, { code = 'ModelServerError', message = 'scripted failure' }: Failure, after: number): { breaks: Break } {
  const error = words.errorBody(message, wireError(words, code))
  return { breaks: { after, with: 'error', error, ...(words.errorEvent === undefined ? {} : { event: words.errorEvent }) } }
}
