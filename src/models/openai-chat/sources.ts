import { textOrNothing, type Wire, wires } from '../wire.ts'

/** What an answer was found in. */
export interface Source {
  readonly url: string
  readonly title?: string
}

/**
 * The sources that a message or an event names: `annotations` of a message (OpenAI's search models, OpenRouter), `search_results` and
 * `citations` of an event (Perplexity).
 */
export function sourcesOf(value: Wire): readonly Source[] {
  const cited = wires(value['annotations']).map((annotation) => annotation['url_citation'])
  const listed = Array.isArray(value['citations']) ? value['citations'] : []
  const named = [...wires(cited), ...wires(value['search_results']), ...listed.map((url: unknown) => ({ url }))]
  return named.flatMap((source): Source[] => {
    const [url, title] = [textOrNothing(source['url']), textOrNothing((source as Wire)['title'])]
    return url === '' ? [] : [title === '' ? { url } : { url, title }]
  })
}
