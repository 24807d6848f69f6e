import { clip, wellFormed } from './text.ts'

/** The closed list of error codes (`docs/errors.md` says for each what happened and what to do). */
export type ErrorCode =
  | 'ModelTimeout'
  | 'ModelRateLimited'
  | 'ModelAuthError'
  | 'ModelContextOverflow'
  | 'ModelBadRequest'
  | 'ModelServerError'
  | 'ModelUnknownError'
  | 'ModelQuotaExceeded'
  | 'ModelContentBlocked'
  | 'ToolNotFound'
  | 'ToolTimeout'
  | 'ToolDenied'
  | 'ToolExecutionError'
  | 'ToolInvalidArgs'
  | 'ToolSkipped'
  | 'ToolCancelled'
  | 'ToolTruncated'
  | 'ToolOutcomeUnknown'
  | 'SessionNotFound'
  | 'SessionWriteFailed'
  | 'SessionReadFailed'
  | 'SessionConcurrentWrite'
  | 'SessionMigrationFailed'
  | 'SessionLeaseLost'
  | 'ContextOverflow'
  | 'ContextInvalidInput'
  | 'RunAborted'
  | 'RunTimeout'
  | 'RunMaxIterations'
  | 'RunMaxToolRounds'
  | 'RunMaxToolCalls'
  | 'RunMaxConsecutiveErrors'
  | 'RunNoProgress'
  | 'RunBudgetExceeded'
  | 'RunInvalidState'
  | 'OutputDecodingFailed'
  | 'OutputRetracted'
  | 'HookFailed'
  | 'ConfigInvalid'

export type ErrorCategory = 'model' | 'tool' | 'session' | 'context' | 'runtime' | 'loop' | 'hook' | 'config'

/** A failure as data: what the journal, events and results hold. The message is safe to show; causes are never stored. */
export interface ErrorData {
  readonly code: ErrorCode
  readonly category: ErrorCategory
  readonly message: string
  readonly retryable: boolean
  /** How long to wait before trying again (ms), where the other side said so. */
  readonly retryAfterMs?: number
}

const categories: { readonly [prefix: string]: ErrorCategory } = {
  Model: 'model',
  Tool: 'tool',
  Session: 'session',
  Context: 'context',
  Run: 'loop',
  Output: 'loop',
  Hook: 'hook',
  Config: 'config',
}

const retryableCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'ModelTimeout',
  'ModelRateLimited',
  'ModelServerError',
  'SessionWriteFailed',
  'SessionReadFailed',
  'SessionConcurrentWrite',
  'SessionLeaseLost',
])

function errorCategory(code: ErrorCode): ErrorCategory {
  return categories[/^[A-Z][a-z]+/.exec(code)?.[0] ?? ''] ?? 'runtime'
}

export function errorData(code: ErrorCode, message: string, more?: { retryable?: boolean; retryAfterMs?: number }): ErrorData {
  const data = { code, category: errorCategory(code), message, retryable: more?.retryable ?? retryableCodes.has(code) }
  return more?.retryAfterMs === undefined ? data : { ...data, retryAfterMs: more.retryAfterMs }
}

const marker = Symbol.for('rondo.error')

/** Every error that Rondo throws. Recognise one with `RondoError.is`, which also works across two copies of the package. */
export class RondoError extends Error {
  override readonly name: string = 'RondoError'
  readonly code: ErrorCode
  readonly category: ErrorCategory
  readonly retryable: boolean
  readonly retryAfterMs?: number

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown; retryable?: boolean; retryAfterMs?: number }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.category = errorCategory(code)
    this.retryable = options?.retryable ?? retryableCodes.has(code)
    if (options?.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
    Object.defineProperty(this, marker, { value: true })
  }

  static is(value: unknown): value is RondoError {
    return typeof value === 'object' && value !== null && marker in value
  }

  /** The error as data, without its cause. */
  toData(): ErrorData {
    return errorData(this.code, this.message, {
      retryable: this.retryable,
      ...(this.retryAfterMs === undefined ? {} : { retryAfterMs: this.retryAfterMs }),
    })
  }
}

/** The message of something thrown, which may be anything: never its stack. */
export function messageOf(thrown: unknown): string {
  return wellFormed(clip(thrownText(thrown), 2_000))
}

function thrownText(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message || thrown.name : thrown)
  } catch {
    return 'an error that cannot be shown'
  }
}

/**
 * An assertion that stays on: a broken invariant of ours stops the run with a clear word and never becomes a wrong fact. `of` says where,
 * apart from the words: they are then made only when it fails, for this is on the path of every entry.
 */
export function assert(condition: unknown, what: string, of?: string | number): asserts condition {
  if (condition) return
  const where = of === undefined ? '' : ` (${of})`
  throw new RondoError('RunInvalidState', `internal invariant broken: ${what}${where}. Please report this as a bug.`)
}

/** For the `default` of a switch over a closed union. */
export function unreachable(value: never): never {
  throw new RondoError('RunInvalidState', `internal invariant broken: unexpected ${JSON.stringify(value)}. Please report this as a bug.`)
}
