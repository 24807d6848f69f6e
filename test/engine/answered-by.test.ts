import { expect, test } from 'vitest'
import type { Model } from '../../src/index.ts'
import { scripted } from '../../src/testing/index.ts'
import { agentIn, collect, lab } from '../acceptance/kit.ts'

/** A model that hands its requests on, and says to whom. */
function handingOn(model: unknown): Model {
  const inner = scripted(['Hi.'])
  return { ...inner, stream: async (...args) => ({ ...(await inner.stream(...args)), model: model as string }) }
}

test('which model answered, where it is another than the one asked, is in the journal and in model.finished', async () => {
  const place = lab()
  const run = agentIn(place, { model: handingOn('acme:b') }).stream('Hi', { session: 's' })
  const finished = (await collect(run)).find((event) => event.type === 'model.finished')
  expect(finished).toMatchObject({ model: 'acme:b', finishReason: 'stop' })
  const responded = (await collect(place.store.load('s'))).find((entry) => entry.kind === 'model.responded')
  expect(responded?.data).toMatchObject({ model: 'acme:b' })
})

test('what is no text is no model, and a long name is cut: it goes into the journal', async () => {
  for (const [said, kept] of [
    [7, undefined],
    ['x'.repeat(600), 513],
  ] as const) {
    const place = lab()
    const events = await collect(agentIn(place, { model: handingOn(said) }).stream('Hi'))
    const finished = events.find((event) => event.type === 'model.finished')
    expect(finished?.type === 'model.finished' && finished.model?.length).toBe(kept)
  }
})

test('an attempt that is given up tells the model why by its signal', async () => {
  const place = lab()
  let reason: unknown
  const hangs: Model = {
    ...scripted([]),
    stream: (_request, _sink, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason
          reject(reason)
        })
      }),
  }
  const agent = agentIn(place, { model: hangs, settings: { timeoutMs: 5_000, maxRetries: 0 } })
  await place.clock.until(agent.run('Hi', { throwOnError: false }))
  expect(reason).toMatchObject({ code: 'ModelTimeout', retryable: true })
})
