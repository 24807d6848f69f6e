import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/testing/index.ts'
import { HandedSession, kinds, working } from './handoff/session.ts'
import { type Side, sides } from './handoff/sides.ts'

// Sessions that begin with one model and go on with others. Every server refuses what the real one would. What was said must be there, calls with
// their results, and what belongs to one provider goes back to it alone, as it came.

const all = Object.values(kinds)
const leg = (side: Side, tag: string) => ({ side, episodes: all.map((kind) => kind(side, tag)) })

const pairs = sides.flatMap((from) => sides.map((to) => [`${from.name} > ${to.name}`, from, to] as const))

test.each(pairs)('handoff: %s, and back', async (_, from, to) => {
  // All that may happen in the first leg; each side is the first one somewhere.
  const between = { side: to, episodes: [all[0], all.at(-1)].flatMap((kind) => kind?.(to, 'two') ?? []) }
  await new HandedSession().play([leg(from, 'one'), between, { side: from, episodes: [working(from, 'three')] }])
})

const one = process.env['SEED']
const seeds = one === undefined ? Array.from({ length: Number(process.env['SEEDS'] ?? 12) }, (_, index) => index) : [Number(one)]

describe('random walks (SEED=n runs one)', () => {
  test.each(seeds)('walk %i', async (seed) => {
    const random = seededRandom(seed)
    const pick = <X>(list: readonly X[]): X => list[Math.floor(random() * list.length)] as X
    const legs = Array.from({ length: 8 }, (_, n) => {
      const side = pick(sides)
      return { side, renewed: random() < 0.3, episodes: [pick(all)(side, `t${n}a`), pick(all)(side, `t${n}b`)] }
    })
    await new HandedSession().play(legs)
    expect(legs).toHaveLength(8)
  })
})
