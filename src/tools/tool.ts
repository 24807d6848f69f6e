import { RondoError } from '../core/error.ts'
import type { Json, Jsonify } from '../core/json.ts'
import { isSchema, jsonSchemaOf, schemaWords } from '../core/json-schema-of.ts'
import type { Part, UserPart } from '../core/message.ts'
import type { In, Out, Schema } from '../core/schema.ts'
import {
  type Ask,
  type Awaitable,
  type Dependency,
  type Effect,
  type RunInfo,
  type Tool,
  type ToolCallInfo,
  type ToolDefinition,
  type ToolSignalData,
  toolSignalMarker,
} from '../core/tool.ts'

/** What a tool is made from. `R` is what `execute` returns, `C` the typed context that the run must be given. */
export interface ToolOptions<N extends string, S extends Schema, R, C, S2 extends Schema> {
  /** 1 to 64 letters, digits, `_` or `-`: what every provider takes. */
  name: N
  /** What the model reads. A function is asked once before each model call. */
  description: string | ((run: RunInfo<C>) => string)
  /** Needs both standard halves. The model and the journal see its input side, `execute` its parsed side; transforms must be pure. */
  inputSchema: S
  /**
   * Runs the call; called once per attempt and awaited. What it throws becomes an error result that the model reads (the message
   * only). Absent: a client runs the call and submits its result.
   */
  execute?: (input: Out<S>, call: ToolCallInfo<C>) => R
  /** Types the result of a tool without `execute`. A result that does not fit is an error; one from a client is refused. */
  outputSchema?: S2
  /** What the model is shown instead of the output as JSON. Must be pure; it gets the output as the journal has it. */
  toModelOutput?(output: Jsonify<Awaited<NoInfer<R>>>): string | readonly (Part | UserPart)[]
  /** What a crash or timeout means. Default `'unsafe'`: at most once. */
  effect?: Effect
  /**
   * Finds out what became of an unsafe call whose outcome is lost: after a crash, and before the same call starts again after one that timed out, was
   * cancelled or lost. `call.callId` and `call.idempotencyKey` are those of the lost call. `{ settled }` holds what `execute` would have returned
   * (an output, `done()` or `content()`, not `suspend()`). `'not-started'`: it never took effect and never will under its `idempotencyKey` (the old process may only be asleep): the call is run. `'unknown'`,
   * a throw, or no answer within `timeoutMs` (default 60,000): it stays unknown, and the model is told so.
   */
  reconcile?: (input: Out<S>, call: ToolCallInfo<C>) => Awaitable<{ settled: unknown } | 'not-started' | 'unknown'>
  /**
   * Whether a human must agree first. A function is asked once per call, and awaited for `policies.hookTimeoutMs`; when it throws, or says nothing in time, the
   * call is denied. Default false.
   */
  needsApproval?: boolean | ((input: Out<S>, call: ToolCallInfo<C>) => Awaitable<boolean | Ask>)
  /** Of a tool without `execute`: a person answers, so that interfaces show a question. Default false. */
  asksUser?: boolean
  /** Time limit of one attempt in ms. Default: none. */
  timeoutMs?: number
  /** How long an aborted call may take to settle, in ms. Default: the run's (1,000). */
  graceMs?: number
  /** Runs alone: no other call beside it. Default false. */
  exclusive?: boolean
  /**
   * The model does not wait for the call: it is told that it goes on, works or answers meanwhile, and gets the result in a message when it is
   * there. The run does not complete before; a run that ends otherwise (a limit, a failure, an abort) stops it. At most `maxParallel` calls go on like
   * this at once, and none twice with the same arguments. What `done()` says is its result and ends nothing. Default false.
   */
  background?: boolean
  /** Calls of this tool in one run. Default: no limit. */
  maxCallsPerRun?: number
}

type Built<N extends string, S extends Schema, R, C, S2 extends Schema> = Tool<
  N,
  In<S>,
  Out<S>,
  [S2] extends [never] ? Jsonify<Exclude<Awaited<R>, ToolSignal>> : Jsonify<Out<S2>>,
  C
>

interface ToolBuilder {
  <const N extends string, S extends Schema, R, C = unknown, S2 extends Schema = never>(
    options: ToolOptions<N, S, R, C, S2>,
  ): Built<N, S, R, C, S2>
  /** `tool.for<App>()` makes a builder whose tools all have the context `App`. */
  for<C>(): <const N extends string, S extends Schema, R, S2 extends Schema = never>(
    options: ToolOptions<N, S, R, C, S2>,
  ) => Built<N, S, R, C, S2>
}

/** May be returned from `execute`: made by `done()`, `suspend()` and `content()`. */
export class ToolSignal {
  private readonly brand = true
  readonly '~signal': ToolSignalData

  constructor(data: ToolSignalData) {
    this['~signal'] = data
    Object.defineProperty(this, toolSignalMarker, { value: this.brand })
  }

  static is(value: unknown): value is ToolSignal {
    return typeof value === 'object' && value !== null && toolSignalMarker in value
  }
}

/** Ends the run with this output (reason `done_tool`). */
export function done(output: Json): ToolSignal {
  return new ToolSignal({ kind: 'done', output })
}

/** Parks the call until `submitToolResult()`, or until it expires (ms) and settles as a timeout: a result that comes later is refused. */
export function suspend(options: { correlationId: string; expiresInMs?: number }): ToolSignal {
  return new ToolSignal({ kind: 'suspend', ...options })
}

/** A result of several parts (text, images, files: bytes, base64 or a URL, as in what a user says), or an explicit error. */
export function content(parts: readonly (Part | UserPart)[], options?: { isError?: boolean }): ToolSignal {
  return new ToolSignal({ kind: 'content', parts, isError: options?.isError ?? false })
}

/** A value that tools and hooks get by `call.resolve(dependency)`: made once a run, replaceable in tests by `.with()`. */
export function dependency<T>(key: string, create: (run: RunInfo) => Awaitable<T>): Dependency<T> {
  return { key, create, with: (other) => dependency(key, other) }
}

function build(options: ToolOptions<string, Schema, unknown, unknown, Schema>): Tool {
  if (typeof options !== 'object' || options === null)
    throw new RondoError('ConfigInvalid', `tool() takes an object of options, not ${String(options)}`)
  checkOptions(options)
  const { name, description, inputSchema, effect = 'unsafe', ...live } = options
  const definition = { ...live, describe: description } as ToolDefinition
  return Object.freeze({
    name,
    description: typeof description === 'string' ? description : '',
    inputSchema,
    inputJsonSchema: inputJsonSchema(name, inputSchema),
    effect,
    '~definition': Object.freeze(definition),
  })
}

/** Makes a tool. Throws `ConfigInvalid`, naming everything that is wrong, for options that can't work. */
export const tool = Object.assign(build, { for: () => build }) as unknown as ToolBuilder

const known: ReadonlySet<string> = new Set([
  'name',
  'description',
  'inputSchema',
  'execute',
  'outputSchema',
  'toModelOutput',
  'effect',
  'reconcile',
  'needsApproval',
  'asksUser',
  'timeoutMs',
  'graceMs',
  'exclusive',
  'background',
  'maxCallsPerRun',
])

/** Other libraries' words for our options. */
const meant: ReadonlyMap<string, string> = new Map(
  Object.entries({
    parameters: 'inputSchema',
    schema: 'inputSchema',
    input_schema: 'inputSchema',
    args: 'inputSchema',
    run: 'execute',
    handler: 'execute',
    invoke: 'execute',
    func: 'execute',
    timeout: 'timeoutMs',
    requireApproval: 'needsApproval',
    requiresApproval: 'needsApproval',
  }),
)

function checkOptions(options: ToolOptions<string, Schema, unknown, unknown, Schema>): void {
  const wrong: string[] = []
  for (const key of Object.keys(options)) {
    if (known.has(key)) continue
    const word = meant.get(key)
    wrong.push(word === undefined ? `unknown option '${key}'` : `unknown option '${key}': here it is called '${word}'`)
  }
  if (typeof options.name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(options.name))
    wrong.push(`name ${JSON.stringify(options.name)} must be 1 to 64 letters, digits, '_' or '-' (providers refuse others)`)
  if (typeof options.description !== 'string' && typeof options.description !== 'function')
    wrong.push('description is missing: the model needs a text that says what the tool does')
  if (!isSchema(options.inputSchema)) wrong.push(`inputSchema ${schemaWords}`)
  if (options.effect !== undefined && !['read', 'idempotent', 'unsafe'].includes(options.effect))
    wrong.push(`effect '${options.effect}' must be 'read', 'idempotent' or 'unsafe'`)
  for (const key of ['timeoutMs', 'graceMs', 'maxCallsPerRun'] as const) {
    const value = options[key]
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      wrong.push(`${key} must be a positive number, not ${String(value)} (leave it out for the default)`)
  }
  if (options.reconcile !== undefined && (options.effect ?? 'unsafe') !== 'unsafe')
    wrong.push(`'reconcile' is asked about unsafe calls only; one of effect '${options.effect}' simply runs again`)
  for (const key of ['execute', 'toModelOutput', 'reconcile'] as const)
    if (options[key] !== undefined && typeof options[key] !== 'function') wrong.push(`${key} must be a function`)
  if (options.outputSchema !== undefined && !isSchema(options.outputSchema))
    wrong.push('outputSchema must have both standard halves, as inputSchema')
  // Not taken for "no": a tool that was meant to need an approval must not run without one.
  if (!['undefined', 'boolean', 'function'].includes(typeof options.needsApproval))
    wrong.push('needsApproval must be true, false or a function')
  if (!['undefined', 'boolean'].includes(typeof options.asksUser)) wrong.push('asksUser must be true or false')
  if (options.asksUser === true && options.execute !== undefined) wrong.push("'asksUser' is for tools without execute: a person answers")
  for (const key of ['exclusive', 'background'] as const)
    if (!['undefined', 'boolean'].includes(typeof options[key])) wrong.push(`${key} must be true or false`)
  if (options.exclusive === true && options.background === true)
    wrong.push("'exclusive' and 'background' exclude each other: a call that runs alone is waited for")
  if (wrong.length > 0) throw new RondoError('ConfigInvalid', `tool '${String(options.name)}': ${wrong.join('; ')}`)
}

function inputJsonSchema(name: string, schema: Schema): Json {
  const json = jsonSchemaOf(schema, `tool '${name}': inputSchema`)
  if (json['type'] !== undefined && json['type'] !== 'object')
    throw new RondoError(
      'ConfigInvalid',
      `tool '${name}': inputSchema must describe an object (it says ${JSON.stringify(json['type'])}); wrap the value in a field`,
    )
  return json
}
