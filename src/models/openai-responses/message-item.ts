import { isJsonObject, type Json } from '../../core/json.ts'
import type { SourcePart } from '../../core/message.ts'
import { textOrNothing } from '../wire.ts'

export interface ItemText {
  readonly text: string
  readonly isRefusal: boolean
  readonly annotations: readonly Json[]
}

/** The texts of an item's content or summary, which some servers give as one text. */
export function textsOf(list: Json | undefined): readonly ItemText[] {
  if (typeof list === 'string') return list === '' ? [] : [{ text: list, isRefusal: false, annotations: [] }]
  if (!Array.isArray(list)) return []
  return list.map((one: Json) => {
    const { type, text, refusal, annotations } = isJsonObject(one) ? one : {}
    const isRefusal = type === 'refusal'
    return {
      text: textOrNothing(isRefusal ? (refusal ?? text) : text),
      isRefusal,
      annotations: Array.isArray(annotations) ? annotations : [],
    }
  })
}

/** What an annotation cites: a page, or a file of the provider by its id. */
export function sourceOf(annotation: Json): SourcePart | undefined {
  if (!isJsonObject(annotation)) return undefined
  const { url, title, file_id: file, filename } = annotation
  if (typeof url === 'string' && url !== '') return { type: 'source', url, ...(typeof title === 'string' && title !== '' ? { title } : {}) }
  if (typeof file !== 'string' || file === '') return undefined
  return { type: 'source', url: `openai:${file}`, ...(typeof filename === 'string' && filename !== '' ? { title: filename } : {}) }
}
