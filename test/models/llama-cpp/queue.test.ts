import { describe, expect, test } from 'vitest'
import { Queue } from '../../../src/models/llama-cpp/queue.ts'

const never = new AbortController().signal

/** Holds one until `let go` is called. */
function hold(queue: Queue<string>, owner: string, log: string[], signal = never) {
  let release = () => {}
  const gone = new Promise<void>((resolve) => {
    release = resolve
  })
  const ended = queue.with(owner, signal, async (value) => {
    log.push(`${owner} has ${value}`)
    await gone
  })
  return { ended, release }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('a few sequences for many sessions', () => {
  test('first come first served, one holder each', async () => {
    const log: string[] = []
    const queue = new Queue(['A', 'B'])
    const holders = ['1', '2', '3', '4'].map((owner) => hold(queue, owner, log))
    await turn()
    expect(log).toEqual(['1 has A', '2 has B'])
    holders[1]?.release()
    await turn()
    expect(log.slice(2)).toEqual(['3 has B'])
    for (const { release } of holders) release()
    await Promise.all(holders.map(({ ended }) => ended))
    expect(log.slice(3)).toEqual(['4 has A'])
  })

  test('who comes back gets the one it had, others the one that was unused for longest', async () => {
    const log: string[] = []
    const queue = new Queue(['A', 'B', 'C'])
    for (const owner of ['1', '2', '3', '2', '4', '1', '3'])
      await queue.with(owner, never, async (value) => {
        log.push(`${owner}${value}`)
      })
    expect(log).toEqual(['1A', '2B', '3C', '2B', '4A', '1C', '3B'])
  })

  test('what fails gives back what it had', async () => {
    const queue = new Queue(['A'])
    await expect(queue.with('1', never, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await queue.with('2', never, async (value) => value)).toBe('A')
  })

  test('who is aborted while it waits leaves, and takes no turn from others', async () => {
    const log: string[] = []
    const queue = new Queue(['A'])
    const abort = new AbortController()
    const first = hold(queue, '1', log)
    const second = hold(queue, '2', log, abort.signal)
    const third = hold(queue, '3', log)
    const reason = new Error('gone')
    abort.abort(reason)
    await expect(second.ended).rejects.toBe(reason)
    first.release()
    await turn()
    expect(log).toEqual(['1 has A', '3 has A'])
    third.release()
    await third.ended
    await expect(queue.with('4', abort.signal, async () => 'ran')).rejects.toBe(reason)
  })

  test('there is an end to how many wait', async () => {
    const queue = new Queue(['A'])
    const first = hold(queue, '1', [])
    const aborts = Array.from({ length: 10_000 }, () => new AbortController())
    const waiting = aborts.map(({ signal }) => queue.with('2', signal, async () => {}))
    await expect(queue.with('3', never, async () => {})).rejects.toThrow(/More than 10,000 requests wait/)
    for (const abort of aborts) abort.abort(new Error('all'))
    await Promise.allSettled(waiting)
    first.release()
    await first.ended
  })
})
