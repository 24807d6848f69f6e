import type { Writing } from './writer.ts'

/** Attempts that are remembered. */
const most = 500

type Attempt = Pick<Writing, 'key' | 'attempt'>
type Known<Output> = { readonly settled: Output } | 'not-started'

/**
 * How the attempts of this process have ended, the last 500: so that one that was given up for lost (a timeout, an abort) and has ended all the same is
 * known. After a crash nothing is known of it here.
 */
export class EndedCalls<Output> {
  private readonly calls = new Map<string, Known<Output>>()

  get(attempt: Attempt): Known<Output> | undefined {
    return this.calls.get(nameOf(attempt))
  }

  /** Does the work of a call and keeps how it ended. It must not reject once it has taken effect. */
  async keep(attempt: Attempt, work: () => Promise<Output>): Promise<Output> {
    try {
      const output = await work()
      this.set(nameOf(attempt), { settled: output })
      return output
    } catch (error) {
      this.set(nameOf(attempt), 'not-started')
      throw error
    }
  }

  private set(key: string, known: Known<Output>): void {
    this.calls.set(key, known)
    for (const oldest of this.calls.keys()) {
      if (this.calls.size <= most) return
      this.calls.delete(oldest)
    }
  }
}

/** Each attempt by itself: that an earlier one did nothing says nothing of a later one. */
function nameOf({ key, attempt }: Attempt): string {
  return `${attempt} ${key}`
}
