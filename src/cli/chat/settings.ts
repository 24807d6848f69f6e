import type { Store } from '../../index.ts'
import type { ChosenModel } from '../choose-model.ts'
import type { ConfigFlags } from '../config/configured.ts'
import type { Toolset } from '../toolset.ts'

export interface ChatFlags extends ConfigFlags {
  readonly cwd?: string
  /** Goes on with this session, or creates it. */
  readonly session?: string
  /** Goes on with this session, which must be there; true: with the newest one of the folder. */
  readonly resume?: string | true
}

/** What a chat works with; the model and the tools may change in the middle. */
export interface ChatSettings {
  chosen: ChosenModel
  flags: ChatFlags
  toolset: Toolset
  readonly folder: string
  readonly store: Store
  /** The session will be there for another process. */
  readonly kept: boolean
}
