import { expect, test } from 'vitest'
import { Agent, type Model, memory, noUsage } from '../../src/index.ts'
import { agentIn, asks, end, plainTool } from '../acceptance/kit.ts'
import { engineLab } from './kit.ts'

/** Asks for the same tool without waiting for anything, for so many steps. */
function instant(steps: number): Model & { asked: number } {
  return {
    provider: 'test',
    id: 'instant',
    capabilities: { structuredOutput: 'native', parallelCalls: true, imagesInResults: true, reasoning: true },
    asked: 0,
    async stream(_request, sink) {
      if (++this.asked > steps) {
        sink({ type: 'text', part: 0, text: 'Done.' })
        return { finishReason: 'stop', usage: noUsage }
      }
      sink({ type: 'call', part: 0, toolName: 'act' })
      sink({ type: 'call-input', part: 0, text: `{"n":${this.asked}}` })
      return { finishReason: 'tool-calls', usage: noUsage }
    },
  }
}

const act = plainTool('act', () => 'acted', 'read')

test('decision 0010: a run of instant steps lets timers, and a signal that one aborts, through', async () => {
  const model = instant(4_000)
  const agent = new Agent({ model, tools: [act], store: memory(), limits: { maxIterations: 100_000 }, policies: { noProgress: false } })
  const controller = new AbortController()
  const begun = performance.now()
  let late = Number.POSITIVE_INFINITY
  setTimeout(() => {
    late = performance.now() - begun - 20
    controller.abort(new Error('enough'))
  }, 20)
  const result = await agent.run('Hi', { signal: controller.signal, throwOnError: false })
  // A busy machine is slow; without a pause the timer would come after all 4,000 steps.
  expect([end(result), model.asked < 4_000, late < 1_000]).toEqual(['aborted aborted', true, true])
})

/** A lab whose clock has turns of the event loop, and a tool that keeps the process busy for a while. */
function busyLab(replies: Parameters<typeof engineLab>[0], ms: number) {
  const place = engineLab(replies)
  const log: string[] = []
  const clock = Object.assign(Object.create(place.clock) as typeof place.clock, {
    wall: () => place.clock.wall(),
    monotonic: () => place.clock.monotonic(),
    timer: (after: number, callback: () => void) => place.clock.timer(after, callback),
    nextTurn(callback: () => void) {
      log.push('pause')
      queueMicrotask(callback)
    },
  })
  const busy = plainTool('act', () => {
    log.push('act')
    place.clock.block(ms)
  })
  const agent = agentIn({ ...place, world: { ...place.world, clock } }, { tools: [busy] })
  return { log, run: () => place.clock.until(agent.run('Hi')) }
}

test('decision 0010: tools that are busy themselves are paused for between two of one batch', async () => {
  const { log, run } = busyLab([asks('act', 'act', 'act', 'act', 'act'), 'Done.'], 30)
  expect([end(await run()), log]).toEqual(['completed completed', ['act', 'act', 'pause', 'act', 'act', 'pause', 'act']])
})

test('decision 0010: many short runs are one long piece of work', async () => {
  const { log, run } = busyLab([asks('act'), 'Done.', asks('act'), 'Done.', asks('act'), 'Done.'], 30)
  for (let i = 0; i < 3; i++) await run()
  expect(log).toEqual(['act', 'act', 'pause', 'act'])
})
