import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWellFormed } from '../../src/core/text.ts'
import { type HttpFailure, httpError, streamError } from '../../src/models/errors.ts'
import { isNotFound } from '../../src/models/not-found.ts'

type More = Partial<Omit<HttpFailure, 'header'>> & { readonly headers?: { readonly [name: string]: string } }

function failure(status: number, body: unknown, { headers = {}, ...more }: More = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return httpError({ provider: 'acme', status, header: (name) => headers[name.toLowerCase()], body: text, ...more })
}

/** What the server said, without the frame of the message. */
function said(body: unknown): string {
  return failure(400, body).message.replace('acme refused the request (HTTP 400): ', '')
}

describe('what the server said is found in any shape', () => {
  test.each([
    ['OpenAI', { error: { message: 'Bad thing', type: 'invalid_request_error', param: 'x', code: null } }, 'Bad thing.'],
    ['a text under error', { error: 'Bad thing' }, 'Bad thing.'],
    ['a message', { message: 'Bad thing!' }, 'Bad thing!'],
    ['a message beside the name of the status', { statusCode: 400, message: 'Bad thing', error: 'Bad Request' }, 'Bad thing.'],
    ['FastAPI, a text', { detail: 'Bad thing' }, 'Bad thing.'],
    [
      'FastAPI, a list',
      {
        detail: [
          { loc: ['body', 'messages', 0], msg: 'Field required', input: { secret: 1 } },
          { loc: ['body', 'n'], msg: 'too big' },
        ],
      },
      'body.messages.0: Field required; body.n: too big.',
    ],
    ['Mistral, a list under message', { object: 'error', message: { detail: [{ loc: ['body'], msg: 'no' }] } }, 'body: no.'],
    ['a list of errors', { success: false, errors: [{ code: 7003, message: 'one' }, { message: 'two' }] }, 'one; two.'],
    ['Anthropic', { type: 'error', error: { type: 'invalid_request_error', message: 'Bad thing' } }, 'Bad thing.'],
    ['Gemini in a list', [{ error: { code: 400, message: 'Bad thing', status: 'INVALID_ARGUMENT', details: [] } }], 'Bad thing.'],
    ['RFC 9457', { type: 'about:blank', title: 'Bad', detail: 'Bad thing', status: 400 }, 'Bad thing.'],
    ['MiniMax', { base_resp: { status_code: 2013, status_msg: 'Bad thing' } }, 'Bad thing.'],
    ['JSON in an event', 'event: error\ndata: {"error":{"message":"Bad thing"}}\n\n', 'Bad thing.'],
    ['a JSON text', '"Bad thing"', 'Bad thing.'],
    ['JSON behind a byte order mark', '\ufeff{"error":"Bad thing"}', 'Bad thing.'],
    ['codes alone', { error: { code: 'bad_thing', type: 'Worse' } }, 'bad_thing, Worse.'],
    ['plain text', 'Bad\r\n\tthing \u0007 ', 'Bad thing.'],
    ['cut JSON', '{"error":{"message":"Bad th', '{"error":{"message":"Bad th.'],
    ['JSON of an unknown shape', { oh: ['no'] }, '{"oh":["no"]}.'],
    ['a number', '42', '42.'],
    ['nothing', '', 'it said no more.'],
    [
      'a page without a title',
      '<html><style>p{}</style><p>Bad &amp; <b>worse</b></p><script>if (a < b) x()</script></html>',
      'Bad & worse.',
    ],
    ['XML', '<?xml version="1.0"?><Error><Code>Bad</Code><Message>thing</Message></Error>', 'Bad thing.'],
  ])('%s', (_shape, body, text) => {
    expect(said(body)).toBe(text)
  })

  test('nesting, lists and keys of no good are no trouble', () => {
    const deep = JSON.parse(`${'{"error":'.repeat(3_000)}"x"${'}'.repeat(3_000)}`)
    expect(failure(400, deep).code).toBe('ModelBadRequest')
    expect(failure(400, '{"__proto__":{"message":"x"},"constructor":{"code":"insufficient_quota"}}').code).toBe('ModelBadRequest')
    expect(failure(400, { errors: Array.from({ length: 1_000 }, (_, i) => ({ message: `e${i}` })) }).message).not.toContain('e8')
    expect(failure(400, '<a '.repeat(40_000)).message.length).toBeLessThan(1_100)
    for (const value of [null, undefined, 7, [], {}, true]) expect(streamError(value, { provider: 'acme' }).code).toBe('ModelServerError')
  })
})

describe('B108, B110, checklist C33: the class of a status, and whether it is tried again', () => {
  test.each([
    [400, 'ModelBadRequest', false],
    [401, 'ModelAuthError', false],
    [402, 'ModelQuotaExceeded', false],
    [403, 'ModelAuthError', false],
    [404, 'ModelBadRequest', false],
    [405, 'ModelBadRequest', false],
    [408, 'ModelServerError', true],
    [409, 'ModelServerError', true],
    [413, 'ModelContextOverflow', false],
    [415, 'ModelBadRequest', false],
    [422, 'ModelBadRequest', false],
    [424, 'ModelServerError', true],
    [425, 'ModelServerError', true],
    [429, 'ModelRateLimited', true],
    [500, 'ModelServerError', true],
    [501, 'ModelBadRequest', false],
    [502, 'ModelServerError', true],
    [503, 'ModelServerError', true],
    [504, 'ModelServerError', true],
    [505, 'ModelBadRequest', false],
    [529, 'ModelServerError', true],
    [302, 'ModelUnknownError', false],
  ] as const)('%i', (status, code, retryable) => {
    const { code: got, category, retryable: again } = failure(status, { message: 'x' })
    expect([got, category, again]).toEqual([code, 'model', retryable])
  })

  test('x-should-retry: false ends it, true tries again what another attempt can mend', () => {
    const should = (value: string) => ({ headers: { 'x-should-retry': value } })
    expect(failure(503, '', should('false')).retryable).toBe(false)
    expect(failure(503, '', should(' False ')).retryable).toBe(false)
    expect(failure(400, '', should('true')).retryable).toBe(true)
    expect(failure(400, '', should('TRUE')).retryable).toBe(true)
    for (const [status, body] of [
      [401, ''],
      [403, ''],
      [402, ''],
      [413, ''],
      [429, { code: 'insufficient_quota' }],
      [429, { message: 'Request too large for x on tokens per min (TPM): Limit 5, Requested 6' }],
      [400, { code: 'content_filter' }],
    ] as const)
      expect(failure(status, body, should('true')).retryable, JSON.stringify(body)).toBe(false)
  })
})

describe('a code or a wording tells more than the status', () => {
  test.each([
    [
      'B107 quota under 429',
      429,
      { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } },
      'ModelQuotaExceeded',
      false,
    ],
    [
      'B107 quota in words, from a gateway',
      400,
      { message: 'You exceeded your current quota, please check your plan' },
      'ModelQuotaExceeded',
      false,
    ],
    [
      'B107 Anthropic',
      400,
      { error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } },
      'ModelQuotaExceeded',
      false,
    ],
    ['B107 Moonshot', 429, { error: { type: 'exceeded_current_quota_error', message: 'suspended' } }, 'ModelQuotaExceeded', false],
    ['B107 OpenAI billing', 400, { error: { code: 'billing_hard_limit_reached' } }, 'ModelQuotaExceeded', false],
    ['B107 xAI', 403, { error: 'Your team has used all available credits' }, 'ModelQuotaExceeded', false],
    ['B107 xAI, a new team', 403, { error: "Your newly created team doesn't have any credits yet." }, 'ModelQuotaExceeded', false],
    [
      'B107 Anthropic, a limit that the user set',
      400,
      {
        error: {
          type: 'invalid_request_error',
          message: 'You have reached your specified API usage limits. You will regain access on 2026-09-01.',
        },
      },
      'ModelQuotaExceeded',
      false,
    ],
    ['B107 Z.ai, a plan', 429, { error: { code: '1308', message: 'Usage limit reached for 5 hour.' } }, 'ModelQuotaExceeded', false],
    ['B107 Ollama', 429, { error: 'you have reached your weekly usage limit, upgrade for higher limits' }, 'ModelQuotaExceeded', false],
    [
      'B107 Hugging Face',
      402,
      { error: 'You have exceeded your monthly included credits for Inference Providers.' },
      'ModelQuotaExceeded',
      false,
    ],
    ['MiniMax, a rate', 200, { base_resp: { status_code: 1002, status_msg: 'rate limit' } }, 'ModelRateLimited', true],
    [
      'MiniMax, a key',
      200,
      { base_resp: { status_code: 1004, status_msg: 'login fail: Please carry the API secret key' } },
      'ModelAuthError',
      false,
    ],
    [
      'Anthropic, an organization',
      400,
      { error: { type: 'invalid_request_error', message: 'This organization has been disabled.' } },
      'ModelAuthError',
      false,
    ],
    [
      'what Anthropic does not let out',
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'Output blocked by content filtering policy' } },
      'ModelContentBlocked',
      false,
    ],
    [
      'OpenAI, what may harm',
      400,
      { error: { code: 'cyber_policy', message: 'This request has been flagged for possible cybersecurity risk.' } },
      'ModelContentBlocked',
      false,
    ],
    ['Groq, a full tier', 498, { error: { code: 'capacity_exceeded', message: 'Flex tier capacity exceeded' } }, 'ModelServerError', true],
    ['Gemini, of a minute', 429, gemini('GenerateRequestsPerMinutePerProject'), 'ModelRateLimited', true],
    ['Gemini, of a day', 429, gemini('GenerateRequestsPerDayPerProjectPerModel-FreeTier'), 'ModelQuotaExceeded', false],
    ['a rate under 403', 403, { message: 'API rate limit exceeded' }, 'ModelRateLimited', true],
    [
      'Groq, a request over the limit',
      413,
      { message: 'Request too large for m on tokens per minute (TPM): Limit 6000' },
      'ModelRateLimited',
      false,
    ],
    ['an invalid key under 400', 400, { error: { details: [{ '@type': 'x', reason: 'API_KEY_INVALID' }] } }, 'ModelAuthError', false],
    [
      'content under 403',
      403,
      { error: { message: 'requires moderation, your input was flagged for "violence"' } },
      'ModelContentBlocked',
      false,
    ],
    ['content under 400', 400, { error: { code: 'content_policy_violation' } }, 'ModelContentBlocked', false],
    ['DeepSeek', 400, { error: { message: 'Content Exists Risk', code: 'invalid_request_error' } }, 'ModelContentBlocked', false],
    ['a timeout', 504, { type: 'error', error: { type: 'timeout_error', message: 'Request timed out' } }, 'ModelTimeout', true],
    ['Gemini, a deadline', 504, { error: { code: 504, status: 'DEADLINE_EXCEEDED', message: 'x' } }, 'ModelTimeout', true],
    [
      'B110 llama.cpp',
      500,
      { error: { code: 500, message: 'Failed to parse tool call arguments as JSON: […]' } },
      'ModelServerError',
      true,
    ],
    ['B110 Ollama', 500, { error: "error parsing tool call: raw='{\"a', err=unexpected end of JSON input" }, 'ModelServerError', true],
    ['B110 Groq', 400, { error: { code: 'json_validate_failed', message: 'Failed to generate JSON' } }, 'ModelServerError', true],
  ] as const)('%s', (_title, status, body, code, retryable) => {
    const error = failure(status, body)
    expect([error.code, error.retryable]).toEqual([code, retryable])
    const inside = streamError(body, { provider: 'acme' })
    expect([inside.code, inside.retryable], 'the same in a stream').toEqual([code, retryable])
  })

  test('B110: the text is kept, and the message says that it was the model', () => {
    const text = 'Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]'
    expect(failure(500, { error: { message: text } }).message).toBe(
      `acme could not use what the model wrote (an error of the model, not an outage) (HTTP 500): ${text}.`,
    )
  })

  test.each([
    ['B084 status in code', { error: { code: 400, message: 'x' } }, 'ModelBadRequest', false],
    ['B084 status in a text', { error: { code: '429', message: 'x' } }, 'ModelRateLimited', true],
    ['B084 an invalid request', { error: { type: 'invalid_request_error', message: 'x' } }, 'ModelBadRequest', false],
    ['a model that is not there', { type: 'error', error: { type: 'not_found_error', message: 'model: x' } }, 'ModelBadRequest', false],
    ['forbidden', { type: 'error', error: { type: 'permission_error', message: 'x' } }, 'ModelAuthError', false],
    ['overloaded', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'ModelServerError', true],
    ['B097 a line of words', 'upstream broke', 'ModelServerError', true],
    [
      'Responses',
      { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'x' } } },
      'ModelServerError',
      true,
    ],
    // https://platform.openai.com/docs/api-reference/responses/object: the codes of an error in a stream.
    ['B084 a picture that is refused', { error: { code: 'image_content_policy_violation', message: 'x' } }, 'ModelContentBlocked', false],
    ['B084 a picture too large', { error: { code: 'image_too_large', message: 'x' } }, 'ModelBadRequest', false],
    ['B084 a picture that is none', { error: { code: 'image_parse_error', message: 'x' } }, 'ModelBadRequest', false],
    ['B084 a file that is empty', { error: { code: 'empty_image_file', message: 'x' } }, 'ModelBadRequest', false],
    ['nothing known', { error: { code: 'weird', message: 'x' } }, 'ModelServerError', true],
  ] as const)('in a stream without more: %s', (_title, value, code, retryable) => {
    const error = streamError(value, { provider: 'acme' })
    expect([error.code, error.retryable]).toEqual([code, retryable])
    const whole = failure(200, typeof value === 'string' ? value : JSON.stringify(value))
    expect([whole.code, whole.retryable], 'the same as the body of a 200').toEqual([code, retryable])
  })
})

function gemini(quotaId: string) {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
    { '@type': 'type.googleapis.com/google.rpc.DebugInfo', detail: 'nobody may see this' },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7.5s' },
  ]
  return { error: { code: 429, message: 'You exceeded your current quota, please check your plan', status: 'RESOURCE_EXHAUSTED', details } }
}

describe('when to try again', () => {
  test('B105: what is no finite number of milliseconds is no delay', () => {
    for (const retryAfterMs of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1])
      expect(failure(429, '', { retryAfterMs }).retryAfterMs).toBeUndefined()
    for (const retryDelay of ['NaNs', 's', '1e400s', '-3s', '', 7])
      expect(failure(429, { error: { details: [{ retryDelay }] } }).retryAfterMs).toBeUndefined()
    for (const retry_after of ['soon', -1, 1e300, null]) expect(failure(429, { error: { retry_after } }).retryAfterMs).toBeUndefined()
    expect(failure(429, '{"error":{"retry_after":1e999}}').retryAfterMs).toBeUndefined()
  })

  test.each([
    ['the header before the body', failure(429, gemini('x'), { retryAfterMs: 0 }), 0],
    ['Gemini', failure(429, gemini('x')), 7_500],
    ['a field', failure(429, { retry_after: 1.5 }), 1_500],
    [
      'words',
      streamError({ error: { code: 'rate_limit_exceeded', message: 'Please try again in 11.054s. More' } }, { provider: 'acme' }),
      11_054,
    ],
    ['words, milliseconds', failure(429, { message: 'Please try again in 6ms.' }), 6],
    ['words, more than one unit', failure(429, { message: 'try again in 1m2.5s' }), 62_500],
    ['words, spelt out', failure(503, { message: 'Try again in 20 seconds' }), 20_000],
    ['words, Azure', failure(429, { message: 'Please retry after 20 seconds.' }), 20_000],
    ['words, Gemini', failure(429, { message: 'Please retry in 51.045s.' }), 51_045],
    ['words that give no time', failure(503, { message: 'Please try again in some minutes; try again in 2 moons' }), undefined],
  ])('%s', (_title, error, ms) => {
    expect(error.retryAfterMs).toBe(ms)
  })
})

describe('the message', () => {
  test('says who, which status, what it said, and what to do', () => {
    const error = failure(401, { error: { message: 'Incorrect API key provided' } }, { provider: 'openai', keyName: 'OPENAI_API_KEY' })
    expect(error.message).toBe('openai does not accept the key (HTTP 401): Incorrect API key provided. Check OPENAI_API_KEY.')
    expect(failure(404, { error: { code: 'model_not_found', message: 'The model `x` does not exist' } }).message).toBe(
      'acme does not have this model (HTTP 404): The model `x` does not exist. Check the name of the model.',
    )
    expect(failure(404, { detail: 'Not Found' }).message).toBe(
      'acme says "not found" (HTTP 404): Not Found. Check the name of the model and the base URL.',
    )
    expect(streamError({ error: { message: 'no', type: 'authentication_error' } }, { provider: 'acme', keyName: '$&' }).message).toBe(
      'acme does not accept the key (in the response): no. Check $&.',
    )
  })

  test.each([
    { error: { code: 'model_not_found', message: 'x' } },
    { error: { code: 'model_decommissioned', message: 'The model `x` has been decommissioned' } },
    { error: { code: 'invalid_request_error', message: 'Model Not Exist' } }, // DeepSeek
    { error: { code: 400, message: 'acme/x is not a valid model ID' } }, // OpenRouter
    { error: { code: '1211', message: 'Unknown Model, please check the model code.' } }, // Z.ai
    { error: { type: 'invalid_request_error', code: 'model_not_available', message: 'Unable to access model x.' } }, // Together
    { error: "model 'x' not found" }, // Ollama
  ])('names the model as what is not there, also under 400: %j', (body) => {
    const error = failure(400, body)
    expect(error.message).toContain('acme does not have this model (HTTP 400): ')
    expect(isNotFound(error)).toBe(true)
  })

  test('holds the id of the request, by which its people find it: from a header or from the body', () => {
    const message = (headers: { readonly [name: string]: string }, body: unknown = { message: 'x' }) =>
      failure(500, body, { headers }).message
    expect(message({ 'request-id': ' req_1 ' })).toBe('acme failed (HTTP 500; request req_1): x.')
    expect(message({ 'x-request-id': 'a', 'request-id': 'b' })).toContain('; request a)')
    expect(message({ 'apim-request-id': 'c', 'x-request-id': '' })).toContain('; request c)')
    expect(message({}, { error: { message: 'x' }, request_id: 'req_2' })).toContain('; request req_2)')
    expect(message({ 'request-id': `sk-abc123456789\r\n${'x'.repeat(500)}` })).toMatch(/; request sk-\*\*\* x{92}…\): x\.$/)
    expect(message({})).toBe('acme failed (HTTP 500): x.')
    const event = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'req_3' }
    expect(streamError(event, { provider: 'acme' }).message).toBe('acme failed (in the response; request req_3): Overloaded.')
  })

  test('B089: a page is quoted by its title; a 200 that is a page is an error and not tried again', () => {
    const page = '<!DOCTYPE html><html><head><title>Sign in\n to &quot;Corp&quot;</title></head><body>…</body></html>'
    const error = failure(200, page)
    expect([error.code, error.retryable]).toEqual(['ModelUnknownError', false])
    expect(error.message).toBe(
      'acme answered with a page and not with data (HTTP 200): Sign in to "Corp". Check the base URL and the proxy.',
    )
    expect(failure(503, page).message).toBe('acme failed (HTTP 503): Sign in to "Corp".')
  })

  test('B085: a 200 without a body is an error that is tried again', () => {
    expect([failure(200, '').code, failure(200, '').retryable]).toEqual(['ModelServerError', true])
  })

  test('is short, and cut between characters', () => {
    const error = failure(400, `${'x'.repeat(798)}${'\u{1f600}'.repeat(99)}`)
    expect(error.message).toBe(`acme refused the request (HTTP 400): ${'x'.repeat(798)}….`.replace('….', '…'))
    expect(failure(400, 'lone \ud83d half').message).toContain('lone \ufffd half')
  })

  test.each([
    ['sk-proj-abcDEF123456_-xyz', 'Incorrect API key provided: sk-proj-abcDEF123456_-xyz.'],
    ['sk-ant-api03-AAAA', 'key sk-ant-api03-AAAA refused'],
    ['sk-ab********************yz', 'Incorrect API key provided: sk-ab********************yz.'],
    ['abc.def.ghi-123', 'bad header "Authorization: Bearer abc.def.ghi-123"'],
    ['AIzaSyA1234567890123456789012345678901', 'key=AIzaSyA1234567890123456789012345678901'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIi', 'token eyJhbGciOiJIUzI1NiJ9.eyJzdWIi'],
    ['hunter22', 'GET https://api.test/v1?a=1&api_key=hunter22&b=2'],
    ['hunter22', 'connect to https://ann:hunter22@proxy.test failed'],
    ['gsk_abcdefgh12345678', 'Invalid API Key gsk_abcdefgh12345678'],
    ['gsk_abcdefghijklmn', 'Invalid API Key gsk_abcdefghijklmn'],
    ['ghp_abcdefghijklmnop', 'Bad credentials ghp_abcdefghijklmnop'],
    ['github_pat_ABCDEFG_abcdef', 'Bad credentials github_pat_ABCDEFG_abcdef'],
    ['xoxb-abcdefghijkl-abc', 'no xoxb-abcdefghijkl-abc here'],
    ['AQ.AbcdefgKxyzABCDEF', 'key AQ.AbcdefgKxyzABCDEF refused'],
    ['0123456789abcdef', '{"api-key": "0123456789abcdef"}'],
  ])('holds no secret: %s', (secret, text) => {
    for (const message of [
      failure(401, { error: text }).message,
      failure(401, text).message,
      streamError(text, { provider: 'acme' }).message,
    ]) {
      expect(message).not.toContain(secret)
      expect(message).toContain('***')
    }
  })

  test('words that begin as keys do are no keys', () => {
    for (const text of ['pk_column_name is missing', 'call hf_hub_download first', 'Basic authentication is off', 'in the FAQ.html'])
      expect(failure(400, { message: text }).message).toContain(text)
  })

  test.each(['sk-', 'sk-a-', 'hf_a-', 'gsk_', 'xoxb-', 'AQ.', 'Bearer ', '://a:', '?key=', 'secret\\', '<title', 'http://a@'])(
    'masking is linear: %s again and again takes no time',
    (unit) => {
      // Each of these took seconds where a look ahead went over the rest of the text.
      const text = unit.repeat(64 * 1024)
      const started = performance.now()
      for (let round = 0; round < 3; round++) failure(401, text)
      expect(performance.now() - started).toBeLessThan(2_000)
    },
  )

  test('is one line, well-formed and bounded, whatever the body', () => {
    const bodies = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3_000 }),
      fc.json(),
      fc.jsonValue().map((error) => JSON.stringify({ error })),
    )
    fc.assert(
      fc.property(bodies, fc.constantFrom(200, 400, 404, 429, 500), (body, status) => {
        const { message, retryAfterMs } = failure(status, body)
        expect(message.length).toBeLessThan(1_100)
        expect(message).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
        expect(isWellFormed(message)).toBe(true)
        expect(retryAfterMs === undefined || Number.isFinite(retryAfterMs)).toBe(true)
      }),
    )
  })
})
