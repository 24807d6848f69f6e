import { test } from 'vitest'
import { generate } from './generate.ts'
import { play } from './play.ts'
test('scratch', async () => {
  const from = Number(process.env['FROM'] ?? 0), n = Number(process.env['SEEDS'] ?? 200)
  const t = performance.now()
  const troubles = new Map<string, number[]>()
  let entries = 0
  const counts = new Map<string, number>()
  for (let seed = from; seed < from + n; seed++) {
    const played = await play(generate(seed))
    entries += played.journal.length
    for (const [k, v] of played.counts) counts.set(k, (counts.get(k) ?? 0) + v)
    for (const one of played.troubles) troubles.set(one, [...(troubles.get(one) ?? []), seed])
    if (played.engineTimers) troubles.set('timers', [...(troubles.get('timers') ?? []), seed])
    for (const l of played.launched) if (!l.settled && (l.launch.held || l.launch.reader==='none')) troubles.set('unsettled', [...(troubles.get('unsettled') ?? []), seed])
    for (const l of played.readers) if (!l.ended && l.how !== 'stream') troubles.set('reader open '+l.how, [...(troubles.get('reader open '+l.how) ?? []), seed])
  }
  const ms = performance.now() - t
  console.log(n / ms * 1000, 'scripts/s', entries / n, 'entries')
  for (const [k, v] of troubles) console.log(v.length, k, v.slice(0, 8).join(' '))
  console.log([...counts].sort())
}, 1e9)
