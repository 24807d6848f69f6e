import { tool } from 'rondo'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { agentIn, asks, collect, end, gate, lines, noInput, plainTool } from '../kit.ts'
import { facts, mortal, sharedLab, storeKinds } from '../support/processes.ts'

describe.each(storeKinds)('a user who interrupts (%s)', (kind) => {
  /** A run that hangs in the second of two calls. */
  async function stuck(effect: 'read' | 'unsafe') {
    const begun = gate()
    const stick = () => {
      begun.resolve()
      return new Promise<never>(() => {})
    }
    const tools = [plainTool('look', () => 'seen', 'read'), plainTool('stick', stick, effect)] as const
    const lab = sharedLab(kind, [asks('look', 'stick'), 'Go on.'])
    const first = mortal(lab)
    const run = agentIn(first, { tools }).stream('Hi', { session: 's' })
    const { result } = run
    await lab.until(begun.promise)
    return { lab, first, run, result, here: agentIn(first, { tools }), there: agentIn(lab.process(), { tools }) }
  }

  const cancelled = 'cancelled:Cancelled before it was complete.'
  const unknown =
    'unknown:It is unknown whether this call took effect: it began, and its outcome was lost. Do not repeat it without checking; ask the user if you cannot check.'

  test.each([
    ['read', cancelled],
    ['unsafe', unknown],
  ] as const)(
    'B001 while a tool runs (%s): its call has a result before control is back, and the next request is whole',
    async (effect, text) => {
      const { lab, run, result, here } = await stuck(effect)
      await lab.until(run.abort('stop'))
      expect(end(await lab.until(result))).toBe('aborted aborted')
      const [outcome] = text.split(':')
      expect((await facts(lab.process().store, 's')).slice(-3)).toEqual([
        'control cancel',
        `call.settled m1.1 ${outcome}`,
        'run.finished aborted aborted',
      ])
      const next = await lab.until(here.run('Now this', { session: 's' }))
      expect([end(next), lines(lab.model.requests[1]?.messages ?? [])]).toEqual([
        'completed completed',
        ['user: Hi', `assistant: look{}→ok:seen stick{}→${text}`, 'user: Now this'],
      ])
    },
  )

  test.each(['in the same process', 'in another process', 'in another process, the first being dead'])(
    'B001 with the next message itself, %s: the same',
    async (where) => {
      const { lab, first, result, here, there } = await stuck('read')
      if (where.endsWith('dead')) first.kill()
      const agent = where === 'in the same process' ? here : there
      const next = await lab.until(agent.run('Now this', { session: 's', onBusy: 'interrupt' }))
      expect([end(next), lines(lab.model.requests[1]?.messages ?? [])]).toEqual([
        'completed completed',
        ['user: Hi', `assistant: look{}→ok:seen stick{}→${cancelled}`, 'user: Now this'],
      ])
      if (!where.endsWith('dead')) expect(end(await lab.until(result))).toBe('aborted aborted')
    },
  )
})

describe('a message while tools run', () => {
  /** Two calls at once; what the user says comes between their results. */
  async function between(kind: 'memory' | 'sqlite') {
    const [begun, slow] = [gate(), gate<string>()]
    const tools = [
      plainTool('quick', () => 'quick', 'read'),
      plainTool(
        'slow',
        () => {
          begun.resolve()
          return slow.promise
        },
        'read',
      ),
    ] as const
    const lab = sharedLab(kind, [asks('quick', 'slow', 'quick'), 'ok'])
    const first = mortal(lab)
    const run = agentIn(first, { tools }).stream('Hi', { session: 's' })
    const { result } = run
    await lab.until(begun.promise)
    await lab.until(run.send('Be quick.'))
    return { lab, first, tools, slow, result }
  }

  const conversation = ['user: Hi', 'assistant: quick{}→ok:quick slow{}→ok:slow quick{}→ok:quick', 'user: Be quick.']

  test('B156 stands after all results of the turn', async () => {
    const { lab, slow, result } = await between('memory')
    slow.resolve('slow')
    expect(end(await lab.until(result))).toBe('completed completed')
    const said = (await facts(lab.store, 's')).filter((line) => line.startsWith('message') || line.startsWith('call.settled'))
    expect(said).toEqual(['call.settled m1.0 ok', 'call.settled m1.2 ok', 'message steer', 'call.settled m1.1 ok'])
    expect(lines(lab.model.requests[1]?.messages ?? [])).toEqual(conversation)
    expect(lines(await collect(agentIn(lab.process()).session('s').messages()))).toEqual([...conversation, 'assistant: ok'])
  })

  test.each(storeKinds)('B156 nor does it come before them in a journal that was left in between (%s)', async (kind) => {
    const { lab, first, tools, slow } = await between(kind)
    first.kill()
    slow.resolve('slow')
    const result = await lab.until(agentIn(lab.process(), { tools }).resume('s').result)
    expect([end(result), lines(lab.model.requests[1]?.messages ?? [])]).toEqual(['completed completed', conversation])
  })
})

describe('a message when a call is said and not begun', () => {
  test('B158 it waits for a slot: the batch is finished first, and nothing of it is thrown away', async () => {
    const [begun, hold] = [gate(), gate<string>()]
    const ran: number[] = []
    const step = tool({
      name: 'step',
      description: 'Steps',
      inputSchema: z.object({ n: z.number() }),
      execute: ({ n }) => {
        ran.push(n)
        begun.resolve()
        return n === 0 ? hold.promise : 'next'
      },
    })
    const lab = sharedLab('memory', [{ text: 'Two steps.', calls: [0, 1].map((n) => ({ name: 'step', input: { n } })) }, 'ok'])
    const run = agentIn(lab, { tools: [step], maxParallel: 1 }).stream('Hi', { session: 's' })
    const { result } = run
    await lab.until(begun.promise)
    await lab.until(run.send('Hurry.'))
    expect(ran).toEqual([0])
    hold.resolve('first')
    expect([end(await lab.until(result)), ran, lines(lab.model.requests[1]?.messages ?? [])]).toEqual([
      'completed completed',
      [0, 1],
      ['user: Hi', 'assistant: Two steps. step{"n":0}→ok:first step{"n":1}→ok:next', 'user: Hurry.'],
    ])
  })

  test('B158 the model still speaks: what it asks for then runs all the same', async () => {
    const lab = sharedLab('memory', [{ ...asks('act'), delayMs: 1_000 }, 'ok'])
    const run = agentIn(lab, { tools: [plainTool('act', () => 'acted')] }).stream('Hi')
    const { result } = run
    await lab.clock.advance(500)
    await lab.until(run.send('Hurry.'))
    expect([end(await lab.until(result)), lines(lab.model.requests[1]?.messages ?? [])]).toEqual([
      'completed completed',
      ['user: Hi', 'assistant: act{}→ok:acted', 'user: Hurry.'],
    ])
  })

  test.each([
    [false, 'ok:acted', 'completed completed'],
    [true, 'open:', 'parked awaiting_approval'],
  ])(
    'B158 it is being asked whether it needs an approval (%s): the message is no answer to what nobody was asked',
    async (needs, text, how) => {
      const [asked, verdict] = [gate(), gate<boolean>()]
      const needsApproval = () => {
        asked.resolve()
        return verdict.promise
      }
      const act = tool({ name: 'act', description: 'Acts', inputSchema: noInput, needsApproval, execute: () => 'acted' })
      const lab = sharedLab('memory', [asks('act'), 'ok'])
      const run = agentIn(lab, { tools: [act] }).stream('Hi', { session: 's', parkAfterMs: 0 })
      const { result } = run
      await lab.until(asked.promise)
      await lab.until(run.send('Hurry.'))
      verdict.resolve(needs)
      expect(end(await lab.until(result))).toBe(how)
      const messages = lines(await collect(agentIn(lab.process()).session('s').messages()))
      expect(messages.slice(0, 3)).toEqual(['user: Hi', `assistant: act{}→${text}`, 'user: Hurry.'])
    },
  )

  const asking = { name: 'ask', description: 'Asks', inputSchema: noInput }

  test.each([
    ['for an approval', tool({ ...asking, needsApproval: true, execute: () => 'ran' })],
    ['for a client', tool(asking)],
  ])('B158 it waits %s: it is skipped, and its result says so; what ran beside it stands', async (_name, ask) => {
    const lab = sharedLab('memory', [asks('act', 'ask'), 'ok'])
    const agent = agentIn(lab, { tools: [plainTool('act', () => 'acted'), ask] })
    await lab.until(agent.run('Hi', { session: 's' }))
    const result = await lab.until(agent.run('Leave it.', { session: 's', onBusy: 'steer' }))
    expect([end(result), lines(lab.model.requests[1]?.messages ?? [])]).toEqual([
      'completed completed',
      [
        'user: Hi',
        'assistant: act{}→ok:acted ask{}→skipped:Not run: the user said something else instead of answering.',
        'user: Leave it.',
      ],
    ])
  })

  test("B158 onPending: 'hold' keeps it: the message waits with it", async () => {
    const ask = tool({ ...asking, needsApproval: true, execute: () => 'ran' })
    const lab = sharedLab('memory', [asks('ask'), 'ok'])
    const agent = agentIn(lab, { tools: [ask], onPending: 'hold' })
    await lab.until(agent.run('Hi', { session: 's' }))
    expect(end(await lab.until(agent.run('Hurry.', { session: 's', onBusy: 'steer' })))).toBe('parked awaiting_approval')
    await lab.until(agent.resume('s', { decisions: [{ callId: 'm1.0', decision: 'approve' }] }).result)
    expect(lines(lab.model.requests[1]?.messages ?? [])).toEqual(['user: Hi', 'assistant: ask{}→ok:ran', 'user: Hurry.'])
  })
})
