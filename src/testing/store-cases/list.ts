import { type Cases, entries, fails, head, ids, listed, loaded, same, start } from './kit.ts'

export const listCases: Cases = {
  'list: says seq, times and head of a session': async ({ store, clock }) => {
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    clock.now = start + 50
    const full = head('awaiting_human', { reason: 'awaiting_approval', wakeAt: start + 99, pending: 2, title: 'Größe\u0000 "1"' })
    await store.append('s', entries(1, 2), { expectedSeq: 1, head: full })
    same(await store.list(), [{ sessionId: 's', seq: 3, createdAt: start, updatedAt: start + 50, head: full }], 'the list')
  },
  'list: an append without a head keeps the one before': async ({ store }) => {
    await store.append('s', entries(0, 1), { expectedSeq: 0, head: head('paused', { wakeAt: 5 }) })
    await store.append('s', entries(1, 1), { expectedSeq: 1 })
    same((await store.list())[0]?.head, head('paused', { wakeAt: 5 }), 'the head')
    await store.append('s', entries(2, 1), { expectedSeq: 2, head: head('paused') })
    same((await store.list())[0]?.head, head('paused'), 'a new head replaces all of it')
    same(await listed(store, { dueBefore: start }), [], 'it is due no more')
  },
  'list: newest first, at most limit': async ({ store, clock }) => {
    for (const name of ['a', 'b', 'c']) {
      clock.now++
      await store.append(name, entries(0, 1), { expectedSeq: 0 })
    }
    clock.now++
    await store.append('a', entries(1, 1), { expectedSeq: 1 })
    same(await listed(store), ['a', 'c', 'b'], 'the order')
    same(await listed(store, { limit: 2 }), ['a', 'c'], 'with a limit')
    await fails('ConfigInvalid', store.list({ limit: 0 }))
  },
  'list: 100 by default': async ({ store }) => {
    for (let i = 0; i < 105; i++) await store.append(`s${i}`, entries(0, 1), { expectedSeq: 0 })
    const found = await listed(store)
    same([found.length, found[0], found[99]], [100, 's104', 's5'], 'the number, the newest and the oldest')
  },
  'list: dueBefore finds heads whose time has come': async ({ store }) => {
    await store.append('now', entries(0, 1), { expectedSeq: 0, head: head('paused', { wakeAt: 0 }) })
    await store.append('then', entries(0, 1), { expectedSeq: 0, head: head('preparing', { wakeAt: start + 10 }) })
    await store.append('never', entries(0, 1), { expectedSeq: 0, head: head('awaiting_human') })
    await store.append('headless', entries(0, 1), { expectedSeq: 0 })
    same(await listed(store, { dueBefore: start + 9 }), ['now'], 'before its time')
    same(await listed(store, { dueBefore: start + 10 }), ['then', 'now'], 'at its time')
    await store.acquire('now', { owner: 'a', ttlMs: 1000 })
    same(await listed(store, { dueBefore: start + 10 }), ['then'], 'nor what somebody drives already')
  },
  'list: ownerLost finds unfinished sessions whose lease has run out': async ({ store, clock }) => {
    const drive = async (name: string, status: Parameters<typeof head>[0], ttlMs: number): Promise<number> => {
      const epoch = (await store.acquire(name, { owner: 'a', ttlMs }))?.epoch ?? 0
      await store.append(name, entries(0, 1), { expectedSeq: 0, epoch, head: head(status) })
      return epoch
    }
    await drive('lost', 'tool_running', 1000)
    await drive('held', 'tool_running', 5000)
    await drive('finished', 'completed', 1000)
    await store.release('parked', { epoch: await drive('parked', 'awaiting_human', 1000), expectedSeq: 1 })
    same(await listed(store, { ownerLost: true }), [], 'while all leases hold')
    clock.now += 1000
    same(await listed(store, { ownerLost: true }), ['lost'], 'after 1 s')
    same((await listed(store, { ownerLost: false })).length, 4, 'false filters nothing')
  },
  'list: waitingOnHuman finds sessions that await one': async ({ store }) => {
    await store.append('human', entries(0, 1), { expectedSeq: 0, head: head('awaiting_human', { pending: 1 }) })
    await store.append('tools', entries(0, 1), { expectedSeq: 0, head: head('awaiting_tool_results', { pending: 1 }) })
    same(await listed(store, { waitingOnHuman: true }), ['human'], 'the list')
  },
  'list: several filters find what fits any of them': async ({ store, clock }) => {
    const epoch = (await store.acquire('lost', { owner: 'a', ttlMs: 10 }))?.epoch ?? 0
    await store.append('lost', entries(0, 1), { expectedSeq: 0, epoch, head: head('model_running') })
    await store.append('due', entries(0, 1), { expectedSeq: 0, head: head('paused', { wakeAt: 0 }) })
    await store.append('quiet', entries(0, 1), { expectedSeq: 0, head: head('completed') })
    clock.now += 10
    same(await listed(store, { dueBefore: clock.now, ownerLost: true }), ['due', 'lost'], 'the list for a sweep')
  },
  'list: agent keeps the heads that name it, or no agent': async ({ store, clock }) => {
    const write = (name: string, more: Parameters<typeof head>[1]) =>
      store.append(name, entries(0, 1), { expectedSeq: 0, head: head('paused', more) })
    await store.append('headless', entries(0, 1), { expectedSeq: 0 })
    await write('nameless', { wakeAt: 0 })
    await write('mine', { wakeAt: 0, agent: 'Käthe "1"' })
    await write('theirs', { wakeAt: 0, agent: 'other' })
    await write('not due', { agent: 'Käthe "1"' })
    same(await listed(store, { agent: 'Käthe "1"' }), ['not due', 'mine', 'nameless', 'headless'], 'by the agent alone')
    const due = { agent: 'Käthe "1"', dueBefore: clock.now }
    same(await listed(store, due), ['mine', 'nameless'], 'with another filter both must fit')
    same(await listed(store, { ...due, ownerLost: true, limit: 1 }), ['mine'], 'with a limit of those that fit')
    same((await store.list({ agent: 'other', dueBefore: clock.now }))[0]?.head?.agent, 'other', 'the head')
  },
  'delete: the session is gone, and its name is free': async ({ store }) => {
    await store.append('s', entries(0, 3), { expectedSeq: 0, head: head('completed') })
    await store.append('other', entries(0, 1), { expectedSeq: 0 })
    await store.delete('s')
    await store.delete('nobody')
    same(await loaded(store, 's'), [], 'the journal')
    same(await listed(store), ['other'], 'the sessions')
    await store.append('s', entries(0, 1), { expectedSeq: 0 })
    same(await ids(store, 's'), ['e1'], 'the new journal')
  },
}
