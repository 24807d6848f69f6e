/** Calls that are remembered. */
const most = 500

type Known<Output> = { readonly settled: Output } | 'not-started'

/**
 * How the calls of this process have ended, the last 500: so that one that was given up for lost (a timeout, an abort) and has ended all the same is
 * known. After a crash nothing is known of it here.
 */
export class EndedCalls<Output> {
  private readonly calls = new Map<string, Known<Output>>()

  get(key: string): Known<Output> | undefined {
    return this.calls.get(key)
  }

  /** Does the work of a call and keeps how it ended. It must not reject once it has taken effect. */
  async keep(key: string, work: () => Promise<Output>): Promise<Output> {
    try {
      const output = await work()
      this.set(key, { settled: output })
      return output
    } catch (error) {
      this.set(key, 'not-started')
      throw error
    }
  }

  private set(key: string, known: Known<Output>): void {
    this.calls.delete(key)
    this.calls.set(key, known)
    for (const oldest of this.calls.keys()) {
      if (this.calls.size <= most) return
      this.calls.delete(oldest)
    }
  }
}
