import { errorData } from '../../core/error.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { Settlement } from '../../core/message.ts'
import { textOrNothing } from '../wire.ts'
import { parsedArguments } from './client-calls.ts'

/** A call that the server ran, as far as it is told. */
export interface ServerCall {
  readonly toolName: string
  readonly input: Json
  readonly settlement: Settlement<Json>
}

interface ServerKind {
  readonly input: (item: JsonObject) => Json
  readonly output: (item: JsonObject) => Json
}

const searchKind: ServerKind = {
  input: (item) => item['action'] ?? (item['arguments'] === undefined ? {} : parsedArguments(item['arguments'])),
  output: (item) => item['results'] ?? null,
}

const kinds: { readonly [type: string]: ServerKind } = {
  web_search_call: searchKind,
  file_search_call: { input: ({ queries }) => ({ queries }), output: ({ results }) => results ?? null },
  // xAI tells it as arguments.
  code_interpreter_call: {
    input: ({ code, container_id, arguments: input }) =>
      code === undefined && input !== undefined ? parsedArguments(input) : { code, container_id },
    output: ({ outputs }) => outputs ?? null,
  },
  mcp_call: { input: (item) => parsedArguments(item['arguments']), output: ({ output }) => output ?? null },
  tool_search_call: { input: (item) => parsedArguments(item['arguments']), output: () => null },
  image_generation_call: { input: ({ revised_prompt: prompt }) => (prompt === undefined ? {} : { prompt }), output: () => null },
  // What it comes to is told in a later response.
  program: { input: ({ code }) => ({ code }), output: () => null },
  shell_call: { input: ({ action }) => action ?? {}, output: () => null },
  custom_tool_call: { input: ({ input }) => ({ input }), output: () => null },
}

/** Whether an item is a call that the server runs. Unknown kinds with an id to be answered by are not: nobody knows who runs them. */
export function isServerCall({ type, call_id: id }: JsonObject): boolean {
  if (typeof type !== 'string') return false
  return Object.hasOwn(kinds, type) || (/_call$/.test(type) && textOrNothing(id) === '')
}

export function serverCall(item: JsonObject): ServerCall {
  const type = textOrNothing(item['type'])
  const { input, output } = (Object.hasOwn(kinds, type) ? kinds[type] : undefined) ?? searchKind
  const named = type === 'mcp_call' || type === 'custom_tool_call' ? textOrNothing(item['name']) : ''
  return { toolName: named || type.replace(/_call$/, ''), input: input(item), settlement: settlementOf(item, output(item)) }
}

function settlementOf({ status, error }: JsonObject, output: Json): Settlement<Json> {
  const failed = status === 'failed' || status === 'incomplete' || (error !== undefined && error !== null)
  if (!failed) return { outcome: 'ok', output }
  const told = typeof error === 'string' ? error : isJsonObject(error) ? textOrNothing(error['message']) || JSON.stringify(error) : ''
  return { outcome: 'error', error: errorData('ToolExecutionError', told || `The provider says that it is ${String(status)}.`) }
}
