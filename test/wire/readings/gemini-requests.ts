import { type AnyJson, json } from './reading.ts'
import { type Item, type ReadRequest, type Result, requestOf, resultText } from './request.ts'

/** A request of Gemini's `generateContent`. Its JSON may be spelt in camel case or in snake case. */
export function readGeminiRequest(request: AnyJson): ReadRequest {
  const { systemInstruction, contents, tools } = camel(request)
  const names = [tools ?? []].flat().flatMap((tool: AnyJson) => (tool.functionDeclarations ?? []).map(({ name }: AnyJson) => name))
  const said = contents.map(({ role, parts }: AnyJson) => ({
    role: role === 'model' ? ('assistant' as const) : ('user' as const),
    items: (parts ?? []).flatMap(partItems),
  }))
  const instructions = [systemInstruction?.parts ?? []]
    .flat()
    .map(({ text }: AnyJson) => text)
    .join('\n\n')
  return requestOf(said, { instructions, tools: names })
}

function partItems(part: AnyJson): Item[] {
  const signature = part.thoughtSignature
  const opaque: Item[] = signature ? [{ type: 'opaque', kind: 'signature', value: signature }] : []
  return [...opaque, ...valueItems(part)]
}

function valueItems({ text, thought, functionCall: call, functionResponse: response, inlineData, fileData, ...rest }: AnyJson): Item[] {
  if (call) return [{ type: 'call', name: call.name, ...(call.id ? { id: call.id } : {}), input: call.args ?? {} }]
  if (response) return [resultOf(response)]
  if (inlineData) return [{ type: 'media', kind: kindOf(inlineData), mediaType: inlineData.mimeType, data: inlineData.data }]
  if (fileData)
    return [
      { type: 'media', kind: kindOf(fileData), ...(fileData.mimeType ? { mediaType: fileData.mimeType } : {}), data: fileData.fileUri },
    ]
  // Some clients mark all that stands in a thinking turn, the user's words too.
  if (typeof text === 'string') return [{ type: thought ? 'reasoning' : 'text', text }]
  const { thoughtSignature: _, ...value } = rest
  return Object.keys(value).length === 0 ? [] : [{ type: 'item', value }]
}

function kindOf({ mimeType }: AnyJson): 'image' | 'file' {
  return /^image\//.test(mimeType ?? '') ? 'image' : 'file'
}

/** What clients wrap a result in, for the API wants an object. */
const wrappers = new Set(['result', 'output', 'return_value', 'response', 'content', 'error', 'call_error', 'value'])

function resultOf({ id, name, response, parts }: AnyJson): Result {
  const [key, ...others] = Object.keys(response ?? {})
  const isWrapped = key !== undefined && others.length === 0 && wrappers.has(key)
  const value = isWrapped ? response[key] : response
  return {
    type: 'result',
    ...(id ? { id } : {}),
    name,
    // An object, and the same as a text: which one, is the client's choice.
    text: resultText(typeof value === 'string' ? (json(value) ?? value) : value),
    media: (parts ?? []).flatMap(partItems).filter((item: Item) => item.type === 'media'),
    failed: isWrapped && key.endsWith('error'),
  }
}

/** Keys in camel case. What users have named (arguments, results) stays as it is. */
function camel(value: AnyJson): AnyJson {
  if (Array.isArray(value)) return value.map(camel)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const name = key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
      return [name, ['args', 'response'].includes(name) ? one : camel(one)]
    }),
  )
}
