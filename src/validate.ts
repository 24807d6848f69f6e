import { policyProblems } from './check-policies.ts'
import { settingProblems } from './check-settings.ts'
import { group, isPositive, typed, unknownKeys, words } from './checks.ts'
import { messageOf, RondoError } from './core/error.ts'
import { isJsonObject } from './core/json.ts'
import { isSchema, schemaWords } from './core/json-schema-of.ts'
import { sentenceOf } from './core/known-keys.ts'
import { isProviderTool, type Offered, offeredName } from './core/offered-tools.ts'
import { dataOptions } from './core/own-parts.ts'
import { toStorable } from './core/storable.ts'
import type { ProviderTool, Tool } from './core/tool.ts'
import { outputSchema } from './output/schema.ts'

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
])
const resumeKeys = new Set([...runKeys, 'decisions', 'results'].filter((key) => !['session', 'runId', 'metadata', 'onBusy'].includes(key)))
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
/** Options that have a name and a type already and nothing behind them yet. */
const notYet: { readonly [option: string]: string } = {
  compaction: 'compaction',
}

export function checkAgentOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) raise('new Agent', ['options are missing: give at least a model'])
  else checkOptionsOfAgent(options)
}

function checkOptionsOfAgent(options: object): void {
  const wrong = unknownKeys(options, agentKeys, '')
  wrong.push(...modelProblems(Reflect.get(options, 'model')))
  const tools: unknown = Reflect.get(options, 'tools')
  wrong.push(...sharedProblems(options), ...toolProblems(tools, 'tools'))
  // That of a run may have tools of its own: 'required' can be judged there only.
  wrong.push(...forcedProblems(chosenTool(Reflect.get(options, 'toolChoice')), namesOf(toolList(tools).filter(isTool))))
  wrong.push(...typed(options, 'name', 'text'), ...typed(options, 'version', 'text'), ...typed(options, 'onObserverError', 'function'))
  const world: unknown = Reflect.get(options, 'world')
  if (world !== undefined && !isWorld(world)) wrong.push('world needs a clock, id() and random()')
  wrong.push(...hookProblems(Reflect.get(options, 'hooks')))
  const store: unknown = Reflect.get(options, 'store')
  if (store !== undefined && typeof Reflect.get(Object(store), 'append') !== 'function') wrong.push('store has no append(): it is no store')
  raise('new Agent', wrong)
}

const hooksToCome = new Set(['beforeRun', 'beforeModel', 'afterModel', 'beforeTool', 'afterTool', 'beforeFinish', 'afterRun'])

function hookProblems(hooks: unknown): string[] {
  if (hooks === undefined) return []
  if (typeof hooks !== 'object' || hooks === null) return ['hooks must be an object']
  const wrong = unknownKeys(hooks, new Set(['approveTool', ...hooksToCome]), 'hooks.')
  for (const [name, hook] of Object.entries(hooks))
    if (hooksToCome.has(name) && hook !== undefined) wrong.push(`'hooks.${name}': this hook is not there yet in this version`)
  return [...wrong, ...typed(hooks, 'approveTool', 'function').map((problem) => `hooks.${problem}`)]
}

/** What of an agent the options of a run must fit. */
interface OfAgent {
  readonly tools: readonly Offered[]
  readonly toolChoice: unknown
}

export function checkAttachOptions(options: object): void {
  const wrong = [...unknownKeys(options, new Set(['runId', 'after']), ''), ...idProblems(options, 'runId')]
  raise('attach options', wrong)
}

function idProblems(options: object, key: string): string[] {
  const name: unknown = Reflect.get(options, key)
  const usable = name === undefined || (typeof name === 'string' && name !== '' && name.length <= 512)
  return usable ? [] : [`${key} must be a text of 1 to 512 characters`]
}

export function checkRunOptions(options: object, agent: OfAgent, use: 'run' | 'resume' = 'run'): void {
  const wrong = unknownKeys(options, use === 'run' ? runKeys : resumeKeys, '')
  wrong.push(...idProblems(options, 'session'), ...idProblems(options, 'runId'))
  wrong.push(...typed(options, 'detach', 'boolean'), ...typed(options, 'throwOnError', 'boolean'))
  const model: unknown = Reflect.get(options, 'model')
  if (model !== undefined) wrong.push(...modelProblems(model))
  const signal: unknown = Reflect.get(options, 'signal')
  if (signal !== undefined && !(signal instanceof AbortSignal)) wrong.push('signal must be an AbortSignal')
  wrong.push(...sharedProblems(options), ...toolProblems(Reflect.get(options, 'extraTools'), 'extraTools', agent.tools))
  const park: unknown = Reflect.get(options, 'parkAfterMs')
  if (park !== undefined && !(typeof park === 'number' && park >= 0)) wrong.push('parkAfterMs must be a number of ms, 0 or more')
  for (const key of ['decisions', 'results']) {
    const answers: unknown = Reflect.get(options, key)
    if (answers !== undefined && !Array.isArray(answers)) wrong.push(`${key} must be a list`)
  }
  wrong.push(...choosingProblems(options, agent))
  raise('run options', wrong)
}

const dataKeys = new Set<string>(dataOptions)

/** What of a run's data in a journal this version can't follow: a newer one, or somebody else, may have written it. Tools may be others here. */
export function dataProblems(data: object): string[] {
  const allowed: unknown = Reflect.get(data, 'allowedTools')
  const isList = allowed === undefined || (Array.isArray(allowed) && allowed.every((name) => typeof name === 'string'))
  return [...unknownKeys(data, dataKeys, ''), ...sharedProblems(data), ...(isList ? [] : ['allowedTools must be a list of names'])]
}

/** Whether the tools that a run allows and forces are there. */
function choosingProblems(options: object, agent: OfAgent): string[] {
  const tools = [...agent.tools, ...toolList(Reflect.get(options, 'extraTools'))]
  const all = namesOf(tools)
  const allowed: unknown = Reflect.get(options, 'allowedTools')
  if (allowed !== undefined && !Array.isArray(allowed)) return ['allowedTools must be a list of names']
  const names = allowed === undefined ? all : new Set(allowed.map(String))
  // The model would be told of two tools of one name.
  const wrong = (allowed ?? [])
    .map(String)
    .filter((name, index, list) => list.indexOf(name) !== index)
    .map((name) => `allowedTools names '${name}' twice`)
  for (const name of names) if (!all.has(name)) wrong.push(`allowedTools names '${name}', and there is no such tool${listed(all)}`)
  const choice: unknown = Reflect.get(options, 'toolChoice') ?? agent.toolChoice
  if (choice === 'required' && names.size === 0) wrong.push("toolChoice is 'required', and there is no tool that the model could call")
  const ours = namesOf(tools.filter(isTool))
  return [...wrong, ...forcedProblems(chosenTool(choice), new Set([...names].filter((name) => ours.has(name))))]
}

function namesOf(tools: readonly Offered[]): ReadonlySet<string> {
  return new Set(tools.map(offeredName))
}

function chosenTool(choice: unknown): string | undefined {
  const name: unknown = typeof choice === 'object' && choice !== null ? Reflect.get(choice, 'tool') : undefined
  return typeof name === 'string' ? name : undefined
}

function forcedProblems(name: string | undefined, tools: ReadonlySet<string>): string[] {
  return name === undefined || tools.has(name) ? [] : [`toolChoice names '${name}', and there is no such tool${listed(tools)}`]
}

const maxListed = 50

function listed(names: ReadonlySet<string>): string {
  if (names.size === 0) return ''
  const some = [...names].slice(0, maxListed).map((name) => `'${name}'`)
  return `: there is ${some.join(', ')}${names.size > maxListed ? ', …' : ''}`
}

function raise(where: string, wrong: readonly string[]): void {
  if (wrong.length > 0) throw new RondoError('ConfigInvalid', `${where}: ${sentenceOf(wrong)}`)
}

function isWorld(value: unknown): boolean {
  const parts =
    typeof value === 'object' && value !== null ? ['id', 'random', 'clock'].map((name): unknown => Reflect.get(value, name)) : []
  const [id, random, clock] = parts
  return typeof id === 'function' && typeof random === 'function' && typeof clock === 'object' && clock !== null
}

/** What `openaiCompatible({ … })` gives is a function of the name. */
function modelKind(value: unknown): string {
  if (typeof value === 'string') return `the text '${value.slice(0, 100)}'`
  if (typeof value === 'function') return "a function: call it with the name of the model, as local('qwen3')"
  return value === null ? 'null' : `of type ${typeof value}`
}

function modelProblems(value: unknown): string[] {
  if (value === undefined) return ["model is missing: give a model, for example offline() from 'rondo/offline'"]
  if (typeof value === 'object' && value !== null && typeof Reflect.get(value, 'stream') === 'function') return []
  const kind = modelKind(value)
  return [`model must be what a function like openai('gpt-5-mini') of 'rondo/openai' returns, and is ${kind}`]
}

function sharedProblems(options: object): string[] {
  const wrong: string[] = []
  for (const [option, what] of Object.entries(notYet)) {
    const value: unknown = Reflect.get(options, option)
    if (value !== undefined && value !== false) wrong.push(`'${option}': ${what} is not there yet in this version`)
  }
  wrong.push(...group(options, 'limits', limitKeys, ['onLimit']), ...settingProblems(options), ...policyProblems(options))
  const settings: unknown = Reflect.get(options, 'settings')
  if (settings !== undefined && !isPlainObject(settings)) wrong.push('settings must be plain JSON: they are kept in the journal')
  wrong.push(...dependencyProblems(Reflect.get(options, 'dependencies')))
  wrong.push(...choiceProblems(Reflect.get(options, 'toolChoice')), ...stopProblems(Reflect.get(options, 'stopWhen')))
  const metadata: unknown = Reflect.get(options, 'metadata')
  if (metadata !== undefined && !isPlainObject(metadata)) wrong.push('metadata must be a plain JSON object: it is kept in the journal')
  const parallel: unknown = Reflect.get(options, 'maxParallel')
  if (parallel !== undefined && !isPositive(parallel)) wrong.push(`maxParallel must be a positive number, not ${String(parallel)}`)
  wrong.push(
    ...words(options, 'onBusy', ['reject', 'queue', 'steer', 'interrupt']),
    ...words(options, 'onPending', ['answer', 'hold', 'reject']),
  )
  const limits: unknown = Reflect.get(options, 'limits')
  if (typeof limits === 'object' && limits !== null && Reflect.get(limits, 'maxContextTokens') !== undefined)
    wrong.push("'limits.maxContextTokens': a limit on the context is not there yet in this version")
  if (typeof limits === 'object' && limits !== null) wrong.push(...words(limits, 'onLimit', ['summarize', 'error', 'incomplete']))
  wrong.push(...outputProblems(Reflect.get(options, 'output')))
  const instructions: unknown = Reflect.get(options, 'instructions')
  if (instructions !== undefined && typeof instructions !== 'string' && typeof instructions !== 'function')
    wrong.push('instructions must be a text or a function that returns one')
  return wrong
}

function outputProblems(output: unknown): string[] {
  if (output === undefined) return []
  if (!isSchema(output)) return [`output ${schemaWords}`]
  try {
    outputSchema(output)
    return []
  } catch (error) {
    return [messageOf(error).replace(/\.$/, '')]
  }
}

function choiceProblems(choice: unknown): string[] {
  const known = typeof choice === 'string' ? ['auto', 'none', 'required'].includes(choice) : chosenTool(choice) !== undefined
  if (choice === undefined || known) return []
  return ["toolChoice must be 'auto', 'none', 'required' or { tool: name }"]
}

function stopProblems(conditions: unknown): string[] {
  const list = Array.isArray(conditions) ? conditions : [conditions]
  return conditions === undefined || list.every((one) => typeof one === 'function')
    ? []
    : ['stopWhen must be a function or a list of functions']
}

function dependencyProblems(list: unknown): string[] {
  if (list === undefined) return []
  if (!Array.isArray(list)) return ['dependencies must be a list']
  return list.flatMap((one: unknown, index) => {
    const usable = typeof one === 'object' && one !== null && 'key' in one && 'create' in one && typeof one.create === 'function'
    return usable ? [] : [`dependencies[${index}] is no dependency: make it with dependency().with()`]
  })
}

function isPlainObject(value: unknown): boolean {
  return isJsonObject(value) && toStorable(value).changed.length === 0
}

function toolProblems(tools: unknown, where: string, taken: readonly Offered[] = []): string[] {
  if (tools === undefined) return []
  if (!Array.isArray(tools)) return [`${where} must be a list of tools`]
  const wrong: string[] = []
  const names = new Set(taken.filter((tool) => !isProviderTool(tool)).map(offeredName))
  tools.forEach((tool: unknown, index) => {
    if (isHosted(tool)) wrong.push(...hostedProblems(tool, `${where}[${index}]`))
    else if (!isTool(tool)) wrong.push(`${where}[${index}] is no tool: make it with tool({ … })`)
    else if (names.has(tool.name)) wrong.push(`two tools are named '${tool.name}': names must differ`)
    else names.add(tool.name)
  })
  return wrong
}

function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && '~definition' in value && 'inputSchema' in value
}

function isHosted(value: unknown): value is { readonly [key in keyof ProviderTool]?: unknown } {
  return typeof value === 'object' && value !== null && 'providerTool' in value
}

/** A tool that the provider runs is sent as it is. */
function hostedProblems(tool: { readonly [key in keyof ProviderTool]?: unknown }, where: string): string[] {
  const { provider, providerTool } = tool
  const wrong = unknownKeys(tool, new Set(['provider', 'providerTool']), `${where}.`)
  if (typeof provider !== 'string' || provider === '') wrong.push(`${where}.provider must be the name of a provider, as 'openai'`)
  if (!isPlainObject(providerTool) || Object.keys(Object(providerTool)).length === 0)
    wrong.push(`${where}.providerTool must be the tool as its API takes it, as plain JSON: { type: 'web_search' }`)
  return wrong
}

/** The tools of a list. */
export function toolList(tools: unknown): readonly Offered[] {
  return Array.isArray(tools) ? tools.filter((tool: unknown): tool is Offered => isTool(tool) || isHosted(tool)) : []
}
