import { memory, type NewEntry, type Store } from '../../src/index.ts'
import { flakyStore, type Script, type StoreFault, scripted } from '../../src/testing/index.ts'
import { gate, type ScriptedLab } from '../acceptance/kit.ts'
import { testWorld } from '../setup/checks.ts'

/** A world whose every commit is checked, a store on its clock, and a model with a script. */
export function engineLab(replies: Script): ScriptedLab {
  const world = testWorld()
  const { clock } = world
  return { world, clock, store: memory({ clock: () => clock.wall() }), model: scripted(replies, { clock }) }
}

type Answer = Promise<{ readonly at: number }>

/** A store whose appends go through a function that sees what they hold; all else goes straight on. */
export function appendsThrough(inner: Store, pass: (entries: readonly NewEntry[], write: () => Answer) => Answer): Store {
  return {
    append: (session, entries, options) => pass(entries, () => inner.append(session, entries, options)),
    load: (session, afterSeq) => inner.load(session, afterSeq),
    acquire: (session, options) => inner.acquire(session, options),
    renew: (session, options) => inner.renew(session, options),
    release: (session, options) => inner.release(session, options),
    watch: (session, afterSeq, onChange) => inner.watch(session, afterSeq, onChange),
    list: (query) => inner.list(query),
    delete: (session) => inner.delete(session),
    blobs: inner.blobs,
    close: () => inner.close(),
  }
}

/** What happens to the appends that hold an entry of this kind, first to last; those after them are `ok`. `tried` are the ids of each. */
export function faultsAt(inner: Store, kind: NewEntry['kind'], faults: readonly StoreFault[]) {
  const left = [...faults]
  const tried: string[][] = []
  let fault: StoreFault = 'ok'
  const flaky = flakyStore(inner, (operation) => (operation === 'append' ? fault : 'ok'))
  const store = appendsThrough(flaky, (entries, write) => {
    const held = entries.some((entry) => entry.kind === kind)
    if (held) tried.push(entries.map((entry) => entry.id))
    fault = held ? (left.shift() ?? 'ok') : 'ok'
    return write()
  })
  return { store, tried }
}

/** The first append that holds an entry of this kind is written, but its answer comes when the test lets it. */
export function answersLate(inner: Store, kind: NewEntry['kind']) {
  const written = gate()
  const answer = gate()
  let held = false
  const store = appendsThrough(inner, async (entries, write) => {
    const result = await write()
    if (held || !entries.some((entry) => entry.kind === kind)) return result
    held = true
    written.resolve()
    await answer.promise
    return result
  })
  return { store, written: written.promise, answer: answer.resolve }
}
