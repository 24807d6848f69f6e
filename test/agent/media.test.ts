import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Agent, content, type Input, type MediaPart, type Message, type Part, type Store, tool } from '../../src/index.ts'
import {
  agentIn,
  asks,
  collect,
  end,
  gate,
  journal,
  lines,
  noInput,
  otherProcess,
  plainTool,
  refusal,
  scriptedLab,
} from '../acceptance/kit.ts'

const bytes = Uint8Array.from({ length: 20_000 }, (_, index) => (index * 31) % 256)
const base64 = Buffer.from(bytes).toString('base64')
const image = { type: 'image', mediaType: 'image/png' } as const

function mediaIn(parts: readonly Part[]): MediaPart[] {
  return parts.flatMap((part) => {
    if (part.type === 'tool-call') return typeof part.content === 'object' ? mediaIn(part.content) : []
    return part.type === 'image' || part.type === 'file' ? [part] : []
  })
}

const mediaOf = (messages: Iterable<Message> | undefined) => [...(messages ?? [])].flatMap(({ parts }) => mediaIn(parts))

/** A store whose blobs answer as the test says. */
function withBlobs(store: Store, blobs: Partial<Store['blobs']>): Store {
  const own: Store['blobs'] = { put: (given) => store.blobs.put(given), get: (ref) => store.blobs.get(ref), ...blobs }
  return Object.assign(otherProcess(store), { blobs: own })
}

const giving = (parts: readonly unknown[]) => plainTool('shot', () => content(parts as readonly Part[]), 'read')

describe('media is kept in blobs, and the model gets its data', () => {
  const showing = tool({
    name: 'shot',
    description: 'Shows',
    inputSchema: noInput,
    execute: () => 'A cat.',
    toModelOutput: () => [{ ...image, data: base64 }],
  })
  const call = { type: 'tool-call', callId: 'c', toolName: 'shot', input: {}, settlement: { outcome: 'ok', output: 1 } } as const
  const history = (...parts: Part[]): Input => [
    { role: 'assistant', parts },
    { role: 'user', parts: [{ type: 'text', text: 'Look.' }] },
  ]

  test.each<[string, Input, ReturnType<typeof giving>]>([
    ['bytes of a user', [{ ...image, data: bytes }], giving([])],
    ['base64 of a user', [{ ...image, data: base64 }], giving([])],
    ['a data: URL of a user', [{ type: 'image', data: new URL(`data:image/png;base64,${base64}`) }], giving([])],
    ['base64 of an imported message', history({ ...image, data: base64 }), giving([])],
    ['base64 of an imported result', history({ ...call, content: [{ ...image, data: base64 }] }), giving([])],
    ['bytes of a tool', 'Hi', giving([{ ...image, data: bytes }])],
    ['base64 of a tool', 'Hi', giving([{ ...image, data: base64 }])],
    ['base64 of toModelOutput', 'Hi', showing],
  ])('%s', async (_name, input, shot) => {
    const place = scriptedLab([asks('shot'), 'A cat.', 'Still a cat.'])
    const result = await agentIn(place, { tools: [shot] }).run(input, { session: 's' })
    expect(end(result)).toBe('completed completed')
    const stored = await collect(place.store.load('s'))
    expect(JSON.stringify(stored).length).toBeLessThan(6_000)
    const [kept] = mediaOf(result.messages)
    expect(kept).toEqual({ ...image, ref: expect.stringMatching(/^sha256:/) })
    expect(await place.store.blobs.get(kept?.ref ?? '')).toEqual(bytes)
    expect(mediaOf(place.model.requests[1]?.messages)).toEqual([{ ...image, data: base64 }])
    // So does the next run, in another process.
    await agentIn({ ...place, store: otherProcess(place.store) }, { tools: [shot] }).run('And now?', { session: 's' })
    expect(mediaOf(place.model.requests[2]?.messages)).toEqual([{ ...image, data: base64 }])
  })

  test.each<[string, string]>([
    ['a URL, however long', `https://a.example/${'x'.repeat(10_000)}.png`],
    ['a text that is no base64', '%'.repeat(10_000)],
    ['a data: URL that is damaged', `data:image/png;base64,${'%'.repeat(10_000)}`],
    ['what is small', 'AAAA'],
  ])('%s stays where it is', async (_name, data) => {
    const place = scriptedLab([asks('shot'), 'ok'])
    await agentIn(place, { tools: [giving([{ ...image, data }])] }).run([{ ...image, data }])
    expect(mediaOf(place.model.requests[1]?.messages)).toEqual([
      { ...image, data },
      { ...image, data },
    ])
  })

  test('what a part says besides its data is kept; a media type that nobody gave is that of the data: URL, or a default', async () => {
    const place = scriptedLab([asks('shot'), 'ok'])
    const text = `data:text/plain,${'%41'.repeat(3_000)}`
    const parts = [
      { type: 'file', name: 'a.txt', data: text },
      { type: 'file', data: bytes, providerData: { scope: { id: 1 } } },
      { type: 'image', data: bytes, mediaType: 5 },
      { type: 'image', data: 'data:image/jpeg;base64,AAAA' },
      { type: 'file', data: 'data:,a' },
    ]
    await agentIn(place, { tools: [giving(parts)] }).run('Hi')
    expect(mediaOf(place.model.requests[1]?.messages)).toEqual([
      { type: 'file', mediaType: 'text/plain', name: 'a.txt', data: Buffer.from('A'.repeat(3_000)).toString('base64') },
      { type: 'file', mediaType: 'application/octet-stream', data: base64, providerData: { scope: { id: 1 } } },
      { ...image, data: base64 },
      { type: 'image', mediaType: 'image/jpeg', data: 'data:image/jpeg;base64,AAAA' },
      { type: 'file', mediaType: 'application/octet-stream', data: 'data:,a' },
    ])
  })
})

describe('a step reads no blob again', () => {
  test('each message is made whole once an activation, and stays the same object', async () => {
    const place = scriptedLab([asks('look'), asks('shot'), asks('look'), 'ok'])
    let reads = 0
    const store = withBlobs(place.store, {
      get: (ref) => {
        reads++
        return place.store.blobs.get(ref)
      },
    })
    const tools = [giving([{ ...image, data: bytes }]), plainTool('look', () => 1, 'read')]
    await agentIn({ ...place, store }, { tools }).run([{ ...image, data: bytes }])
    expect(reads).toBe(2)
    const [first, second, third] = place.model.requests.map(({ messages }) => [...messages][0])
    expect([first === second, second === third]).toEqual([true, true])
    expect(place.model.requests.map(({ messages }) => mediaOf(messages).length)).toEqual([1, 1, 2, 2])
  })
})

describe('a store that does not keep or give', () => {
  const failing = () => Promise.reject(new Error('disk'))

  test('a tool that ran has its result; what could not be kept is said and reported', async () => {
    const place = scriptedLab([asks('shot'), 'ok'])
    const errors: unknown[] = []
    const store = withBlobs(place.store, { put: failing })
    const tools = [
      giving([
        { type: 'text', text: 'A cat.' },
        { ...image, data: bytes },
      ]),
    ]
    const agent = agentIn({ ...place, store }, { tools, onObserverError: (error) => errors.push(error) })
    const result = await agent.run('Hi')
    expect([end(result), errors.map(String)]).toEqual(['completed completed', ['Error: disk']])
    expect(result.calls).toMatchObject([{ outcome: 'ok', output: 'A cat.[image, which could not be kept]' }])
  })

  test('an input that could not be kept is refused, and no session exists', async () => {
    const place = scriptedLab(['ok'])
    const agent = agentIn({ ...place, store: withBlobs(place.store, { put: failing }) })
    await expect(agent.run([{ ...image, data: bytes }])).rejects.toThrow('disk')
    expect(await place.store.list()).toEqual([])
  })

  test('a blob that is gone is told to the model as gone, and the session goes on', async () => {
    const place = scriptedLab(['One.', 'Two.'])
    const agent: Agent = agentIn(place)
    await agent.run([{ ...image, data: bytes }], { session: 's' })
    const store = withBlobs(place.store, { get: async () => undefined })
    const result = await agentIn({ ...place, store }).run('And now?', { session: 's' })
    expect(end(result)).toBe('completed completed')
    expect(lines(place.model.requests[1]?.messages ?? [])[0]).toBe('user: [image (image/png), which is no longer in the store]')
  })

  test('a read that fails is tried again, as a failed model call is', async () => {
    const place = scriptedLab(['ok'])
    let reads = 0
    const store = withBlobs(place.store, { get: (ref) => (++reads === 1 ? failing() : place.store.blobs.get(ref)) })
    const promise = agentIn({ ...place, store }, { policies: { retry: { baseMs: 0 } } }).run([{ ...image, data: bytes }], { session: 's' })
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve, 1)).then(() => place.clock.advance(10))
    expect(end(await promise)).toBe('completed completed')
    expect((await journal(place.store, 's')).filter((line) => line.startsWith('model.'))).toEqual([
      'model.started 1.1',
      'model.failed 1.1 SessionReadFailed retry',
      'model.started 1.2',
      'model.responded 1.2 stop',
    ])
    expect(mediaOf(place.model.requests[0]?.messages)).toEqual([{ ...image, data: base64 }])
  })

  test('an abort while media is read: the model is never asked', async () => {
    const place = scriptedLab(['ok'])
    const read = gate<Uint8Array>()
    const agent = agentIn({ ...place, store: withBlobs(place.store, { get: () => read.promise }) })
    const run = agent.stream([{ ...image, data: bytes }], { session: 's' })
    const { result } = run
    while (!(await journal(place.store, 's')).includes('model.started 1.1')) await new Promise((resolve) => setTimeout(resolve, 1))
    await run.abort('enough')
    read.resolve(bytes)
    expect(end(await place.clock.until(result))).toBe('aborted aborted')
    expect(place.model.requests).toEqual([])
  })
})

test('content of an imported call must be a text or parts', async () => {
  const place = scriptedLab(['ok'])
  const call = { type: 'tool-call', callId: 'c', toolName: 'shot', input: {}, settlement: { outcome: 'ok', output: 1 }, content: { a: 1 } }
  const error = await refusal(agentIn(place).run([{ role: 'assistant', parts: [call] }] as unknown as Input))
  expect([error.code, error.message]).toEqual(['ContextInvalidInput', expect.stringContaining('must be a text or a list of parts')])
})

test('toModelOutput that returns no text and no parts is reported; the output is shown', async () => {
  const place = scriptedLab([asks('odd'), 'ok'])
  const errors: unknown[] = []
  const toModelOutput = (() => 5) as unknown as () => string
  const odd = tool({ name: 'odd', description: 'Odd', inputSchema: z.object({}), execute: () => 'fine', toModelOutput })
  const result = await agentIn(place, { tools: [odd], onObserverError: (error) => errors.push(error) }).run('Hi')
  expect(lines(result.messages)[1]).toBe('assistant: odd{}→ok:fine')
  expect(errors.map(String)).toEqual([expect.stringContaining("toModelOutput of 'odd' must return a text or a list of parts")])
})
