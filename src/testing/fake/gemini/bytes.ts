import { eventText, type Frame, trimmed } from '../frames.ts'
import { callsOf, type Piece, piecesOf, type WholeCall } from '../reply.ts'
import type { Asked } from '../server.ts'
import { isObject } from '../violation.ts'
import { partialArgsOf } from './args.ts'
import { isGemini3, modelIn } from './family.ts'
import { finishOf, type GeminiAnswer, type GeminiQuirks, signaturesOf, usageOf } from './quirks.ts'
import { sign } from './signatures.ts'

interface Event {
  readonly isDelta: boolean
  readonly parts: readonly object[] | undefined
  readonly finish?: string | number
}

/** Whether a stream is one JSON array: without `alt=sse` it is. */
export function isList(path: string): boolean {
  return path.includes(':streamGenerateContent') && !/[?&]alt=sse\b/.test(path)
}

/** The body of a streamed answer, up to where it breaks off. */
export function streamFrames(answer: GeminiAnswer, quirks: GeminiQuirks, asked: Asked): readonly Frame[] {
  const { breaks } = answer
  const events = eventsOf(answer, quirks, asked)
  let deltas = 0
  const said = events.filter(({ isDelta }) => breaks === undefined || (isDelta && deltas++ < breaks.after))
  const values: { readonly value: object; readonly isDelta: boolean }[] = said.map((event, index) => {
    const isLast = index === events.length - 1
    return { value: responseOf(answer, quirks, asked, event, isLast ? 1 : index / events.length, isLast), isDelta: event.isDelta }
  })
  if (breaks?.with === 'error') values.push({ value: Object(breaks.error), isDelta: false })
  if (!isList(asked.head.path))
    return trimmed(
      values.map(({ value, isDelta }) => ({
        text: eventText(quirks.spaced === true ? spaced(value, '') : value, { newline: '\r\n', ...quirks }),
        isDelta,
      })),
      quirks,
    )
  const open = breaks !== undefined && breaks.with !== 'error' && breaks.with !== 'end'
  const frames = values.map(({ value, isDelta }, index) => ({ text: `${index === 0 ? '[' : ',\r\n'}${spaced(value)}`, isDelta }))
  return open ? frames : [...frames, { text: frames.length === 0 ? '[]' : '\n]\n', isDelta: false }]
}

/** The body of an answer in one piece, as it is when nothing breaks it off. */
export function bodyText(answer: GeminiAnswer, quirks: GeminiQuirks, asked: Asked): string {
  const parts = joined(eventsOf(answer, { ...quirks, partialArgs: false, finishIn: 'bare' }, asked).flatMap((event) => event.parts ?? []))
  const finish = finishOf(answer, quirks)
  const text = spaced(responseOf(answer, quirks, asked, { isDelta: false, parts, ...(finish === null ? {} : { finish }) }, 1, true))
  return quirks.bom === true ? `\ufeff${text}` : text
}

function eventsOf(answer: GeminiAnswer, quirks: GeminiQuirks, asked: Asked): readonly Event[] {
  const pieces = piecesOf(answer, quirks, asked.newId)
  const calls = callsOf(pieces)
  const signed = signaturesOf(answer, quirks, isGemini3(asked.head, {}))
  const lastText = signed.text ? pieces.findLastIndex((piece) => 'text' in piece) : -1
  const events = pieces.flatMap((piece, index) => eventsFor(piece, index === lastText, calls, quirks, signed.call))
  if (signed.end) events.push({ isDelta: false, parts: [{ text: '', thoughtSignature: sign('text') }] })
  const finish = finishOf(answer, quirks)
  if (finish === null) return events
  const last = events.at(-1)
  if (quirks.finishIn === 'last' && last !== undefined) return [...events.slice(0, -1), { ...last, finish }]
  return [...events, { isDelta: false, parts: quirks.finishIn === 'bare' ? undefined : [{ text: '' }], finish }]
}

function eventsFor(piece: Piece, isSigned: boolean, calls: ReadonlyMap<number, WholeCall>, quirks: GeminiQuirks, signs: boolean): Event[] {
  const one = (part: object): Event[] => [{ isDelta: true, parts: [part] }]
  if ('text' in piece) return one({ text: piece.text, ...(isSigned ? { thoughtSignature: sign('text') } : {}) })
  if ('reasoning' in piece) return one({ text: piece.reasoning, thought: true })
  if ('refusal' in piece) return one({ text: piece.refusal })
  // A call is said at once, with all of its arguments.
  const call = 'name' in piece ? calls.get(piece.call) : undefined
  if (call === undefined) return []
  const args: unknown = JSON.parse(call.text === '' ? '{}' : call.text)
  if (!isObject(args)) throw new Error(`this API says arguments as objects, not as ${call.text}`)
  const signature = signs && piece.call === 0 ? { thoughtSignature: sign(call.name) } : {}
  const named = { ...(quirks.ids === false ? {} : { id: call.id }), name: call.name }
  const partial = quirks.partialArgs === true ? partialArgsOf(args, quirks.argumentsPiece) : undefined
  if (partial === undefined) return one({ functionCall: { ...named, args }, ...signature })
  return [
    ...one({ functionCall: { ...named, willContinue: true }, ...signature }),
    ...partial.flatMap((given) => one({ functionCall: { partialArgs: [given], willContinue: true } })),
    ...one({ functionCall: {} }),
  ]
}

/** Pieces of a text are one part in an answer that comes at once. */
function joined(parts: readonly object[]): readonly object[] {
  const all: { readonly text?: string; readonly thought?: boolean; readonly thoughtSignature?: string }[] = []
  for (const part of parts as typeof all) {
    const before = all.at(-1)
    const goesOn = before?.text !== undefined && part.text !== undefined && before.thought === part.thought
    if (goesOn && before.thoughtSignature === undefined && part.thoughtSignature === undefined)
      all[all.length - 1] = { ...before, text: before.text + part.text }
    else all.push(part)
  }
  return all
}

function responseOf(
  answer: GeminiAnswer,
  { usage: when = 'every' }: GeminiQuirks,
  { head }: Asked,
  { parts, finish }: Event,
  share: number,
  isLast: boolean,
): object {
  const usage = when === 'every' || (when === 'last' && isLast) ? usageOf(answer, share) : undefined
  const content = parts === undefined ? {} : { content: { parts, role: 'model' } }
  const candidate = { ...content, ...(finish === undefined ? {} : { finishReason: finish }), index: 0 }
  return {
    candidates: [candidate],
    ...(usage === undefined ? {} : { usageMetadata: usage }),
    modelVersion: modelIn(head),
    responseId: 'J3dHapyWENS3g8UPyrefuAE',
  }
}

/** As the servers write JSON: a blank behind each colon, and in a body of its own a line for each field. */
function spaced(value: object, newline = '\n'): string {
  return JSON.stringify(value, undefined, 1).replace(/\n */g, newline)
}
