import { RondoError } from './core/error.ts'
import type { Tool } from './core/tool.ts'

const shared = [
  'instructions',
  'output',
  'settings',
  'limits',
  'toolChoice',
  'stopWhen',
  'maxParallel',
  'dependencies',
  'metadata',
  'onBusy',
  'onPending',
  'policies',
]
const agentKeys = new Set([...shared, 'model', 'tools', 'name', 'version', 'store', 'hooks', 'compaction', 'onObserverError', 'world'])
const runKeys = new Set([
  ...shared,
  'session',
  'runId',
  'signal',
  'model',
  'extraTools',
  'parkAfterMs',
  'allowedTools',
  'detach',
  'throwOnError',
  'context',
  'decisions',
  'results',
])
const limitKeys = new Set([
  'maxIterations',
  'maxToolRounds',
  'maxToolCalls',
  'maxCallsPerTool',
  'maxDurationMs',
  'maxTokens',
  'maxCostUsd',
  'maxConsecutiveErrors',
  'maxContextTokens',
  'timeSliceMs',
  'onLimit',
])
const settingKeys = new Set([
  'maxOutputTokens',
  'temperature',
  'topP',
  'seed',
  'stop',
  'reasoning',
  'maxRetries',
  'timeoutMs',
  'providerOptions',
])
const policyKeys = new Set([
  'approvalTiming',
  'doneDrain',
  'emptyResponse',
  'onTruncated',
  'toolUseWithoutCalls',
  'toolFailureMode',
  'unknownTool',
  'noProgress',
  'termination',
  'graceMs',
  'retryAfterOutput',
  'retry',
  'durability',
  'toolChoiceEvery',
  'toolResult',
  'errorText',
])

/** What other libraries call our options. */
const peerWords: { readonly [word: string]: string } = {
  maxSteps: 'limits.maxIterations',
  maxTurns: 'limits.maxIterations',
  max_iterations: 'limits.maxIterations',
  maxIterations: 'limits.maxIterations',
  recursionLimit: 'limits.maxIterations',
  system: 'instructions',
  systemPrompt: 'instructions',
  prompt: 'instructions',
  parameters: 'inputSchema (of a tool)',
  abortSignal: 'signal (of a run)',
  prepareStep: 'hooks.beforeModel',
  llm: 'model',
  functions: 'tools',
  outputType: 'output',
  outputSchema: 'output',
  responseFormat: 'output',
  temperature: 'settings.temperature',
  maxTokens: 'settings.maxOutputTokens (of a call) or limits.maxTokens (of a run)',
  maxOutputTokens: 'settings.maxOutputTokens',
  maxRetries: 'settings.maxRetries',
  topP: 'settings.topP',
  toolFailureMode: 'policies.toolFailureMode',
  sessionId: 'session',
  threadId: 'session',
  thread_id: 'session',
  parallelToolCalls: 'maxParallel',
  checkpointer: 'store',
  memory: 'store',
}

/** Options that have a name and a type already and nothing behind them yet. */
const notYet: { readonly [option: string]: string } = {
  output: 'structured output',
  hooks: 'hooks',
  compaction: 'compaction',
}

export function checkAgentOptions(options: object): void {
  const wrong = unknownKeys(options, agentKeys, '')
  if (!isModel(Reflect.get(options, 'model'))) wrong.push("model is missing: give a model, for example offline() from 'rondo/offline'")
  wrong.push(...sharedProblems(options), ...toolProblems(Reflect.get(options, 'tools'), 'tools'))
  const store: unknown = Reflect.get(options, 'store')
  if (store !== undefined && typeof Reflect.get(Object(store), 'append') !== 'function') wrong.push('store has no append(): it is no store')
  raise('new Agent', wrong)
}

export function checkRunOptions(options: object | undefined, agentTools: readonly Tool[]): void {
  if (options === undefined) return
  const wrong = unknownKeys(options, runKeys, '')
  const session: unknown = Reflect.get(options, 'session')
  if (session !== undefined && (typeof session !== 'string' || session === '' || session.length > 512))
    wrong.push('session must be a text of 1 to 512 characters')
  const model: unknown = Reflect.get(options, 'model')
  if (model !== undefined && !isModel(model)) wrong.push('model is no model')
  const signal: unknown = Reflect.get(options, 'signal')
  if (signal !== undefined && !(signal instanceof AbortSignal)) wrong.push('signal must be an AbortSignal')
  wrong.push(...sharedProblems(options), ...toolProblems(Reflect.get(options, 'extraTools'), 'extraTools', agentTools))
  const park: unknown = Reflect.get(options, 'parkAfterMs')
  if (park !== undefined && !(typeof park === 'number' && park >= 0)) wrong.push('parkAfterMs must be a number of ms, 0 or more')
  const allowed: unknown = Reflect.get(options, 'allowedTools')
  if (Array.isArray(allowed)) {
    const known = new Set([...agentTools, ...toolList(Reflect.get(options, 'extraTools'))].map((tool) => tool.name))
    for (const name of allowed) if (!known.has(String(name))) wrong.push(`allowedTools names '${String(name)}', and there is no such tool`)
  }
  raise('run options', wrong)
}

function raise(where: string, wrong: readonly string[]): void {
  if (wrong.length > 0) throw new RondoError('ConfigInvalid', `${where}: ${wrong.join('; ')}.`)
}

function unknownKeys(options: object, known: ReadonlySet<string>, prefix: string): string[] {
  const wrong: string[] = []
  for (const key of Object.keys(options)) {
    if (known.has(key)) continue
    const word = Object.hasOwn(peerWords, key) ? peerWords[key] : nearest(key, known)
    wrong.push(`unknown option '${prefix}${key}'${word === undefined ? '' : `: did you mean '${word}'?`}`)
  }
  return wrong
}

/** The known word that differs by one or two letters, or only in its case. */
function nearest(word: string, known: ReadonlySet<string>): string | undefined {
  let best: string | undefined
  let least = 3
  for (const candidate of known) {
    const distance = word.toLowerCase() === candidate.toLowerCase() ? 0 : editDistance(word, candidate, least)
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? limit
}

function isModel(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'stream') === 'function'
}

function sharedProblems(options: object): string[] {
  const wrong: string[] = []
  for (const [option, what] of Object.entries(notYet)) {
    const value: unknown = Reflect.get(options, option)
    if (value !== undefined && value !== false) wrong.push(`'${option}': ${what} is not there yet in this version`)
  }
  wrong.push(
    ...group(options, 'limits', limitKeys, ['onLimit']),
    ...group(options, 'settings', settingKeys, ['stop', 'reasoning', 'providerOptions', 'temperature', 'topP', 'seed', 'maxRetries']),
    ...group(
      options,
      'policies',
      policyKeys,
      [...policyKeys].filter((key) => key !== 'graceMs'),
    ),
  )
  const parallel: unknown = Reflect.get(options, 'maxParallel')
  if (parallel !== undefined && !isPositive(parallel)) wrong.push(`maxParallel must be a positive number, not ${String(parallel)}`)
  wrong.push(
    ...words(options, 'onBusy', ['reject', 'queue', 'steer', 'interrupt']),
    ...words(options, 'onPending', ['answer', 'hold', 'reject']),
  )
  const limits: unknown = Reflect.get(options, 'limits')
  if (typeof limits === 'object' && limits !== null) wrong.push(...words(limits, 'onLimit', ['summarize', 'error', 'incomplete']))
  const instructions: unknown = Reflect.get(options, 'instructions')
  if (instructions !== undefined && typeof instructions !== 'string' && typeof instructions !== 'function')
    wrong.push('instructions must be a text or a function that returns one')
  return wrong
}

/** A nested group: its keys are known, and what is no exception is a positive number. */
function group(options: object, name: string, known: ReadonlySet<string>, notNumbers: readonly string[]): string[] {
  const value: unknown = Reflect.get(options, name)
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null) return [`${name} must be an object`]
  const wrong = unknownKeys(value, known, `${name}.`)
  for (const [key, number] of Object.entries(value))
    if (known.has(key) && !notNumbers.includes(key) && number !== undefined && !isPositive(number))
      wrong.push(`${name}.${key} must be a positive number, not ${String(number)}`)
  return wrong
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && value > 0
}

function words(options: object, key: string, allowed: readonly string[]): string[] {
  const value: unknown = Reflect.get(options, key)
  if (value === undefined || (typeof value === 'string' && allowed.includes(value))) return []
  return [`${key} must be ${allowed.map((word) => `'${word}'`).join(', ')}, not ${JSON.stringify(value)}`]
}

function toolProblems(tools: unknown, where: string, taken: readonly Tool[] = []): string[] {
  if (tools === undefined) return []
  if (!Array.isArray(tools)) return [`${where} must be a list of tools`]
  const wrong: string[] = []
  const names = new Set(taken.map((tool) => tool.name))
  tools.forEach((tool: unknown, index) => {
    if (!isTool(tool)) wrong.push(`${where}[${index}] is no tool: make it with tool({ … })`)
    else if (names.has(tool.name)) wrong.push(`two tools are named '${tool.name}': names must differ`)
    else names.add(tool.name)
  })
  return wrong
}

export function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && '~definition' in value && 'inputSchema' in value
}

/** The tools of a list that are run here. */
export function toolList(tools: unknown): readonly Tool[] {
  return Array.isArray(tools) ? tools.filter(isTool) : []
}
