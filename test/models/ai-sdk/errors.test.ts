import { inspect } from 'node:util'
import * as v4 from '@ai-sdk/provider'
import * as v2 from 'ai-sdk-v2-provider'
import * as v3 from 'ai-sdk-v3-provider'
import { describe, expect, test } from 'vitest'
import { RondoError } from '../../../src/index.ts'
import { fromAiSdk } from '../../../src/models/ai-sdk/index.ts'
import { finish, heard, mockModel, read, requestOf, text, versions } from './mock.ts'

const fails = (thrown: unknown) => () => {
  throw thrown
}
const failing = (thrown: unknown) => heard(mockModel('v4', [fails(thrown)]).model)

describe.each([
  ['2', v2],
  ['3', v3],
  ['4', v4],
])('errors of @ai-sdk/provider %s, by their marks', (_, { APICallError, LoadAPIKeyError, ...rest }) => {
  const answered = (statusCode: number, responseBody: string, responseHeaders: Record<string, string> = {}) =>
    new APICallError({
      message: 'said',
      url: 'https://example.com/v1?key=hidden-key-1',
      requestBodyValues: {},
      statusCode,
      responseBody,
      responseHeaders,
    })

  test.each([
    [429, '{"error":{"message":"slow down"}}', { code: 'ModelRateLimited', retryable: true, retryAfterMs: 7_000 }],
    [
      429,
      '{"error":{"code":"insufficient_quota","message":"exceeded your current quota"}}',
      { code: 'ModelQuotaExceeded', retryable: false },
    ],
    [401, '{"error":{"message":"bad key"}}', { code: 'ModelAuthError', retryable: false }],
    [529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', { code: 'ModelServerError', retryable: true }],
    [
      400,
      '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}',
      { code: 'ModelContextOverflow', message: /9 tokens, limit 8 tokens/ },
    ],
    [404, '{"error":{"message":"no such model"}}', { code: 'ModelBadRequest', retryable: false }],
    [400, '{"error":{"message":"bad"}}', { code: 'ModelBadRequest', retryable: false }],
    [500, '', { code: 'ModelServerError', message: /said/ }],
    [200, '<html><title>Sign in</title></html>', { code: 'ModelUnknownError', retryable: false }],
    [200, '', { code: 'ModelServerError', retryable: true }],
    [200, '{"half":', { code: 'ModelServerError', retryable: true }],
  ])('an answer of status %i (%s)', async (status, body, wanted) => {
    const { message, ...more } = wanted as { message?: RegExp }
    await expect(failing(answered(status, body, { 'Retry-After': '7' }))).rejects.toMatchObject({
      ...more,
      message: expect.stringMatching(message ?? /./),
    })
  })

  test('no key, no setting, no such model, what the model can not do', async () => {
    const { LoadSettingError, NoSuchModelError, UnsupportedFunctionalityError, TooManyEmbeddingValuesForCallError, JSONParseError } = rest
    const told = { retryable: false }
    await expect(failing(new LoadAPIKeyError({ message: 'Set TEST_API_KEY.' }))).rejects.toMatchObject({
      code: 'ModelAuthError',
      message: 'Set TEST_API_KEY.',
      ...told,
    })
    await expect(failing(new LoadSettingError({ message: 'no region' }))).rejects.toMatchObject({ code: 'ConfigInvalid', ...told })
    await expect(failing(new NoSuchModelError({ modelId: 'x', modelType: 'languageModel' }))).rejects.toMatchObject({
      code: 'ModelBadRequest',
      ...told,
    })
    await expect(failing(new UnsupportedFunctionalityError({ functionality: 'files' }))).rejects.toMatchObject({
      code: 'ModelBadRequest',
      ...told,
    })
    const many = new TooManyEmbeddingValuesForCallError({ provider: 'x', modelId: 'x', maxEmbeddingsPerCall: 1, values: [] })
    await expect(failing(many)).rejects.toMatchObject({ code: 'ModelBadRequest', ...told })
    await expect(failing(new JSONParseError({ text: '{"half', cause: new Error('no') }))).rejects.toMatchObject({
      code: 'ModelServerError',
      retryable: true,
    })
  })

  test('no answer at all: the network, which another attempt may reach; a certificate, which it does not mend', async () => {
    const unreached = (code: string) =>
      new APICallError({
        message: 'Cannot connect to API: connect',
        url: 'http://127.0.0.1:9',
        requestBodyValues: {},
        isRetryable: true,
        cause: Object.assign(new Error('connect'), { code }),
      })
    await expect(failing(unreached('ECONNREFUSED'))).rejects.toMatchObject({
      code: 'ModelServerError',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
    })
    await expect(failing(unreached('DEPTH_ZERO_SELF_SIGNED_CERT'))).rejects.toMatchObject({ code: 'ModelServerError', retryable: false })
    await expect(failing(unreached('UND_ERR_HEADERS_TIMEOUT'))).rejects.toMatchObject({ code: 'ModelTimeout', retryable: true })
  })

  test('what the runtime was asked in vain is no trouble of the network: no other attempt mends it', async () => {
    const codes = ['ERR_INVALID_URL', 'ERR_INVALID_ARG_TYPE', 'UND_ERR_INVALID_ARG', 'ERR_MODULE_NOT_FOUND']
    for (const code of codes)
      await expect(failing(Object.assign(new TypeError('Failed to parse URL'), { code }))).rejects.toMatchObject({
        code: 'ModelUnknownError',
        retryable: false,
      })
    for (const code of ['EAI_AGAIN', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_HTTP2_STREAM_CANCEL', 'UND_ERR_SOCKET', 'HPE_INVALID_CONSTANT'])
      await expect(failing(Object.assign(new Error('no'), { code }))).rejects.toMatchObject({ code: 'ModelServerError', retryable: true })
  })

  test('an error that is printed with its cause shows neither the URL nor what was asked', async () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    const url = 'http://127.0.0.1:9/v1?key=hidden-key-1'
    const unreached = new APICallError({
      message: 'Cannot connect',
      url,
      requestBodyValues: { said: 'a-secret-word' },
      cause,
      isRetryable: true,
    })
    const error = await failing(unreached).catch((thrown: unknown) => thrown)
    expect(inspect(error, { depth: 9 })).not.toMatch(/hidden-key-1|a-secret-word/)
    expect(error).toMatchObject({ code: 'ModelServerError', cause })
  })

  test('a key is masked without the scheme that stands before it in its header, and whole where another is a part of it', async () => {
    const said = 'bad keys: quiet-word-one, quiet-word-one-and-two'
    const { model } = mockModel('v4', [fails(answered(401, JSON.stringify({ error: { message: said } })))])
    const headers = { authorization: 'Bearer quiet-word-one-and-two', 'x-other': 'quiet-word-one' }
    const error = await heard(model, { headers }).catch((thrown: Error) => thrown)
    expect(String(error)).not.toMatch(/quiet|and-two/)
  })

  test('what a URL and the headers hold of keys is in no message', async () => {
    const echo = answered(401, '{"error":{"message":"bad key hidden-key-1 and own-secret-2"}}')
    const { model } = mockModel('v4', [fails(echo)])
    const error = await heard(model, { headers: { 'x-key': 'own-secret-2' } }).catch((thrown: Error) => thrown)
    expect(String(error)).not.toMatch(/hidden-key-1|own-secret-2/)
  })
})

describe('an error in the stream', () => {
  const streamed = (error: unknown) => read('v4', [...text('Hal'), { type: 'error', error }, finish('v4', 'error')])

  test.each([
    [
      { type: 'overloaded_error', message: 'Overloaded' },
      { code: 'ModelServerError', retryable: true },
    ],
    [{ error: { code: 400, type: 'exceed_context_size_error', n_prompt_tokens: 9, n_ctx: 8 } }, { code: 'ModelContextOverflow' }],
    ['exceeded your current quota', { code: 'ModelQuotaExceeded', retryable: false }],
    [
      new TypeError('terminated', { cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }) }),
      { code: 'ModelServerError' },
    ],
    [new v4.TypeValidationError({ value: { error: { message: 'rate limit reached' } }, cause: undefined }), { code: 'ModelRateLimited' }],
    [
      new v4.InvalidResponseDataError({ data: undefined, message: 'ended without a finish reason' }),
      { code: 'ModelServerError', retryable: true },
    ],
    [new Error('a bug of the package'), { code: 'ModelUnknownError', retryable: false }],
    [undefined, { code: 'ModelServerError' }],
  ])('%s', async (error, wanted) => {
    await expect(streamed(error)).rejects.toMatchObject(wanted)
  })

  test('ends it: nothing that follows is taken, and the stream is cancelled', async () => {
    let cancelled: unknown
    const stream = (parts: readonly unknown[]) =>
      new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part)
        },
        cancel(reason) {
          cancelled = reason
        },
      })
    const deltas: unknown[] = []
    const { model } = mockModel('v3', [[...text('a'), { type: 'error', error: 'no' }, ...text('b', 'u')]], { stream })
    const answer = fromAiSdk(model).stream(requestOf(), (delta) => deltas.push(delta), {
      signal: new AbortController().signal,
      sessionId: 's',
    })
    await expect(answer).rejects.toMatchObject({ code: 'ModelServerError' })
    expect(deltas).toEqual([{ type: 'text', part: 0, text: 'a' }])
    expect(cancelled).toMatchObject({ code: 'ModelServerError' })
  })
})

test('an error of ours stays what it is, the last of several attempts counts, anything else is unknown and not tried again', async () => {
  await expect(failing(new RondoError('ModelRateLimited', 'mine'))).rejects.toMatchObject({ code: 'ModelRateLimited', message: 'mine' })
  const retried = Object.assign(new Error('Failed after 3 attempts'), { lastError: new v4.LoadAPIKeyError({ message: 'no key' }) })
  await expect(failing(retried)).rejects.toMatchObject({ code: 'ModelAuthError' })
  await expect(failing(new TypeError('x is not a function'))).rejects.toMatchObject({ code: 'ModelUnknownError', retryable: false })
})

test.each(versions)('a package (%s) that gives no stream is told so', async (version) => {
  await expect(heard(mockModel(version, [() => ({})]).model)).rejects.toMatchObject({
    code: 'ModelUnknownError',
    message: expect.stringContaining('no stream'),
  })
  await expect(heard(mockModel(version, [() => undefined]).model)).rejects.toMatchObject({ code: 'ModelUnknownError' })
})

describe('what is no language model, and options that can not work', () => {
  test.each([
    ['a name', 'anthropic/claude', /a name \('anthropic\/claude'\) is no model/],
    ['a provider', () => {}, /a provider and no model yet/],
    ['nothing', undefined, /the model is missing/],
    ['a model of another kind', { specificationVersion: 'v2', provider: 'x', modelId: 'y', doEmbed: () => {} }, /no language model/],
    [
      'another version',
      { ...mockModel('v4', []).model, specificationVersion: 'v1' },
      /v2, v3 and v4 are known here\. Take a package of AI SDK 5, 6 or 7\.$/,
    ],
  ])('%s', (_, model, message) => {
    expect(() => fromAiSdk(model as never)).toThrow(
      expect.objectContaining({ code: 'ConfigInvalid', message: expect.stringMatching(message) }),
    )
  })

  test('all that is wrong is said at once', () => {
    const options = { streaming: true, stream: 1, timeouts: { idleMs: 0, idle: 5 }, capabilities: { contextWindow: -1 }, headers: { a: 1 } }
    expect(() => fromAiSdk(mockModel('v4', []).model, options as never)).toThrow(
      expect.objectContaining({
        code: 'ConfigInvalid',
        message:
          "fromAiSdk: unknown option 'streaming': did you mean 'stream'?; headers must be an object of names and texts; stream must be a boolean, not 1; unknown option 'timeouts.idle': did you mean 'idleMs'?; timeouts.idleMs must be a positive number of ms (Infinity = none), not 0; capabilities.contextWindow must be a positive whole number of tokens, not -1.",
      }),
    )
  })
})
