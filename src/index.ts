export { Agent, type AttachOptions, type ResumeOptions } from './agent.ts'
export type { Control } from './control.ts'
export type { ApprovalRule } from './core/approval.ts'
export type { Entry, EntryData, EntryKind, EntryOf, NewEntry } from './core/entry.ts'
export { type ErrorCategory, type ErrorCode, type ErrorData, RondoError } from './core/error.ts'
export type { Json, Jsonify, JsonObject } from './core/json.ts'
export {
  type FailedOutcome,
  type MediaPart,
  type Message,
  type Outcome,
  type Part,
  type ProviderData,
  resultText,
  type Settlement,
  type SourcePart,
  type TextPart,
  type ToolCallPart,
  textOf,
  type UserPart,
} from './core/message.ts'
export type { FinishReason, Model, ModelCapabilities, ModelDelta, ModelFinish, ModelRequest, ModelSettings, Purpose } from './core/model.ts'
export type { AbortedReason, CompletedReason, FailedReason, LimitReason, ParkReason, RunReason, RunStatus } from './core/reason.ts'
export type { In, Out, Schema } from './core/schema.ts'
export type { AppendOptions, BlobStore, Head, Lease, SessionQuery, SessionSummary, Store } from './core/store.ts'
export {
  any,
  maxCallsPerTool,
  noProgress,
  standardTermination,
  stopOnDuplicates,
  stopWhen,
  type TerminationDecision,
  type TerminationPolicy,
  type TerminationView,
} from './core/termination.ts'
export type {
  ApprovalRequest,
  Ask,
  Awaitable,
  Dependency,
  Effect,
  ProviderTool,
  RunInfo,
  Tool,
  ToolCallInfo,
  ToolSource,
  Tools,
} from './core/tool.ts'
export { addUsage, noUsage, type Usage } from './core/usage.ts'
export type { Clock, World } from './engine/ports.ts'
export { expectOutput, RunError } from './errors.ts'
export type { Limits } from './limits.ts'
export { type FallbackOptions, fallback, type ModelFailure } from './models/wrappers/fallback.ts'
export { type LimitedModel, type LimitedOptions, limited } from './models/wrappers/limited.ts'
export type { WrapperClock } from './models/wrappers/own-time.ts'
export type { AgentOptions, Hooks, Input, Policies, RunOptions, StopCondition, ToolChoice } from './options.ts'
export type { Run } from './run.ts'
export type { Session } from './session.ts'
export { type MemoryOptions, memory } from './stores/memory.ts'
export type { SweepOptions, SweptSession } from './sweep.ts'
export { content, dependency, done, suspend, type ToolOptions, type ToolSignal, tool } from './tools/tool.ts'
export type {
  Call,
  ContextOf,
  Decision,
  DeepPartial,
  EventOf,
  OutputOf,
  Pending,
  RunEvent,
  RunResult,
  SettledCall,
  ToolName,
  UIToolsOf,
} from './types.ts'
