/** What the always-suspend mode leaves out, and why. The list is printed at the end of each such run. */
export interface Exempt {
  /** A file or a folder, from the root of the repository. */
  readonly path: string
  /** The full title of one test (`suite > test`); absent: all of them. */
  readonly test?: string
  readonly reason: string
}

export const exempt: readonly Exempt[] = [
  { path: 'test/house', reason: 'checks sources and packages; drives no session' },
  { path: 'test/core', reason: 'pure functions; no engine that could be torn down' },
  { path: 'test/json-schema', reason: 'validator and converter; no engine' },
  { path: 'test/models', reason: 'model adapters alone; no engine' },
  { path: 'test/stores', reason: 'stores alone; no engine' },
  { path: 'test/testing', reason: 'the test tools alone; no engine' },
  { path: 'test/tools', reason: 'tools alone; no engine' },
]
