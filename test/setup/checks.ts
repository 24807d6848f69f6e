import { isDeepStrictEqual } from 'node:util'
import { apply } from '../../src/core/apply.ts'
import type { Entry } from '../../src/core/entry.ts'
import { emptyState, type SessionState } from '../../src/core/state.ts'
import type { Store } from '../../src/core/store.ts'
import type { World } from '../../src/engine/ports.ts'
import { type VirtualWorld, virtualWorld } from '../../src/testing/index.ts'

/** Whether this is the run in which every engine is torn down whenever nothing is started. */
export const alwaysSuspend = process.env['RONDO_ALWAYS_SUSPEND'] === '1'

/** Counted per process; the setup file takes them after each test and each file. */
const seen: { reloads: number; commits: number; broken: string[] } = { reloads: 0, commits: 0, broken: [] }

export function takeCounts(): { readonly reloads: number; readonly commits: number } {
  const { reloads, commits } = seen
  seen.reloads = 0
  seen.commits = 0
  return { reloads, commits }
}

export function takeBroken(): readonly string[] {
  return seen.broken.splice(0)
}

/** A world whose every commit is checked, and in which always-suspend mode reloads every engine. */
export function checked<W extends World>(world: W): W {
  return {
    ...world,
    ...(alwaysSuspend ? { suspendAlways: true } : {}),
    onReload() {
      world.onReload?.()
      seen.reloads++
    },
    async onCommit(sessionId: string, store: Store, state: SessionState) {
      await world.onCommit?.(sessionId, store, state)
      seen.commits++
      if (isDue(state.live.seq)) await checkFold(sessionId, store, state)
    },
  }
}

/** `virtualWorld()`, checked. What agents of engine tests live in. */
export function testWorld(options?: Parameters<typeof virtualWorld>[0]): VirtualWorld {
  return checked(virtualWorld(options))
}

/** A fold from the start after every commit is quadratic: journals beyond this length are checked at one commit in a hundred. */
const alwaysCheckedEntries = 400

function isDue(seq: number): boolean {
  return seq <= alwaysCheckedEntries || seen.commits % 100 === 0
}

/** The state must be the fold of the journal from its start, and the journal plain JSON (`design.md` 1, promise 12). */
async function checkFold(sessionId: string, store: Store, state: SessionState): Promise<void> {
  const { live } = state
  const sealed = state.sealed.slice(0, live.sealedCount)
  let fold = emptyState()
  for await (const entry of store.load(sessionId)) {
    if (entry.seq > live.seq) break
    const plain = JSON.parse(JSON.stringify(entry)) as Entry
    if (!isDeepStrictEqual(plain, { ...entry })) broken(sessionId, `entry ${entry.seq} (${entry.kind}) is not plain JSON`, plain, entry)
    fold = apply(fold, plain)
  }
  if (!isDeepStrictEqual(fold.live, live)) broken(sessionId, `the live record at seq ${live.seq} is not the fold`, fold.live, live)
  const turns = fold.sealed.slice(0, fold.live.sealedCount)
  if (!isDeepStrictEqual(turns, sealed)) broken(sessionId, `the sealed turns at seq ${live.seq} are not the fold`, turns, sealed)
}

function broken(sessionId: string, what: string, want: unknown, got: unknown): void {
  seen.broken.push(`session ${sessionId}: ${what}\n  fold:  ${JSON.stringify(want)}\n  state: ${JSON.stringify(got)}`)
}
