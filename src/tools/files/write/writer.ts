import type { Ask, Awaitable, ToolCallInfo } from '../../../core/tool.ts'
import type { WriteToolLimits } from '../limits.ts'
import type { Root } from '../root.ts'
import type { Disk } from './disk.ts'
import type { WriteCall } from './inputs.ts'

/** What the write tools share. */
export interface Writer {
  readonly root: Root
  readonly limits: WriteToolLimits
  readonly disk: Disk
}

/** What a write needs to know of the call that it is made for. */
export interface Writing {
  /** The same for all attempts of the call. */
  readonly key: string
  readonly attempt: number
  readonly signal: AbortSignal
}

/** As `needsApproval` of a tool, for both tools at once. */
export type NeedsApproval = boolean | ((write: WriteCall, call: ToolCallInfo) => Awaitable<boolean | Ask>)
