import { test } from 'vitest'
import { generate } from './generate.ts'
import { play } from './play.ts'
test('show', async () => {
  const seed = Number(process.env['SEED'])
  const script = generate(seed)
  const played = await play(script)
  console.log(JSON.stringify({ ...script, agent: script.agent, replies: script.replies }, null, 0).slice(0, 6000)); console.log(JSON.stringify([script.store, script.second, script.suspendAlways]), [...played.counts])
  const t0 = played.journal[0]?.at ?? 0
  for (const e of played.journal) console.log(e.seq, '+' + (e.at - t0), e.epoch ?? 'I', e.runId ?? '', e.kind, JSON.stringify(e.data).slice(0, 300))
  console.log(played.troubles, 'timers', played.engineTimers, 'sig', played.signalListeners)
  for (const d of played.deeds) console.log('deed', JSON.stringify(d))
  for (const l of played.launched) console.log('launched', l.runId, l.ack, l.settled, l.left, l.ended, l.result?.status, l.result?.reason)
  for (const r of played.resumed) console.log('resumed', r.runId, r.status, r.reason)
  for (const r of played.readers) console.log('reader', r.how, r.runId, r.after, r.ended, r.error, r.events.length, r.events.at(-1)?.type)
  if (process.env['EV']) for (const h of played.heard) for (const e of h.events) console.log(h.process, JSON.stringify(e).slice(0, 220))
}, 1e9)
