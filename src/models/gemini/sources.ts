import { isWire, textOrNothing, type Wire, wires } from '../wire.ts'

/** What an answer was found in: pages and places of a search, files, pages that were read, what it quotes. */
export function sourcesOf({ groundingMetadata, urlContextMetadata, citationMetadata }: Wire): readonly { url: string; title?: string }[] {
  const chunks = isWire(groundingMetadata) ? wires(groundingMetadata['groundingChunks']) : []
  const pages = isWire(urlContextMetadata) ? wires(urlContextMetadata['urlMetadata']) : []
  const quoted = isWire(citationMetadata) ? wires(citationMetadata['citationSources'] ?? citationMetadata['citations']) : []
  const found: readonly [unknown, unknown][] = [
    ...chunks.flatMap(({ web, retrievedContext, maps }): [unknown, unknown][] =>
      wires([web, retrievedContext, maps]).map(({ uri, title }) => [uri, title]),
    ),
    ...pages.map(({ retrievedUrl }): [unknown, unknown] => [retrievedUrl, undefined]),
    ...quoted.map(({ uri, title }): [unknown, unknown] => [uri, title]),
  ]
  return found.flatMap(([uri, name]) => {
    const [url, title] = [textOrNothing(uri), textOrNothing(name)]
    return url === '' ? [] : [title === '' ? { url } : { url, title }]
  })
}
