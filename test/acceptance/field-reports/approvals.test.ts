import { type Decision, done, tool } from 'rondo'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { agentIn, asks, end, lines, noInput, refusal } from '../kit.ts'
import { facts, passing, restored, type SharedLab, serialised, sharedLab, storeKinds } from '../support/processes.ts'

const approve = (callId: string): Decision => ({ callId, decision: 'approve' })
const deploying = (...to: string[]) => ({ calls: to.map((place) => ({ name: 'deploy', input: { to: place } })) })

/** A tool that asks, and notes where it has run. */
function deploy(needsApproval: true | (() => boolean | Promise<boolean>) = true) {
  const ran: string[] = []
  const inputSchema = z.object({ to: z.string() })
  const execute = ({ to }: { to: string }) => `deployed to ${ran[ran.push(to) - 1]}`
  return { ran, tools: [tool({ name: 'deploy', description: 'Deploys', inputSchema, needsApproval, execute })] as const }
}

describe('the question and its answer', () => {
  test.each<[string, (asked: number) => boolean | Promise<boolean>]>([
    ['would say no the next time', (asked) => asked <= 3],
    ['would say no the next time, asynchronously', async (asked) => asked <= 3],
    [
      'would throw the next time',
      (asked) => {
        if (asked > 3) throw new Error('asked again')
        return true
      },
    ],
  ])('B147 needsApproval that %s is asked once for each call: what was decided wins', async (_name, answer) => {
    let asked = 0
    const { ran, tools } = deploy(() => answer(++asked))
    const lab = sharedLab('memory', [deploying('a', 'b', 'c'), 'ok'])
    await lab.until(agentIn(lab, { tools }).run('Hi', { session: 's' }))
    const decisions: Decision[] = [
      approve('m1.0'),
      { callId: 'm1.1', decision: 'approve', input: { to: 'staging' } },
      { callId: 'm1.2', decision: 'deny' },
    ]
    const result = await lab.until(agentIn(lab.process(), { tools }).resume('s', { decisions }).result)
    expect([end(result), asked, ran, result.calls.map((call) => call.outcome)]).toEqual([
      'completed completed',
      3,
      ['a', 'staging'],
      ['ok', 'ok', 'denied'],
    ])
  })

  test('B147 nor is it asked again by a run that waited in its process', async () => {
    let asked = 0
    const { ran, tools } = deploy(() => ++asked === 1)
    const lab = sharedLab('memory', [deploying('a'), 'ok'])
    const run = agentIn(lab, { tools }).stream('Hi')
    const { result } = run
    await lab.clock.advance(1_000)
    await run.decide(approve('m1.0'))
    expect([end(await lab.until(result)), asked, ran]).toEqual(['completed completed', 1, ['a']])
  })

  test('B155 an answer is all that a resume needs: no word of the user is asked for, and none is made up', async () => {
    const { ran, tools } = deploy()
    const lab = sharedLab('memory', [deploying('a'), 'ok'])
    await lab.until(agentIn(lab, { tools }).run('Hi', { session: 's' }))
    const result = await lab.until(agentIn(lab.process(), { tools }).resume('s', { decisions: [approve('m1.0')] }).result)
    expect([end(result), ran, lines(lab.model.requests[1]?.messages ?? [])]).toEqual([
      'completed completed',
      ['a'],
      ['user: Hi', 'assistant: deploy{"to":"a"}→ok:deployed to a'],
    ])
  })
})

describe('B151 a gated call beside one that ends the run', () => {
  const handoff = tool({ name: 'handoff', description: 'Hands over', inputSchema: noInput, execute: () => done('handed over') })
  const calls = { gated: { name: 'deploy', input: { to: 'a' } }, handoff: { name: 'handoff', input: {} } }

  test.each([
    ['B151 before it: the answer is waited for, then both count', ['gated', 'handoff'], {}],
    ['B151 after it, drained: the same', ['handoff', 'gated'], { policies: { doneDrain: 'finish' } }],
    ['B151 after it, with all verdicts first: the same', ['handoff', 'gated'], { policies: { approvalTiming: 'answers' } }],
  ] as const)('%s', async (_name, order, options) => {
    const { ran, tools } = deploy()
    const lab = sharedLab('memory', [{ calls: order.map((name) => calls[name]) }])
    const parked = await lab.until(agentIn(lab, { ...options, tools: [...tools, handoff] }).run('Hi', { session: 's' }))
    const waits = `m1.${order.indexOf('gated')}`
    expect([end(parked), parked.status === 'parked' && parked.pending.map((call) => call.callId)]).toEqual([
      'parked awaiting_approval',
      [waits],
    ])
    const next = agentIn(lab.process(), { ...options, tools: [...tools, handoff] })
    const result = await lab.until(next.resume('s', { decisions: [approve(waits)] }).result)
    expect([end(result), result.output, ran, result.calls.map((call) => call.outcome)]).toEqual([
      'completed done_tool',
      'handed over',
      ['a'],
      ['ok', 'ok'],
    ])
  })

  test('B151 after it, by default: not run, and that is its result', async () => {
    const { ran, tools } = deploy()
    const lab = sharedLab('memory', [{ calls: [calls.handoff, calls.gated] }])
    const result = await lab.until(agentIn(lab, { tools: [...tools, handoff] }).run('Hi'))
    expect([end(result), ran, lines(result.messages)[1]]).toEqual([
      'completed done_tool',
      [],
      'assistant: handoff{}→ok:handed over deploy{"to":"a"}→skipped:Not run: an earlier call of the same message ended the turn.',
    ])
  })
})

describe.each(storeKinds)('what was decided lies in the journal (%s)', (kind) => {
  test('B148 a denial and its words outlive the process that took them, and a copy through JSON', async () => {
    const { ran, tools } = deploy()
    const lab = sharedLab(kind, [deploying('production', 'docs'), 'ok'])
    await lab.until(agentIn(lab, { tools }).run('Hi', { session: 's' }))
    const desk = agentIn(passing(lab.process()), { tools }).session('s')
    await lab.until(desk.decide({ callId: 'm1.0', decision: 'deny', reason: 'use staging', by: 'ann' }))
    expect((await facts(lab.process().store, 's')).at(-1)).toBe('approval.decided deny')
    const copy = await restored(lab.elsewhere(), 's', await serialised(lab.process().store, 's'))
    const result = await lab.until(agentIn(copy, { tools }).resume('s', { decisions: [approve('m1.1')] }).result)
    expect([end(result), ran, lines(lab.model.requests[1]?.messages ?? [])]).toEqual([
      'completed completed',
      ['docs'],
      [
        'user: Hi',
        'assistant: deploy{"to":"production"}→denied:The user did not allow this call: use staging deploy{"to":"docs"}→ok:deployed to docs',
      ],
    ])
  })

  test('B149 what a provider said of its parts, known to us or not, comes back to it to the letter', async () => {
    const secret = { vendor: { id: 'rs_1', encrypted_content: 'b64==', later: [1, { deep: null, '': '' }] } }
    const marked = { vendor: { id: 'fc_1', status: 'completed', caller: { type: 'direct', n: 1e21 } }, other: { x: false } }
    const deltas = [
      { type: 'reasoning', part: 0, text: 'Hm.' },
      { type: 'data', part: 0, providerData: secret },
      { type: 'call', part: 1, toolName: 'deploy', providerCallId: 'toolu_01/=' },
      { type: 'call-input', part: 1, text: '{ "to" :"a"}' },
      { type: 'data', part: 1, providerData: marked },
    ] as const
    const { tools } = deploy()
    const lab = sharedLab(kind, [{ deltas }, 'ok', { deltas }, 'ok'])
    await lab.until(agentIn(lab, { tools }).run('Hi', { session: 's' }))
    const copy = await restored(lab.elsewhere(), 's', await serialised(lab.process().store, 's'))
    await lab.until(agentIn(copy, { tools }).resume('s', { decisions: [approve('m1.0')] }).result)
    // The same without a break: what the model is told is the same to the last field.
    const whole = agentIn(lab.elsewhere(), { tools }).stream('Hi')
    const { result } = whole
    for await (const event of whole) if (event.type === 'approval.requested') await whole.decide(approve(event.callId))
    await lab.until(result)
    const [broken, unbroken] = [1, 3].map((index) => [...(lab.model.requests[index]?.messages ?? [])][1]?.parts)
    expect(broken).toEqual(unbroken)
    expect(broken).toMatchObject([
      { type: 'reasoning', text: 'Hm.', providerData: secret },
      { type: 'tool-call', providerCallId: 'toolu_01/=', input: { to: 'a' }, providerData: marked },
    ])
  })

  test.each(['with the resume', 'earlier, where no context is'])(
    'B150 a context that is given again hides no decision made %s',
    async (when) => {
      let asked = 0
      const ran: string[] = []
      const pay = tool.for<{ readonly user: string }>()({
        name: 'pay',
        description: 'Pays',
        inputSchema: noInput,
        needsApproval: (_input, { context }) => ++asked > 0 && context.user !== '',
        execute: (_input, { context }) => `paid by ${ran[ran.push(context.user) - 1]}`,
      })
      const lab = sharedLab(kind, [asks('pay'), 'ok'])
      await lab.until(agentIn(lab, { tools: [pay] }).run('Hi', { session: 's', context: { user: 'ann' } }))
      const decisions = when === 'with the resume' ? [approve('m1.0')] : []
      if (decisions.length === 0)
        await lab.until(
          agentIn(lab.process(), { tools: [pay] })
            .session('s')
            .decide(approve('m1.0')),
        )
      const next = agentIn(lab.process(), { tools: [pay] })
      const result = await lab.until(next.resume('s', { context: { user: 'ann, again' }, decisions }).result)
      expect([end(result), asked, ran]).toEqual(['completed completed', 1, ['ann, again']])
    },
  )

  test('B152 one serialised session restored twice in one process: two sessions that know nothing of each other', async () => {
    const { ran, tools } = deploy()
    const lab = sharedLab(kind, [deploying('a'), 'One.', 'Two.'])
    await lab.until(agentIn(lab, { tools }).run('Hi', { session: 's' }))
    const text = await serialised(lab.store, 's')
    const copies = [await restored(lab.elsewhere(), 's', text), await restored(lab.elsewhere(), 's', text)]
    const agents = copies.map((copy) => agentIn(copy, { tools }))
    const results = await lab.until(Promise.all(agents.map((agent) => agent.resume('s', { decisions: [approve('m1.0')] }).result)))
    expect([results.map(end), results.map((result) => result.calls.map((call) => call.outcome)), ran]).toEqual([
      ['completed completed', 'completed completed'],
      [['ok'], ['ok']],
      ['a', 'a'],
    ])
    expect(results.map((result) => result.text).sort()).toEqual(['One.', 'Two.'])
    // The one that both were copied from waits as before.
    expect((await agentIn(lab.process(), { tools }).session('s').pending()).map((call) => call.callId)).toEqual(['m1.0'])
  })
})

describe.each(storeKinds)('two answers at once (%s)', (kind) => {
  async function waiting(...to: string[]) {
    const { ran, tools } = deploy()
    const lab = sharedLab(kind, [deploying(...to), 'ok'])
    await lab.until(agentIn(lab, { tools }).run('Hi', { session: 's' }))
    return { lab, ran, process: () => agentIn(lab.process(), { tools }), decided: () => decisionsIn(lab) }
  }

  async function decisionsIn(lab: SharedLab) {
    return (await facts(lab.process().store, 's')).filter((line) => line.startsWith('approval'))
  }

  test('B154 to two calls, in two processes: both are kept, and each call runs once', async () => {
    const { lab, ran, process, decided } = await waiting('a', 'b')
    const desks = [process().session('s'), process().session('s')]
    await lab.until(Promise.all(desks.map((desk, index) => desk.decide(approve(`m1.${index}`)))))
    const result = await lab.until(process().attach('s').result)
    expect([end(result), ran.sort(), await decided()]).toEqual([
      'completed completed',
      ['a', 'b'],
      ['approval.decided allow', 'approval.decided allow'],
    ])
  })

  test('B154 to two calls, one after the other, in processes that are gone: the run goes on when the last is there', async () => {
    const { lab, ran, process, decided } = await waiting('a', 'b')
    const { tools } = deploy()
    for (const callId of ['m1.0', 'm1.1']) await lab.until(agentIn(passing(lab.process()), { tools }).session('s').decide(approve(callId)))
    expect([ran, (await decided()).length]).toEqual([[], 2])
    expect([end(await lab.until(process().resume('s').result)), ran]).toEqual(['completed completed', ['a', 'b']])
  })

  test.each([
    ['yes and yes', [approve('m1.0'), approve('m1.0')]],
    ['yes and no', [approve('m1.0'), { callId: 'm1.0', decision: 'deny' }]],
  ] as const)(
    'B154 to one call, in two processes (%s): one counts, the other is told so, and the call runs at most once',
    async (_name, both) => {
      const { lab, ran, process, decided } = await waiting('a')
      const desks = both.map((decision) => process().session('s').decide(decision))
      const answers = await lab.until(Promise.allSettled(desks))
      const result = await lab.until(process().attach('s').result)
      const counted = both[answers.findIndex(({ status }) => status === 'fulfilled')]
      expect([end(result), ran, await decided()]).toEqual([
        'completed completed',
        counted?.decision === 'approve' ? ['a'] : [],
        [`approval.decided ${counted?.decision === 'approve' ? 'allow' : 'deny'}`],
      ])
      const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
      expect(refused).toEqual([expect.objectContaining({ code: 'RunInvalidState', message: expect.stringContaining('session.pending()') })])
    },
  )

  test('B154 to one call, by two resumes at once: the same', async () => {
    const { lab, ran, process, decided } = await waiting('a')
    const runs = [process(), process()].map((agent) => agent.resume('s', { decisions: [approve('m1.0')] }).result)
    const ends = await lab.until(Promise.all(runs.map((run) => run.then(end, (error) => error.code))))
    expect([ends.sort(), ran, await decided()]).toEqual([['RunInvalidState', 'completed completed'], ['a'], ['approval.decided allow']])
  })

  test('B154 to one call, the second long after: refused in words that say what is the case, and nothing is written', async () => {
    const { lab, ran, process } = await waiting('a', 'b')
    const { tools } = deploy()
    await lab.until(agentIn(passing(lab.process()), { tools }).session('s').decide(approve('m1.0')))
    const before = await facts(lab.process().store, 's')
    const early = await refusal(lab.until(process().session('s').decide({ callId: 'm1.0', decision: 'deny' })))
    expect([early.code, early.message]).toEqual([
      'RunInvalidState',
      'Call m1.0 has been decided already. Read session.pending() for what waits.',
    ])
    expect(await facts(lab.process().store, 's')).toEqual(before)
    await lab.until(process().resume('s', { decisions: [approve('m1.1')] }).result)
    const late = await refusal(lab.until(process().session('s').decide(approve('m1.0'))))
    expect([late.code, ran]).toEqual(['RunInvalidState', ['a', 'b']])
  })
})
