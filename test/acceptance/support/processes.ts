import { type Entry, memory, type NewEntry, type Store } from 'rondo'
import { flakyStore, type Script, scripted } from 'rondo/testing'
import { testWorld } from '../../setup/checks.ts'
import { newFile, opened } from '../../stores/sqlite-kit.ts'
import { collect, entryLine, otherProcess, type ScriptedLab, untilWithFiles } from '../kit.ts'

export const storeKinds = ['memory', 'sqlite'] as const
export type StoreKind = (typeof storeKinds)[number]

/** A world with one model and one journal, and as many processes on that journal as a test opens. `store` is that of the first. */
export interface SharedLab extends ScriptedLab {
  /** The lab as one more process has it: what it shares with the others is what is stored. */
  process(): SharedLab
  /** The lab with an empty journal of its own. */
  elsewhere(): SharedLab
  /** Lets time pass until the promise settles. */
  until<T>(promise: Promise<T>): Promise<T>
}

export function sharedLab(kind: StoreKind, replies: Script): SharedLab {
  const world = testWorld()
  const { clock } = world
  const model = scripted(replies, { clock })
  const until = <T>(promise: Promise<T>) => (kind === 'memory' ? clock.until(promise) : untilWithFiles(clock, promise))
  const shared = { world, clock, model, until }
  const on = (open: () => Store): SharedLab => ({
    ...shared,
    store: open(),
    process: () => on(open),
    elsewhere: () => on(journals(kind, () => clock.wall())),
  })
  return on(journals(kind, () => clock.wall()))
}

/** Opens the same new journal each time. */
function journals(kind: StoreKind, clock: () => number): () => Store {
  if (kind === 'sqlite') {
    const file = newFile()
    return () => opened(file, { clock })
  }
  const inner = memory({ clock })
  return () => otherProcess(inner)
}

/** A process that can be killed: from then on nothing that it does reaches the store, and no answer reaches it. */
export function mortal<L extends SharedLab>(lab: L): L & { kill(): void } {
  let dead = false
  const kill = (): void => {
    dead = true
  }
  return { ...lab, store: flakyStore(lab.store, () => (dead ? 'hang-before' : 'ok')), kill }
}

/** A process that speaks to sessions and is gone before it could drive one. */
export function passing<L extends SharedLab>(lab: L): L {
  return { ...lab, store: flakyStore(lab.store, (operation) => (operation === 'acquire' ? 'hang-before' : 'ok')) }
}

/** A store that says the last seq of each append, before anybody else learns that it was written. */
export function noting(inner: Store, note: (seq: number) => void): Store {
  const append: Store['append'] = async (session, entries, options) => {
    const answer = await inner.append(session, entries, options)
    note(options.expectedSeq + entries.length)
    return answer
  }
  return new Proxy(inner, {
    get: (target, key) => {
      const value: unknown = key === 'append' ? append : Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** A session as text: what somebody keeps who serialises it. */
export async function serialised(store: Store, session: string): Promise<string> {
  return JSON.stringify(await collect(store.load(session)))
}

/** The session that a text says, in the journal of a lab that has none of this name. */
export async function restored<L extends SharedLab>(lab: L, session: string, text: string): Promise<L> {
  const entries = JSON.parse(text) as NewEntry[]
  await lab.store.append(session, entries, { expectedSeq: 0 })
  return lab
}

/** What happened in a session, one line an entry. In always-suspend mode each reload claims the run anew: no claim is told. */
export async function facts(store: Store, session: string): Promise<string[]> {
  return (await collect(store.load(session))).filter(isTold).map(entryLine)
}

function isTold({ kind }: Entry): boolean {
  return kind !== 'run.claimed'
}
