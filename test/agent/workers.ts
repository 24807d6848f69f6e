import { type Store, tool } from '../../src/index.ts'
import { flakyStore } from '../../src/testing/index.ts'
import { agentIn, asks, noInput, otherProcess, plainTool, type ScriptedLab, scriptedLab } from '../acceptance/kit.ts'

/** The same place, seen by another process. */
export const elsewhere = (place: ScriptedLab): ScriptedLab => ({ ...place, store: otherProcess(place.store) })

export const hangs = plainTool('work', () => new Promise(() => {}), 'read')

/** A process begins a run and dies while its tool works. */
export async function dead(place: ScriptedLab, session: string, more: object = {}): Promise<void> {
  void agentIn(elsewhere(place), { tools: [hangs], ...more }).stream('Hi', { session })
  await place.clock.advance(10)
}

/** A process that begins runs of an agent and then is gone. */
export async function deadRuns(place: ScriptedLab, sessions: readonly string[], name: string, options: object = {}): Promise<void> {
  let isDead = false
  const store = flakyStore(place.store, () => (isDead ? 'hang-before' : 'ok'))
  const model = scriptedLab(sessions.map(() => asks('work'))).model
  const agent = agentIn({ ...place, store, model }, { name, tools: [hangs] })
  for (const session of sessions) {
    void agent.stream('Hi', { session, ...options })
    await place.clock.advance(1)
  }
  isDead = true
  place.clock.jump(60_000)
}

export const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

export const worker = (place: ScriptedLab, more: object = {}) =>
  agentIn(elsewhere(place), { tools: [plainTool('work', () => 'done', 'read')], ...more })

export const told = (swept: readonly { sessionId: string; status: string }[]) =>
  swept.map(({ sessionId, status }) => `${sessionId} ${status}`).sort()

/** The store as an earlier version, or somebody else, would have it: its heads name no agent, or it does not know the filter. */
export function otherStore(store: Store, what: 'heads without agents' | 'no filter by agents'): { readonly store: Store; loads(): number } {
  let loads = 0
  const list: Store['list'] = async (query = {}) => {
    const { agent, ...rest } = query
    const found = await store.list(what === 'no filter by agents' ? rest : { ...rest, limit: query.limit ?? 100 })
    if (what === 'no filter by agents') return found
    return found.map(({ head, ...summary }) => {
      if (head === undefined) return summary
      const { agent: _, ...nameless } = head
      return { ...summary, head: nameless }
    })
  }
  const load: Store['load'] = (sessionId, afterSeq) => {
    loads++
    return store.load(sessionId, afterSeq)
  }
  const over: Partial<Store> = { list, load }
  const made = new Proxy(store, {
    get(target, key) {
      const own: unknown = Reflect.get(over, key)
      if (own !== undefined) return own
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { store: made, loads: () => loads }
}

/** A tool whose outcome can be found out. */
export const pay = (execute: () => unknown) =>
  tool({ name: 'work', description: 'Pays', inputSchema: noInput, execute: () => execute(), reconcile: () => ({ settled: 'receipt' }) })
