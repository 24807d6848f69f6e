import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { CallItem, ResultItem } from '../history/turns.ts'
import { urlOf } from '../media-data.ts'
import { textOrNothing } from '../wire.ts'
import { resultContent } from './media.ts'

/** A kind of item by which the model calls what runs here: how it is a call of a tool of ours, and how it is answered. */
interface ClientKind {
  /** The name of the tool that is called. */
  readonly toolName: (item: JsonObject) => string
  readonly input: (item: JsonObject) => Json
  /** What of the item stands in the input, and so is not kept twice. */
  readonly fields: readonly string[]
  /** Those fields out of the input. */
  readonly restore: (input: Json) => JsonObject
  /** The item that answers it, without the id. */
  readonly answer: (result: ResultItem, item: JsonObject) => JsonObject
  /** Where its id stands in the call and in the answer. Default `call_id` in both. */
  readonly ids?: { readonly call: string; readonly answer: string }
  /** Whether the server runs this one. Default: no. */
  readonly isServerRun?: (item: JsonObject) => boolean
}

/** The text of a custom tool is told as this argument. */
export const customInput = 'input'

const functionKind: ClientKind = {
  toolName: (item) => textOrNothing(item['name']),
  input: (item) => parsedArguments(item['arguments']),
  fields: ['name', 'arguments'],
  restore: (input) => ({ arguments: JSON.stringify(input) }),
  answer: (result) => ({ type: 'function_call_output', output: resultContent(result) }),
}

/** The kinds that a client must answer: without their output the next request is refused (B012). */
const kinds: { readonly [type: string]: ClientKind } = {
  function_call: functionKind,
  custom_tool_call: {
    toolName: functionKind.toolName,
    input: (item) => ({ [customInput]: textOrNothing(item['input']) }),
    fields: ['name', 'input'],
    restore: (input) => ({ input: isJsonObject(input) ? textOrNothing(input[customInput]) : '' }),
    answer: (result) => ({ type: 'custom_tool_call_output', output: resultContent(result) }),
  },
  local_shell_call: {
    toolName: () => 'local_shell',
    input: (item) => item['action'] ?? {},
    fields: ['action'],
    restore: (action) => ({ action }),
    // By `call_id`, as its guide shows it: the `id` that the reference lists is that of the output itself, which the API gives.
    answer: ({ text }) => ({ type: 'local_shell_call_output', output: text }),
  },
  shell_call: {
    toolName: () => 'shell',
    input: (item) => item['action'] ?? {},
    fields: ['action'],
    restore: (action) => ({ action }),
    answer: shellAnswer,
    isServerRun: ({ environment }) => isJsonObject(environment) && environment['type'] === 'container_reference',
  },
  apply_patch_call: {
    toolName: () => 'apply_patch',
    input: (item) => item['operation'] ?? {},
    fields: ['operation'],
    restore: (operation) => ({ operation }),
    answer: ({ text, isError }) => ({ type: 'apply_patch_call_output', status: isError ? 'failed' : 'completed', output: text }),
  },
  computer_call: {
    toolName: () => 'computer',
    input: ({ action, actions, pending_safety_checks }) => ({ action, actions, pending_safety_checks }),
    fields: [],
    restore: () => ({}),
    answer: computerAnswer,
  },
  tool_search_call: {
    toolName: () => 'tool_search',
    input: (item) => parsedArguments(item['arguments']),
    fields: [],
    restore: () => ({}),
    answer: (result) => ({ type: 'tool_search_output', execution: 'client', status: 'completed', tools: toolsIn(result) }),
    isServerRun: ({ execution }) => execution !== 'client',
  },
  mcp_approval_request: {
    toolName: () => 'mcp_approval_request',
    input: (item) => ({ server_label: item['server_label'], name: item['name'], arguments: parsedArguments(item['arguments']) }),
    fields: [],
    restore: () => ({}),
    answer: approvalAnswer,
    ids: { call: 'id', answer: 'approval_request_id' },
  },
}

/** The declarations of tools of the provider by the tool of ours that runs their calls. */
export function runsHere({ type, name, execution, environment }: JsonObject): string | undefined {
  switch (type) {
    case 'custom':
      return textOrNothing(name)
    case 'local_shell':
    case 'apply_patch':
      return type
    case 'shell':
      return isJsonObject(environment) && textOrNothing(environment['type']).startsWith('container') ? undefined : type
    case 'computer':
    case 'computer_use_preview':
      return 'computer'
    case 'tool_search':
      return execution === 'client' ? type : undefined
    case 'mcp':
      return 'mcp_approval_request'
    default:
      return undefined
  }
}

export interface ClientCall {
  readonly id: string
  readonly toolName: string
  /** The item without what stands in the call. */
  readonly kept: JsonObject
}

/** The call that an item is, if it is one that runs here. */
export function clientCall(item: JsonObject): ClientCall | undefined {
  const kind = kindOf(item)
  if (kind === undefined || kind.isServerRun?.(item) === true) return undefined
  const idField = kind.ids?.call ?? 'call_id'
  const left = new Set([...kind.fields, idField])
  const kept = Object.fromEntries(Object.entries(item).filter(([field]) => !left.has(field)))
  return { id: textOrNothing(item[idField]), toolName: kind.toolName(item), kept }
}

/** Its arguments as JSON text; those of a function as the model wrote them. */
export function inputText(item: JsonObject): string {
  const { arguments: written } = item
  if (item['type'] === 'function_call' && typeof written === 'string') return written
  return JSON.stringify(kindOf(item)?.input(item) ?? {})
}

/** The item of a call, for a history. What was not kept of it makes it a call of a function. */
export function callItem({ id, name, input }: CallItem, kept: JsonObject | undefined): JsonObject {
  const kind = (kept === undefined ? undefined : kindOf(kept)) ?? functionKind
  const named = kind.fields.includes('name') ? { name } : {}
  return { type: 'function_call', ...kept, [kind.ids?.call ?? 'call_id']: id, ...named, ...kind.restore(input) }
}

/** The item that answers it. A call that a program of the model made is answered to the program. */
export function answerItem(result: ResultItem, kept: JsonObject = {}): JsonObject {
  const kind = kindOf(kept) ?? functionKind
  const { type, ...answer } = kind.answer(result, kept)
  const caller = kept['caller']
  return { type, [kind.ids?.answer ?? 'call_id']: result.id, ...answer, ...(isJsonObject(caller) ? { caller } : {}) }
}

function kindOf({ type }: JsonObject): ClientKind | undefined {
  return typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
}

/** What a tool gives as the API wants it goes as it is; another is the output of one command. */
function shellAnswer({ text, isError, part }: ResultItem): JsonObject {
  const output = part.settlement?.outcome === 'ok' ? part.settlement.output : undefined
  const told = Array.isArray(output) && output.length > 0 && output.every((one) => isJsonObject(one) && isJsonObject(one['outcome']))
  const said = isError ? { stdout: '', stderr: text } : { stdout: text, stderr: '' }
  const most = isJsonObject(part.input) ? part.input['max_output_length'] : undefined
  return {
    type: 'shell_call_output',
    output: told ? output : [{ ...said, outcome: { type: 'exit', exit_code: isError ? 1 : 0 } }],
    ...(typeof most === 'number' ? { max_output_length: most } : {}),
  }
}

/** One white dot: the API takes a picture of the screen and nothing else, also where the action failed. */
const noScreen = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg=='

/** Who runs an action in spite of what the provider warns of has seen the warnings: they are among the arguments. */
function computerAnswer({ media, isError }: ResultItem, { pending_safety_checks: checks }: JsonObject): JsonObject {
  const [screen] = media
  return {
    type: 'computer_call_output',
    output: { type: 'computer_screenshot', image_url: screen === undefined ? noScreen : urlOf(screen) },
    ...(Array.isArray(checks) && checks.length > 0 && !isError ? { acknowledged_safety_checks: checks } : {}),
  }
}

/** A tool of that name says yes by settling well, with anything but `false` or `{ approve: false }`. */
function approvalAnswer({ text, isError, part }: ResultItem): JsonObject {
  const output = part.settlement?.outcome === 'ok' ? part.settlement.output : false
  const approve = !isError && output !== false && !(isJsonObject(output) && output['approve'] === false)
  return { type: 'mcp_approval_response', approve, ...(approve || text === '' ? {} : { reason: text }) }
}

function toolsIn({ part }: ResultItem): Json {
  const output = part.settlement?.outcome === 'ok' ? part.settlement.output : undefined
  if (Array.isArray(output)) return output
  const tools = isJsonObject(output) ? output['tools'] : undefined
  return Array.isArray(tools) ? tools : []
}

/** Some servers send the value itself (B030). */
export function parsedArguments(written: Json | undefined): Json {
  if (typeof written !== 'string') return written ?? {}
  try {
    return JSON.parse(written === '' ? '{}' : written)
  } catch {
    return { [customInput]: written }
  }
}
