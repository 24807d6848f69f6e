// What the field reports of streams, answers and refusals, over real sockets and both transports: as bytes of a Chat Completions API.
import { describe, expect, test } from 'vitest'
import { Assembler } from '../../../src/core/assemble.ts'
import { RondoError } from '../../../src/core/error.ts'
import { openaiCompatible } from '../../../src/models/openai/index.ts'
import { type Answer, fakeServer } from '../../setup/http-server.ts'

const transports = [
  ['node', {}],
  ['fetch', { fetch: globalThis.fetch }],
] as const

const request = { instructions: '', messages: [], tools: [], toolChoice: 'auto', settings: {}, purpose: 'main' } as const

const chunk = (delta: object, finish: string | null = null) => JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })
const said = (content: string) => chunk({ content })
const stop = chunk({}, 'stop')
const whole = JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: 'Hi 😀' }, finish_reason: 'stop' }] })
const callBegin = chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'pay', arguments: '{"cents":42' } }] })

/** Pieces that are sent one by one, for a pause lies between them. */
const apart = (...pieces: readonly (string | Uint8Array)[]) => pieces.flatMap((piece) => [piece, 3])
const byteByByte = (text: string) => Array.from(new TextEncoder().encode(text), (byte) => Uint8Array.of(byte))
const stream = (...body: (string | Uint8Array | number)[]): Answer => ({ headers: { 'content-type': 'text/event-stream' }, body })
const refusal = (status: number, error: object, headers: { readonly [name: string]: string } = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ error }),
})

const good: [report: string, answer: Answer][] = [
  ['B076 lines end with CRLF', stream(`data: ${said('Hi ')}\r\n\r\ndata: ${said('😀')}\r\n\r\ndata: ${stop}\r\n\r\ndata: [DONE]\r\n\r\n`)],
  ['B076 lines end with CR', stream(`data: ${said('Hi ')}\r\rdata: ${said('😀')}\r\rdata: ${stop}\r\rdata: [DONE]\r\r`)],
  [
    'B077 CR and LF come apart',
    stream(...apart(`data: ${said('Hi ')}\r`, `\n\r`, `\ndata: ${said('😀')}\r`, `\n\r\ndata: ${stop}\r\n\r`, '\n')),
  ],
  [
    'B078 each byte comes by itself',
    stream(...apart(`data: ${said('Hi ')}\n\n`, ...byteByByte(`data: ${said('😀')}`), `\n\ndata: ${stop}\n\n`)),
  ],
  [
    'B080 comments stand between the events',
    stream(...apart(': PROCESSING\n\n', ':\n\n', `data: ${said('Hi 😀')}\n\n:\n\n`, `data: ${stop}\n\n`)),
  ],
  ['B082 events without data', stream(`event: ping\ndata:\n\nid: 1\n\n: x\n\ndata: ${said('Hi 😀')}\n\nevent: ping\n\ndata: ${stop}\n\n`)],
  ['B090 a whole answer where a stream was asked for', { headers: { 'content-type': 'application/json' }, body: whole }],
  [
    'B094 data over several lines, and no blank behind the colon',
    stream(`data:${JSON.stringify(JSON.parse(said('Hi 😀')), null, 1).replaceAll('\n', '\ndata:')}\n\ndata\n\ndata:${stop}\n\n`),
  ],
  ['B095 the last event has no end', stream(...apart(`data: ${said('Hi 😀')}\n\n`, `data: ${stop}`))],
]

const bad: [report: string, answer: Answer, code: string, retryable: boolean, message: RegExp][] = [
  [
    'B084 the first event of an answer with a good status refuses the request',
    stream(`data: {"error":{"message":"bad schema","code":400}}\n\n`),
    'ModelBadRequest',
    false,
    /bad schema/,
  ],
  ['B085 nothing at all', stream(), 'ModelServerError', true, /answered with nothing/],
  [
    'B088 the clean end within a call',
    stream(`data: ${callBegin}\n\n`),
    'ModelServerError',
    true,
    /in the middle of the arguments of a tool call/,
  ],
  [
    'B089 a page with a good status',
    { headers: { 'content-type': 'text/html' }, body: '<html><title>Sign in</title></html>' },
    'ModelUnknownError',
    false,
    /Sign in/,
  ],
  [
    'B089 an error with a good status',
    { headers: { 'content-type': 'application/json' }, body: '{"error":{"message":"no such model","code":"model_not_found"}}' },
    'ModelBadRequest',
    false,
    /no such model/,
  ],
  [
    'B107 an account that is used up',
    refusal(429, { message: 'You exceeded your current quota', code: 'insufficient_quota' }),
    'ModelQuotaExceeded',
    false,
    /quota/,
  ],
  ['B108 a bad request', refusal(400, { message: 'bad schema' }), 'ModelBadRequest', false, /bad schema/],
  ['B108 a wrong key', refusal(401, { message: 'bad key' }), 'ModelAuthError', false, /bad key/],
  ['B108 no such model', refusal(404, { message: 'no such model' }), 'ModelBadRequest', false, /no such model/],
]

async function asked(answer: Answer, options: object) {
  await using server = await fakeServer(answer)
  const assembler = new Assembler({ n: 1 })
  const model = openaiCompatible({ baseURL: server.url, name: 'acme', ...options })('m')
  try {
    await model.stream(request, (delta) => void assembler.push(delta), { signal: new AbortController().signal, sessionId: 's' })
    return { parts: assembler.finish().parts, requests: server.requests.length }
  } catch (error) {
    if (!RondoError.is(error)) throw error
    return { error, requests: server.requests.length }
  }
}

describe.each(transports)('field reports over the transport %s', (_name, options) => {
  test.each(good)('%s', async (_report, answer) => {
    expect(await asked(answer, options)).toEqual({ parts: [{ type: 'text', text: 'Hi 😀' }], requests: 1 })
  })

  test.each(bad)('%s', async (_report, answer, code, retryable, message) => {
    const { error, requests } = await asked(answer, options)
    expect([error?.code, error?.retryable, error?.message, requests]).toEqual([code, retryable, expect.stringMatching(message), 1])
  })

  test.each([
    ['2', 2_000],
    ['1.5', 1_500],
    ['', undefined],
    ['soon', undefined],
    ['Wed, 99 Foo 2099', undefined],
  ])('B105 Retry-After: %j is %s ms', async (header, ms) => {
    const { error } = await asked(refusal(429, { message: 'slow down' }, { 'retry-after': header }), options)
    expect([error?.code, error?.retryable, error?.retryAfterMs]).toEqual(['ModelRateLimited', true, ms])
  })

  test('B105 a date is the time until then', async () => {
    const until = new Date(Date.now() + 30_000).toUTCString()
    const { error } = await asked(refusal(429, { message: 'slow down' }, { 'retry-after': until }), options)
    expect(error?.retryAfterMs).toBeGreaterThan(10_000)
    expect(error?.retryAfterMs).toBeLessThanOrEqual(30_000)
  })
})
