import { createHash } from 'node:crypto'
import { callsOf, type Piece } from '../reply.ts'
import type { Asked } from '../server.ts'
import type { ResponsesQuirks } from './quirks.ts'

/** One item of a response, with the pieces that tell it. */
export interface Said {
  readonly kind: 'reasoning' | 'text' | 'refusal' | 'call'
  readonly id: string
  /** The item as it is in the end. */
  readonly item: object
  /** And as it begins. */
  readonly begun: object
  readonly pieces: readonly string[]
}

type Begun = { kind: 'reasoning' | 'text' | 'refusal'; pieces: string[] } | { kind: 'call'; call: number; pieces: string[] }

/** The items of an answer: texts of one kind that follow each other are one, calls one each. Ids are unique in the response of `responseId`. */
export function itemsOf(pieces: readonly Piece[], quirks: ResponsesQuirks, asked: Asked, responseId: string): readonly Said[] {
  const begun: Begun[] = []
  for (const piece of pieces) {
    const last = begun.at(-1)
    if ('call' in piece) {
      if ('name' in piece) begun.push({ kind: 'call', call: piece.call, pieces: [] })
      else begun.find((one) => one.kind === 'call' && one.call === piece.call)?.pieces.push(piece.arguments)
      continue
    }
    const [kind, text] = textOf(piece)
    if (last?.kind === kind) last.pieces.push(text)
    else begun.push({ kind, pieces: [text] })
  }
  const calls = callsOf(pieces)
  const group = digest(responseId).slice(0, 23)
  const first = begun.findIndex(({ kind }) => kind === 'reasoning')
  return begun.map((one, place) => {
    const text = one.pieces.join('')
    // The id of what has come after reasoning says so.
    const id = `${prefixes[one.kind]}_${first >= 0 && place >= first ? 'r' : 'p'}${group}${place}`
    if (one.kind === 'call') {
      const call = calls.get(one.call)
      const item = { id, type: 'function_call', status: 'completed', call_id: call?.id ?? '', name: call?.name ?? '' }
      const args = quirks.objectArguments === true ? JSON.parse(text === '' ? '{}' : text) : text
      return {
        kind: one.kind,
        id,
        item: { ...item, arguments: args },
        begun: { ...item, status: 'in_progress', arguments: '' },
        pieces: one.pieces,
      }
    }
    if (one.kind === 'reasoning') return { kind: one.kind, id, ...reasoningItem(id, text, quirks, asked), pieces: one.pieces }
    const content = one.kind === 'text' ? { type: 'output_text', text, annotations: [], logprobs: [] } : { type: 'refusal', refusal: text }
    const item = { id, type: 'message', status: 'completed', role: 'assistant', content: [content] }
    return { kind: one.kind, id, item, begun: { ...item, status: 'in_progress', content: [] }, pieces: one.pieces }
  })
}

const prefixes = { reasoning: 'rs', text: 'msg', refusal: 'msg', call: 'fc' } as const

function textOf(piece: Exclude<Piece, { readonly call: number }>): ['text' | 'reasoning' | 'refusal', string] {
  if ('text' in piece) return ['text', piece.text]
  return 'reasoning' in piece ? ['reasoning', piece.reasoning] : ['refusal', piece.refusal]
}

function reasoningItem(id: string, text: string, { reasoning }: ResponsesQuirks, { body }: Asked): Pick<Said, 'item' | 'begun'> {
  const begun = { id, type: 'reasoning', summary: [] }
  if (reasoning === 'content') return { begun, item: { ...begun, content: [{ type: 'reasoning_text', text }] } }
  const { include } = body
  const isEncrypted = reasoning !== 'stored' && Array.isArray(include) && include.includes('reasoning.encrypted_content')
  const item = { ...begun, summary: text === '' ? [] : [{ type: 'summary_text', text }] }
  return { begun, item: isEncrypted ? { ...item, encrypted_content: encryptedFor(id) } : item }
}

/** Only the server that made it can know it: it tells whether it comes back unchanged. */
export function encryptedFor(id: string): string {
  return `gAAAA${digest(`encrypted ${id.split('_').slice(0, 2).join('_')}`)}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
