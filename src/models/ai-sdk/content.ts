import { isWire, type Wire, wires } from '../wire.ts'

/** What `doGenerate` gave, as the parts that a stream of it would have had. */
export function* partsOf(result: unknown): Iterable<Wire> {
  if (!isWire(result)) return
  yield { type: 'stream-start', warnings: result['warnings'] }
  if (isWire(result['response'])) yield { type: 'response-metadata', id: result['response']['id'] }
  for (const [index, item] of wires(result['content']).entries()) yield* partsOfItem(item, String(index))
  const { finishReason, usage, providerMetadata } = result
  if (finishReason !== undefined) yield { type: 'finish', finishReason, usage, providerMetadata }
}

function* partsOfItem(item: Wire, id: string): Iterable<Wire> {
  const { type, text, providerMetadata } = item
  if (type !== 'text' && type !== 'reasoning') return yield item
  yield { type: `${type}-start`, id, providerMetadata }
  yield { type: `${type}-delta`, id, delta: text }
  yield { type: `${type}-end`, id }
}
