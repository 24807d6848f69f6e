/** What of a request and of its model matters for how the response is read. */
export interface Reading {
  /** Under which opaque data is kept. */
  readonly scope: string
  /** Whether the id of the response is kept, so that it can be gone on with. */
  readonly keepsId: boolean
  /** Whether custom calls of other names than these are run by the server. Default: by us. */
  readonly customTools?: ReadonlySet<string> | undefined
}
