import { describe, expect, test } from 'vitest'
import { missingParts, type OwnParts, readOwnParts } from '../../src/core/own-parts.ts'
import { currentRun } from '../../src/core/state.ts'
import { called, claimed, control, finished, finishes, nothing, open, plan, planOf, play, requested, type Step } from './support.ts'

const own: OwnParts = { tools: ['stamp'], options: ['context'] }
const asked: Step = { ...requested(), data: { agent: { name: 'tester' }, input: [], task: 'run', overrides: { own: { ...own } } } } as Step
const claimedWith = (parts: OwnParts, epoch = 1) => ({ ...claimed(epoch), data: { ...claimed(epoch).data, own: parts } }) as Step

describe('apply: what a run is driven with that is its own', () => {
  test('stands in its request, and in the claims that change it', () => {
    const more: OwnParts = { tools: ['stamp', 'late'], options: [] }
    expect(currentRun(play(asked).live)?.own).toEqual(own)
    expect(currentRun(play(asked, claimed()).live)?.own).toEqual(own)
    expect(currentRun(play(asked, claimed(), claimedWith(more, 2)).live)?.own).toEqual(more)
    expect(currentRun(play(asked, claimedWith({ tools: [], options: [] })).live)?.own).toBe(undefined)
    const limited = { ...asked, data: { ...asked.data, overrides: { maxParallel: 1 } } } as Step
    const data = { maxParallel: 1 }
    expect(currentRun(play(limited, claimedWith(own)).live)?.own).toEqual({ ...own, data })
    expect(currentRun(play(limited, claimedWith({ ...own, data: { maxParallel: 2 } })).live)?.own?.data).toEqual({ maxParallel: 2 })
    expect(currentRun(play(limited, claimedWith({ ...own, data: {} })).live)?.own).toEqual(own)
  })

  test.each([
    [undefined, undefined],
    [{ own: 'stamp' }, undefined],
    [
      { own: {}, more: 1 },
      { tools: [], options: [], data: { more: 1 } },
    ],
    [{ own: { tools: 'stamp', options: [] } }, undefined],
    [{ own: { tools: ['stamp', 7] } }, { tools: ['stamp'], options: [] }],
    [
      { limits: { maxTokens: 1 }, more: 1 },
      { tools: [], options: [], data: { limits: { maxTokens: 1 }, more: 1 } },
    ],
    [
      { allowedTools: [], own: { tools: ['stamp'] } },
      { tools: ['stamp'], options: [], data: { allowedTools: [] } },
    ],
  ])('%j of a foreign journal is read as %j', (value, read) => {
    expect(readOwnParts(value)).toEqual(read)
  })
})

test('a run can not go on without its tools, its context and what restricts it; what else it was given may change', () => {
  const some: OwnParts = { tools: ['stamp', 'pick'], options: ['context', 'model', 'policies'] }
  expect(missingParts(some, new Set(['pick']), undefined)).toEqual(["the tool 'stamp'", 'the context', "the option 'policies'"])
  const given: OwnParts = { tools: [], options: ['context'], data: { policies: {} } }
  expect(missingParts(some, new Set(some.tools), given)).toEqual([])
})

describe('decide: the claim says what the run is driven with, when that changes', () => {
  const claimOf = (steps: readonly Step[], parts: OwnParts | undefined) =>
    planOf(play(...steps), {}, { epoch: 5, own: parts }).append.map(({ data }) => ('own' in data ? data.own : 'no word'))

  test.each<[string, Step, OwnParts | undefined, unknown]>([
    ['nothing, as asked', requested(), undefined, 'no word'],
    ['the same', asked, { ...own }, 'no word'],
    ['more', asked, { tools: ['stamp', 'late'], options: ['context'] }, { tools: ['stamp', 'late'], options: ['context'] }],
    ['another tool', asked, { tools: ['late'], options: ['context'] }, { tools: ['late'], options: ['context'] }],
    ['another option', asked, { tools: ['stamp'], options: ['model'] }, { tools: ['stamp'], options: ['model'] }],
    ['more data', asked, { ...own, data: { maxParallel: 1 } }, { ...own, data: { maxParallel: 1 } }],
    ['nothing any more', asked, undefined, { tools: [], options: [] }],
  ])('%s', (_name, step, parts, said) => {
    expect(claimOf([step], parts)).toEqual([said])
    expect(claimOf([step, claimed()], parts)).toEqual([said])
  })
})

describe('decide: a run whose own parts are not in this process', () => {
  const elsewhere = { partsMissing: true }

  test('is not claimed, and nothing of it is decided', () => {
    expect(planOf(play(asked), {}, elsewhere)).toEqual(nothing)
    expect(planOf(play(asked, claimed()), {}, elsewhere)).toEqual(nothing)
    expect(planOf(play(open), {}, { ...elsewhere, epoch: 2 })).toEqual(nothing)
    expect(planOf(play(called('look')), {}, { ...elsewhere, epoch: 2 })).toEqual(nothing)
  })

  test('is ended by a cancel, which needs none of them; its claim says nothing about them', () => {
    const aborted = { status: 'aborted', reason: 'aborted', text: '' } as const
    expect(planOf(play(asked, control('cancel')), {}, elsewhere)).toEqual(plan([finishes(aborted)]))
    const active = play(asked, claimed(), control('cancel'))
    expect(planOf(active, {}, { ...elsewhere, epoch: 2 }).append.map(({ kind, data }) => [kind, 'own' in data])).toEqual([
      ['run.claimed', false],
    ])
    expect(planOf(play(asked, claimed(), control('cancel')), {}, elsewhere)).toEqual(plan([finishes(aborted)]))
  })

  test('does not keep a cancelled run behind it from ending', () => {
    const data = { status: 'aborted', reason: 'aborted', text: '' } as const
    expect(planOf(play(asked, requested('r2'), control('cancel', 'r2')), {}, elsewhere)).toEqual(plan([finishes(data, 'r2')]))
    expect(planOf(play(asked, requested('r2'), control('cancel', 'r2'), finished('r2', data)), {}, elsewhere)).toEqual(nothing)
  })
})
