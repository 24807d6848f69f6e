import { canonicalJson, type Json } from '../../core/json.ts'
import { clip } from '../../core/text.ts'
import type { Described } from './description.ts'
import type { Recorded, Recording } from './recording.ts'

const maxDifferences = 3

/** In what a request differs from the recorded one that is most like it, in words; `undefined` when nothing is recorded. */
export function nearestDifference(asked: Described, recording: Recording): string | undefined {
  let nearest: Recorded['request'] | undefined
  let best = Number.NEGATIVE_INFINITY
  for (const { request } of recording.requests.values()) {
    const score = likeness(asked, request)
    if (score > best) {
      best = score
      nearest = request
    }
  }
  return nearest === undefined ? undefined : differences(asked, nearest, recording).join('; ')
}

function likeness(asked: Described, request: Recorded['request']): number {
  const same = (is: boolean, weight: number) => (is ? weight : 0)
  return (
    same(asked.purpose === request.purpose, 4) +
    same(asked.model === request.model, 2) +
    same(asked.instructions === request.instructions, 2) +
    same(asked.tools === request.tools, 2) +
    same(canonicalJson(asked.rest) === canonicalJson(request.rest), 2) +
    // As many messages weigh most: what changed is then one of them.
    3 * commonMessages(asked, request) -
    2 * Math.abs(asked.messages.length - request.messages.length)
  )
}

function commonMessages(asked: Described, { messages }: Recorded['request']): number {
  return asked.messages.filter((digest, index) => messages[index] === digest).length
}

function differences(asked: Described, request: Recorded['request'], { pieces }: Recording): string[] {
  const found: string[] = []
  const add = (what: string, recorded: Json | undefined, now: Json | undefined) => {
    found.push(`${what}: ${excerpts(recorded, now)}`)
  }
  const piece = (digest: string | undefined) => (digest === undefined ? undefined : (asked.pieces.get(digest) ?? pieces.get(digest)))
  if (asked.model !== request.model) add('the model', request.model, asked.model)
  if (asked.purpose !== request.purpose) add('the purpose', request.purpose, asked.purpose)
  if (asked.instructions !== request.instructions) add('the instructions', piece(request.instructions), piece(asked.instructions))
  if (asked.tools !== request.tools) add('the tools', piece(request.tools), piece(asked.tools))
  if (canonicalJson(asked.rest) !== canonicalJson(request.rest)) add('the settings', request.rest, asked.rest)
  for (let index = 0; index < Math.max(asked.messages.length, request.messages.length); index++) {
    const [recorded, now] = [request.messages[index], asked.messages[index]]
    if (recorded !== now) add(`message ${index + 1}`, piece(recorded), piece(now))
  }
  const more = found.length - maxDifferences
  return more > 0 ? [...found.slice(0, maxDifferences), `and ${more} more`] : found
}

function textOf(piece: Json | undefined): string {
  return piece === undefined ? 'nothing' : typeof piece === 'string' ? piece : canonicalJson(piece)
}

/** Both round the place where they part: texts in quotes, anything else as its JSON. */
function excerpts(was: Json | undefined, now: Json | undefined): string {
  const [recorded, asked] = [textOf(was), textOf(now)]
  let same = 0
  while (same < recorded.length && same < asked.length && recorded[same] === asked[same]) same++
  const from = Math.max(0, same - 40)
  const excerpt = (piece: Json | undefined, text: string) => {
    const part = `${from > 0 ? '…' : ''}${clip(text.slice(from), 120)}`
    return typeof piece === 'string' ? JSON.stringify(part) : part
  }
  return `recorded ${excerpt(was, recorded)}, asked ${excerpt(now, asked)}`
}
