// The newcomer's walk: from an empty folder to the first answers, as docs/tour.md tells it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodes } from '../setup/packed.ts'
import { expectFile } from '../terminal/golden.ts'
import { describeInTerminal } from '../terminal/pty.ts'
import { type Step, steps } from './steps.ts'
import { type Place, pageOf, settleIn, type Walked, walk } from './walk.ts'

/** The Node whose walk is on the page. */
const pageMajor = 24

/** What no screen may show: a value that was not there, a defect of ours, a place of this machine. */
const nonsense = /\bundefined\b|\bNaN\b|\[object |internal error|^ {4}at |rondo-tests-/m

describeInTerminal('the tour', { timeout: 120_000 }, () => {
  let place: Place
  beforeAll(() => {
    place = settleIn()
  }, 180_000)
  afterAll(() => place.leave())

  for (const [major, binFolder] of nodes()) {
    if (binFolder === undefined) {
      console.log(`not checked: the tour on node ${major}, which is not in .cache/nodes (npm run nodes puts it there)`)
      continue
    }
    const isWhole = major === pageMajor
    test(`on node ${major}: each command ends as it should${isWhole ? ', shows what it should, and docs/tour.md tells it' : ''}`, async () => {
      const walked = await walk(isWhole ? steps : stepsOn(major), place, binFolder)
      if (!isWhole) return
      expect(walked.flatMap(notShown)).toEqual([])
      const page = pageOf(walked)
      expect(page).not.toMatch(nonsense)
      expectFile(new URL('../../docs/tour.md', import.meta.url), page, 'npm run tour')
    })
  }
})

function stepsOn(major: number): readonly Step[] {
  return steps.filter(({ alsoOn }) => alsoOn === 'every node' || (alsoOn === 'nodes with sqlite' && major > 20))
}

function notShown({ step, shown, command }: Walked): string[] {
  return step.shows
    .filter((text) => (typeof text === 'string' ? !shown.includes(text) : !text.test(shown)))
    .map((text) => `${command} does not show ${text}`)
}
