import type { SessionSummary, Store } from '../../index.ts'

/** All heads there are: a store has no question for one of them. */
const allHeads = 1_000_000_000

export async function findSession(sessionId: string, store: Store): Promise<SessionSummary | undefined> {
  const summaries = await store.list({ limit: allHeads })
  return summaries.find((summary) => summary.sessionId === sessionId)
}
