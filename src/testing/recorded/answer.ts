import { type ErrorCode, type ErrorData, RondoError } from '../../core/error.ts'
import { isJsonObject, type Json } from '../../core/json.ts'
import { isPart } from '../../core/message.ts'
import type { ModelDelta, ModelFinish } from '../../core/model.ts'
import { maskKeys } from '../../models/safe-text.ts'
import { mapStrings } from './description.ts'

/** What a model said to one request: pieces, then an end. */
export type Answer = { readonly deltas: readonly ModelDelta[] } & ({ readonly finish: ModelFinish } | { readonly error: ErrorData })

/** Plays an answer as the model gave it. */
export function play(answer: Answer, sink: (delta: ModelDelta) => void): ModelFinish {
  for (const delta of answer.deltas) sink(delta)
  if ('finish' in answer) return answer.finish
  const { code, message, retryable, retryAfterMs } = answer.error
  throw new RondoError(code, message, { retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
}

/**
 * An answer as it is written: pieces of one part that follow each other stand together, what looks like a key is masked (also one that came
 * in pieces), and what differs each time (the request's id) is left out.
 */
export function written(answer: Answer): { readonly [key: string]: Json } {
  const deltas: Json[] = []
  let run: { type: string; part: number; text: string[] } | undefined
  for (const delta of answer.deltas) {
    if (delta.type !== 'text' && delta.type !== 'reasoning' && delta.type !== 'call-input') {
      run = undefined
      deltas.push(delta.type === 'data' ? plain(delta) : masked(plain(delta)))
    } else if (run !== undefined && run.type === delta.type && run.part === delta.part) run.text.push(delta.text)
    else {
      run = { type: delta.type, part: delta.part, text: [delta.text] }
      deltas.push(run)
    }
  }
  const maskedDeltas = deltas.map((delta) =>
    isJsonObject(delta) && Array.isArray(delta['text']) ? { ...delta, text: maskedRun(delta['text']) } : delta,
  )
  if ('error' in answer) return { deltas: maskedDeltas, error: masked(plain(answer.error)) }
  const { requestId: _, ...finish } = answer.finish
  return { deltas: maskedDeltas, finish: plain(finish) }
}

function maskedRun(pieces: readonly Json[]): readonly Json[] {
  const whole = pieces.join('')
  const safe = maskKeys(whole)
  return safe === whole ? pieces : [safe]
}

function masked(value: Json): Json {
  if (!isJsonObject(value)) return mapStrings(value, maskKeys)
  const { value: part, ...rest } = value
  if (!isJsonObject(part)) return mapStrings(rest, maskKeys)
  const { providerData, ...shown } = part
  return { ...rest, value: { ...(mapStrings(shown, maskKeys) as object), ...(providerData === undefined ? {} : { providerData }) } }
}

/** The answer that a line of a recording holds; `undefined` when it holds none. */
export function readAnswer(line: { readonly [key: string]: unknown }): Answer | undefined {
  const { deltas, finish, error } = line
  if (!Array.isArray(deltas)) return undefined
  const all = deltas.flatMap(unfolded)
  if (!all.every(isDelta)) return undefined
  if (isFinish(finish)) return { deltas: all, finish }
  return isError(error) ? { deltas: all, error } : undefined
}

function unfolded(delta: unknown): unknown[] {
  if (!isJsonObject(delta) || !Array.isArray(delta['text'])) return [delta]
  return delta['text'].map((text) => ({ ...delta, text }))
}

function isDelta(value: unknown): value is ModelDelta {
  if (!isJsonObject(value) || !Number.isSafeInteger(value['part'])) return false
  switch (value['type']) {
    case 'text':
    case 'reasoning':
    case 'call-input':
      return typeof value['text'] === 'string'
    case 'call':
      return typeof value['toolName'] === 'string'
    case 'part':
      return isPart(value['value'])
    case 'data':
      return isJsonObject(value['providerData'])
    default:
      return false
  }
}

function isFinish(value: unknown): value is ModelFinish {
  return isJsonObject(value) && typeof value['finishReason'] === 'string' && isJsonObject(value['usage'])
}

function isError(value: unknown): value is ErrorData {
  return isJsonObject(value) && isCode(value['code']) && typeof value['message'] === 'string' && typeof value['retryable'] === 'boolean'
}

/** Also one that a later version has. */
function isCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && /^[A-Z][A-Za-z]{2,60}$/.test(value)
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value))
}
