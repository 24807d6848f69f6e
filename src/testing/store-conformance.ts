import type { Store } from '../core/store.ts'
import { appendCases } from './store-cases/append.ts'
import { type Bench, type Cases, start } from './store-cases/kit.ts'
import { leaseCases } from './store-cases/lease.ts'
import { listCases } from './store-cases/list.ts'
import { loadCases } from './store-cases/load.ts'
import { blobCases, closeCases, durableCases, watchCases } from './store-cases/rest.ts'

/** How the suite gets at the store under test. */
export interface StoreHost {
  /** Makes a new, empty store that takes its time (ms since 1970) from `clock`. Called once a case. */
  open(clock: () => number): Promise<Store>
  /** Opens what the last `open` made, after its `close`. Given for durable stores only: it adds the cases on durability. */
  reopen?(clock: () => number): Promise<Store>
  /** Called after each case, when its stores have been closed, also when it failed. */
  cleanup?(): Promise<void>
}

/** One rule of the `Store` contract. */
export interface StoreCase {
  readonly name: string
  /** Rejects with an `AssertionError` when the store breaks the rule. */
  run(): Promise<void>
}

/**
 * The rules that every store keeps, as cases for any test runner; run them one after another.
 *
 * ```ts
 * for (const { name, run } of storeConformance({ open: async (clock) => myStore({ clock }) })) test(name, run)
 * ```
 */
export function storeConformance(host: StoreHost): readonly StoreCase[] {
  const common: Cases = { ...appendCases, ...loadCases, ...leaseCases, ...listCases, ...watchCases, ...blobCases, ...closeCases }
  const cases = host.reopen === undefined ? common : { ...common, ...durableCases }
  return Object.entries(cases).map(([name, check]) => ({ name, run: () => runCase(host, check) }))
}

async function runCase(host: StoreHost, check: (bench: Bench) => Promise<void>): Promise<void> {
  const clock = { now: start }
  const now = (): number => clock.now
  const store = await host.open(now)
  const opened = [store]
  const reopen = async (): Promise<Store> => {
    if (host.reopen === undefined) throw new Error('this store can not be opened again')
    const again = await host.reopen(now)
    opened.push(again)
    return again
  }
  try {
    await check({ store, clock, reopen })
  } finally {
    for (const one of opened) await one.close()
    await host.cleanup?.()
  }
}
