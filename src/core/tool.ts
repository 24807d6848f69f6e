import type { Json } from './json.ts'
import type { Part, UserPart } from './message.ts'
import type { Schema } from './schema.ts'
import type { Usage } from './usage.ts'

export type Awaitable<T> = T | Promise<T>

/**
 * What a crash or a timeout means for a tool. `read`: run again freely. `idempotent`: run again with the same
 * `call.idempotencyKey`. `unsafe`: at most once; when its outcome is lost, the call settles as `unknown`.
 */
export type Effect = 'read' | 'idempotent' | 'unsafe'

/** What tools, hooks and predicates know about the run. */
export interface RunInfo<C = unknown> {
  readonly context: C
  readonly sessionId: string
  readonly runId: string
  readonly iteration: number
  readonly signal: AbortSignal
  readonly usage: Usage
  /** The value of a dependency, made once a run. Rejects with what its factory throws. */
  resolve<T>(dependency: Dependency<T>): Promise<T>
}

export interface ToolCallInfo<C = unknown> extends RunInfo<C> {
  readonly callId: string
  /** 1 for the first try; more only after a crash: of `read` and `idempotent` tools, and of unsafe ones whose `reconcile` has said `'not-started'`. */
  readonly attempt: number
  /** The same for every attempt of this call: session id and call id. */
  readonly idempotencyKey: string
  /** Who approved the call, when it needed an approval. */
  readonly approvedBy?: string
  /** Shows progress to readers; never enters the history. Ignored after the call has settled. */
  progress(update: Json): void
}

export interface Dependency<T> {
  readonly key: string
  readonly create: (run: RunInfo) => Awaitable<T>
  /** An override of the same key, for `dependencies` of an agent or a run. */
  with(create: (run: RunInfo) => Awaitable<T>): Dependency<T>
}

export interface Ask {
  risk?: 'low' | 'medium' | 'high'
  reason?: string
  /** Then the call is denied, and an answer that comes later is refused (ms). Default: never. */
  expiresInMs?: number
  /**
   * What a yes that is to be remembered covers (`remember` of a decision): the calls of this tool that are asked about by the same name, as `npm test` of a
   * shell. Default: every call of the tool that its `needsApproval`, the hook or the default asks about without a name; not those that a rule asks about.
   * False: nothing; each call is asked about.
   */
  rememberAs?: string | false
}

/** A request for approval, as the journal and events have it. */
export interface ApprovalRequest {
  readonly risk?: 'low' | 'medium' | 'high'
  readonly reason?: string
  /** ms since 1970. */
  readonly expiresAt?: number
  /** What a yes to be remembered covers, as in `Ask`. */
  readonly rememberAs?: string | false
}

/** What `execute` may return instead of an output: made by `done()`, `suspend()` and `content()`. */
export type ToolSignalData =
  | { readonly kind: 'done'; readonly output: Json }
  | { readonly kind: 'suspend'; readonly correlationId: string; readonly expiresInMs?: number }
  | { readonly kind: 'content'; readonly parts: readonly (Part | UserPart)[]; readonly isError: boolean }

/** Marks a tool signal, whichever copy of the package made it. */
export const toolSignalMarker = Symbol.for('rondo.tool-signal')

/** The live half of a tool: what the engine runs. Types are erased here; `tool()` has them. */
export interface ToolDefinition {
  readonly describe: string | ((run: RunInfo) => string)
  readonly execute?: (input: unknown, call: ToolCallInfo) => unknown
  readonly outputSchema?: Schema
  readonly toModelOutput?: (output: Json) => string | readonly (Part | UserPart)[]
  readonly reconcile?: (input: unknown, call: ToolCallInfo) => Awaitable<{ settled: unknown } | 'not-started' | 'unknown'>
  readonly needsApproval?: boolean | ((input: unknown, call: ToolCallInfo) => Awaitable<boolean | Ask>)
  readonly asksUser?: boolean
  readonly timeoutMs?: number
  readonly graceMs?: number
  readonly exclusive?: boolean
  readonly background?: boolean
  readonly maxCallsPerRun?: number
}

/** A tool as models, agents and registries see it. Made by `tool()`. */
export interface Tool<N extends string = string, I = unknown, P = I, O = unknown, C = unknown> {
  readonly name: N
  readonly description: string
  readonly inputSchema: Schema<I, P>
  /** `inputSchema` as JSON Schema (draft 2020-12), converted once: what models are told. */
  readonly inputJsonSchema: Json
  readonly effect: Effect
  readonly '~types'?: { readonly output: O; readonly context: C }
  readonly '~definition': ToolDefinition
}

/** A set of tools from elsewhere (an MCP server, say). Read once a run. */
export interface ToolSource {
  readonly sourceName: string
  list(options: { signal: AbortSignal }): Promise<readonly Tool[]>
  [Symbol.asyncDispose]?(): Promise<void>
}

/** A tool that the provider runs itself: web search, code execution. */
export interface ProviderTool {
  readonly provider: string
  readonly providerTool: Json
}

export type Tools = readonly (Tool | ToolSource | ProviderTool)[]
