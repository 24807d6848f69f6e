import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/core/message.ts'
import { claimed, control, failed, finished, play, requested, responded, started, steer } from './support.ts'

const begin = [requested('r1', 'first'), claimed()]
const queued = (state: ReturnType<typeof play>) => state.live.queue.map((turn) => [turn.seq, textOf(turn.message)])
const turns = (state: ReturnType<typeof play>) => state.sealed.slice(0, state.live.sealedCount).map((turn) => textOf(turn.message))

describe('machine 5: the queue ◆', () => {
  test('a message is queued until something consumes it', () => {
    expect(queued(play(begin, steer('second')))).toEqual([
      [1, 'first'],
      [3, 'second'],
    ])
  })

  test('the input of a run joins at its claim, sorted by its own seq, which may lie before later messages', () => {
    const unread = [...begin, started(1, { through: 2 }), requested('r2', 'of r2'), steer('late'), responded(1, 'a'), finished()]
    expect(queued(play(unread))).toEqual([[5, 'late']])
    expect(queued(play(unread, claimed(1, 'r2', 'next')))).toEqual([
      [4, 'of r2'],
      [5, 'late'],
    ])
  })

  test('it has not joined before', () => {
    expect(queued(play(requested('r1', 'first')))).toEqual([])
  })

  test('several messages of one input keep their order', () => {
    expect(queued(play(requested('r1', 'a', 'b', 'c'), claimed()))).toEqual([
      [1, 'a'],
      [1, 'b'],
      [1, 'c'],
    ])
  })

  test.each(['main', 'output', 'wrap-up'] as const)('a response of purpose %s consumes what it has seen, and no more', (purpose) => {
    const state = play(
      begin,
      steer('second'),
      started(1, { purpose, through: 3, reason: 'timeout' }),
      steer('third'),
      responded(1, 'answer'),
    )
    expect([turns(state), queued(state)]).toEqual([['first', 'second', 'answer'], [[5, 'third']]])
  })

  test('a blank response consumes too', () => {
    const state = play(begin, started(1), responded(1, ''))
    expect([turns(state), queued(state)]).toEqual([['first'], []])
  })

  test('a response with calls consumes before its turn is closed', () => {
    const state = play(begin, started(1), responded(1, { calls: ['look'] }))
    expect([turns(state), queued(state)]).toEqual([['first'], []])
  })

  test('a failure that keeps a partial consumes; what was said then stands before it', () => {
    const state = play(begin, started(1, { through: 2 }), steer('late'), failed(1, { partial: 'half' }))
    expect([turns(state), queued(state)]).toEqual([['first', 'half'], [[4, 'late']]])
  })

  test.each([
    ['without a partial', failed(1)],
    ['with an empty one', failed(1, { partial: '' })],
    ['that is tried again', failed(1, { partial: 'half', retryAt: 5_000 })],
  ])('a failure %s consumes nothing', (_name, step) => {
    const state = play(begin, started(1), step)
    expect([turns(state), queued(state)]).toEqual([[], [[1, 'first']]])
  })

  test.each([
    ['a response', responded(1, 'in short')],
    ['a failure that keeps a partial', failed(1, { partial: 'in sh' })],
  ])('compaction never consumes: %s', (_name, step) => {
    const state = play(begin, started(1, { purpose: 'compaction' }), step)
    expect([turns(state), queued(state)]).toEqual([[], [[1, 'first']]])
  })

  test('the seq at which a call begins is seen, the next is not', () => {
    const state = play(begin, steer('at'), started(1, { through: 3 }), responded(1, 'a'))
    expect(queued(state)).toEqual([])
    expect(queued(play(begin, steer('at'), started(1, { through: 2 }), responded(1, 'a')))).toEqual([[3, 'at']])
  })

  test('what a run has not consumed waits for the next one', () => {
    const state = play(
      begin,
      steer('late'),
      control('cancel'),
      finished('r1', { status: 'aborted', reason: 'aborted' }),
      requested('r2', 'next'),
      claimed(1, 'r2'),
    )
    expect(queued(state)).toEqual([
      [1, 'first'],
      [3, 'late'],
      [6, 'next'],
    ])
  })
})
