import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../src/index.ts'
import { type Script, scripted } from '../../src/testing/index.ts'
import { agentIn, asks, collect, end, lines, plainTool, refusal, untilWithFiles } from '../acceptance/kit.ts'
import { testWorld } from '../setup/checks.ts'
import { crashed, fileOf, newFolder, opened } from '../stores/jsonl-kit.ts'

/** A world, a model and a folder; each process opens the folder as it finds it. */
function place(replies: Script) {
  const world = testWorld()
  const { clock } = world
  const model = scripted(replies, { clock })
  const on = (directory: string) => ({
    world,
    clock,
    model,
    store: opened(directory, { clock: () => clock.wall(), synchronous: 'normal' }),
  })
  return { on, clock, model, until: <T>(promise: Promise<T>) => untilWithFiles(clock, promise) }
}

describe('an agent whose sessions are files', () => {
  test('runs, is closed, and goes on in the next process', async () => {
    const { on, until } = place([asks('look'), 'One.', 'Two.'])
    const directory = newFolder()
    const look = plainTool('look', () => 'seen', 'read')
    const first = on(directory)
    expect(end(await until(agentIn(first, { tools: [look] }).run('A', { session: 's' })))).toBe('completed completed')
    await first.store.close()
    const second = on(directory)
    const agent = agentIn(second, { tools: [look] })
    await until(agent.run('B', { session: 's' }))
    expect(lines(await collect(agent.session('s').messages()))).toEqual([
      'user: A',
      'assistant: look{}→ok:seen',
      'assistant: One.',
      'user: B',
      'assistant: Two.',
    ])
    expect((await second.store.list()).map(({ sessionId, head }) => [sessionId, head?.status])).toEqual([['s', 'completed']])
  })

  test('dies amid a run: the next process finds the session at once and goes on; what was done is not done again', async () => {
    const { on, until } = place([asks('pay'), { hang: true }, 'Done.'])
    const directory = newFolder()
    let paid = 0
    const pay = plainTool('pay', () => `paid ${++paid}`)
    const run = agentIn(on(directory), { tools: [pay] }).stream('Hi', { session: 's', detach: true })
    for await (const event of run) if (event.type === 'model.started' && event.iteration === 2) break
    const second = on(crashed(directory))
    expect((await second.store.list({ ownerLost: true })).map(({ sessionId }) => sessionId)).toEqual(['s'])
    const result = await until(agentIn(second, { tools: [pay] }).resume('s').result)
    expect([end(result), paid, lines(result.messages)]).toEqual([
      'completed completed',
      1,
      ['user: Hi', 'assistant: pay{}→ok:paid 1', 'assistant: Done.'],
    ])
  })

  test('dies amid a tool that pays, and its last write is cut: the call is unknown and not repeated', async () => {
    const { on, until } = place([asks('pay'), 'Paid.', 'I can not tell.'])
    const directory = newFolder()
    let paid = 0
    let copy = ''
    const pay = plainTool('pay', () => {
      paid++
      copy = crashed(directory)
      return 'paid'
    })
    await until(agentIn(on(directory), { tools: [pay] }).run('Hi', { session: 's' }))
    writeFileSync(fileOf(copy), '{"head":{"status":"model_running","pend', { flag: 'a' })
    const result = await until(agentIn(on(copy), { tools: [pay] }).resume('s').result)
    expect([end(result), paid, result.calls.map(({ outcome }) => outcome)]).toEqual(['completed completed', 1, ['unknown']])
  })

  test('does not drive a session whose file is damaged, and says where; others go on', async () => {
    const { on, until } = place(['One.', 'Other.'])
    const directory = newFolder()
    const first = on(directory)
    await until(agentIn(first).run('A', { session: 's' }))
    await first.store.close()
    writeFileSync(fileOf(directory), readFileSync(fileOf(directory), 'utf8').replace('"kind":"run.requested"', '"kind":run.requested'))
    const agent = agentIn(on(directory))
    const error = await refusal(until(agent.run('B', { session: 's' })))
    expect([error.code, error.message]).toEqual(['SessionReadFailed', expect.stringMatching(/is damaged in line \d \(byte \d+\)/)])
    expect(end(await until(agent.run('C', { session: 'other' })))).toBe('completed completed')
  })

  test('does not drive a session with an entry of a kind from the future, and keeps it', async () => {
    const { on, until } = place(['One.'])
    const directory = newFolder()
    const first = on(directory)
    await until(agentIn(first).run('A', { session: 's' }))
    const entries: readonly Entry[] = await collect(first.store.load('s'))
    await first.store.close()
    const unknown = { v: 1, id: 'x', seq: entries.length + 1, at: 9e12, kind: 'call.dreamt', data: { of: 'sheep' } }
    writeFileSync(fileOf(directory), `${JSON.stringify(unknown)}\n`, { flag: 'a' })
    const second = on(directory)
    expect((await refusal(until(agentIn(second).run('B', { session: 's' })))).code).toBe('SessionMigrationFailed')
    expect((await collect(second.store.load('s'))).at(-1)).toEqual(unknown)
  })
})
