import { unknownField } from '../openai.ts'
import { isObject, type JsonObject, type Violation, violation } from '../violation.ts'
import { checkMessage, checkOutput } from './content.ts'
import { encryptedFor } from './items.ts'
import type { ResponsesRules } from './quirks.ts'

interface Kind {
  /** Fields that must be there, and those that may. `type` is known. */
  readonly needs: readonly string[]
  readonly may?: readonly string[]
  /** Of a call that the client runs: the kind that answers it. */
  readonly answeredBy?: string
}

/** The kinds of items besides messages, by the API's reference. */
const kinds: { readonly [type: string]: Kind } = {
  reasoning: { needs: ['id', 'summary'], may: ['content', 'encrypted_content', 'status'] },
  function_call: {
    needs: ['call_id', 'name', 'arguments'],
    may: ['id', 'status', 'namespace', 'caller'],
    answeredBy: 'function_call_output',
  },
  function_call_output: { needs: ['call_id', 'output'], may: ['id', 'status', 'caller', 'name', 'namespace'] },
  custom_tool_call: {
    needs: ['call_id', 'name', 'input'],
    may: ['id', 'status', 'namespace', 'caller'],
    answeredBy: 'custom_tool_call_output',
  },
  custom_tool_call_output: { needs: ['call_id', 'output'], may: ['id', 'status', 'caller'] },
  local_shell_call: { needs: ['call_id', 'action'], may: ['id', 'status'], answeredBy: 'local_shell_call_output' },
  local_shell_call_output: { needs: ['call_id', 'output'], may: ['id', 'status'] },
  shell_call: { needs: ['call_id', 'action'], may: ['id', 'status', 'environment', 'caller'], answeredBy: 'shell_call_output' },
  shell_call_output: { needs: ['call_id', 'output'], may: ['id', 'status', 'max_output_length', 'caller'] },
  apply_patch_call: { needs: ['call_id', 'operation'], may: ['id', 'status', 'caller'], answeredBy: 'apply_patch_call_output' },
  apply_patch_call_output: { needs: ['call_id', 'status'], may: ['id', 'output', 'caller'] },
  computer_call: {
    needs: ['call_id'],
    may: ['id', 'status', 'action', 'actions', 'pending_safety_checks'],
    answeredBy: 'computer_call_output',
  },
  computer_call_output: { needs: ['call_id', 'output'], may: ['id', 'status', 'acknowledged_safety_checks'] },
  mcp_list_tools: { needs: ['id', 'server_label', 'tools'], may: ['error'] },
  mcp_approval_request: { needs: ['id', 'server_label', 'name', 'arguments'], answeredBy: 'mcp_approval_response' },
  mcp_approval_response: { needs: ['approval_request_id', 'approve'], may: ['id', 'reason'] },
  mcp_call: { needs: ['id', 'server_label', 'name', 'arguments'], may: ['status', 'output', 'error', 'approval_request_id'] },
  web_search_call: { needs: ['status'], may: ['id', 'action'] },
  file_search_call: { needs: ['id', 'status', 'queries'], may: ['results'] },
  code_interpreter_call: { needs: ['id', 'status', 'code', 'container_id'], may: ['outputs'] },
  image_generation_call: {
    needs: ['id', 'status', 'result'],
    may: ['background', 'output_format', 'quality', 'size', 'revised_prompt', 'action'],
  },
  tool_search_call: { needs: ['arguments'], may: ['id', 'call_id', 'execution', 'status'] },
  tool_search_output: { needs: ['tools'], may: ['id', 'call_id', 'execution', 'status'] },
  program: { needs: ['id', 'call_id', 'code', 'fingerprint'] },
  program_output: { needs: ['id', 'call_id', 'result', 'status'] },
  additional_tools: { needs: ['role', 'tools'], may: ['id'] },
  compaction_trigger: { needs: [] },
  compaction: { needs: ['encrypted_content'], may: ['id'] },
  item_reference: { needs: ['id'] },
}

/** Who answers calls of a kind, turned round. */
const answers: ReadonlyMap<string, string> = new Map(
  Object.entries(kinds).flatMap(([type, { answeredBy }]) => (answeredBy === undefined ? [] : [[answeredBy, type] as const])),
)

export function* checkInput(body: JsonObject, rules: ResponsesRules): Iterable<Violation> {
  const { input, store, previous_response_id: previous } = body
  if (typeof input === 'string') return
  if (!Array.isArray(input) || input.length === 0)
    return yield violation('input', 'input', "Missing required parameter: 'input'.", 'missing_required_parameter')
  const items: JsonObject[] = []
  for (const [index, item] of input.entries()) {
    if (!isObject(item))
      yield violation('input', `input[${index}]`, `Invalid type for 'input[${index}]': expected an object.`, 'invalid_type')
    else {
      items.push(item)
      yield* checkItem(item, `input[${index}]`, rules)
    }
  }
  yield* checkPairs(items, typeof previous === 'string')
  yield* checkUnits(items)
  if (store === false || rules.keepsNothing === true) yield* checkStored(items)
}

function* checkItem(item: JsonObject, path: string, rules: ResponsesRules): Iterable<Violation> {
  const { type } = item
  if (type === undefined || type === 'message') return yield* checkMessage(item, path)
  const kind = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (kind === undefined) return yield violation('type', `${path}.type`, `Invalid value: '${String(type)}'.`, 'invalid_value')
  for (const field of kind.needs)
    if (item[field] === undefined)
      yield violation('field', `${path}.${field}`, `Missing required parameter: '${path}.${field}'.`, 'missing_required_parameter')
  for (const [field, value] of Object.entries(item)) {
    if (field !== 'type' && !kind.needs.includes(field) && kind.may?.includes(field) !== true) yield unknownField(`${path}.${field}`)
    if (field === 'status' && value === null)
      yield violation(
        'type',
        `${path}.status`,
        `Invalid type for '${path}.status': expected one of 'in_progress', 'completed', or 'incomplete', but got null instead.`,
        'invalid_type',
      )
  }
  yield* checkIds(item, path)
  if (item['output'] !== undefined) yield* checkOutput(item, path, rules)
}

const idPrefixes: { readonly [type: string]: string } = { reasoning: 'rs', function_call: 'fc', custom_tool_call: 'ctc', message: 'msg' }

function* checkIds(item: JsonObject, path: string): Iterable<Violation> {
  for (const field of ['id', 'call_id', 'approval_request_id']) {
    const id = item[field]
    if (id === undefined || (field === 'call_id' && id === null)) continue
    if (typeof id !== 'string' || id === '')
      yield violation('ids', `${path}.${field}`, `Invalid '${path}.${field}': empty string. Expected a string with minimum length 1.`)
    else if (id.length > 64)
      yield violation(
        'ids',
        `${path}.${field}`,
        `Invalid '${path}.${field}': string too long. Expected a string with maximum length 64, but got a string with length ${id.length} instead.`,
        'string_above_max_length',
      )
  }
  const prefix = idPrefixes[String(item['type'])]
  const { id } = item
  if (prefix !== undefined && typeof id === 'string' && !id.startsWith(prefix))
    yield violation('ids', `${path}.id`, `Invalid '${path}.id': '${id}'. Expected an ID that begins with '${prefix}'.`, 'invalid_value')
}

/** Every call is answered once, by an item of its kind behind it; every answer has its call. What the server has kept is not looked at. */
function* checkPairs(items: readonly JsonObject[], goesOn: boolean): Iterable<Violation> {
  const open = new Map<string, string>()
  const known = new Set<string>()
  for (const [index, item] of items.entries()) {
    const type = String(item['type'])
    const id = String(item['call_id'] ?? item['approval_request_id'] ?? item['id'])
    const isServerRun = type === 'tool_search_call' || type === 'tool_search_output'
    if (isServerRun) continue
    if (kinds[type]?.answeredBy !== undefined) {
      if (known.has(id))
        yield violation(
          'pairing',
          `input[${index}].call_id`,
          `Duplicate item found with call_id ${id}. Remove duplicate items from your input and try again.`,
        )
      known.add(id)
      open.set(id, type)
      continue
    }
    if (type === 'program') known.add(id)
    if (type === 'program_output' && !known.has(id) && !goesOn)
      yield violation('pairing', `input[${index}]`, `No program found for program output with call_id ${id}.`)
    const called = answers.get(type)
    if (called === undefined) continue
    if (open.get(id) !== called && !(goesOn && !known.has(id)))
      yield violation('pairing', 'input', `No tool call found for ${words(type)} with call_id ${id}.`)
    open.delete(id)
  }
  for (const [id, type] of open)
    yield violation('pairing', 'input', `No tool output found for ${type === 'function_call' ? 'function call' : words(type)} ${id}.`)
}

function words(type: string): string {
  return type.replaceAll('_', ' ')
}

const outputKinds: ReadonlySet<string> = new Set([...Object.values(kinds).flatMap(({ answeredBy }) => answeredBy ?? []), 'item_reference'])

/** What the model itself has made. */
function isOfModel(item: JsonObject | undefined): boolean {
  if (item === undefined) return false
  const type = String(item['type'] ?? 'message')
  return type === 'message' ? item['role'] === 'assistant' : !outputKinds.has(type)
}

/** Reasoning and the item after it are one unit: both with ids, and in this order; the ids of this server tell what belongs together. */
function* checkUnits(items: readonly JsonObject[]): Iterable<Violation> {
  let led: string | undefined
  for (const [index, item] of items.entries()) {
    const { id } = item
    const next = items[index + 1]
    if (item['type'] === 'reasoning') {
      if (!isOfModel(next) || (typeof id === 'string' && typeof next?.['id'] !== 'string'))
        yield violation(
          'reasoning',
          `input[${index}]`,
          `Item '${String(id)}' of type 'reasoning' was provided without its required following item.`,
        )
      led = typeof id === 'string' ? responseOf(id) : undefined
      continue
    }
    if (typeof id !== 'string' || !followsReasoning.test(id)) continue
    if (led !== responseOf(id))
      yield violation(
        'reasoning',
        `input[${index}]`,
        `Item '${id}' of type '${String(item['type'])}' was provided without its required 'reasoning' item: 'rs_${responseOf(id)}'.`,
      )
  }
}

/** How this server names what has come after reasoning in its response. */
const followsReasoning = /^(?:fc|msg)_r[0-9a-f]{23}/

function responseOf(id: string): string {
  return id.slice(id.indexOf('_') + 1).slice(0, 24)
}

function* checkStored(items: readonly JsonObject[]): Iterable<Violation> {
  for (const [index, item] of items.entries()) {
    const { id, type, encrypted_content: encrypted, content } = item
    if (type !== 'reasoning' && type !== 'item_reference') continue
    const isWhole = typeof encrypted === 'string' || (Array.isArray(content) && content.length > 0)
    if (!isWhole)
      yield violation(
        'stored',
        `input[${index}].id`,
        `Item with id '${String(id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      )
    else if (typeof encrypted === 'string' && encrypted.startsWith('gAAAA') && encrypted !== encryptedFor(String(id)))
      yield violation(
        'stored',
        `input[${index}].encrypted_content`,
        'The encrypted content could not be verified.',
        'invalid_encrypted_content',
      )
  }
}
