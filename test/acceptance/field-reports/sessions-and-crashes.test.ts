import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { done, tool } from 'rondo'
import type { StoreFault } from 'rondo/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { faultsAt } from '../../engine/kit.ts'
import { fileOf, newFolder, opened as openedFolder } from '../../stores/jsonl-kit.ts'
import { agentIn, asks, collect, end, gate, lines, noInput, plainTool, refusal, untilWithFiles } from '../kit.ts'
import { facts, mortal, noting, restored, serialised, sharedLab, storeKinds } from '../support/processes.ts'

const look = plainTool('look', () => 'seen', 'read')

describe.each(storeKinds)('two runs asked for in one tick (%s)', (kind) => {
  const replies = [asks('look'), 'One.', asks('look'), 'Two.']
  const answered = ['assistant: look{}→ok:seen', 'assistant: One.']

  /** Two agents on one session: of one process, or of two. */
  function pair(processes: 1 | 2) {
    const lab = sharedLab(kind, replies)
    const agents = [lab, processes === 1 ? lab : lab.process()].map((place) => agentIn(place, { tools: [look] }))
    const ask = async (onBusy?: 'queue' | 'steer') => {
      const asked = ['A', 'B'].map((input, index) =>
        agents[index]?.run(input, { session: 's', ...(onBusy === undefined ? {} : { onBusy }) }),
      )
      return (await lab.until(Promise.allSettled(asked))).map((answer) =>
        answer.status === 'fulfilled' ? end(answer.value ?? expect.fail()) : answer.reason.code,
      )
    }
    const said = async () => lines(await collect(agentIn(lab.process()).session('s').messages()))
    return { lab, ask, said }
  }

  test.each([1, 2] as const)(
    'B163 in %i processes: one runs, the other is told that the session is busy, and leaves no trace',
    async (processes) => {
      const { ask, said } = pair(processes)
      const ends = await ask()
      const wins = ends.indexOf('completed completed')
      expect([ends.toSorted(), await said()]).toEqual([
        ['RunInvalidState', 'completed completed'],
        [wins === 0 ? 'user: A' : 'user: B', ...answered],
      ])
    },
  )

  test.each([1, 2] as const)("B163 in %i processes, onBusy: 'queue': one after the other, each whole", async (processes) => {
    const { ask, said } = pair(processes)
    expect(await ask('queue')).toEqual(['completed completed', 'completed completed'])
    const messages = await said()
    const [first, second] = messages[0] === 'user: A' ? ['A', 'B'] : ['B', 'A']
    expect(messages).toEqual([`user: ${first}`, ...answered, `user: ${second}`, 'assistant: look{}→ok:seen', 'assistant: Two.'])
  })

  test.each([1, 2] as const)("B163 in %i processes, onBusy: 'steer': one run, in which both are heard", async (processes) => {
    const { ask, said } = pair(processes)
    expect(await ask('steer')).toEqual(['completed completed', 'completed completed'])
    const messages = await said()
    expect(messages.filter((line) => line.startsWith('user')).toSorted()).toEqual(['user: A', 'user: B'])
    expect(messages.filter((line) => line.startsWith('assistant'))).toEqual(answered)
  })
})

describe.each(storeKinds)('a run that does not get to its end (%s)', (kind) => {
  const steps = (count: number) => Array.from({ length: count }, (_, index) => ({ text: `Step ${index + 1}.`, ...asks('look') }))
  const seven = ['user: Hi', ...steps(7).map(({ text }) => `assistant: ${text} look{}→ok:seen`)]

  test('B166 the model fails in step 8: the seven before it are kept, and the next run goes on from there', async () => {
    const fail = { code: 'ModelAuthError', message: 'no key' } as const
    const lab = sharedLab(kind, [...steps(7), { fail }, 'Done.'])
    const result = await lab.until(
      agentIn(lab, { tools: [look], policies: { noProgress: false } }).run('Hi', { session: 's', throwOnError: false }),
    )
    expect([end(result), result.calls.length]).toEqual(['failed model_error', 7])
    const next = agentIn(lab.process(), { tools: [look] })
    expect(lines(await collect(next.session('s').messages()))).toEqual(seven)
    await lab.until(next.run('Go on', { session: 's' }))
    expect(lines(lab.model.requests.at(-1)?.messages ?? [])).toEqual([...seven, 'user: Go on'])
  })

  test('B166 its reader leaves after step 7: the same', async () => {
    const lab = sharedLab(kind, [...steps(7), { text: 'Step 8.', delayMs: 60_000 }, 'Done.'])
    const run = agentIn(lab, { tools: [look], policies: { noProgress: false } }).stream('Hi', { session: 's' })
    const read = async () => {
      let finished = 0
      for await (const event of run) if (event.type === 'iteration.finished' && ++finished === 7) break
    }
    await lab.until(read())
    const next = agentIn(lab.process(), { tools: [look] })
    await lab.until(next.run('Go on', { session: 's', onBusy: 'queue' }))
    expect((await facts(lab.store, 's')).filter((line) => line.startsWith('run.finished'))).toEqual([
      'run.finished aborted aborted',
      'run.finished completed completed',
    ])
    expect(lines(lab.model.requests.at(-1)?.messages ?? [])).toEqual([...seven, 'user: Go on'])
  })

  test('B166 its process is killed in step 8: the same, and no step is done twice', async () => {
    let looks = 0
    const counted = plainTool('look', () => (++looks > 0 ? 'seen' : 'never'))
    const lab = sharedLab(kind, [...steps(7), { hang: true }, 'Done.'])
    const first = mortal(lab)
    const run = agentIn(first, { tools: [counted], policies: { noProgress: false } }).stream('Hi', { session: 's', detach: true })
    for await (const event of run) if (event.type === 'model.started' && event.iteration === 8) break
    first.kill()
    const result = await lab.until(agentIn(lab.process(), { tools: [counted], policies: { noProgress: false } }).resume('s').result)
    expect([end(result), looks, lines(result.messages)]).toEqual(['completed completed', 7, [...seven, 'assistant: Done.']])
  })

  test('B166 nothing is announced before it is kept', async () => {
    const lab = sharedLab(kind, [...steps(3), 'Done.'])
    let kept = 0
    const store = noting(lab.store, (seq) => {
      kept = seq
    })
    const agent = agentIn({ ...lab, store }, { tools: [look] })
    const early: string[] = []
    const types = ['run.started', 'model.started', 'model.finished', 'call.started', 'call.settled', 'run.finished'] as const
    let heard = 0
    for (const type of types)
      agent.on(type, ({ cursor }) => {
        heard++
        if (Number.parseInt(cursor, 10) > kept) early.push(`${type} ${cursor}, kept ${kept}`)
      })
    await lab.until(agent.run('Hi'))
    expect([heard, early]).toEqual([16, []])
  })
})

describe.each(storeKinds)('a store that fails once a tool has ended the run (%s)', (kind) => {
  /** A tool with an effect that ends the run; the appends that hold its result fail so. */
  function paying(...faults: readonly StoreFault[]) {
    let paid = 0
    const pay = tool({ name: 'pay', description: 'Pays', inputSchema: noInput, execute: () => done(`paid ${++paid}`) })
    const lab = sharedLab(kind, [asks('pay'), 'I can not tell whether it was paid.'])
    const { store, tried } = faultsAt(lab.store, 'call.settled', faults)
    return { lab, tried, paid: () => paid, agent: agentIn({ ...lab, store }, { tools: [pay] }) }
  }

  test.each(['fail-before', 'fail-after', 'disk-full'] as const)(
    'B167 once (%s): what was to be written is written again, and nothing else happens twice',
    async (fault) => {
      const { lab, tried, paid, agent } = paying(fault)
      const result = await lab.until(agent.run('Hi', { session: 's' }))
      expect([end(result), result.output, paid(), lab.model.requests.length]).toEqual(['completed done_tool', 'paid 1', 1, 1])
      expect([tried.length, tried[1]]).toEqual([2, tried[0]])
      expect((await facts(lab.process().store, 's')).slice(-3)).toEqual([
        'call.started m1.0',
        'call.settled m1.0 ok',
        'run.finished completed done_tool',
      ])
    },
  )

  test('B167 for good: a typed error and a session that can be resumed, in which the effect is not had twice', async () => {
    const { lab, paid, agent } = paying('fail-before', 'fail-before', 'fail-before')
    const failed = await lab.until(agent.run('Hi', { session: 's', throwOnError: false }))
    expect([end(failed), failed.status === 'failed' && [failed.resumable, failed.error.code, failed.error.retryable]]).toEqual([
      'failed session_error',
      [true, 'SessionWriteFailed', true],
    ])
    const result = await lab.until(agent.resume('s').result)
    expect([end(result), paid(), result.calls.map((call) => call.outcome)]).toEqual(['completed completed', 1, ['unknown']])
  })
})

describe.each(storeKinds)('a run that can not be set up (%s)', (kind) => {
  const broken = (): never => {
    throw new Error('no such server')
  }
  const odd = tool({ name: 'odd', description: broken, inputSchema: noInput, execute: () => 1 })

  test.each([
    ['a tool', { tools: [odd] }],
    ['the instructions', { instructions: broken }],
    ['the instructions, later', { instructions: async () => broken() }],
  ])('B168 because of %s: what the user said is kept first, and the next run hears it', async (_name, options) => {
    const lab = sharedLab(kind, ['Hello.'])
    const failed = await lab.until(agentIn(lab, options).run('Hi', { session: 's', throwOnError: false }))
    expect([end(failed), lab.model.requests.length, await facts(lab.process().store, 's')]).toEqual([
      'failed hook_failure',
      0,
      ['session', 'run.requested', 'run.finished failed hook_failure'],
    ])
    expect(failed.status === 'failed' && failed.error.message).toContain('no such server')
    const next = agentIn(lab.process())
    expect(lines(await collect(next.session('s').messages()))).toEqual(['user: Hi'])
    await lab.until(next.run('Again', { session: 's' }))
    expect(lines(lab.model.requests[0]?.messages ?? [])).toEqual(['user: Hi', 'user: Again'])
  })

  test('B168 because of what it was given: the error comes before anything is kept, and no empty session is left', async () => {
    const lab = sharedLab(kind, [])
    const agent = agentIn(lab, { tools: [look] })
    const error = await refusal(agent.run('Hi', { session: 's', extraTools: [look] }))
    expect([error.code, await lab.process().store.list()]).toEqual(['ConfigInvalid', []])
  })
})

describe.each(storeKinds)('a process that is killed when a tool is done (%s)', (kind) => {
  /** A tool whose process dies when it has had its effect, the first time; what it saw of itself. */
  function deadly(effect: 'read' | 'idempotent' | 'unsafe', needsApproval: boolean) {
    const again = { calls: [{ name: 'pay', input: { cents: 5 } }] }
    const lab = sharedLab(kind, [again, again, 'Done.'])
    const first = mortal(lab)
    const dead = gate()
    const seen: { key: string; attempt: number; last: string | undefined }[] = []
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      effect,
      needsApproval,
      inputSchema: z.object({ cents: z.number() }),
      execute: async ({ cents }, { idempotencyKey, attempt }) => {
        seen.push({ key: idempotencyKey, attempt, last: (await facts(lab.process().store, 's')).at(-1) })
        if (seen.length === 1) first.kill()
        dead.resolve()
        return `paid ${cents}`
      },
    })
    const second = () => agentIn(lab.process(), { tools: [pay] })
    return { lab, seen, dead: dead.promise, tools: [pay] as const, first: agentIn(first, { tools: [pay] }), second }
  }
  const started = (attempt: number) => ({ key: 's/m1.0', attempt, last: `call.started m1.0${attempt === 1 ? '' : ` attempt ${attempt}`}` })

  test.each([
    ['unsafe', ['unknown', 'skipped'], [started(1)]],
    ['idempotent', ['ok', 'ok'], [started(1), started(2), { key: 's/m2.0', attempt: 1, last: 'call.started m2.0' }]],
    ['read', ['ok', 'ok'], [started(1), started(2), { key: 's/m2.0', attempt: 1, last: 'call.started m2.0' }]],
  ] as const)(
    'B169 %s: its start was kept before; then it is unknown and not repeated, or repeated under the same key',
    async (effect, outcomes, seen) => {
      const { lab, seen: had, dead, first, second } = deadly(effect, false)
      first.stream('Hi', { session: 's', detach: true })
      await lab.until(dead)
      const result = await lab.until(second().resume('s').result)
      expect([end(result), result.calls.map((call) => call.outcome), had]).toEqual(['completed completed', outcomes, seen])
    },
  )

  test('B169 nor is it repeated from a copy that was made while it ran, wherever that lies', async () => {
    const { lab, seen, dead, first, tools } = deadly('unsafe', false)
    first.stream('Hi', { session: 's', detach: true })
    await lab.until(dead)
    const copy = await restored(lab.elsewhere(), 's', await serialised(lab.process().store, 's'))
    const result = await lab.until(agentIn(copy, { tools }).resume('s').result)
    expect([end(result), result.calls.map((call) => call.outcome), seen]).toEqual([
      'completed completed',
      ['unknown', 'skipped'],
      [started(1)],
    ])
  })

  test('B169 an approval is used up by the call that it let begin', async () => {
    const { lab, seen, dead, first, second } = deadly('unsafe', true)
    await lab.until(first.run('Hi', { session: 's' }))
    await lab.until(first.session('s').decide({ callId: 'm1.0', decision: 'approve' }))
    await lab.until(dead)
    const parked = await lab.until(second().resume('s').result)
    expect([end(parked), parked.calls.map((call) => call.outcome), seen]).toEqual(['parked awaiting_approval', ['unknown'], [started(1)]])
    // Whoever has looked may say that it is to be done again.
    const result = await lab.until(second().resume('s', { decisions: [{ callId: 'm2.0', decision: 'approve' }] }).result)
    expect([end(result), result.calls.map((call) => call.outcome), seen.length]).toEqual(['completed completed', ['unknown', 'ok'], 2])
  })
})

describe('a session in a file (rondo/jsonl) that something else has written to', () => {
  /** A session after two runs; what becomes of its text before the next process opens it. */
  async function rewritten(change: (text: string) => string) {
    const lab = sharedLab('memory', [asks('look'), 'One.', 'Two.', 'Three.'])
    const until = <T>(promise: Promise<T>) => untilWithFiles(lab.clock, promise)
    const directory = newFolder()
    const open = () => openedFolder(directory, { clock: () => lab.clock.wall(), synchronous: 'normal' })
    const store = open()
    const agent = agentIn({ ...lab, store }, { tools: [look] })
    await until(agent.run('A', { session: 's' }))
    await until(agent.run('B', { session: 's' }))
    const before = await collect(store.load('s'))
    await store.close()
    const file = fileOf(directory)
    writeFileSync(file, change(readFileSync(file, 'utf8')))
    const next = open()
    const told = lines(
      await collect(
        agentIn({ ...lab, store: next }, { tools: [look] })
          .session('s')
          .messages(),
      ),
    )
    const after = await collect(next.load('s'))
    const result = await until(agentIn({ ...lab, store: next }, { tools: [look] }).run('C', { session: 's' }))
    await next.close()
    return {
      isSame: isDeepStrictEqual(before, after),
      told,
      end: end(result),
      asked: lines(lab.model.requests.at(-1)?.messages ?? []),
      file,
    }
  }
  const told = ['user: A', 'assistant: look{}→ok:seen', 'assistant: One.', 'user: B', 'assistant: Two.']
  const whole = { isSame: true, told, end: 'completed completed', asked: [...told, 'user: C'] }

  test.each([
    ['two of them', (text: string) => text.replace('}\n{"v":1', '}{"v":1')],
    ['every second one', (text: string) => text.replace(/\}\n\{(.*)\n/g, '}{$1\n')],
    ['all of them', (text: string) => text.replaceAll('}\n{', '}{')],
  ])('B161 complete records on one physical line (%s): all are read, in order, and the session goes on', async (_, glue) => {
    expect(await rewritten(glue)).toMatchObject(whole)
  })

  test('B162 the last line is complete and has no newline: it is a record, and the next one begins a line', async () => {
    const { file, ...rest } = await rewritten((text) => text.trimEnd())
    expect(rest).toEqual(whole)
    for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
  })
})
