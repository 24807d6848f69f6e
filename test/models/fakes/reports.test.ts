import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type RunResult, tool } from '../../../src/index.ts'
import type { Raw, Reply } from '../../../src/testing/fake/reply.ts'
import { fromScripted } from '../../../src/testing/fake/scripted.ts'
import type { FakeRequest } from '../../../src/testing/fake/server.ts'
import { apis, type FakeCase } from './apis.ts'

// Field reports of the level `wire` that concern every API: the smallest case of each, played by its server, which refuses what the real one
// would. What only one API can show stands with its adapter.

interface Played {
  readonly result: RunResult
  readonly ran: readonly string[]
  readonly requests: readonly FakeRequest[]
}

const policies = { retry: { baseMs: 1, capMs: 1 } } as const

async function played(api: FakeCase, replies: readonly Reply[], { stream = true, quirks = {} } = {}): Promise<Played> {
  await using server = await api.serve(replies, quirks)
  const ran: string[] = []
  const note = tool({
    name: 'note',
    description: 'Notes a text.',
    effect: 'unsafe',
    inputSchema: z.object({ text: z.string() }),
    execute: ({ text }) => {
      ran.push(text)
      return text === 'nothing' ? '' : `noted ${text}`
    },
  })
  const agent = new Agent({ model: api.model(server.url, { stream }), tools: [note], policies })
  const result = await agent.run('go', { throwOnError: false })
  expect(server.violations).toEqual([])
  return { result, ran, requests: server.requests }
}

const note = (text: string, id?: string) => ({ name: 'note', input: { text }, ...(id === undefined ? {} : { id }) })

const sent = (request: FakeRequest | undefined) => Buffer.from(request?.bytes ?? []).toString()

describe.each(Object.entries(apis))('%s', (_name, api) => {
  test('B014 a server that gives every call of every turn the same id: each runs, and each request is taken', async () => {
    const { result, ran, requests } = await played(api, [
      { calls: [note('a', 'call_0')] },
      { calls: [note('b', 'call_0')] },
      { calls: [note('c', 'call_0'), note('d', 'call_1')] },
      'done',
    ])
    expect([result.status, result.text, ran]).toEqual(['completed', 'done', ['a', 'b', 'c', 'd']])
    for (const text of ran) expect(sent(requests[3])).toContain(`noted ${text}`)
  })

  test.each(['same', '', 'note'])('B015 two calls of one response with the id "%s"', async (id) => {
    const { result, ran, requests } = await played(api, [{ calls: [note('a', id), note('b', id)] }, 'done'])
    expect([result.status, ran]).toEqual(['completed', ['a', 'b']])
    const text = sent(requests[1])
    expect(text.indexOf('noted a')).toBeGreaterThan(0)
    expect(text.indexOf('noted b')).toBeGreaterThan(text.indexOf('noted a'))
  })

  // Elsewhere arguments are objects, and none can be broken.
  const asText = api.brokenArguments
  if (asText !== undefined) {
    test('B030 arguments that were encoded twice are unwrapped once, and go back encoded once', async () => {
      const twice = { name: 'note', rawInput: JSON.stringify(JSON.stringify({ text: 'a' })) }
      const { ran, requests } = await played(api, [{ calls: [twice] }, 'done'], { quirks: asText })
      expect(ran).toEqual(['a'])
      expect(sent(requests[1])).not.toContain('\\\\\\"text')
    })

    test.each(['length', 'tool-calls', 'stop'] as const)(
      'B031 B032 B033 arguments that end early are not run, whatever the reason (%s) says, and no bracket is added',
      async (finish) => {
        for (const rawInput of ['{"text":"half', '{"text":"x"']) {
          const { ran, result, requests } = await played(
            api,
            [{ calls: [{ name: 'note', rawInput }], finish: api.words.finish[finish] }, 'sorry'],
            { quirks: asText },
          )
          expect([ran, result.status]).toEqual([[], 'completed'])
          expect(sent(requests[1])).toMatch(/cut|limit/)
        }
      },
    )
  }

  test('B031 B033 of a response that the limit has cut no call runs, be it whole', async () => {
    const { ran, result } = await played(api, [{ calls: [note('whole'), note('too')], finish: api.words.finish.length }, 'sorry'])
    expect([ran, result.calls.map(({ outcome }) => outcome)]).toEqual([[], ['truncated', 'truncated']])
  })

  test('B037 markup of a call, and a reason that promises one: the text is the answer', async () => {
    const text = '<tool_call>{"name":"note","arguments":{"text":"a"}}</tool_call>'
    const { result, ran, requests } = await played(api, [{ text, finish: api.words.finish['tool-calls'] }])
    expect([result.status, result.text, ran, requests.length]).toEqual(['completed', text, [], 1])
  })

  test('B048 a tool that gives nothing is answered', async () => {
    const { result, requests } = await played(api, [{ calls: [note('nothing')] }, 'done'])
    expect([result.status, requests.length]).toEqual(['completed', 2])
  })

  test('B052 calls go on whatever the reason says', async () => {
    const { result, ran } = await played(api, [{ calls: [note('a')], finish: api.words.finish.stop }, 'done'])
    expect([ran, result.status, result.text]).toEqual([['a'], 'completed', 'done'])
  })

  test('B054 a reason that nobody knows is no success of an empty answer', async () => {
    const nothing = { text: '', finish: api.words.finish.other }
    const { result } = await played(api, [nothing, nothing, nothing])
    expect(result.status).not.toBe('completed')
  })

  if (api.finishes.includes('content-filter'))
    test.each([true, false])('B057 a filter that left nothing is told as such, and asked once (stream: %s)', async (stream) => {
      const { result, requests } = await played(api, [{ text: '', finish: api.words.finish['content-filter'] }], { stream })
      expect([result.status, requests.length]).toEqual([expect.not.stringMatching('completed'), 1])
    })

  if (api.words.refusalField)
    test.each([true, false])('B057 the text of a refusal is told, and asked once (stream: %s)', async (stream) => {
      const { result, requests } = await played(api, [{ refusal: 'I may not.' }], { stream })
      expect([result.status, result.text, requests.length]).toEqual([expect.not.stringMatching('completed'), 'I may not.', 1])
    })

  test('B063 reasoning alone is no answer', async () => {
    const { result } = await played(api, [{ reasoning: 'hm' }, { reasoning: 'hm' }, { reasoning: 'hm' }])
    expect([result.status, result.reason, result.text]).toEqual(['incomplete', 'empty_response', ''])
  })

  test('B084 B107 B108 a request that can not be mended is asked once, refused before an answer or as its first event', async () => {
    for (const code of ['ModelBadRequest', 'ModelAuthError', 'ModelQuotaExceeded', 'ModelContextOverflow'] as const) {
      const refused = fromScripted({ fail: { code } }, api.words)
      const kinds: Reply[] = [refused]
      const error = api.words.errors[code]
      if (error !== undefined && api.errorsInStream.includes(code)) {
        const event = api.words.errorEvent === undefined ? {} : { event: api.words.errorEvent }
        kinds.push({ text: 'x', breaks: { after: 0, with: 'error', error: api.words.errorBody('no', error), ...event } })
      }
      for (const reply of kinds) {
        const { result, requests } = await played(api, [reply])
        expect([result.status, result.status === 'failed' && result.error.code, requests.length]).toEqual(['failed', code, 1])
      }
    }
  })

  test.each([
    ['B085 nothing at all', { status: 200, contentType: 'text/event-stream', body: '' }],
    ['B085 nothing at all, as JSON', { status: 200, body: '' }],
    ['B088 the clean end in the middle of a text', { text: ['a', 'b', 'c'], breaks: { after: 2, with: 'end' } }],
    ['B088 the clean end in a call', { text: 'x', calls: [note('a')], breaks: { after: 2, with: 'end' } }],
  ] as const)('%s is no answer: it is asked for again, and nothing of it runs', async (_title, reply) => {
    const { result, ran, requests } = await played(api, [reply, 'whole'])
    expect([result.status, result.text, ran, requests.length]).toEqual(['completed', 'whole', [], 2])
  })

  test.each([true, false])(
    'B089 a page, or an error, with a good status is no empty answer, and asked once (stream: %s)',
    async (stream) => {
      const page = { status: 200, contentType: 'text/html', body: '<!doctype html><html><title>Sign in</title></html>' }
      const login = await played(api, [page], { stream })
      expect(login.result).toMatchObject({
        status: 'failed',
        error: { code: 'ModelUnknownError', message: expect.stringContaining('Sign in') },
      })
      const bad = api.words.errors.ModelAuthError
      if (bad === undefined) throw new Error('each API knows a wrong key')
      const { result, requests } = await played(api, [{ status: 200, body: api.words.errorBody('no', bad) }], { stream })
      expect([result.status === 'failed' && result.error.code, requests.length]).toEqual(['ModelAuthError', 1])
    },
  )

  test.each([
    ['json', true],
    ['sse', false],
  ] as const)('B090 a server that answers in the other form (%s) is understood', async (form, stream) => {
    const { result, ran } = await played(api, [{ calls: [note('a')] }, 'done'], { stream, quirks: { form } })
    expect([ran, result.status, result.text]).toEqual([['a'], 'completed', 'done'])
  })

  test('B076 B078 B080 B094 B095 CR LF, a byte at a time, comments, data over lines, an end without its blank line', async () => {
    const quirks = { newline: '\r\n', bytesPerWrite: 1, comment: ': PROCESSING', multiline: true, openEnd: true } as const
    const { result, ran } = await played(api, [{ text: 'Grüße 😀', calls: [note('漢😀')] }, 'done 😀'], { quirks })
    expect([ran, result.status, result.text]).toEqual([['漢😀'], 'completed', 'done 😀'])
  })

  test('B105 a Retry-After that nobody can read is none; what can be read is heard', async () => {
    const limited = fromScripted({ fail: { code: 'ModelRateLimited' } }, api.words)
    for (const value of ['', 'soon', '-1', 'NaN', '0.001']) {
      const { result, requests } = await played(api, [{ ...(limited as Raw), headers: { 'retry-after': value } }, 'done'])
      expect([result.status, requests.length]).toEqual(['completed', 2])
    }
  })

  test('B190 B196 blank texts and half characters are sent by nobody', async () => {
    const half = 'cut \ud83d'
    const { result, requests } = await played(api, [{ text: ' \n', calls: [note(half)] }, 'done'])
    expect(result.status).toBe('completed')
    expect(sent(requests[1])).toContain('noted cut ')
  })

  test('B194 nobody is sent what was not set', async () => {
    await using server = await api.serve(['done'])
    await new Agent({ model: api.model(server.url, { stream: true }) }).run('go')
    const text = sent(server.requests[0])
    for (const field of [
      'temperature',
      'top_p',
      'topP',
      'parallel',
      'tool_choice',
      'toolConfig',
      'tools',
      'stop',
      'seed',
      'response_format',
    ])
      expect(text).not.toContain(`"${field}`)
  })
})
