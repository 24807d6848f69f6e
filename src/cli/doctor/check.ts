import type { ConfigFlags } from '../config/configured.ts'
import type { Terminal } from '../terminal.ts'
import type { Installed } from './installed.ts'

/**
 * What was looked at, and what was found. `ok`: it is there. `note`: `rondo run` works without it, or with less. `broken`: `rondo run` does not work.
 * `facts` are for programs (`--json`).
 */
export interface Check {
  readonly name: string
  readonly state: 'ok' | 'note' | 'broken'
  readonly text: string
  /** What to do. */
  readonly next?: string
  readonly facts?: { readonly [name: string]: unknown }
}

/** What there is to look at. */
export interface Looked {
  readonly flags: ConfigFlags
  /** The folder that the agent would work in. */
  readonly folder: string
  readonly terminal: Terminal
  readonly installed: Installed
  /** Whether all providers are told of, each for itself. */
  readonly inDetail: boolean
}
