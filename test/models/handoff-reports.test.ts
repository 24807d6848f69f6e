import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Agent, type Message, type Part } from '../../src/index.ts'
import { openaiCompatible } from '../../src/models/openai/index.ts'
import { jsonlStore } from '../../src/stores/jsonl.ts'
import type { FakeRequest } from '../../src/testing/fake/server.ts'
import { HandedSession, kinds, working } from './handoff/session.ts'
import { type Side, sides } from './handoff/sides.ts'

// What has been reported from the field of histories that go from one provider to another.

const named = sides.map((side) => [side.name, side] as const)

function sideOf(name: string): Side {
  const side = sides.find((one) => one.name === name)
  if (side === undefined) throw new Error(`there is no side ${name}`)
  return side
}

const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })
const said = (...parts: Part[]): Message => ({ role: 'assistant', parts })
const call = (callId: string, providerCallId: string, more: Partial<Part> = {}): Part =>
  ({
    type: 'tool-call',
    callId,
    providerCallId,
    toolName: 'look',
    input: { at: callId },
    settlement: { outcome: 'ok', output: `saw ${callId}` },
    ...more,
  }) as Part

/** A request with this history, which the server takes. */
async function asked(side: Side, input: readonly Message[]): Promise<FakeRequest> {
  await using server = await side.start([side.say?.({ text: 'fine' }) ?? 'fine'])
  const agent = new Agent({ model: side.model(server.url), settings: side.settings ?? {} })
  const result = await agent.run(input as Message[], { throwOnError: false })
  expect([server.violations, result.status, result.text]).toEqual([[], 'completed', 'fine'])
  const [request] = server.requests
  if (request === undefined) throw new Error('nothing was asked')
  return request
}

// biome-ignore lint/suspicious/noExplicitAny: a body of any shape
const bodyOf = ({ body }: FakeRequest) => body as any
const textOf = ({ bytes }: FakeRequest) => Buffer.from(bytes).toString()

const types = [
  'image/png',
  'IMAGE/PNG',
  'image/jpg',
  'image/gif',
  'image/svg+xml',
  'image/tiff',
  'image/*',
  'audio/mpeg',
  'audio/ogg',
  'Video/MP4',
]
const documents = [
  'application/pdf',
  'Text/CSV; charset=utf-8',
  'application/json',
  'application/zip',
  'application/octet-stream',
  '',
  ' ',
  'png',
]
const places = ['AAAA', 'AAA', ' A_\n-A=', 'a b!', '', 'data:,', 'data:image/png', 'data:;base64,AAAA', 'data:image/jpeg,%41']
const remote = ['https://a.test/x', 'http://a.test/x', 'gs://a/x', 'file:///x', 'C:\\x.png', 'https://']

const media: readonly Part[] = [...types, ...documents].flatMap((mediaType) =>
  [...places, ...remote].flatMap((data) => [
    { type: 'image', mediaType, data },
    { type: 'file', mediaType, data, name: 'a\ud83d "b"' },
  ]),
)

describe.each(named)('%s takes', (_, side) => {
  test('B014 B016 ids of others, equal ones in several turns too', async () => {
    const history = [
      user('go'),
      said(call('m1.0', 'call_PTLP8xhu3uwZk4l3'), call('m1.1', 'toolu_01A09q90qw90lq917835lq9')),
      said(call('m2.0', 'call_x|fc_y'), call('m2.1', 'x'.repeat(90))),
      said(call('m3.0', 'call_0')),
      said(call('m4.0', 'call_0')),
      said(call('m5.0', 'same'), call('m5.1', 'same')),
      said(call('m6.0', 'abcdefghi')),
      user('and?'),
    ]
    const text = textOf(await asked(side, history))
    for (const id of ['m1.0', 'm1.1', 'm2.0', 'm2.1', 'm3.0', 'm4.0', 'm5.0', 'm5.1', 'm6.0']) expect(text).toContain(`saw ${id}`)
  })

  test('B012 calls that were never answered', async () => {
    const open = { type: 'tool-call', callId: 'm1.1', toolName: 'look', input: {} } as const
    await asked(side, [user('go'), said(call('m1.0', 'a'), open), user('and?')])
  })

  test('B190 blank texts, alone and beside calls, of both roles', async () => {
    const blank = { type: 'text', text: ' \n' } as const
    const history = [
      { role: 'user', parts: [blank, { type: 'text', text: 'go' }] } as const,
      said(blank, call('m1.0', 'a')),
      said({ type: 'text', text: '' }),
      said(blank),
      { role: 'summary', parts: [blank] } as const,
      user('and?'),
    ]
    await asked(side, history)
  })

  test('B013 B193 five parallel results, one of them a picture, before what the user said', async () => {
    const picture = [
      { type: 'text', text: 'saw m1.2' },
      { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
    ] as const
    const calls = [0, 1, 2, 3, 4].map((n) => call(`m1.${n}`, `c${n}`, n === 2 ? { content: picture } : {}))
    const text = textOf(await asked(side, [user('go'), said(...calls), user('steer'), user('and?')]))
    const places = [0, 1, 2, 3, 4].map((n) => text.indexOf(`saw m1.${n}`))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThan(0)
    expect(text.indexOf('steer')).toBeGreaterThan(places[4] ?? 0)
    expect(text).toContain(side.untaken?.includes('image/png') === true ? 'a file of type image/png' : 'iVBORw0KGgo=')
  })
})

/** What is taken besides by a server of which nothing is known, or by whatever is behind a package, nobody can say. */
const strict: readonly Side[] = [
  ...sides.filter(({ name }) => !['openai-chat', 'json-reply', 'ai-sdk'].includes(name)),
  ...['openai', 'azure', 'groq'].map((name): Side => {
    const model = (baseURL: string) => openaiCompatible({ baseURL, name })('chat-model')
    return { ...sideOf('openai-chat'), name, model }
  }),
]

describe.each(strict)('images and files of every kind: $name is asked', (side) => {
  test.each([
    ['what a user shows', [{ role: 'user', parts: [{ type: 'text', text: 'go' }, ...media] }]],
    ['what a tool shows', [user('go'), said(call('m1.0', 'c0', { content: media })), user('and?')]],
    ['what a model shows', [user('go'), said({ type: 'text', text: 'Here:' }, ...media), user('and?')]],
  ] satisfies readonly (readonly [string, readonly Message[]])[])('%s', async (_, history) => {
    await asked(side, history)
  })
})

test('B013 Gemini has all results of a turn in one content', async () => {
  const calls = [0, 1, 2, 3].map((n) => call(`m1.${n}`, `c${n}`))
  const { contents } = bodyOf(await asked(sideOf('gemini-3'), [user('go'), said(...calls)]))
  expect(contents.map(({ parts }: { parts: unknown[] }) => parts.length)).toEqual([1, 4, 4])
})

test('B066 calls of another model: the stand-in is on the first call of each step only', async () => {
  const history = [user('go'), said(call('m1.0', 'a'), call('m1.1', 'b')), said(call('m2.0', 'c'), call('m2.1', 'd'))]
  const { contents } = bodyOf(await asked(sideOf('gemini-3'), history))
  const signed = contents.flatMap(({ role, parts }: { role: string; parts: { thoughtSignature?: string }[] }) =>
    role === 'model' ? [parts.map(({ thoughtSignature: one }) => one !== undefined)] : [],
  )
  expect(signed).toEqual([
    [true, false],
    [true, false],
  ])
})

test('B073 foreign calls without thinking do not turn thinking off', async () => {
  const { thinking, messages } = bodyOf(await asked(sideOf('anthropic'), [user('go'), said(call('m1.0', 'a'))]))
  expect([thinking.type, messages.length]).toEqual(['enabled', 3])
})

test.each([
  ['gemini-3', 'B065 B066'],
  ['anthropic', 'B065 B070'],
  ['openai-responses', 'B065 B068'],
])('%s: %s what came with parts goes back as it came, through a store and past others', async (name) => {
  const folder = await mkdtemp(join(tmpdir(), 'rondo-handoff-'))
  try {
    const side = sideOf(name)
    const episodes = [
      kinds['work with parallel calls, pictures, a document, errors, blanks and a denial']?.(side, 'one') ?? working(side, 'one'),
    ]
    const session = new HandedSession(() => jsonlStore({ directory: folder }))
    const other = sideOf('mistral')
    await session.play([
      { side, episodes },
      { side: other, episodes: [working(other, 'two')] },
      { side, episodes: [working(side, 'three')], renewed: true },
    ])
    expect(session.opaque(name).length).toBeGreaterThan(0)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('B067 an abort directly behind reasoning breaks neither the session nor one that others go on with', async () => {
  const side = sideOf('openai-responses')
  const stopped = {
    input: 'think',
    replies: [{ reasoning: 'lost-thought', text: 'never', breaks: { after: 1, with: 'hang' } }],
    status: 'aborted',
    abortAt: 'reasoning.delta',
    said: ['think'],
  } as const
  const legs = sides.flatMap((other, n) => [
    { side: other, episodes: [working(other, `a${n}`)] },
    { side, episodes: [stopped, working(side, `b${n}`)] },
  ])
  const session = new HandedSession()
  await session.play(legs)
  expect(session.opaque('openai-responses').length).toBeGreaterThan(0)
})
