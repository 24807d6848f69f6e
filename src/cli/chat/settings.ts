import type { Store } from '../../index.ts'
import type { ChosenModel, ModelFlags } from '../choose-model.ts'
import type { LimitFlags } from '../limit-flags.ts'
import type { ToolFlags } from '../toolset.ts'

export interface ChatFlags extends ModelFlags, ToolFlags, LimitFlags {
  readonly cwd?: string
  /** Goes on with this session, or creates it. */
  readonly session?: string
  /** Goes on with this session, which must be there; true: with the newest one of the folder. */
  readonly resume?: string | true
  readonly instructions?: string
}

/** What a chat works with; the model and the tools may change in the middle. */
export interface ChatSettings {
  chosen: ChosenModel
  flags: ChatFlags
  readonly folder: string
  readonly store: Store
  /** The session will be there for another process. */
  readonly kept: boolean
}
