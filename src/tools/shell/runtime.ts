/** What runs the commands of a shell tool: the processes of this machine (default), or something of yours, such as a sandbox. */
export interface ShellRuntime {
  /**
   * Runs one command line and resolves when all that it has started has ended. When `signal` is aborted, it ends everything and resolves soon (within the
   * `graceMs` of the tool and a second). Rejects only if the command could not be begun.
   */
  run(job: ShellJob): Promise<ShellExit>
}

export interface ShellJob {
  readonly command: string
  /** The folder, as it was given to the tool. */
  readonly cwd: string
  /** All variables that the command may have. */
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Between the polite and the hard end of what does not stop, in ms. */
  readonly graceMs: number
  /** To be called with what the command writes, in the order in which it comes. Does not throw. */
  onOutput(bytes: Uint8Array): void
}

export interface ShellExit {
  /** `null` if a signal has ended it. */
  readonly exitCode: number | null
  readonly signal?: string
}
