import { type ErrorCode, type ErrorData, RondoError } from '../../core/error.ts'
import { isJsonObject, type Json } from '../../core/json.ts'
import type { ModelDelta, ModelFinish } from '../../core/model.ts'
import { mapStrings, maskText } from './mask.ts'

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
 * in pieces: its part is then one piece), and what differs each time (the request's id) is left out.
 */
export function written(answer: Answer): { readonly [key: string]: Json } {
  const texts = textsOf(answer.deltas)
  const deltas: Json[] = []
  let run: { readonly type: string; readonly part: number; readonly text: string[] } | undefined
  for (const delta of answer.deltas) {
    if (!isText(delta)) {
      run = undefined
      deltas.push(delta.type === 'data' ? plain(delta) : masked(plain(delta)))
      continue
    }
    const { type, part } = delta
    const pieces = texts.get(`${type} ${part}`)?.next(delta.text) ?? []
    if (run?.type === type && run.part === part) run.text.push(...pieces)
    else if (pieces.length > 0) {
      run = { type, part, text: [...pieces] }
      deltas.push(run)
    }
  }
  if ('error' in answer) return { deltas, error: masked(plain(answer.error)) }
  const { requestId: _, ...finish } = answer.finish
  return { deltas, finish: plain(finish) }
}

type TextDelta = Extract<ModelDelta, { readonly text: string }>

function isText(delta: ModelDelta): delta is TextDelta {
  return delta.type === 'text' || delta.type === 'reasoning' || delta.type === 'call-input'
}

/** How each piece of a text is written: as it came, or, where something is masked, all of the text in the place of the first. */
function textsOf(deltas: readonly ModelDelta[]): ReadonlyMap<string, { next(piece: string): readonly string[] }> {
  const whole = new Map<string, string>()
  for (const delta of deltas) {
    if (!isText(delta)) continue
    const key = `${delta.type} ${delta.part}`
    whole.set(key, (whole.get(key) ?? '') + delta.text)
  }
  return new Map(
    [...whole].map(([key, text]) => {
      const safe = maskText(text)
      let instead: readonly string[] = [safe]
      const next = (piece: string) => {
        if (safe === text) return [piece]
        const pieces = instead
        instead = []
        return pieces
      }
      return [key, { next }]
    }),
  )
}

function masked(value: Json): Json {
  if (!isJsonObject(value)) return mapStrings(value, maskText)
  const { value: part, ...rest } = value
  if (!isJsonObject(part)) return mapStrings(rest, maskText)
  const { providerData, ...shown } = part
  return { ...rest, value: { ...(mapStrings(shown, maskText) as object), ...(providerData === undefined ? {} : { providerData }) } }
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
      return isJsonObject(value['value']) && typeof value['value']['type'] === 'string'
    case 'data':
      return isJsonObject(value['providerData'])
    default:
      return false
  }
}

export function isFinish(value: unknown): value is ModelFinish {
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
