import { expect, test } from 'vitest'
import { type Answering, Drive } from '../../src/cli/drive.ts'
import { Agent, type Decision, type RunEvent, type RunResult, type Tools, tool } from '../../src/index.ts'
import { jsonSchema } from '../../src/json-schema/index.ts'
import { type Script, scripted } from '../../src/testing/index.ts'

interface Setup {
  readonly agent: Agent<Tools>
  readonly drive: Drive
  readonly events: string[]
  readonly asked: string[]
  follow(answers: boolean, signal?: AbortSignal): Promise<RunResult>
}

/** An agent whose tool `pay` needs an approval; `onAsk` answers. `wait` runs until it is let go. */
function setup(script: Script, onAsk: (callId: string, drive: Drive) => void = () => {}, wait: Promise<void> = Promise.resolve()): Setup {
  const inputSchema = jsonSchema({ type: 'object' })
  const pay = tool({ name: 'pay', description: 'd', inputSchema, needsApproval: true, execute: () => 'paid' })
  const look = tool({
    name: 'look',
    description: 'd',
    effect: 'read',
    inputSchema,
    execute: async () => {
      await wait
      return 'seen'
    },
  })
  const agent = new Agent<Tools>({ model: scripted(script), tools: [pay, look] })
  const [events, asked]: [string[], string[]] = [[], []]
  const drive = new Drive(agent, ({ type }: RunEvent) => events.push(type))
  const answering: Answering = {
    ask({ callId }) {
      if (asked.includes(callId)) return
      asked.push(callId)
      onAsk(callId, drive)
    },
    settled() {},
    clear() {},
  }
  return {
    agent,
    drive,
    events,
    asked,
    follow: (answers, signal = new AbortController().signal) =>
      drive.follow(agent.stream('x', { session: 's', parkAfterMs: 0, signal }), answers ? answering : undefined, signal),
  }
}

const approve = (callId: string): Decision => ({ callId, decision: 'approve', by: 'ann' })
const pays = (count: number) => ({ calls: Array.from({ length: count }, () => ({ name: 'pay', input: {} })) })

test('nobody to ask: the run is left parked', async () => {
  const { follow, asked } = setup([pays(1)])
  expect([(await follow(false)).status, asked]).toEqual(['parked', []])
})

test('an answer at once, in the middle of the run: it goes on, and is told once', async () => {
  const { follow, events } = setup([pays(1), 'Done.'], (callId, drive) => void drive.decide(approve(callId)))
  const result = await follow(true)
  expect([result.status, result.text]).toEqual(['completed', 'Done.'])
  expect(events.filter((type) => type === 'call.settled' || type === 'run.finished')).toEqual(['call.settled', 'run.finished'])
})

test('an answer long after the run has parked: another activation goes on, and is told too', async () => {
  const { follow, events } = setup([pays(2), 'Done.'], (callId, drive) => setTimeout(() => void drive.decide(approve(callId)), 20))
  const result = await follow(true)
  expect([result.status, result.text]).toEqual(['completed', 'Done.'])
  expect(events).toContain('run.parked')
  expect(events.filter((type) => type === 'call.settled')).toHaveLength(2)
})

test('a call is answered while its sibling runs', async () => {
  let letGo = () => {}
  const wait = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const script = [{ calls: [{ name: 'look', input: {} }, ...pays(1).calls] }, 'Done.']
  const { follow, events } = setup(script, (callId, drive) => void drive.decide(approve(callId)).then(letGo), wait)
  expect((await follow(true)).status).toBe('completed')
  expect(events).not.toContain('run.parked')
})

test('an answer that is refused leaves the call waiting', async () => {
  const refused: unknown[] = []
  const { follow } = setup([pays(1), 'Done.'], (callId, drive) => {
    drive.decide({ callId: 'nobody', decision: 'approve' }).catch((error: unknown) => {
      refused.push(error)
      void drive.decide(approve(callId))
    })
  })
  expect((await follow(true)).status).toBe('completed')
  expect(refused).toEqual([expect.objectContaining({ code: 'RunInvalidState' })])
})

test('whoever leaves leaves it parked, and what can run has run', async () => {
  const script = [{ calls: [{ name: 'look', input: {} }, ...pays(1).calls] }]
  const { follow } = setup(script, (_callId, drive) => drive.leave())
  const result = await follow(true)
  expect([result.status, result.calls.map(({ toolName }) => toolName)]).toEqual(['parked', ['look']])
})

test('an abort while nobody has answered yet aborts the run, parked or not', async () => {
  for (const ms of [0, 30]) {
    const controller = new AbortController()
    const { follow } = setup([pays(1)], () => setTimeout(() => controller.abort(new Error('Enough.')), ms))
    const result = await follow(true, controller.signal)
    expect([result.status, result.status === 'aborted' && result.abortReason]).toEqual(['aborted', 'Enough.'])
  }
})

test('a call that was answered elsewhere while it was asked about here: who answers too is told, and the run is followed to its end', async () => {
  const refused: unknown[] = []
  const { follow, agent, events } = setup([pays(1), 'Done.'], (callId, drive) => {
    setTimeout(async () => {
      await agent.resume('s', { decisions: [{ callId, decision: 'deny', by: 'bob' }] }).result
      await drive.decide(approve(callId)).catch((error: unknown) => refused.push(error))
    }, 20)
  })
  const result = await follow(true)
  expect([result.status, result.text]).toEqual(['completed', 'Done.'])
  expect(refused).toEqual([expect.objectContaining({ code: 'RunInvalidState' })])
  expect(events).toContain('run.finished')
})
