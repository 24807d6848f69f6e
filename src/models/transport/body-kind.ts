/** What a body is, as far as its first bytes and its content type tell. */
export type BodyKind = 'event-stream' | 'json' | 'ndjson' | 'html' | 'unknown'

const byType: readonly (readonly [RegExp, BodyKind])[] = [
  [/^text\/event-stream$/, 'event-stream'],
  [/^application\/(?:x-ndjson|ndjson|x-jsonlines|jsonlines|jsonl|stream\+json)$/, 'ndjson'],
  [/^(?:application\/json|text\/json|.+\+json)$/, 'json'],
  [/^(?:text\/html|application\/xhtml\+xml)$/, 'html'],
]

const decoder = new TextDecoder()
/** 'd' */
const dataBegin = 0x64

/**
 * Servers and gateways send a login page with status 200, a whole JSON answer to a request for a stream, a stream to a request for JSON
 * (B089, B090), and name any of them `text/event-stream` or `text/plain`. So the first bytes decide where they can: no event stream
 * begins with a brace, no JSON with `data:`. `json` with more than one line may be JSON lines; only the caller knows what it asked for.
 *
 * @param start the first bytes of the body; a few are enough. Empty: the content type alone decides.
 */
export function bodyKind(contentType: string | undefined, start: Uint8Array): BodyKind {
  // What nearly every stream is.
  if (start[0] === dataBegin && contentType?.startsWith('text/event-stream') === true) return 'event-stream'
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const named = byType.find(([pattern]) => pattern.test(type))?.[1] ?? 'unknown'
  const text = decoder.decode(start.subarray(0, 256)).trimStart()
  if (/^[{[]/.test(text)) return named === 'ndjson' ? named : 'json'
  if (text.startsWith('<')) return 'html'
  if (/^(?:data|event|id|retry)?:/.test(text)) return 'event-stream'
  return named
}
