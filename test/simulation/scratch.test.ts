import { test } from 'vitest'
import { generate } from './generate.ts'
import { play } from './play.ts'
import { check } from './check.ts'
test('scratch', async () => {
  const from = Number(process.env['FROM'] ?? 0), n = Number(process.env['SEEDS'] ?? 200)
  let play_ = 0, check_ = 0
  const troubles = new Map<string, { seeds: number[], what: string }>()
  let entries = 0
  for (let seed = from; seed < from + n; seed++) {
    const t = performance.now()
    const played = await play(generate(seed))
    const t2 = performance.now()
    const vs = check(played)
    check_ += performance.now() - t2
    play_ += t2 - t
    entries += played.journal.length
    for (const { rule, what } of vs) {
      const key = rule === 'no trouble' ? rule + what : rule
      const x = troubles.get(key) ?? { seeds: [], what }
      troubles.set(key, x)
      x.seeds.push(seed)
    }
  }
  console.log(n / play_ * 1000, 'plays/s', n / check_ * 1000, 'checks/s', entries / n, 'entries')
  for (const [k, v] of [...troubles].sort((a,b)=>b[1].seeds.length-a[1].seeds.length)) console.log(v.seeds.length, k, [...new Set(v.seeds)].slice(0, 8).join(' '), '\n      ', v.what.slice(0, 400))
}, 1e9)
