import type { ReadToolLimits, WriteToolLimits } from '../files/limits.ts'
import { readToolLimits, writeToolLimits } from '../files/limits.ts'

/** What a sandbox and one call of its tools may cost. */
export interface SandboxLimits extends ReadToolLimits, WriteToolLimits {
  /** Bytes of all that is kept in memory: changed files, names, links, and what was removed. */
  readonly memoryBytes: number
  /** Bytes of a file that the shell reads or writes. */
  readonly shellFileBytes: number
  /** Files that `changes()` tells. */
  readonly changes: number
}

/** The defaults of `sandboxTools({ limits })`. */
export const sandboxLimits: SandboxLimits = Object.freeze({
  ...readToolLimits,
  ...writeToolLimits,
  memoryBytes: 67_108_864,
  shellFileBytes: 16_777_216,
  changes: 1_000,
})
