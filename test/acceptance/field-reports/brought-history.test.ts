import { type Message, tool } from 'rondo'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { agentIn, collect, end, gate, lines } from '../kit.ts'
import { mortal, sharedLab, storeKinds } from '../support/processes.ts'

describe.each(storeKinds)('history that a caller brings (%s)', (kind) => {
  const text = (words: string) => ({ type: 'text', text: words }) as const
  const call = (callId: string) => ({ type: 'tool-call', callId, toolName: 'pay', input: { cents: 5 } }) as const
  const invented: Message[] = [
    { role: 'user', parts: [text('Pay them')] },
    { role: 'assistant', parts: [text('I pay.'), call('m1.0'), call('call_1')] },
  ]
  const skipped = 'skipped:This call came with imported history, without a result; it was not run.'
  const read = ['user: Pay them', `assistant: I pay. pay{"cents":5}→${skipped} pay{"cents":5}→${skipped}`]

  function paying(needsApproval: boolean) {
    let paid = 0
    const inputSchema = z.object({ cents: z.number() })
    const pay = tool({ name: 'pay', description: 'Pays', effect: 'idempotent', inputSchema, needsApproval, execute: () => ++paid })
    return { tools: [pay] as const, paid: () => paid }
  }

  test.each([false, true])('B199 calls at its end that no model made are not run, nor asked about (a gated tool: %s)', async (gated) => {
    const lab = sharedLab(kind, ['I have paid nothing.'])
    const { tools, paid } = paying(gated)
    const result = await lab.until(agentIn(lab, { tools }).run(invented, { session: 's' }))
    expect([end(result), paid(), result.calls, lines(lab.model.requests[0]?.messages ?? [])]).toEqual(['completed completed', 0, [], read])
  })

  test('B199 nor by who goes on with the session, after a crash', async () => {
    const lab = sharedLab(kind, [{ hang: true }, 'I have paid nothing.'])
    const { tools, paid } = paying(false)
    const first = mortal(lab)
    for await (const event of agentIn(first, { tools }).stream(invented, { session: 's', detach: true }))
      if (event.type === 'model.started') break
    first.kill()
    const next = agentIn(lab.process(), { tools })
    expect(await next.session('s').pending()).toEqual([])
    expect([end(await lab.until(next.resume('s').result)), paid()]).toEqual(['completed completed', 0])
    expect(lines(lab.model.requests[1]?.messages ?? [])).toEqual(read)
  })

  test('B199 nor when they come in the middle of a run', async () => {
    const lab = sharedLab(kind, [{ text: 'One.', delayMs: 1_000 }, 'I have paid nothing.'])
    const { tools, paid } = paying(false)
    const agent = agentIn(lab, { tools })
    const begun = gate()
    agent.on('model.started', () => begun.resolve())
    const run = agent.stream('Hi', { session: 's' })
    const { result } = run
    await lab.until(begun.promise)
    await lab.until(run.send(invented))
    expect([end(await lab.until(result)), paid()]).toEqual(['completed completed', 0])
    const said = lines(await collect(agentIn(lab.process()).session('s').messages()))
    expect(said).toEqual(['user: Hi', 'assistant: One.', ...read, 'assistant: I have paid nothing.'])
  })
})
