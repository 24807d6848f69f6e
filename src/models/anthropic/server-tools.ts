import { errorData } from '../../core/error.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { Settlement } from '../../core/message.ts'

/** `server_tool_use`, `mcp_tool_use`: a call that the provider runs itself. */
export function isServerUse(type: unknown): boolean {
  return typeof type === 'string' && type !== 'tool_use' && type.endsWith('_tool_use')
}

/** `web_search_tool_result`, `mcp_tool_result` …: what such a call gave. */
export function isServerResult(type: unknown): boolean {
  return typeof type === 'string' && type.endsWith('_tool_result')
}

/** How such a call ended, for whoever looks at it: the block itself is kept beside it. */
export function settlementOf(result: JsonObject): Settlement<Json> {
  const { content, is_error: isError } = result
  const code = isJsonObject(content) ? content['error_code'] : undefined
  const failed = isError === true || (isJsonObject(content) && String(content['type']).endsWith('_error'))
  if (!failed) return { outcome: 'ok', output: shown(content ?? null, 0) }
  const why = typeof code === 'string' ? code : textIn(content)
  return { outcome: 'error', error: errorData('ToolExecutionError', `The provider's tool failed${why === '' ? '' : `: ${why}`}.`) }
}

function textIn(content: Json | undefined): string {
  if (typeof content === 'string') return content
  return Array.isArray(content)
    ? content.map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('')
    : ''
}

/** Without what nobody can read (encrypted pages, files in base64): it is in the block. */
function shown(value: Json, depth: number): Json {
  if (depth > 32 || typeof value !== 'object' || value === null) return value
  if (!isJsonObject(value)) return value.map((item) => shown(item, depth + 1))
  const isBase64 = value['type'] === 'base64'
  const fields = Object.entries(value).filter(([name]) => !name.startsWith('encrypted_') && !(isBase64 && name === 'data'))
  return Object.fromEntries(fields.map(([name, field]) => [name, shown(field ?? null, depth + 1)]))
}

/**
 * The result of a call that was left without one, in the form of its tool. A call must have one once the conversation has gone on in another
 * way; only an answer that paused may end with a call (B055).
 */
export function missingResult(use: JsonObject): JsonObject {
  const { id = '', name = '' } = use
  if (use['type'] === 'mcp_tool_use') {
    return { type: 'mcp_tool_result', tool_use_id: id, is_error: true, content: [{ type: 'text', text: 'unavailable' }] }
  }
  const tool = typeof name === 'string' && name.startsWith('tool_search_tool') ? 'tool_search' : String(name)
  const type = `${tool}_tool_result`
  return { type, tool_use_id: id, content: { type: `${type}_error`, error_code: 'unavailable' } }
}
