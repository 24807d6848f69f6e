import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ModelDelta } from '../../../src/core/model.ts'
import { type AiSdkOptions, fromAiSdk } from '../../../src/models/ai-sdk/index.ts'
import { finish, mockModel, requestOf, text, versions } from './mock.ts'

// Models that hang, that are deaf to their signal, that fail after nobody listens any more: the promise settles, and nothing is left behind.

const rejections: unknown[] = []
const onRejection = (reason: unknown) => rejections.push(reason)
beforeEach(() => void process.on('unhandledRejection', onRejection))
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', onRejection)
  expect(rejections.splice(0)).toEqual([])
})

interface Held {
  readonly stream: () => ReadableStream<unknown>
  readonly push: (...parts: readonly unknown[]) => void
  readonly fail: (error: unknown) => void
  readonly cancelled: Promise<unknown>
}

/** A stream whose parts come when the test says so, and that has no end. */
function held(): Held {
  let controller: ReadableStreamDefaultController<unknown> | undefined
  let told: (reason: unknown) => void = () => {}
  const cancelled = new Promise<unknown>((resolve) => {
    told = resolve
  })
  const stream = new ReadableStream<unknown>({
    start(own) {
      controller = own
    },
    cancel: (reason) => {
      told(reason)
      // A package may fail while it is told to stop.
      throw new Error('no cancelling')
    },
  })
  return {
    stream: () => stream,
    push: (...parts) => {
      for (const part of parts) controller?.enqueue(part)
    },
    fail: (error) => controller?.error(error),
    cancelled,
  }
}

function begun(answers: Parameters<typeof mockModel>[1], settings: Parameters<typeof mockModel>[2] = {}, options: AiSdkOptions = {}) {
  const { model, asked } = mockModel('v4', answers, settings)
  const abort = new AbortController()
  const deltas: ModelDelta[] = []
  let onDelta: () => void = () => {}
  const shown = new Promise<void>((resolve) => {
    onDelta = resolve
  })
  const sink = (delta: ModelDelta) => {
    deltas.push(delta)
    onDelta()
  }
  const answer = fromAiSdk(model, options).stream(requestOf(), sink, { signal: abort.signal, sessionId: 's' })
  return { answer, abort, deltas, asked, shown }
}

const stopped = { code: 'RunAborted' }

describe('an abort settles the call', () => {
  test('before it began: the model is not asked', async () => {
    const { model, asked } = mockModel('v4', [])
    const answer = fromAiSdk(model).stream(requestOf(), () => {}, { signal: AbortSignal.abort(), sessionId: 's' })
    await expect(answer).rejects.toMatchObject(stopped)
    expect(asked).toEqual([])
  })

  test('while doStream() hangs, deaf to its signal; a stream that comes later is cancelled', async () => {
    const late = held()
    let give: (value: unknown) => void = () => {}
    const { answer, abort, asked } = begun([
      () =>
        new Promise((resolve) => {
          give = resolve
        }),
    ])
    abort.abort(new Error('enough'))
    await expect(answer).rejects.toMatchObject(stopped)
    expect(asked[0]?.abortSignal.aborted).toBe(true)
    give({ stream: late.stream() })
    await late.cancelled
  })

  test('in the middle of a stream that is deaf: it is cancelled, and what comes later is nobody’s', async () => {
    const { stream, push, cancelled } = held()
    const { answer, abort, deltas, shown } = begun([[]], { stream })
    push(...text('one').slice(0, 2))
    await shown
    abort.abort()
    await expect(answer).rejects.toMatchObject(stopped)
    await cancelled
    expect(deltas).toEqual([{ type: 'text', part: 0, text: 'one' }])
  })

  test('a package that fails after the abort fails for nobody', async () => {
    let give: (error: unknown) => void = () => {}
    const { answer, abort } = begun([
      () =>
        new Promise((_, reject) => {
          give = reject
        }),
    ])
    abort.abort()
    await expect(answer).rejects.toMatchObject(stopped)
    give(new Error('too late'))
  })

  test('doGenerate() too', async () => {
    const { answer, abort } = begun([() => new Promise(() => {})], {}, { stream: false })
    abort.abort()
    await expect(answer).rejects.toMatchObject(stopped)
  })

  test('no listener stays on the signal', async () => {
    const added: unknown[] = []
    const { signal } = new AbortController()
    const { addEventListener, removeEventListener } = signal
    signal.addEventListener = (...args: [string, () => void]) => {
      added.push(args[1])
      addEventListener.apply(signal, args)
    }
    signal.removeEventListener = (...args: [string, () => void]) => {
      added.splice(added.indexOf(args[1]), 1)
      removeEventListener.apply(signal, args)
    }
    const { model } = mockModel('v4', [[...text('x'), finish('v4')], []])
    const made = fromAiSdk(model)
    await made.stream(requestOf(), () => {}, { signal, sessionId: 's' })
    await made.stream(requestOf(), () => {}, { signal, sessionId: 's' }).catch(() => {})
    expect(added).toEqual([])
  })
})

describe('time limits', () => {
  test('a first part that never comes, also when the stream has begun with what is no answer', async () => {
    const limits = { timeouts: { firstPartMs: 20 } }
    const wanted = { code: 'ModelTimeout', message: expect.stringContaining('timeouts.firstPartMs') }
    const { answer, asked } = begun([() => new Promise(() => {})], {}, limits)
    await expect(answer).rejects.toMatchObject(wanted)
    expect(asked[0]?.abortSignal.aborted).toBe(true)
    const { stream, push, cancelled } = held()
    push({ type: 'stream-start', warnings: [] })
    await expect(begun([[]], { stream }, limits).answer).rejects.toMatchObject(wanted)
    await cancelled
  })

  test('nothing in the middle of an answer', async () => {
    const { stream, push, cancelled } = held()
    push(...text('one'))
    const { answer } = begun([[]], { stream }, { timeouts: { idleMs: 20 } })
    await expect(answer).rejects.toMatchObject({
      code: 'ModelTimeout',
      message: expect.stringMatching(/^test\.chat sent nothing.*20 ms.*timeouts\.idleMs/),
    })
    await cancelled
  })
})

test('a sink that throws ends the call with what it threw', async () => {
  const { stream, push, cancelled } = held()
  const { model } = mockModel('v4', [[]], { stream })
  push(...text('one'))
  const limit = new Error('over a limit')
  const answer = fromAiSdk(model).stream(
    requestOf(),
    () => {
      throw limit
    },
    { signal: new AbortController().signal, sessionId: 's' },
  )
  await expect(answer).rejects.toMatchObject({ cause: limit })
  await cancelled
})

test.each(versions)('a stream (%s) that breaks in the middle is an error of the network', async (version) => {
  const { stream, push, fail } = held()
  const { model } = mockModel(version, [[]], { stream })
  push(...text('one'))
  const answer = fromAiSdk(model).stream(requestOf(), () => fail(new TypeError('terminated')), {
    signal: new AbortController().signal,
    sessionId: 's',
  })
  await expect(answer).rejects.toMatchObject({ code: 'ModelServerError', retryable: true, message: expect.stringContaining('terminated') })
})

test('the last part is the end, though the stream goes on; what follows is read for the connection and thrown away', async () => {
  const { stream, push } = held()
  push(...text('one'), finish('v4'))
  const { answer, deltas } = begun([[]], { stream })
  expect(await answer).toMatchObject({ finishReason: 'stop' })
  push(...text('two', 'u'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(deltas).toEqual([{ type: 'text', part: 0, text: 'one' }])
})
