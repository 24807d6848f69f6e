import { describe, expect, test } from 'vitest'
import { Assembler } from '../../../src/core/assemble.ts'
import { RondoError } from '../../../src/core/error.ts'
import type { ApiAnswerer } from '../../../src/models/http/decoder.ts'
import { openaiChat, openaiCompatible } from '../../../src/models/openai/index.ts'
import type { OpenAIChatOptions } from '../../../src/models/openai-chat/index.ts'
import { secretsOf } from '../../../src/models/secrets.ts'
import { fakeServer } from '../../setup/http-server.ts'
import { chatResponse } from './support.ts'

const encoder = new TextEncoder()

interface Body {
  readonly status?: number
  readonly type?: string
  readonly headers?: { readonly [name: string]: string }
  readonly from?: Partial<ApiAnswerer>
}

/** Reads a body that comes in these pieces: what was said, or the error. */
function read(pieces: readonly (string | Uint8Array)[], { status = 200, type, headers = {}, from = {} }: Body = {}): unknown {
  const assembler = new Assembler({ n: 1 })
  const response = chatResponse({ provider: 'acme', ...from }, (delta) => void assembler.push(delta))
  response.head({ status, header: (name) => (name === 'content-type' ? type : headers[name]) })
  try {
    for (const piece of pieces) {
      // The buffer of a piece is used again for the next one.
      const bytes = typeof piece === 'string' ? encoder.encode(piece) : piece.slice()
      const isComplete = response.chunk(bytes) === 'complete'
      bytes.fill(0)
      if (isComplete) break
    }
    response.finish()
    return assembler.text()
  } catch (error) {
    return error
  }
}

function brief(error: unknown): unknown {
  return RondoError.is(error) ? [error.code, error.retryable, error.message] : error
}

/** What a model says that is asked over this `fetch`. */
async function asked(options: OpenAIChatOptions & { readonly baseURL?: string }): Promise<unknown> {
  const model = openaiCompatible({ name: 'acme', baseURL: 'http://api.test/v1', ...options })('m')
  const request = { instructions: '', messages: [], tools: [], toolChoice: 'auto', settings: {}, purpose: 'main' } as const
  try {
    return await model.stream(request, () => {}, { signal: new AbortController().signal, sessionId: 's' })
  } catch (error) {
    return error
  }
}

const streamed = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'hello' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`
const whole = JSON.stringify({ choices: [{ index: 0, message: { content: 'hello' }, finish_reason: 'stop' }] })

describe('what a body is', () => {
  const bodies = [
    streamed,
    `\ufeff${streamed}`,
    `: ping\n\n${streamed}`,
    `event: x\n${streamed}`,
    `\r\n\n${streamed}`,
    whole,
    `\ufeff${whole}`,
    `\n \t\r\n${whole}`,
  ]
  test.each(['text/event-stream', 'application/json', 'text/plain', 'text/html', undefined])(
    'B089 B090 is told by its first bytes, whatever it is named (%s) and wherever it is cut',
    (type) => {
      for (const body of bodies) {
        const bytes = encoder.encode(body)
        const about = `${type} ${body.slice(0, 12)}`
        expect(
          read(
            [...bytes].map((byte) => Uint8Array.of(byte)),
            { ...(type === undefined ? {} : { type }) },
          ),
          about,
        ).toBe('hello')
        for (let cut = 0; cut < 24; cut++)
          expect(read([bytes.slice(0, cut), bytes.slice(cut)], { ...(type === undefined ? {} : { type }) }), about).toBe('hello')
      }
    },
  )

  test('blank lines that keep a connection alive cost nothing', () => {
    expect(read([...Array<string>(100_000).fill('\n'), whole], { type: 'application/json' })).toBe('hello')
  })

  test('nothing after [DONE] is read, wherever the body is cut', () => {
    for (const rest of [
      streamed,
      'data: cost: 1\n\n',
      'data: {"error":"late"}\n\n',
      'event: error\ndata: late\n\n',
      'data: {"error":"late"}',
    ])
      for (const pieces of [[streamed + rest], [streamed, rest], [...(streamed + rest)]])
        expect(read(pieces, { type: 'text/event-stream' }), rest).toBe('hello')
  })
})

describe('B089 what answers at a wrong base URL is no answer of the API: it is quoted, and not asked again', () => {
  test.each([
    ['{"models":[]}', 'application/json'],
    ['{"status":"ok"}', 'application/json'],
    ['{"error":false,"data":{}}', 'application/json'],
    ['[]', 'application/json'],
    ['null', 'application/json'],
    ['"ok"', 'application/json'],
    ['ok', 'text/plain'],
    ['Ollama is running', undefined],
    ['{"model":"m","response":"a"}\n{"model":"m","response":"b"}\n', 'application/x-ndjson'],
  ] as const)('%s', (body, type) => {
    expect(brief(read([body], type === undefined ? {} : { type }))).toEqual([
      'ModelUnknownError',
      false,
      `What acme sent is no answer of a Chat Completions API: ${body.trim().replace('\n', ' ')}. Check the base URL.`,
    ])
  })

  test('but an error is what it says, and JSON that has lost its end may be tried again', () => {
    const error = (body: unknown) => brief(read([typeof body === 'string' ? body : JSON.stringify(body)], { type: 'application/json' }))
    expect(error({ message: 'You exceeded your current quota' })).toMatchObject(['ModelQuotaExceeded', false, expect.anything()])
    expect(error({ base_resp: { status_code: 2013, status_msg: 'bad thing' } })).toMatchObject([
      'ModelServerError',
      true,
      expect.anything(),
    ])
    expect(error([{ error: { code: 400, message: 'x' } }])).toMatchObject(['ModelBadRequest', false, expect.anything()])
    expect(error(whole.slice(0, 60))).toMatchObject(['ModelServerError', true, expect.stringContaining('is JSON without its end')])
    expect(error('{\n  "choices": [')).toMatchObject(['ModelServerError', true, expect.anything()])
  })
})

describe('an error that never ends', () => {
  const refusal = '{"error":{"message":"bad key","code":"invalid_api_key"}}'
  const wanted = ['ModelAuthError', false, 'acme does not accept the key (HTTP 401): bad key. Check the API key.']

  test('is known when its JSON is whole', async () => {
    await using server = await fakeServer({ status: 401, body: [refusal.slice(0, 20), refusal.slice(20), '\n'], ends: 'hang' })
    expect(brief(await asked({ baseURL: server.url }))).toEqual(wanted)
  })

  test('is known when it has said enough', async () => {
    const body = [`${refusal.slice(0, -1)},"more":"`, 'x'.repeat(100_000)]
    await using server = await fakeServer({ status: 401, body, ends: 'hang' })
    expect(brief(await asked({ baseURL: server.url }))).toMatchObject(['ModelAuthError', false, expect.anything()])
  })

  test('is waited for as long as for a pause: a byte now and then does not prolong it', async () => {
    let sent = 0
    const drip = Array.from({ length: 200 }, () => [10, 'x', () => sent++]).flat()
    await using server = await fakeServer({ status: 429, headers: { 'retry-after': '7' }, body: ['no', ...drip] })
    expect(await asked({ baseURL: server.url, timeouts: { idleMs: 100 } })).toMatchObject({ code: 'ModelRateLimited', retryAfterMs: 7_000 })
    expect(sent).toBeLessThan(100)
  })

  test('brackets that close nothing, and JSON in words, are read to their end', () => {
    expect(brief(read(['}', ']', '[1]', ' no such key'], { status: 401 }))).toMatchObject([
      'ModelAuthError',
      false,
      expect.stringContaining('}][1] no such key'),
    ])
    expect(brief(read(['[proxy]', ' no such key'], { status: 401 }))).toMatchObject([
      'ModelAuthError',
      false,
      expect.stringContaining('no such key'),
    ])
  })
})

describe('no error shows what was sent in secret', () => {
  const key = '8f14e45fceea167a5a36dedd4bea2543'
  const token = 'correct/horse battery'
  const answer = (body: string, init: ResponseInit) => async () => new Response(body, init)
  const quoting = `key ${key}, token ${token}, and ${JSON.stringify(token).replaceAll('/', '\\/')}`
  const json = { 'content-type': 'application/json' }

  test.each([
    ['a refusal', JSON.stringify({ error: { message: quoting } }), { status: 401, headers: json }],
    ['its code alone', JSON.stringify({ error: { code: `${key} ${token}` } }), { status: 400, headers: json }],
    ['its page', `<html><title>${'x'.repeat(280)} ${key}</title></html>`, { status: 502 }],
    ['an error in a stream', `data: ${JSON.stringify({ error: { message: quoting } })}\n\n`, { status: 200 }],
    ['a named error in a stream', `event: error\ndata: ${quoting}\n\n`, { status: 200 }],
    ['an event that is garbled', `data: ${quoting}\n\n`, { status: 200 }],
    ['a body that is no answer', quoting, { status: 200, headers: { 'content-type': 'text/plain' } }],
    ['JSON without its end', `{"x":"${quoting}`, { status: 200, headers: json }],
  ])('%s', async (_what, body, init) => {
    const error = await asked({ apiKey: key, headers: { 'X-Token': token }, fetch: answer(body, init) })
    const { message } = error as RondoError
    expect(message).toContain('***')
    for (const secret of [key, key.slice(0, 12), token, 'horse']) expect(message).not.toContain(secret)
  })

  test('nor a secret of the URL, also where the runtime quotes it', async () => {
    const baseURL = 'http://ann:hunter222@api.test/secret-tenant/v1?code=swordfish&api-version=2024-10-21'
    const quote = (url: unknown) => {
      throw new TypeError(
        `no route for url (${String(url)}) and ann:hunter222, or /secret-tenant/v1/chat/completions?code=swordfish&api-version=2024-10-21`,
      )
    }
    const error = await asked({ baseURL, fetch: async (url) => quote(url) })
    expect((error as RondoError).message).toBe(
      "api.test:80 can't be reached (no route for url (http://api.test) and ann:***, or /…). Check baseURL and the network.",
    )
    const echoed = await asked({ baseURL, fetch: answer('{"message":"no code swordfish in 2024-10-21"}', { status: 404 }) })
    expect((echoed as RondoError).message).toContain('no code *** in 2024-10-21')
  })

  test('what is short, public or a version is no secret', () => {
    const headers = { 'content-type': 'application/json', 'x-beta': 'a', 'x-key': 'Bearer abcdefgh', 'x-title': 'a/b/c/d' }
    expect(secretsOf(headers, 'https://api.test/v1?api-version=2024-10-21-preview&x=1&sig=s%20cret')).toEqual([
      'Bearer%20abcdefgh',
      'Bearer abcdefgh',
      'a%2Fb%2Fc%2Fd',
      'a\\/b\\/c\\/d',
      'abcdefgh',
      's%20cret',
      'a/b/c/d',
      's cret',
    ])
  })
})

describe('what is known of a server and of the key', () => {
  test('B120 Cerebras answers 400 and nothing else when the input is too long', async () => {
    const fetch = async () => new Response('', { status: 400 })
    expect(await asked({ baseURL: 'https://api.cerebras.ai/v1', apiKey: 'k', fetch })).toMatchObject({ code: 'ModelContextOverflow' })
    expect(await asked({ fetch })).toMatchObject({ code: 'ModelBadRequest' })
    const request = { instructions: '', messages: [], tools: [], toolChoice: 'auto', settings: {}, purpose: 'main' } as const
    const context = { signal: new AbortController().signal, sessionId: 's' }
    const model = openaiChat('m', { baseURL: 'https://api.cerebras.ai/v1', apiKey: 'k', fetch })
    await expect(model.stream(request, () => {}, context)).rejects.toMatchObject({ code: 'ModelContextOverflow' })
  })

  test('an error in a stream names what the key was given in, as a refusal does', () => {
    const refused = 'data: {"error":{"message":"no","code":"invalid_api_key"}}\n\n'
    expect(brief(read([refused], { from: { keyName: 'ACME_KEY' } }))).toEqual([
      'ModelAuthError',
      false,
      'acme does not accept the key (in the response): no. Check ACME_KEY.',
    ])
  })
})
